"""`roundtable check`: is everything configured well, and who could sit down now?"""

import textwrap
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.errors import ConfigError
from bot.panels import (
    MODES,
    HostedProvider,
    ModeName,
    PanelsConfig,
    Resolution,
    SeatNow,
    load_panels,
    probe_local,
    resolve_models,
    seats_now,
)
from bot.panels.urls import is_loopback
from bot.search.choosing import ADAPTERS, missing
from bot.settings import Settings, load_settings, panels_path

WIDTH = 80
LABEL = 20
BLOCKRUN = "blockrun"
NO_BLOCKRUN = (
    "Blockrun not available. Using budget panel. Full panel requires Blockrun at localhost:8402."
)

NO_BUDGETS = (
    "budgets: not enforced in this version; set a spending limit at your provider and keep "
    "trigger.allowedRoleIds, cooldownSeconds and maxConcurrent tight"
)

Out = Callable[[str], None]
Probe = Callable[[PanelsConfig], Awaitable[Mapping[str, str]]]


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
    probe: Probe = probe_local,
) -> int:
    """Print the whole report a line at a time; 0 when Roundtable can run, 1 otherwise."""
    found = inspect(env_file, environ, prompt_problems)
    _print(out, problem_lines(found.problems))
    if found.settings is None or found.config is None:
        _print(out, verdict_lines(found.sound))
        return 1
    unreachable = await probe(found.config)
    resolution = resolve_models(found.config, found.settings.secret, adapters, unreachable)
    empty = empty_panels(found.config, resolution)
    _print(out, state_lines(found.settings, found.config, resolution))
    _print(out, problem_lines({"Seats": empty}) if empty else [])
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
        "Settings (.env)": setting_faults,
        "Panels": panel_faults,
        "Prompts": tuple(prompt_problems()),
    }
    return Findings(settings, config, problems)


