"""`roundtable check`: is everything configured well, and who could sit down now?"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bot.admin.outlook import (
    help_lines,
    occupant,
    offer_line,
    panel_lines,
    panel_title,
    panel_views,
    search_outlook,
    seated_models,
)
from bot.errors import ConfigError
from bot.meeting.design.pricing import RunPricing
from bot.messages.meeting import RoundsText
from bot.messages.operations import CheckText
from bot.models.availability import KnownLists
from bot.models.local_servers import LocalServers, find_local
from bot.models.registry import Connect, ModelRegistry
from bot.money.estimate import limit_words, price_words
from bot.money.prices import PriceBook
from bot.operations.check_parts import (
    most_it_costs,
    probe_models,
    row,
    store_faults,
    undercut_hops,
    untold_lines,
    wrapped,
)
from bot.panels import (
    AcpProvider,
    HostedProvider,
    PanelsConfig,
    Provider,
    Resolution,
    load_panels,
    resolve_models,
    sitting,
)
from bot.panels.machine import only_usual_servers, with_usual_servers
from bot.panels.offers import Offer
from bot.panels.price_list import has_price
from bot.panels.urls import is_loopback, without_secrets
from bot.settings import SHIPPED_PANELS, Settings, load_settings, panels_path

_Out = Callable[[str], None]
_Probe = Callable[[PanelsConfig], Awaitable[LocalServers]]


@dataclass(frozen=True, slots=True)
class Asked:
    """What servers on this machine and providers elsewhere said."""

    local: LocalServers
    lists: KnownLists


@dataclass(frozen=True, slots=True)
class _Findings:
    """What was read, and every problem on the way; None stands for what could not be read."""

    settings: Settings | None
    config: PanelsConfig | None
    problems: Mapping[str, tuple[str, ...]]

    @property
    def sound(self) -> bool:
        """Whether no problem was found."""
        return not any(self.problems.values())


async def run_check(
    out: _Out,
    *,
    adapters: frozenset[str],
    env_file: Path | None = Path(".env"),
    environ: Mapping[str, str] | None = None,
    prompt_problems: Callable[[], list[str]] = list,
    probe: _Probe = find_local,
    connect: Connect | None = None,
    ask_seats: bool = False,
) -> int:
    """Print the whole report a line at a time; 0 when Roundtable can run, 1 otherwise.

    Every provider with a key is asked for its list; with `ask_seats` every model that would sit
    is asked a short question, too.
    """
    found = _inspect(env_file, environ, prompt_problems)
    _print(out, _problem_lines(found.problems))
    if found.settings is None or found.config is None:
        _print(out, _verdict_lines(found.sound))
        return 1
    settings, config = found.settings, found.config
    if settings.local == "on":
        config = with_usual_servers(config)
    registry = ModelRegistry(
        config.providers, secret=settings.secret, home=settings.home, connect=connect
    )
    try:
        asked = Asked(
            *await asyncio.gather(probe(config), _ask_providers(settings, config, registry))
        )
        prices = await _priced(settings, config, adapters, asked, registry)
        _print(out, _state_lines(settings, config, asked, prices))
        if prices.usable().rehearsal and settings.local is None:
            _print(out, _offer_lines(await probe(only_usual_servers(config))))
        empty = _empty_panels(config, prices.usable()) or _unserved(prices.usable(), asked.lists)
        if ask_seats and not empty and not prices.usable().rehearsal:
            empty = await _ask_seats(out, config, prices, registry)
    finally:
        await registry.close()
    _print(out, _problem_lines({CheckText.SEATS: empty}) if empty else [])
    _print(out, _verdict_lines(found.sound and not empty))
    return 0 if found.sound and not empty else 1


async def _ask_providers(
    settings: Settings, config: PanelsConfig, registry: ModelRegistry
) -> KnownLists:
    lists = KnownLists(registry.client, settings.secret, settings.home, keeps=False)
    await lists.ask(config)
    return lists


async def _priced(
    settings: Settings,
    config: PanelsConfig,
    adapters: frozenset[str],
    asked: Asked,
    registry: ModelRegistry,
) -> PriceBook:
    """What is usable by what was said, with its prices."""
    faults = {**asked.local.faults, **asked.lists.refusals}
    offers = {**asked.local.offers, **asked.lists.offers(config)}
    served = resolve_models(config, settings.secret, adapters, faults, offers, has_price)
    prices = PriceBook(lambda: config, lambda: served, registry.reported_prices)
    await prices.load()
    return prices


async def _ask_seats(
    out: _Out, config: PanelsConfig, prices: PriceBook, registry: ModelRegistry
) -> tuple[str, ...]:
    """Ask every model that would sit, the price first; returns panels on which nobody answered."""
    resolution = prices.usable()
    models = seated_models(config, resolution)
    cost = f"${most_it_costs(models, prices):.2g}"
    _print(out, ("", *wrapped("", CheckText.probing(len(models), cost))))
    answered = {}
    async for probed in probe_models(registry, models):
        _print(out, row(probed.model.key, probed.failure or CheckText.answered(probed.seconds)))
        if not probed.failure:
            answered[probed.model.key] = probed.model
    return _empty_panels(config, replace(resolution, models=answered))


def _inspect(
    env_file: Path | None,
    environ: Mapping[str, str] | None,
    prompt_problems: Callable[[], list[str]],
) -> _Findings:
    """Read settings, panels and prompts; what fails is a problem, and the rest is read anyway."""
    settings, setting_faults = _settings(env_file, environ)
    config, panel_faults = _panels(panels_path(env_file, environ))
    problems = {
        CheckText.SETTINGS: setting_faults,
        CheckText.PANELS: panel_faults,
        CheckText.PROMPTS: tuple(prompt_problems()),
    }
    faults = () if settings is None else store_faults(settings)
    if faults or (settings is not None and settings.database_url is not None):
        problems[CheckText.DATABASE] = faults
    return _Findings(settings, config, problems)


def _problem_lines(problems: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Each checked part, fine or with its problems."""
    for part, faults in problems.items():
        yield CheckText.part(part, len(faults))
        for fault in faults:
            yield from wrapped("- ", fault)


