"""Who would sit on each panel now, whether that is the full panel, and how to get one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.messages.counting import some
from bot.messages.models import ProviderText
from bot.messages.operations import OutlookText
from bot.panels import (
    MODES,
    ModeName,
    PanelsConfig,
    Resolution,
    ResolvedModel,
    SeatNow,
    Sitting,
    blockrun_is_missed,
    sitting,
)
from bot.panels.machine import USUAL_PORTS
from bot.panels.offers import Offer
from bot.panels.providers import HostedProvider
from bot.panels.sections import Search
from bot.types import SecretLookup

_MOST_REMEDIES = 3
_MOST_OFFERED = 3


@dataclass(frozen=True, slots=True)
class _Remedy:
    """One thing to do, and the models it makes usable."""

    step: str
    models: tuple[str, ...]


def remedies(config: PanelsConfig, resolution: Resolution) -> tuple[_Remedy, ...]:
    """Steps that would each serve models now lost to the panels, the most helpful first."""
    lost = list(dict.fromkeys(_lost(config, resolution)))
    steps = []
    for name, provider in config.providers.items():
        helped = tuple(key for key in lost if name in resolution.routed[key])
        if not helped or resolution.usable(name) or not isinstance(provider, HostedProvider):
            continue
        steps.append(_Remedy(_step(name, provider, resolution.providers[name]), helped))
    return tuple(sorted(steps, key=lambda remedy: -len(remedy.models)))


def _lost(config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    """The models of seats that cannot be used now, or only as stand-ins."""
    for mode in MODES:
        for agent in config.panels.of(mode).agents:
            if resolution.rehearsal or resolution.model(agent.model) is None:
                yield agent.model


def _step(name: str, provider: HostedProvider, fault: str | None) -> str:
    variable = provider.api_key_env
    if not variable:
        return ProviderText.start_server(name)
    return (
        ProviderText.add_key(variable)
        if fault == ProviderText.no_key(variable)
        else ProviderText.replace_key(variable)
    )


def panel_views(config: PanelsConfig) -> Iterator[tuple[str, PanelsConfig, ModeName]]:
    """Every panel with its title: the file's own, and those that servers changed."""
    yield from ((mode, config, mode) for mode in MODES)
    for server, override in config.servers.items():
        changed = override.panels.model_fields_set if override.panels else set()
        view = config.for_server(int(server))
        yield from (
            (OutlookText.server_panel(mode, server), view, mode)
            for mode in MODES
            if mode in changed
        )


def seated_models(config: PanelsConfig, resolution: Resolution) -> tuple[ResolvedModel, ...]:
    """The models that would sit on some panel, each once."""
    sittings = (sitting(view, resolution, mode) for _, view, mode in panel_views(config))
    seats = (seat for now in sittings for seat in now.seats)
    return tuple(dict.fromkeys(seat.model for seat in seats if seat.model is not None))


def panel_title(title: str, now: Sitting) -> str:
    """The name of a panel, and which seats take its place."""
    return OutlookText.budget_panel(title) if now.budget else title


def occupant(seat: SeatNow, config: PanelsConfig) -> str:
    """Who would take a seat, and for whom."""
    model = seat.model
    if model is None:
        return OutlookText.empty_seat(seat.wanted)
    if seat.standing == "rehearsal":
        return OutlookText.stand_in(seat.wanted)
    if seat.standing == "primary":
        return OutlookText.seated(model.key, model.provider, model.wire_model)
    wanted = config.models.get(seat.wanted)
    return OutlookText.seated_instead(
        model.key,
        model.provider,
        model.wire_model,
        seat.wanted,
        is_fallback=seat.standing == "fallback",
        same_family=wanted is not None and wanted.family == model.family,
    )


def panel_lines(config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    """In sentences: is this the full panel, or what is missing."""
    if resolution.rehearsal:
        yield OutlookText.STAND_INS
        return
    if line := found_line(resolution):
        yield line
    sittings = [sitting(view, resolution, mode) for _, view, mode in panel_views(config)]
    seats = [seat for one in sittings for seat in one.seats]
    families = {seat.model.family for seat in seats if seat.model}
    budget = any(one.budget for one in sittings)
    if budget:
        yield ProviderText.NO_BLOCKRUN
    elif any(
        blockrun_is_missed(resolution, view.panels.of(mode).agents)
        for _, view, mode in panel_views(config)
    ):
        yield ProviderText.BLOCKRUN_IS_SILENT
    if len(families) == 1:
        yield OutlookText.one_family(next(iter(families)))
    elif any(seat.standing != "primary" for seat in seats):
        yield OutlookText.SOME_REPLACED
    elif families and not budget:
        yield OutlookText.full_panel(len(families))


def help_lines(config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    """What an admin could do so that more models are usable, the most helpful first."""
    for remedy in remedies(config, resolution)[:_MOST_REMEDIES]:
        yield OutlookText.remedy(remedy.step, remedy.models)
    if resolution.rehearsal:
        yield OutlookText.START_OLLAMA


@dataclass(frozen=True, slots=True)
class _SearchOutlook:
    """Where facts would be looked up, or what is missing for it."""

    text: str
    works: bool = True


def search_outlook(search: Search, secret: SecretLookup, resolution: Resolution) -> _SearchOutlook:
    """Which service looks facts up, or why none does."""
    from bot.search.adapters import ADAPTERS, missing  # noqa: PLC0415 (heavy)

    configured = [a.provider for a in ADAPTERS if secret(a.variable)]
    serving = [name for name in configured if search.provider in ("auto", name)]
    if search.provider == "off":
        return _SearchOutlook(OutlookText.SEARCH_OFF)
    if problem := missing(search, secret):
        return _SearchOutlook(problem, works=False)
    if serving:
        return _SearchOutlook(OutlookText.search_through(serving[0]))
    if resolution.rehearsal:
        return _SearchOutlook(OutlookText.SEARCH_REHEARSED)
    return _SearchOutlook(OutlookText.SEARCH_FREE)


def found_line(resolution: Resolution) -> str:
    """What a server on this machine has and takes the seats; empty when nothing does."""
    return _only_found(resolution) if resolution.found else ""


def offer_line(offers: Mapping[str, Offer]) -> str:
    """What servers have that nobody named, and how to seat it; empty when there are none."""
    found = [
        OutlookText.server_here(
            ProviderText.server_name(name), USUAL_PORTS[name], some(offer.models, _MOST_OFFERED)
        )
        for name, offer in offers.items()
    ]
    return OutlookText.offered(found) if found else ""


def _only_found(resolution: Resolution) -> str:
    providers = tuple(dict.fromkeys(m.provider for m in resolution.models.values()))
    return OutlookText.only_found(providers, resolution.found[:5])
