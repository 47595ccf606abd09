"""`roundtable check`: is everything configured well, and who could sit down now?"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.check_layout import row, wrapped
from bot.errors import ConfigError
from bot.models.local_servers import LocalServers, find_local
from bot.money.prices import PriceBook
from bot.money.words import limit_words, price_words
from bot.operations.store_report import database_faults, untold_lines
from bot.outlook import (
    help_lines,
    occupant,
    offer_line,
    panel_lines,
    panel_title,
    panel_views,
    search_outlook,
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
from bot.panels.offers import Offer
from bot.panels.urls import is_loopback, without_secrets
from bot.panels.usual_servers import only_usual_servers, with_usual_servers
from bot.settings import Settings, load_settings, panels_path
from bot.words import checking as words

Out = Callable[[str], None]
Probe = Callable[[PanelsConfig], Awaitable[LocalServers]]


@dataclass(frozen=True, slots=True)
class Findings:
    """What was read, and every problem on the way; None stands for what could not be read."""

    settings: Settings | None
    config: PanelsConfig | None
    problems: Mapping[str, tuple[str, ...]]

    @property
    def sound(self) -> bool:
        """Whether nothing has to be mended."""
        return not any(self.problems.values())


async def run_check(
    out: Out,
    *,
    adapters: frozenset[str],
    env_file: Path | None = Path(".env"),
    environ: Mapping[str, str] | None = None,
    prompt_problems: Callable[[], list[str]] = list,
    probe: Probe = find_local,
) -> int:
    """Print the whole report a line at a time; 0 when Roundtable can run, 1 otherwise."""
    found = inspect(env_file, environ, prompt_problems)
    _print(out, problem_lines(found.problems))
    if found.settings is None or found.config is None:
        _print(out, verdict_lines(found.sound))
        return 1
    asked_for = found.settings.local == "on"
    config = with_usual_servers(found.config) if asked_for else found.config
    local = await probe(config)
    served = resolve_models(config, found.settings.secret, adapters, local.faults, local.offers)
    prices = PriceBook(lambda: config, lambda: served)
    resolution = prices.usable()
    empty = empty_panels(config, resolution)
    _print(out, state_lines(found.settings, config, resolution, local, prices))
    if resolution.rehearsal and found.settings.local is None:
        elsewhere = await probe(only_usual_servers(config))
        _print(out, offer_lines(elsewhere))
    _print(out, problem_lines({words.SEATS: empty}) if empty else [])
    _print(out, verdict_lines(found.sound and not empty))
    return 0 if found.sound and not empty else 1


def inspect(
    env_file: Path | None,
    environ: Mapping[str, str] | None,
    prompt_problems: Callable[[], list[str]],
) -> Findings:
    """Read settings, panels and prompts; what fails is a problem, and the rest is read anyway."""
    settings, setting_faults = _settings(env_file, environ)
    config, panel_faults = _panels(panels_path(env_file, environ))
    problems = {
        words.SETTINGS: setting_faults,
        words.PANELS: panel_faults,
        words.PROMPTS: tuple(prompt_problems()),
    }
    faults = () if settings is None else _database_faults(settings)
    if faults or (settings is not None and settings.database_url is not None):
        problems[words.DATABASE] = faults
    return Findings(settings, config, problems)


def problem_lines(problems: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Each part that was checked, fine or with everything to mend."""
    for part, faults in problems.items():
        yield words.part(part, len(faults))
        for fault in faults:
            yield from wrapped("- ", fault)


def state_lines(
    settings: Settings,
    config: PanelsConfig,
    resolution: Resolution,
    local: LocalServers,
    prices: PriceBook,
) -> Iterator[str]:
    """Who serves what now, who would sit where, and where the bot would start."""
    yield from ("", words.panels_file(str(settings.panels)), "", words.PROVIDERS)
    yield from provider_lines(config, resolution, local)
    yield from ("", words.MODELS)
    yield from model_lines(resolution, prices)
    yield from ("", words.SEATS_NOW)
    yield from seat_lines(config, resolution)
    yield ""
    for sentence in panel_lines(config, resolution):
        yield from wrapped("", sentence)
    if steps := list(help_lines(config, resolution)):
        yield words.WOULD_HELP
        for step in steps:
            yield from wrapped("- ", step)
    yield from ("", words.MONEY)
    yield from money_lines(config, resolution, prices)
    yield from ("", words.WEB_SEARCH)
    yield from search_lines(settings, config, resolution)
    if untold := list(untold_lines(settings.home)):
        yield from ("", words.NOBODY_TOLD, *(f"  {line}" for line in untold))
    if warnings := list(warning_lines(config)):
        yield from ("", words.WARNINGS, *warnings)
    yield ""
    yield from start_lines(settings)


def offer_lines(elsewhere: LocalServers) -> Iterator[str]:
    """What runs on this machine and is not used, because nobody asked for it."""
    if line := offer_line(elsewhere.offers):
        yield ""
        yield from wrapped("", line)