def problem_lines(problems: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Each part that was checked, fine or with everything to mend."""
    for part, faults in problems.items():
        yield f"{part}: {_count(faults)}"
        for fault in faults:
            yield from _wrapped("- ", fault)


def state_lines(settings: Settings, config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    """Who serves what now, who would sit where, and where the bot would start."""
    yield from ("", f"Panels file: {settings.panels}", "", "Providers")
    yield from provider_lines(resolution)
    yield from ("", "Models")
    yield from model_lines(resolution)
    yield from ("", "Seats now")
    yield from seat_lines(config, resolution)
    yield from ("", "Web search")
    yield from search_lines(settings, config, resolution)
    if warnings := list(warning_lines(config, resolution)):
        yield from ("", "Warnings", *warnings)
    yield ""
    yield from start_lines(settings, resolution)


def search_lines(settings: Settings, config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    """Which service looks facts up, or why none does."""
    wanted = config.search.provider
    configured = [a.provider for a in ADAPTERS if settings.secret(a.variable)]
    serving = [name for name in configured if wanted in ("auto", name)]
    if wanted == "off":
        yield from _row(wanted, "turned off in panels.json")
    elif problem := missing(config.search, settings.secret):
        yield from _row(wanted, problem)
    elif serving:
        yield from _row(wanted, f"through {serving[0]}")
    elif resolution.rehearsal:
        yield from _row(wanted, "a rehearsal does not search the web")
    else:
        yield from _row(wanted, "through Tavily's free access, which is limited")


def provider_lines(resolution: Resolution) -> Iterator[str]:
    """Each provider: usable, or why not."""
    for name, fault in resolution.providers.items():
        yield from _row(name, f"not usable: {fault}" if fault else "usable")


def model_lines(resolution: Resolution) -> Iterator[str]:
    """Each model: through which provider, or why through none."""
    for key in resolution.routed:
        model = resolution.models.get(key)
        if model is None:
            yield from _row(key, "not usable")
            for reason in resolution.reasons[key]:
                yield from _row("", reason)
        elif resolution.rehearsal:
            yield from _row(key, "played by a stand-in")
        else:
            yield from _row(key, f"{model.wire_model} through {model.provider}")


def seat_lines(config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    """The seats of every panel, of the panels that servers changed, and of the profiles."""
    for title, view, mode in _panel_views(config):
        yield f"  {title}"
        for seat in seats_now(view, resolution, mode):
            yield from _row(f"  {seat.agent.role}", _occupant(seat, config))
    for name, profile in config.profiles.items():
        if profile.models:
            yield f"  --panel {name}"
        for key in profile.models:
            model = resolution.model(key)
            yield from _row(f"  {key}", f"through {model.provider}" if model else "not usable")


def warning_lines(config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    """What works, and should be better all the same."""
    for name, provider in config.providers.items():
        if not isinstance(provider, HostedProvider) or is_loopback(provider.base_url):
            continue
        if provider.api_key:
            text = "secrets belong in .env; name a variable by apiKeyEnv instead"
            yield from _wrapped("- ", f"providers.{name}.apiKey: {text}")
        if provider.base_url.startswith("http:"):
            text = "everything sent there can be read on the way; use https"
            yield from _wrapped("- ", f"providers.{name}.baseUrl: {text}")
    if resolution.lost_without(BLOCKRUN):
        yield from _wrapped("- ", NO_BLOCKRUN)
    if not resolution.rehearsal:
        yield from _wrapped("- ", NO_BUDGETS)


def start_lines(settings: Settings, resolution: Resolution) -> Iterator[str]:
    """Where the bot would start, and who would speak."""
    if settings.discord_token is None:
        yield from _wrapped("", "DISCORD_TOKEN is not set: it will start in the playground.")
    else:
        where = settings.discord_api or "Discord"
        yield from _wrapped("", f"DISCORD_TOKEN is set: it will start on {where}.")
    if resolution.rehearsal:
        text = "No provider of a model is usable: labelled stand-ins will play every seat."
        yield from _wrapped("", text)


def empty_panels(config: PanelsConfig, resolution: Resolution) -> tuple[str, ...]:
    """Panels on which nobody could sit."""
    return tuple(
        f"panels.{title}: nobody can take a seat; make one of its models usable"
        for title, view, mode in _panel_views(config)
        if all(seat.model is None for seat in seats_now(view, resolution, mode))
    )


def verdict_lines(sound: bool) -> Iterator[str]:
    """The last word."""
    yield ""
    yield "Ready." if sound else "Not ready: mend the problems above and check again."


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


def _panel_views(config: PanelsConfig) -> Iterator[tuple[str, PanelsConfig, ModeName]]:
    yield from ((mode, config, mode) for mode in MODES)
    for server, override in config.servers.items():
        changed = override.panels.model_fields_set if override.panels else set()
        view = config.for_server(int(server))
        yield from ((f"{mode} (server {server})", view, mode) for mode in MODES if mode in changed)


def _occupant(seat: SeatNow, config: PanelsConfig) -> str:
    wanted = seat.agent.model
    if seat.model is None:
        return f"empty: neither {wanted} nor {seat.agent.fallback or 'a fallback'} is usable"
    if seat.standing == "rehearsal":
        return f"stand-in for {wanted}"
    if seat.standing == "primary":
        return f"{wanted} through {seat.model.provider}"
    kin = ", same family" if config.models[wanted].family == seat.model.family else ""
    return f"{seat.model.key} through {seat.model.provider} (fallback for {wanted}{kin})"


def _count(faults: Sequence[str]) -> str:
    if not faults:
        return "fine"
    return "1 problem" if len(faults) == 1 else f"{len(faults)} problems"


def _row(label: str, text: str) -> Iterator[str]:
    """A label and its text in two columns."""
    if len(label) > LABEL:
        yield f"  {label}"
        label = ""
    first = f"  {label:<{LABEL}}  "
    yield from textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _wrapped(bullet: str, text: str) -> list[str]:
    indent = "  " if bullet else ""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent + bullet,
        subsequent_indent=" " * len(indent + bullet),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _print(out: Out, lines: Iterable[str]) -> None:
    for line in lines:
        out(line)
