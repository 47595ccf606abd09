"""What admins read about panels: who would sit on each now."""

from collections.abc import Iterator

from bot.admin.fitting import fitted, some
from bot.errors import UsageError
from bot.outlook import help_lines, occupant, panel_lines
from bot.panels import MODES, ModeName, PanelsConfig, Resolution, sitting
from bot.panels.names import hint, shown

EVERYTHING = "`roundtable check` on the bot's machine shows everything"


def list_text(config: PanelsConfig, resolution: Resolution) -> str:
    """Every panel in a line, and what would make them better."""
    return fitted(_list_lines(config, resolution), EVERYTHING)


def show_text(config: PanelsConfig, resolution: Resolution, name: str) -> str:
    """One panel: its seats, who would take them now, and its settings."""
    return fitted(_show_lines(config, resolution, mode_named(name)), EVERYTHING)


def mode_named(name: str) -> ModeName:
    """The panel of this name; raises UsageError."""
    for mode in MODES:
        if mode == name.strip().casefold():
            return mode
    known = f"the panels are {', '.join(f'`{mode}`' for mode in MODES)}"
    raise UsageError(f"There is no panel '{shown(name, 40)}': {hint(name, MODES, known)}.")


def _list_lines(config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    for mode in MODES:
        now = sitting(config, resolution, mode)
        taken = [f"{s.role} ({s.model.key if s.model else 'empty'})" for s in now.seats]
        budget = ", as the budget panel" if now.budget else ""
        yield f"**{mode}**{budget}: {some(taken, 8)}"
    for name, profile in config.profiles.items():
        if profile.models:
            yield f"`--panel {name}`: {some(profile.models)}"
    yield from panel_lines(config, resolution)
    yield from (f"- {step}" for step in help_lines(config, resolution))


def _show_lines(config: PanelsConfig, resolution: Resolution, mode: ModeName) -> Iterator[str]:
    panel, now = config.panels.of(mode), sitting(config, resolution, mode)
    yield f"**{mode}**" + (", as the budget panel" if now.budget else "")
    perspectives = {agent.role: agent.perspective for agent in panel.agents}
    for seat in now.seats:
        yield f"- **{seat.role}**: {occupant(seat, config)}"
        if perspectives.get(seat.role):
            yield f"  -# {perspectives[seat.role]}"
    early = "ends early when the table agrees" if panel.early_exit else "holds every round"
    yield f"Speech order: {panel.speech_order}; {early}."
    yield f'In panels.json: `panels.{mode}`; a server\'s own: `servers."ID".panels.{mode}`.'
