"""The parts of panels.json that are plain settings: where, who, how long, how much."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal, Protocol

from pydantic import Field

from bot.panels.section import (
    DiscordId,
    Dollars,
    HttpUrl,
    ModelName,
    Seconds,
    Section,
    TimeZone,
    VariableName,
)
from bot.types.model_port import Effort

Tier = Literal["premium", "mid", "cheap", "specialised"]
EFFORT_FACTORS: Final[Mapping[Effort, float]] = MappingProxyType(
    {"low": 0.5, "medium": 1.0, "high": 2.0}
)
"""How much longer and more a model thinks than without the setting."""

_USUAL_FACTORS: Final[Mapping[Tier, float]] = MappingProxyType({"premium": 3.0, "mid": 2.0})
_LeaseMs = Annotated[int, Field(ge=1000)]
_SettleMs = Annotated[int, Field(ge=250)]
_CooldownMs = Annotated[int, Field(ge=0)]
_IdleMs = Annotated[int, Field(ge=60_000)]
_Hops = Annotated[int, Field(ge=1)]
_PromptChars = Annotated[int, Field(ge=4000)]
_Overflow = Literal["close", "trim"]


class Thinker(Protocol):
    """What decides how long a model may take."""

    @property
    def tier(self) -> Tier:
        """How large it is."""
        ...

    @property
    def effort(self) -> Effort | None:
        """How much it thinks, if that was set."""
        ...


class Output(Section):
    """Where a roundtable is held."""

    channel: Literal["discord"] = "discord"
    """The platform; only "discord" exists."""
    target: DiscordId | None = None
    """Channel id for all roundtables; null holds each where it was asked for."""
    use_threads: bool = True
    """Give every roundtable a thread of its own."""
    auto_archive_minutes: Literal[60, 1440, 4320, 10080] = 10080
    """Minutes of silence after which Discord archives the thread."""
    plain: bool = False
    """Show the live card as a plain embed."""
    faces: bool = True
    """Give panelists a drawn face; it is uploaded once as an emoji of the application."""


class Trigger(Section):
    """Who may start a roundtable, where, and how often."""

    enabled: bool = True
    """Whether anything new is taken; false lets what runs come to its end."""
    channel_ids: tuple[DiscordId, ...] = ()
    """Dedicated channels where every message is a topic."""
    allowed_role_ids: tuple[DiscordId, ...] = ()
    """Roles that may start a roundtable; empty lets everybody."""
    cooldown_seconds: Annotated[float, Field(ge=0)] = 30
    """How long a person waits between two starts."""
    max_concurrent: Annotated[int, Field(ge=1, le=100)] = 3
    """How many roundtables may run at once in a server."""
    stop_role_ids: tuple[DiscordId, ...] = ()
    """Roles that may stop anybody's roundtable."""
    approver_role_ids: tuple[DiscordId, ...] = ()
    """Roles that may approve effects and budgets."""
    proxy_bot_ids: tuple[DiscordId, ...] = ()
    """Bots that speak for people, such as PluralKit, whose messages count as a person's."""


class Orchestrator(Section):
    """The model that coordinates and never argues."""

    model: ModelName
    """The orchestrator's model; it sits on no panel."""


class Meta(Section):
    """The analysts who design a meeting before it starts."""

    models: Annotated[tuple[ModelName, ...], Field(min_length=1, max_length=8)]
    """One analyst for each entry, 1 to 8."""


class Synthesis(Section):
    """Who writes the conclusion."""

    default: ModelName
    """The writer when no recommended premium model is free."""


class Profile(Section):
    """A named variation of a panel."""

    models: tuple[ModelName, ...] = ()
    """The models that take the seats, in order."""
    fallback: ModelName | None = None
    """The model that replaces every seat's fallback."""


class Timeouts(Section):
    """Seconds each step may take."""

    search: Seconds = 10
    """The web search."""
    digest: Seconds = 15
    """Condensing what the search found."""
    meta: Seconds = 90
    """Each analyst of the meta-panel."""
    round: Seconds = 60
    """Each panelist's answer in a round."""
    summary: Seconds = 20
    """The summary after a round."""
    dissent: Seconds = 30
    """Each written dissent."""
    validation: Seconds = 60
    """Each validator of the conclusion."""
    synthesis: Seconds = 180
    """Writing the conclusion."""
    followup: Seconds = 60
    """Each answer to a follow-up."""
    run: Seconds = 600
    """The whole roundtable."""
    tiers: Mapping[Tier, Annotated[float, Field(ge=1, le=20)]] = Field(
        default_factory=lambda: dict(_USUAL_FACTORS)
    )
    """How many times as long models of a tier may take, the whole roundtable with them."""

    @property
    def longest_run(self) -> float:
        """The whole roundtable, as long as the slowest tier may need."""
        return self.run * max(self.tiers.values(), default=1.0)

    def factor(self, model: Thinker) -> float:
        """How many times as long as usual a model may take."""
        effort = EFFORT_FACTORS[model.effort] if model.effort else 1.0
        return max(1.0, self.tiers.get(model.tier, 1.0) * effort)

    def allowed(self, seconds: float, models: Iterable[Thinker]) -> float:
        """The seconds of a step, as the slowest of the models asked may need them."""
        return seconds * max((self.factor(model) for model in models), default=1.0)


class Limits(Section):
    """Hard limits of a roundtable."""

    max_seats: Annotated[int, Field(ge=1, le=16)] = 8
    """The most seats a panel may have."""
    max_rounds: Annotated[int, Field(ge=1, le=3)] = 3
    """The most debate rounds, never above 3."""
    topic_chars: Annotated[int, Field(ge=1, le=20_000)] = 4000
    """The longest topic in characters."""