def _state_lines(
    settings: Settings, config: PanelsConfig, asked: Asked, prices: PriceBook
) -> Iterator[str]:
    """Who serves what now, who would sit where, and where the bot would start."""
    resolution = prices.usable()
    yield from ("", *_panels_lines(settings), "", CheckText.PROVIDERS)
    yield from provider_lines(config, resolution, asked)
    yield from ("", CheckText.MODELS)
    yield from _model_lines(resolution, prices)
    yield from ("", CheckText.SEATS_NOW)
    yield from _seat_lines(config, resolution)
    yield ""
    for sentence in panel_lines(config, resolution):
        yield from wrapped("", sentence)
    best, *others = [*help_lines(config, resolution), ""]
    if best:
        yield from wrapped("", CheckText.would_add_most(best))
    if others[:-1]:
        yield CheckText.WOULD_HELP
        for step in others[:-1]:
            yield from wrapped("- ", step)
    yield from ("", CheckText.MONEY)
    yield from _money_lines(config, resolution, prices)
    yield from ("", CheckText.WEB_SEARCH)
    yield from _search_lines(settings, config, resolution)
    if untold := list(untold_lines(settings.home)):
        yield from ("", CheckText.UNREPORTED_FAILURES, *(f"  {line}" for line in untold))
    if warnings := list(_warning_lines(config)):
        yield from ("", CheckText.WARNINGS, *warnings)
    yield ""
    yield from _start_lines(settings)


def _panels_lines(settings: Settings) -> Iterator[str]:
    """Which panels.json is used."""
    yield CheckText.panels_file(str(settings.panels))
    if settings.panels == SHIPPED_PANELS and SHIPPED_PANELS.parent != Path.cwd():
        yield from wrapped("", CheckText.SHIPPED)


def _offer_lines(elsewhere: LocalServers) -> Iterator[str]:
    """What runs on this machine and is not used, because nobody asked for it."""
    if line := offer_line(elsewhere.offers):
        yield ""
        yield from wrapped("", line)


def _search_lines(
    settings: Settings, config: PanelsConfig, resolution: Resolution
) -> Iterator[str]:
    """Which service looks facts up, or why none does."""
    state = search_outlook(config.search, settings.secret, resolution)
    yield from row(config.search.provider, state.text)


def provider_lines(config: PanelsConfig, resolution: Resolution, asked: Asked) -> Iterator[str]:
    """Each provider: usable, with what it has or how many models it lists, or why not."""
    for name, fault in resolution.providers.items():
        offer, answer = asked.local.offers.get(name), asked.lists.answers.get(name)
        if fault:
            said = CheckText.provider_not_usable(fault)
        elif answer is None:
            said = _usable(config.providers[name], offer)
        elif answer.offer is None:
            said = CheckText.provider_not_asked(answer.failed or "")
        else:
            said = CheckText.provider_lists(len(answer.offer.models))
        yield from row(name, said)


def _usable(provider: Provider, offer: Offer | None) -> str:
    if isinstance(provider, AcpProvider):
        from bot.models.adapters.acp.sandbox import standing  # noqa: PLC0415 (for harnesses alone)

        return CheckText.harness_usable(*standing(provider))
    return CheckText.provider_usable(offer.models if offer else ())


