"""What operators read: `roundtable check`, who would sit, and the health page."""

from collections.abc import Sequence
from typing import Final

from bot.messages.counting import counted, listed, some
from bot.messages.installing import with_extra


class CheckText:
    """What `roundtable check` says about the configuration, the models and the database."""

    SETTINGS: Final = "Settings (.env)"
    PANELS: Final = "Panels"
    PROMPTS: Final = "Prompts"
    DATABASE: Final = "Database"
    SHIPPED: Final = "It comes with Roundtable; `roundtable init` writes a copy here to edit."
    SEATS: Final = "Seats"
    PROVIDERS: Final = "Providers"
    MODELS: Final = "Models"
    SEATS_NOW: Final = "Seats now"
    WOULD_HELP: Final = "Any of these would also help:"
    NO_MODELS: Final = (
        "no model is available, so all seats are labelled stand-ins; add a working key to .env: "
        "one OPENROUTER_API_KEY covers all model families"
    )
    MONEY: Final = "Money"
    LIMITS: Final = "limits"
    SECOND_ROUND: Final = "second round"
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
    NO_DRIVER: Final = (
        f"ROUNDTABLE_DATABASE_URL: needs the extra postgres; {with_extra('postgres')}"
    )

    @staticmethod
    def part(name: str, problems: int) -> str:
        """A part that was checked, and how many problems it has."""
        return f"{name}: {counted(problems, 'problem') if problems else CheckText._FINE}"

    @staticmethod
    def panels_file(path: str) -> str:
        """Which file was read."""
        return f"Panels file: {path}"

    @staticmethod
    def provider_usable(models: Sequence[str]) -> str:
        """A provider that can be asked, with some of what it has."""
        return f"usable, has {some(models)}" if models else "usable"

    @staticmethod
    def harness_usable(where: str, advice: str) -> str:
        """A harness that can be started, and how it is."""
        return f"usable, {where}{f': {advice}' if advice else ''}"

    @staticmethod
    def provider_lists(models: int) -> str:
        """A provider elsewhere that took the key."""
        return f"usable, lists {counted(models, 'model')}"

    @staticmethod
    def provider_not_asked(why: str) -> str:
        """A provider elsewhere that could not be asked."""
        return f"usable, not verified; {why}"

    @staticmethod
    def would_add_most(step: str) -> str:
        """The one thing to do first."""
        return f"Most useful next step: {step}."

    @staticmethod
    def probing(models: int, price: str) -> str:
        """Comes before models are asked."""
        return f"Sending one short question to {counted(models, 'model')} for at most {price}:"

    @staticmethod
    def answered(seconds: float) -> str:
        """A model that works."""
        return f"answered after {seconds:.1f} s"

    @staticmethod
    def model_stood_in_for(model: str, wire_model: str) -> str:
        """A model that no provider serves, and its replacement."""
        return f"not served: {model} ({wire_model}) stands in"

    @staticmethod
    def provider_not_usable(why: str) -> str:
        """A provider that cannot be asked."""
        return f"{CheckText.NOT_USABLE}: {why}"

    @staticmethod
    def models_not_usable(models: Sequence[str], providers: Sequence[str]) -> str:
        """Models that no provider serves now."""
        return f"{listed(models)}: needs {listed(providers, 'or')}"

    @staticmethod
    def played(models: int) -> str:
        """A rehearsal."""
        return f"all {counted(models, 'model')}: {CheckText._PLAYED}"

    @staticmethod
    def model_through(wire_model: str, provider: str) -> str:
        """A model and its provider."""
        return f"{wire_model} through {provider}"

    @staticmethod
    def through(provider: str) -> str:
        """Who serves a model of a profile."""
        return f"through {provider}"

    @staticmethod
    def profile(name: str) -> str:
        """A profile, as people ask for it."""
        return f"--panel {name}"

    @staticmethod
    def key_in_panels(provider: str) -> str:
        """A warning about a secret in the wrong file."""
        return (
            f"providers.{provider}.apiKey: secrets belong in .env; use apiKeyEnv with a variable "
            "name instead"
        )

    @staticmethod
    def not_encrypted(provider: str) -> str:
        """A warning about an address that others can listen to."""
        return f"providers.{provider}.baseUrl: traffic to it is not encrypted; use https"

    @staticmethod
    def calls_undercut(where: str, calls: int, hops: int) -> str:
        """A warning about a limit that can never be reached."""
        return (
            f"{where}followups.maxCallsPerEpoch ({calls}) is below arbiter.maxBotHops ({hops}): "
            f"every turn takes a call, so a talk ends after at most {counted(calls, 'turn')}; "
            "raise the first or lower the second"
        )

    @staticmethod
    def starts_on(where: str) -> str:
        """Where the bot would start."""
        return f"DISCORD_TOKEN is set: the bot will start on {where}."

    @staticmethod
    def store_is(place: str) -> str:
        """Where everything is kept."""
        return f"ROUNDTABLE_DATABASE_URL is set: data is stored in {place}."

    @staticmethod
    def empty_panel(title: str) -> str:
        """A panel with no filled seat."""
        return f"panels.{title}: no seat can be filled; make one of its models usable"

    @staticmethod
    def unreported(run_id: str, reason: str) -> str:
        """A roundtable that failed in silence."""
        return (
            f"{run_id} failed and the failure could not be posted: {reason} (use `roundtable retry "
            f"{run_id}`)"
        )