class Budgets(Section):
    """Money limits in US dollars."""

    confirm_above_usd: Dollars = 0.5
    """Above this estimate the starter confirms first."""
    per_run_usd: Dollars = 2.0
    """Above this estimate an approver must agree."""
    per_person_per_day_usd: Dollars = 5.0
    """What one person may spend in a day."""
    per_server_per_day_usd: Dollars = 20.0
    """What one server may spend in a day."""
    unpriced_tokens_per_day: Annotated[int, Field(ge=0)] = 500_000
    """Tokens a server may use in a day on models whose price nobody knows."""
    followup_share: Annotated[float, Field(ge=0, le=1)] = 0.5
    """What part of a person's daily budget their follow-ups may use, 0 to 1."""
    time_zone: TimeZone = "UTC"
    """Where a day begins: a name such as "Europe/Berlin"."""


class Arbiter(Section):
    """The turn arbiter of a thread: who may speak now."""

    enabled: bool = True
    """Whether turns are arbitrated at all."""
    enabled_channels: tuple[DiscordId, ...] = ()
    """Channels where turns are arbitrated; empty means all."""
    lease_ms: _LeaseMs = 15_000
    """How long a claim without activity is valid, at least 1000."""
    settle_ms: _SettleMs = 1500
    """How long to wait for the rest of a split answer, at least 250."""
    bot_reopen_cooldown_ms: _CooldownMs = 15_000
    """How long late bot messages cannot open a new turn; 0 turns the guard off."""
    epoch_idle_ms: _IdleMs = 3_600_000
    """When an idle exchange is dropped, at least 60000."""
    max_bot_hops: _Hops = 16
    """How often panelists may react to one another before a person speaks."""
    max_prompt_chars: _PromptChars = 60_000
    """The longest transcript added to a prompt, at least 4000."""
    fail_open: bool = True
    """On an arbiter error: post anyway (true) or hold back (false)."""
    debug: bool = False
    """Log every decision."""
    prompt_overflow: _Overflow = "close"
    """When the transcript is too long: "close" the exchange or "trim" its oldest messages."""


class ArbiterOverride(Section):
    """Arbiter settings of one panel; what is left out comes from the file's arbiter."""

    enabled: bool | None = None
    """Whether turns are arbitrated on this panel."""
    enabled_channels: tuple[DiscordId, ...] | None = None
    """Channels where turns are arbitrated on this panel."""
    lease_ms: _LeaseMs | None = None
    """How long a claim without activity is valid, at least 1000."""
    settle_ms: _SettleMs | None = None
    """How long to wait for the rest of a split answer, at least 250."""
    bot_reopen_cooldown_ms: _CooldownMs | None = None
    """How long late bot messages cannot open a new turn."""
    epoch_idle_ms: _IdleMs | None = None
    """When an idle exchange is dropped, at least 60000."""
    max_bot_hops: _Hops | None = None
    """How often panelists may react to one another."""
    max_prompt_chars: _PromptChars | None = None
    """The longest transcript added to a prompt, at least 4000."""
    fail_open: bool | None = None
    """On an arbiter error: post anyway (true) or hold back (false)."""
    debug: bool | None = None
    """Log every decision."""
    prompt_overflow: _Overflow | None = None
    """When the transcript is too long: "close" or "trim"."""

    def applied_to(self, base: Arbiter) -> Arbiter:
        """The base settings with this panel's own on top."""
        return base.model_copy(update=self.model_dump(exclude_none=True))


class Ballots(Section):
    """What people vote on beside the models."""

    second_minutes: Annotated[float, Field(ge=1, le=10_080)] = 60
    """How long people may vote again after the conclusion of a vote, in minutes."""


class Followups(Section):
    """What wakes panelists after the conclusion."""

    open_floor: Literal["mention", "always"] = "mention"
    """Who hears an unaddressed message: all on an @mention, or all "always"."""
    max_calls_per_epoch: Annotated[int, Field(ge=1, le=1000)] = 16
    """The most model calls one message of a person may cause."""
    cooldown_seconds: Annotated[float, Field(ge=0)] = 5
    """How long a person waits between two questions to a panel."""


class Search(Section):
    """Web search before the first round."""

    provider: Literal["auto", "off", "tavily", "brave", "searxng", "exa", "serper"] = "auto"
    """The search service; "auto" takes the first that is configured, "off" never searches."""
    count: Annotated[int, Field(ge=1, le=20)] = 5
    """How many results to ask for."""


class Privacy(Section):
    """How long words are kept."""

    retention_days: Annotated[int, Field(ge=1, le=36_500)] | None = None
    """Days after its end that a roundtable's words are kept; null keeps them."""


class GitHubLink(Section):
    """Where conclusions may be posted as comments."""

    api_url: HttpUrl = "https://api.github.com"
    """The API of GitHub or of a GitHub Enterprise server."""
    token_env: VariableName = "GITHUB_TOKEN"  # noqa: S105 (the name of a variable)
    """Name of the variable in .env that holds the token."""


class GitLabLink(Section):
    """Where conclusions may be posted as notes."""

    api_url: HttpUrl = "https://gitlab.com/api/v4"
    """The API of GitLab or of a server of your own."""
    token_env: VariableName = "GITLAB_TOKEN"  # noqa: S105 (the name of a variable)
    """Name of the variable in .env that holds the token."""


class Links(Section):
    """Outside systems a roundtable can be linked to."""

    github: GitHubLink = Field(default_factory=GitHubLink)
    """GitHub issues and pull requests."""
    gitlab: GitLabLink = Field(default_factory=GitLabLink)
    """GitLab issues and merge requests."""