def _model_lines(resolution: Resolution, prices: PriceBook) -> Iterator[str]:
    """Each model: through which provider and for how much, or why through none."""
    if resolution.rehearsal:
        yield from row("", CheckText.played(len(resolution.models)))
        return
    lost: dict[tuple[str, ...], list[str]] = {}
    for key in dict.fromkeys([*resolution.found, *resolution.routed]):
        model, instead = resolution.models.get(key), resolution.model(key)
        if model is not None:
            yield from row(key, CheckText.model_through(model.wire_model, model.provider))
            yield from row("", price_words(prices.tariff(model)))
        elif instead is not None:
            yield from row(key, CheckText.model_stood_in_for(instead.key, instead.wire_model))
        elif own := list(_own_reasons(key, resolution)):
            yield from row(key, CheckText.NOT_USABLE)
            for reason in own:
                yield from row("", reason)
        else:
            lost.setdefault(resolution.routed[key], []).append(key)
    for providers, keys in lost.items():
        yield from row(CheckText.NOT_USABLE, CheckText.models_not_usable(keys, providers))


def _money_lines(config: PanelsConfig, resolution: Resolution, prices: PriceBook) -> Iterator[str]:
    """What meetings cost now, and the limits that hold."""
    if resolution.rehearsal:
        yield from row("", CheckText.REHEARSAL_IS_FREE)
        return
    for name, price in RunPricing(config, resolution, prices).table():
        yield from row(name.replace("`", ""), price)
    yield from row(CheckText.LIMITS, limit_words(config.budgets))
    yield from row(CheckText.SECOND_ROUND, RoundsText.RULES[config.second_round])


def _seat_lines(config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    """The seats of every panel, of the panels that servers changed, and of the profiles."""
    for title, view, mode in panel_views(config):
        now = sitting(view, resolution, mode)
        yield f"  {panel_title(title, now)}"
        for seat in now.seats:
            yield from row(f"  {seat.role}", occupant(seat, config))
    for name, profile in config.profiles.items():
        if profile.models:
            yield f"  {CheckText.profile(name)}"
        for key in profile.models:
            model = resolution.model(key)
            state = CheckText.through(model.provider) if model else CheckText.NOT_USABLE
            yield from row(f"  {key}", state)


def _warning_lines(config: PanelsConfig) -> Iterator[str]:
    """What works but should be improved."""
    for name, provider in config.providers.items():
        if not isinstance(provider, HostedProvider) or is_loopback(provider.base_url):
            continue
        if provider.api_key:
            yield from wrapped("- ", CheckText.key_in_panels(name))
        if provider.base_url.startswith("http:"):
            yield from wrapped("- ", CheckText.not_encrypted(name))
    for warning in undercut_hops(config):
        yield from wrapped("- ", warning)


def _start_lines(settings: Settings) -> Iterator[str]:
    """Where the bot would start."""
    if settings.discord_token is None:
        yield from wrapped("", CheckText.IN_THE_PLAYGROUND)
    else:
        yield from wrapped("", CheckText.starts_on(settings.discord_api or CheckText.DISCORD))
    if settings.database_url is not None:
        place = without_secrets(settings.database_url.get_secret_value())
        yield from wrapped("", CheckText.store_is(place))


def _empty_panels(config: PanelsConfig, resolution: Resolution) -> tuple[str, ...]:
    """Panels on which nobody could sit."""
    return tuple(
        CheckText.empty_panel(title)
        for title, view, mode in panel_views(config)
        if all(seat.model is None for seat in sitting(view, resolution, mode).seats)
    )


def _unserved(resolution: Resolution, lists: KnownLists) -> tuple[str, ...]:
    """Stand-ins are good for a first look, but not what somebody with a key wants."""
    return (CheckText.NO_MODELS,) if resolution.rehearsal and lists.refusals else ()


def _verdict_lines(sound: bool) -> Iterator[str]:
    """The last word."""
    yield ""
    yield CheckText.READY if sound else CheckText.NOT_READY


def _settings(
    env_file: Path | None, environ: Mapping[str, str] | None
) -> tuple[Settings | None, tuple[str, ...]]:
    try:
        return load_settings(env_file, environ), ()
    except ConfigError as error:
        return None, tuple(error.text.splitlines())


def _panels(path: Path) -> tuple[PanelsConfig | None, tuple[str, ...]]:
    try:
        return load_panels(path), ()
    except ConfigError as error:
        return None, tuple(error.text.splitlines())


def _own_reasons(key: str, resolution: Resolution) -> Iterator[str]:
    """Why a model is missing at providers that are usable; the others' faults stand above."""
    for reason in resolution.reasons[key]:
        if resolution.usable(reason.partition(":")[0]):
            yield reason


def _print(out: _Out, lines: Iterable[str]) -> None:
    for line in lines:
        out(line)