def search_lines(settings: Settings, config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    """Which service looks facts up, or why none does."""
    state = search_outlook(config.search, settings.secret, resolution)
    yield from row(config.search.provider, state.text)


def provider_lines(
    config: PanelsConfig, resolution: Resolution, local: LocalServers
) -> Iterator[str]:
    """Each provider: usable, with what it has if it runs here, or why not."""
    for name, fault in resolution.providers.items():
        usable = _usable(config.providers[name], local.offers.get(name))
        yield from row(name, words.provider_not_usable(fault) if fault else usable)


def _usable(provider: Provider, offer: Offer | None) -> str:
    if isinstance(provider, AcpProvider):
        from bot.models.acp.standing import standing  # noqa: PLC0415 (for harnesses alone)

        return words.harness_usable(*standing(provider))
    return words.provider_usable(offer.models if offer else ())


def model_lines(resolution: Resolution, prices: PriceBook) -> Iterator[str]:
    """Each model: through which provider and for how much, or why through none."""
    for key in dict.fromkeys([*resolution.found, *resolution.routed]):
        model = resolution.models.get(key)
        if model is None:
            yield from row(key, words.model_not_usable(resolution.routed[key]))
            for reason in _own_reasons(key, resolution):
                yield from row("", reason)
        elif resolution.rehearsal:
            yield from row(key, words.PLAYED)
        else:
            yield from row(key, words.model_through(model.wire_model, model.provider))
            yield from row("", price_words(prices.tariff(model)))


def money_lines(config: PanelsConfig, resolution: Resolution, prices: PriceBook) -> Iterator[str]:
    """What meetings cost now, and the limits that hold."""
    from bot.council.pricing import Rates  # noqa: PLC0415 (heavy)

    if resolution.rehearsal:
        yield from row("", words.REHEARSAL_IS_FREE)
        return
    for name, price in Rates(config, resolution, prices).table():
        yield from row(name.replace("`", ""), price)
    yield from row(words.LIMITS, limit_words(config.budgets))


def seat_lines(config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    """The seats of every panel, of the panels that servers changed, and of the profiles."""
    for title, view, mode in panel_views(config):
        now = sitting(view, resolution, mode)
        yield f"  {panel_title(title, now)}"
        for seat in now.seats:
            yield from row(f"  {seat.role}", occupant(seat, config))
    for name, profile in config.profiles.items():
        if profile.models:
            yield f"  {words.profile(name)}"
        for key in profile.models:
            model = resolution.model(key)
            state = words.through(model.provider) if model else words.NOT_USABLE
            yield from row(f"  {key}", state)


def warning_lines(config: PanelsConfig) -> Iterator[str]:
    """What works, and should be better all the same."""
    for name, provider in config.providers.items():
        if not isinstance(provider, HostedProvider) or is_loopback(provider.base_url):
            continue
        if provider.api_key:
            yield from wrapped("- ", words.key_in_panels(name))
        if provider.base_url.startswith("http:"):
            yield from wrapped("- ", words.not_encrypted(name))


def start_lines(settings: Settings) -> Iterator[str]:
    """Where the bot would start."""
    if settings.discord_token is None:
        yield from wrapped("", words.IN_THE_PLAYGROUND)
    else:
        yield from wrapped("", words.starts_on(settings.discord_api or words.DISCORD))
    if settings.database_url is not None:
        place = without_secrets(settings.database_url.get_secret_value())
        yield from wrapped("", words.store_is(place))


def empty_panels(config: PanelsConfig, resolution: Resolution) -> tuple[str, ...]:
    """Panels on which nobody could sit."""
    return tuple(
        words.empty_panel(title)
        for title, view, mode in panel_views(config)
        if all(seat.model is None for seat in sitting(view, resolution, mode).seats)
    )


def verdict_lines(sound: bool) -> Iterator[str]:
    """The last word."""
    yield ""
    yield words.READY if sound else words.NOT_READY


def _settings(
    env_file: Path | None, environ: Mapping[str, str] | None
) -> tuple[Settings | None, tuple[str, ...]]:
    try:
        return load_settings(env_file, environ), ()
    except ConfigError as error:
        return None, tuple(error.text.splitlines())


def _database_faults(settings: Settings) -> tuple[str, ...]:
    return database_faults(settings.home) if settings.database_url is None else _missing_driver()


def _missing_driver() -> tuple[str, ...]:
    try:
        import asyncpg  # noqa: F401, PLC0415 (an extra, and slow)
    except ImportError:
        return (words.NO_DRIVER,)
    return ()


def _panels(path: Path) -> tuple[PanelsConfig | None, tuple[str, ...]]:
    try:
        return load_panels(path), ()
    except ConfigError as error:
        return None, tuple(error.text.splitlines())


def _own_reasons(key: str, resolution: Resolution) -> Iterator[str]:
    """Why a model is missing at providers that are usable; the others' faults stand above."""
    for provider, reason in zip(resolution.routed[key], resolution.reasons[key], strict=True):
        if resolution.usable(provider):
            yield reason


def _print(out: Out, lines: Iterable[str]) -> None:
    for line in lines:
        out(line)
