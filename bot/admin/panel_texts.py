"""What admins read about panels: who would sit on each now."""

from collections.abc import Iterator

from bot.admin.fitting import fitted
from bot.admin.outlook import help_lines, occupant, panel_lines
from bot.errors import UsageError
from bot.messages.admin import AdminText
from bot.panels import MODES, ModeName, PanelsConfig, Resolution, sitting
from bot.panels.names import hint, shown


def list_text(config: PanelsConfig, resolution: Resolution) -> str:
    """Every panel in a line, and what would make them better."""
    return fitted(_list_lines(config, resolution), AdminText.REST_OF_PANELS)


def show_text(config: PanelsConfig, resolution: Resolution, name: str) -> str:
    """One panel: its seats, who would take them now, and its settings."""
    return fitted(_show_lines(config, resolution, mode_named(name)), AdminText.REST_OF_PANELS)


def mode_named(name: str) -> ModeName:
    """The panel of this name; raises UsageError."""
    for mode in MODES:
        if mode == name.strip().casefold():
            return mode
    near = hint(name, MODES, AdminText.panels_are(MODES))
    raise UsageError(AdminText.no_such_panel(shown(name, 40), near))


def _list_lines(config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    for mode in MODES:
        now = sitting(config, resolution, mode)
        taken = [(seat.role, seat.model.key if seat.model else None) for seat in now.seats]
        yield AdminText.panel_line(mode, taken, budget=now.budget)
    for name, profile in config.profiles.items():
        if profile.models:
            yield AdminText.profile(name, profile.models)
    yield from panel_lines(config, resolution)
    yield from (f"- {step}" for step in help_lines(config, resolution))


def _show_lines(config: PanelsConfig, resolution: Resolution, mode: ModeName) -> Iterator[str]:
    panel, now = config.panels.of(mode), sitting(config, resolution, mode)
    yield AdminText.panel_heading(mode, budget=now.budget)
    perspectives = {agent.role: agent.perspective for agent in panel.agents}
    for seat in now.seats:
        yield f"- **{seat.role}**: {occupant(seat, config)}"
        if perspectives.get(seat.role):
            yield f"  -# {perspectives[seat.role]}"
    yield from AdminText.panel_settings(mode, panel.speech_order, ends_early=panel.early_exit)