class HealthText:
    """Texts of the health page and its metrics, for the operator."""

    OK: Final = "ok"
    FAILING: Final = "failing"
    CONNECTED: Final = "connected"
    NOT_CONNECTED: Final = "not connected"
    ANSWERS: Final = "answers"
    DOES_NOT_ANSWER: Final = "does not answer"
    WORKING: Final = "working"
    WAITING: Final = "waiting for the database"
    WRONG_NAME: Final = "Use 127.0.0.1 or localhost."

    UP: Final = "1 while connected to Discord; a worker: while it takes servers."
    RUNNING: Final = "Roundtables under way now."
    LATENCY: Final = "Discord's heartbeat."
    SHARD_LATENCY: Final = "Discord's heartbeat by shard."
    SHARD_SILENT: Final = "Since when a shard hears nothing, by shard."
    INBOX: Final = "Events that no worker has taken."
    OLDEST: Final = "How long the oldest of them waits."
    PROCESSES: Final = "Gateways and workers that are up."
    UPTIME: Final = "Since the start."
    RUNS: Final = "Roundtables by phase."
    CALLS: Final = "Model calls by provider, model and how they ended."
    CALL_SECONDS: Final = "How long model calls took, by provider and model."
    DATABASE_UP: Final = "1 while the database answers."
    TOKENS: Final = "Tokens read and written by models."
    CACHED_TOKENS: Final = "Tokens read that providers took from their caches."
    COST: Final = "What the calls with a known price cost."
    WITHOUT_PRICE: Final = "Calls whose price is unknown and therefore in no sum."
    POSTS: Final = "Posts by state."

    @staticmethod
    def no_such_address(host: str, why: str) -> str:
        """The page cannot be served, because of where it should be."""
        return (
            f"Cannot listen on ROUNDTABLE_HEALTH_HOST {host} ({why}): give it an address of this "
            "machine, or leave it blank for this machine alone."
        )

    @staticmethod
    def port_taken(port: int, why: str) -> str:
        """The page cannot be served."""
        return (
            f"Cannot listen on ROUNDTABLE_HEALTH_PORT {port} ({why}): choose another port, or "
            "leave it blank for no health page."
        )


class OutlookText:
    """Who would sit on each panel now, whether the panel is full, where facts come from."""

    STAND_INS: Final = "No model is usable, so labelled stand-ins take every seat."
    SOME_REPLACED: Final = (
        "The panel is degraded: some seats are not taken by their configured model."
    )
    START_OLLAMA: Final = (
        "start Ollama and set ROUNDTABLE_LOCAL=on in .env: its models take the seats"
    )
    SEARCH_OFF: Final = "turned off in panels.json"
    SEARCH_REHEARSED: Final = "a rehearsal does not search the web"
    SEARCH_FREE: Final = "through Tavily's free access (limited)"

    @staticmethod
    def server_panel(mode: str, server: str) -> str:
        """A panel that a server changed."""
        return f"{mode} (server {server})"

    @staticmethod
    def budget_panel(title: str) -> str:
        """A panel whose budget seats take its place."""
        return f"{title}, as the budget panel"

    @staticmethod
    def empty_seat(wanted: str) -> str:
        """A seat without a usable model."""
        return f"empty: neither {wanted} nor a replacement is usable"

    @staticmethod
    def stand_in(wanted: str) -> str:
        """A seat that is played."""
        return f"stand-in for {wanted}"

    @staticmethod
    def seated(model: str, provider: str, wire_model: str) -> str:
        """A seat with the model it was made for, and the provider's id where it is another name."""
        name = model if wire_model in (model, f"{model}:latest") else f"{model}, now {wire_model},"
        return f"{name} through {provider}"

    @staticmethod
    def seated_instead(
        model: str,
        provider: str,
        wire_model: str,
        wanted: str,
        *,
        is_fallback: bool,
        same_family: bool,
    ) -> str:
        """A seat with another model than it was made for."""
        how = "fallback for" if is_fallback else "in place of"
        kin = ", same family" if same_family else ""
        return f"{OutlookText.seated(model, provider, wire_model)} ({how} {wanted}{kin})"

    @staticmethod
    def one_family(family: str) -> str:
        """Every seat is taken by relatives."""
        return (
            f"The panel is degraded: every seat is taken by the {family} family. The roles differ, "
            "but all seats may share the same blind spots."
        )

    @staticmethod
    def full_panel(families: int) -> str:
        """Nothing is missing."""
        return f"The full panel is available: {families} model families."

    @staticmethod
    def only_found(providers: Sequence[str], models: Sequence[str]) -> str:
        """The seats are taken by what runs on this machine."""
        have = "has" if len(providers) == 1 else "have"
        return (
            "No model of panels.json is usable; the seats are taken by the models that "
            f"{listed(providers)} {have}: {listed(models)}."
        )

    @staticmethod
    def server_here(server: str, port: int, models: str) -> str:
        """A server that runs on this machine, and what it has."""
        return f"{server} is running here (port {port}) with {models}"

    @staticmethod
    def offered(servers: Sequence[str]) -> str:
        """Local servers that could take the seats."""
        return (
            f"{'; '.join(servers)}: use `make run ARGS=--local` or ROUNDTABLE_LOCAL=on to seat it."
        )

    @staticmethod
    def remedy(step: str, models: Sequence[str]) -> str:
        """Something to do, and what it is good for."""
        return f"{step}: serves {listed(models)}"

    @staticmethod
    def search_through(service: str) -> str:
        """Which service looks facts up."""
        return f"through {service}"
