"""Who would sit on each panel now, whether that is the full panel, and how to get one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bot.panels import MODES, ModeName, PanelsConfig, Resolution, SeatNow, Sitting, sitting
from bot.panels.remedies import remedies
from bot.panels.sections import Search
from bot.words.providers import NO_BLOCKRUN

Secret = Callable[[str], str | None]

MOST_REMEDIES = 3


def panel_views(config: PanelsConfig) -> Iterator[tuple[str, PanelsConfig, ModeName]]:
    """Every panel with its title: the file's own, and those that servers changed."""
    yield from ((mode, config, mode) for mode in MODES)
    for server, override in config.servers.items():
        changed = override.panels.model_fields_set if override.panels else set()
        view = config.for_server(int(server))
        yield from ((f"{mode} (server {server})", view, mode) for mode in MODES if mode in changed)


def panel_title(title: str, now: Sitting) -> str:
    """The name of a panel, and which seats take its place."""
    return f"{title}, as the budget panel" if now.budget else title


def occupant(seat: SeatNow, config: PanelsConfig) -> str:
    """Who would take a seat, and for whom."""
    model = seat.model
    if model is None:
        return f"empty: {seat.wanted} is not usable, and nobody else is"
    if seat.standing == "rehearsal":
        return f"stand-in for {seat.wanted}"
    if seat.standing == "primary":
        return f"{model.key} through {model.provider}"
    wanted = config.models.get(seat.wanted)
    kin = ", same family" if wanted and wanted.family == model.family else ""
    how = "fallback for" if seat.standing == "fallback" else "in place of"
    return f"{model.key} through {model.provider} ({how} {seat.wanted}{kin})"


def panel_lines(config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    """In sentences: is this the full panel, or what is missing."""
    if resolution.rehearsal:
        yield "No model is usable, so labelled stand-ins play every seat."
        return
    if resolution.found:
        yield _only_found(resolution)
    sittings = [sitting(view, resolution, mode) for _, view, mode in panel_views(config)]
    seats = [seat for one in sittings for seat in one.seats]
    families = {seat.model.family for seat in seats if seat.model}
    budget = any(one.budget for one in sittings)
    if budget:
        yield NO_BLOCKRUN
    if len(families) == 1:
        yield (
            f"The panel is degraded: every seat is taken by the {next(iter(families))} family. "
            "Roles differ, but what one model overlooks all may overlook."
        )
    elif any(seat.standing != "primary" for seat in seats):
        yield "The panel is degraded: some seats are not taken by the model they were made for."
    elif families and not budget:
        yield f"The full panel can sit: {len(families)} families of models."


def help_lines(config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    """What an admin could do so that more models are usable, the most helpful first."""
    for remedy in remedies(config, resolution)[:MOST_REMEDIES]:
        yield f"{remedy.step}: serves {_and(remedy.models)}"
    if resolution.rehearsal:
        yield "start Ollama: the models it has are found and take the seats"


@dataclass(frozen=True, slots=True)
class SearchOutlook:
    """Where facts would be looked up, or what is missing for it."""

    text: str
    works: bool = True


def search_outlook(search: Search, secret: Secret, resolution: Resolution) -> SearchOutlook:
    """Which service looks facts up, or why none does."""
    from bot.search.choosing import ADAPTERS, missing  # noqa: PLC0415 (slow, seldom asked)

    configured = [a.provider for a in ADAPTERS if secret(a.variable)]
    serving = [name for name in configured if search.provider in ("auto", name)]
    if search.provider == "off":
        return SearchOutlook("turned off in panels.json")
    if problem := missing(search, secret):
        return SearchOutlook(problem, works=False)
    if serving:
        return SearchOutlook(f"through {serving[0]}")
    if resolution.rehearsal:
        return SearchOutlook("a rehearsal does not search the web")
    return SearchOutlook("through Tavily's free access, which is limited")


def _only_found(resolution: Resolution) -> str:
    providers = _and(tuple(dict.fromkeys(m.provider for m in resolution.models.values())))
    return (
        f"No model of panels.json is usable; the seats are taken by what {providers} has: "
        f"{_and(resolution.found[:5])}."
    )


def _and(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
