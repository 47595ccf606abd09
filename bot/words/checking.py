"""What `roundtable check` says about the configuration, the models and the database."""

from collections.abc import Sequence
from typing import Final

from bot.words.counting import counted, listed, some

SETTINGS: Final = "Settings (.env)"
PANELS: Final = "Panels"
PROMPTS: Final = "Prompts"
DATABASE: Final = "Database"
SEATS: Final = "Seats"
PROVIDERS: Final = "Providers"
MODELS: Final = "Models"
SEATS_NOW: Final = "Seats now"
WOULD_HELP: Final = "Any of these would also help:"
NO_MODELS: Final = (
    "no model is available, so all seats are labelled stand-ins; add a working key to .env: one "
    "OPENROUTER_API_KEY covers all model families"
)
MONEY: Final = "Money"
LIMITS: Final = "limits"
WEB_SEARCH: Final = "Web search"
UNREPORTED_FAILURES: Final = "Unreported failures"
WARNINGS: Final = "Warnings"
_FINE: Final = "fine"
READY: Final = "Ready."
NOT_READY: Final = "Not ready: fix the problems above and run the check again."

PROBE_SYSTEM: Final = "You are asked whether you can be reached."
PROBE: Final = "[check]: Answer with the word ready and nothing else."
NOT_USABLE: Final = "not usable"
_PLAYED: Final = "replaced by stand-ins"
REHEARSAL_IS_FREE: Final = "a rehearsal costs nothing"
IN_THE_PLAYGROUND: Final = "DISCORD_TOKEN is not set: the bot will start in the playground."
DISCORD: Final = "Discord"
NO_DRIVER: Final = "ROUNDTABLE_DATABASE_URL: needs the asyncpg package; run `pip install asyncpg`"


def part(name: str, problems: int) -> str:
    """A part that was checked, and how many problems it has."""
    return f"{name}: {counted(problems, 'problem') if problems else _FINE}"


def panels_file(path: str) -> str:
    """Which file was read."""
    return f"Panels file: {path}"


def provider_usable(models: Sequence[str]) -> str:
    """A provider that can be asked, with some of what it has."""
    return f"usable, has {some(models)}" if models else "usable"


def harness_usable(where: str, advice: str) -> str:
    """A harness that can be started, and how it is."""
    return f"usable, {where}{f': {advice}' if advice else ''}"


def provider_lists(models: int) -> str:
    """A provider elsewhere that took the key."""
    return f"usable, lists {counted(models, 'model')}"


def provider_not_asked(why: str) -> str:
    """A provider elsewhere that could not be asked."""
    return f"usable, not verified; {why}"


def would_add_most(step: str) -> str:
    """The one thing to do first."""
    return f"Most useful next step: {step}."


def probing(models: int, price: str) -> str:
    """Comes before models are asked."""
    return f"Sending one short question to {counted(models, 'model')} for at most {price}:"


def answered(seconds: float) -> str:
    """A model that works."""
    return f"answered after {seconds:.1f} s"


def model_stood_in_for(model: str, wire_model: str) -> str:
    """A model that no provider serves, and its replacement."""
    return f"not served: {model} ({wire_model}) stands in"


def provider_not_usable(why: str) -> str:
    """A provider that cannot be asked."""
    return f"{NOT_USABLE}: {why}"


def models_not_usable(models: Sequence[str], providers: Sequence[str]) -> str:
    """Models that no provider serves now."""
    return f"{listed(models)}: needs {listed(providers, 'or')}"


def played(models: int) -> str:
    """A rehearsal."""
    return f"all {counted(models, 'model')}: {_PLAYED}"


def model_through(wire_model: str, provider: str) -> str:
    """A model and its provider."""
    return f"{wire_model} through {provider}"


def through(provider: str) -> str:
    """Who serves a model of a profile."""
    return f"through {provider}"


def profile(name: str) -> str:
    """A profile, as people ask for it."""
    return f"--panel {name}"


def key_in_panels(provider: str) -> str:
    """A warning about a secret in the wrong file."""
    return (
        f"providers.{provider}.apiKey: secrets belong in .env; use apiKeyEnv with a variable name "
        "instead"
    )


def not_encrypted(provider: str) -> str:
    """A warning about an address that others can listen to."""
    return f"providers.{provider}.baseUrl: traffic to it is not encrypted; use https"


def starts_on(where: str) -> str:
    """Where the bot would start."""
    return f"DISCORD_TOKEN is set: the bot will start on {where}."


def store_is(place: str) -> str:
    """Where everything is kept."""
    return f"ROUNDTABLE_DATABASE_URL is set: data is stored in {place}."


def empty_panel(title: str) -> str:
    """A panel with no filled seat."""
    return f"panels.{title}: no seat can be filled; make one of its models usable"


def unreported(run_id: str, reason: str) -> str:
    """A roundtable that failed in silence."""
    return (
        f"{run_id} failed and the failure could not be posted: {reason} (use `roundtable retry "
        f"{run_id}`)"
    )
