"""The whole of panels.json as one frozen object."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field, PrivateAttr

from bot.panels.names import role_fault
from bot.panels.providers import HostedProvider, Provider
from bot.panels.section import (
    Dollars,
    HttpsUrl,
    Language,
    ModelName,
    Name,
    OneLine,
    Section,
    ServerId,
)
from bot.panels.sections import (
    Arbiter,
    ArbiterOverride,
    Ballots,
    Budgets,
    Followups,
    Limits,
    Links,
    Meta,
    Orchestrator,
    Output,
    Privacy,
    Profile,
    Search,
    Synthesis,
    Tier,
    Timeouts,
    Trigger,
)
from bot.panels.urls import is_loopback
from bot.types.mode import SpeechOrder
from bot.types.model_port import Effort

SecondRound = Literal["auto", "thrifty", "always"]
ModeName = Literal["debate", "build", "redteam", "vote", "default"]
MODES: tuple[ModeName, ...] = get_args(ModeName)


def _valid_role(role: str) -> str:
    if fault := role_fault(role):
        raise ValueError(fault)
    return role


class Agent(Section):
    """One seat."""

    role: Annotated[str, AfterValidator(_valid_role)]
    """The panelist's name in Discord, 2 to 80 characters, unique on its panel."""
    model: ModelName
    """The model that takes the seat."""
    fallback: ModelName | None = None
    """The model that takes over when the first one fails; null leaves the seat empty."""
    perspective: OneLine = ""
    """What this seat looks for: one line that goes into its prompts."""
    avatar: HttpsUrl | None = None
    """A picture for the panelist, https only; null draws one from the role."""
    side: Literal["for", "against"] | None = None
    """Which of two opposing views it takes; small panels and --quick seat one of each first."""
    priority: Annotated[int, Field(ge=-1000, le=1000)] = 0
    """Under the speech order "priority" the highest number speaks first."""


_Agents = Annotated[tuple[Agent, ...], Field(min_length=1)]


class Panel(Section):
    """The seats of one mode."""

    speech_order: SpeechOrder = "fixed"
    """Order of the posts: fixed (as listed), random, priority, or free (as ready)."""
    strict_order: bool = False
    """Whether everybody waits for a slow seat; otherwise the next ready one may go first."""
    early_exit: bool = True
    """End the rounds as soon as the stances agree."""
    arbiter: ArbiterOverride = Field(default_factory=ArbiterOverride)
    """Arbiter settings that differ on this panel."""
    agents: _Agents
    """The seats in order, 1 to limits.maxSeats; --quick takes three, opposing sides first."""


class Panels(Section):
    """One panel for each mode."""

    debate: Panel
    """The panel of --debate."""
    build: Panel
    """The panel of --build."""
    redteam: Panel
    """The panel of --redteam."""
    vote: Panel
    """The panel of --vote."""
    default: Panel
    """The panel when no mode fits."""

    def of(self, mode: ModeName) -> Panel:
        """The panel of one mode."""
        panel: Panel = getattr(self, mode)
        return panel

    def items(self) -> Iterator[tuple[ModeName, Panel]]:
        """Every mode with its panel, in the order of the modes."""
        return ((mode, self.of(mode)) for mode in MODES)


class PanelOverride(Section):
    """What a server changes on one panel; agents replace the whole list."""

    speech_order: SpeechOrder | None = None
    """Order of the posts in this server."""
    strict_order: bool | None = None
    """Whether everybody waits for a slow seat in this server."""
    early_exit: bool | None = None
    """Whether agreement ends the rounds in this server."""
    arbiter: ArbiterOverride | None = None
    """Arbiter settings that differ on this panel."""
    agents: _Agents | None = None
    """The seats in this server, replacing the list above."""


class PanelsOverride(Section):
    """The panels a server changes."""

    debate: PanelOverride | None = None
    """Changes to the panel of --debate."""
    build: PanelOverride | None = None
    """Changes to the panel of --build."""
    redteam: PanelOverride | None = None
    """Changes to the panel of --redteam."""
    vote: PanelOverride | None = None
    """Changes to the panel of --vote."""
    default: PanelOverride | None = None
    """Changes to the panel when no mode fits."""


class ServerOverride(Section):
    """What one Discord server changes; everything left out stays as above."""

    output: Output | None = None
    """Where this server's roundtables are held."""
    trigger: Trigger | None = None
    """Who may start a roundtable in this server."""
    language: Language | None = None
    """The language of answers and conclusions in this server."""
    panel: Name | None = None
    """The profile that sits in this server when nobody names a panel."""
    panels: PanelsOverride | None = None
    """Panels of this server."""
    second_round: SecondRound | None = None
    """When a second round is held in this server."""
    budgets: Budgets | None = None
    """Money limits of this server."""
    arbiter: Arbiter | None = None
    """Arbiter settings of this server."""
    followups: Followups | None = None
    """What wakes panelists in this server."""


class Route(Section):
    """One way to reach a model."""

    provider: str
    """A key of providers."""
    model: Annotated[str, Field(min_length=1, max_length=200)]
    """The provider's own id of the model, or a pattern such as claude-opus-*: its newest id."""


class Price(Section):
    """What a model costs in US dollars, when the provider does not say."""

    input_per_million: Dollars
    """Dollars for a million tokens read."""
    output_per_million: Dollars
    """Dollars for a million tokens written."""
    cached_input_per_million: Dollars | None = None
    """Dollars for a million tokens read from the provider's cache; null: as much as others."""


class Model(Section):
    """A model and the ways to reach it."""

    routes: Annotated[tuple[Route, ...], Field(min_length=1)]
    """Ways to reach it; the first that is usable wins, patterns of a provider count as one."""
    without: tuple[Annotated[str, Field(min_length=1, max_length=200)], ...] = ()
    """Patterns of ids that its patterns never mean."""
    stand_in: ModelName | None = None
    """The model that is taken, and named, where nobody serves this one any more."""
    family: Annotated[str, Field(min_length=1, max_length=50)]
    """Its kin: a fallback of the same family is reported as a degraded panel."""
    tier: Tier
    """How the meta-panel lists it: premium, mid, cheap or specialised."""
    strengths: Annotated[str, Field(max_length=200)] = ""
    """A hint for the meta-panel."""
    skill: Annotated[float, Field(ge=0, le=1)] | None = None
    """How often it is right on questions like yours, 0 to 1; weighs its ballots, null: unknown."""
    price: Price | None = None
    """Its price, when the provider does not report costs."""
    reasoning_tokens: Annotated[int, Field(ge=0, le=200_000)] | None = None
    """Tokens it may think unseen in one call, on top of what it writes; null allows 4000."""
    effort: Effort | None = None
    """How much it thinks before it writes: low, medium or high; null leaves that to the model."""
    allow_unpriced: bool = False
    """Use it although nobody knows its price; its tokens count against unpricedTokensPerDay."""


class PanelsConfig(Section):
    """Settings of Roundtable: providers, models, panels and limits."""

    schema_: str | None = Field(default=None, alias="$schema")
    """The JSON schema that lets editors complete this file."""
    output: Output = Field(default_factory=Output)
    """Where a roundtable is held."""
    trigger: Trigger = Field(default_factory=Trigger)
    """Who may start a roundtable, where, and how often."""
    language: Language | None = None
    """The language of answers and conclusions, such as "German"; null: that of the topic."""
    panel: Name | None = None
    """The profile that sits when nobody names a panel; null: the mode's own panel."""
    providers: Annotated[Mapping[Name, Provider], Field(min_length=1)]
    """Where models are called, by a name of your choice."""
    models: Annotated[Mapping[Name, Model], Field(min_length=1)]
    """The models, by a name of your choice."""
    model_aliases: Mapping[Name, ModelName] = Field(default_factory=dict, alias="model_aliases")
    """Short names for models, usable wherever a model is named."""
    orchestrator: Orchestrator
    """The model that coordinates and never argues."""
    meta: Meta
    """The analysts who design a meeting."""
    synthesis: Synthesis
    """Who writes the conclusion."""
    premium: Annotated[tuple[ModelName, ...], Field(min_length=1)]
    """Models good enough to write a conclusion or to integrate a stage."""
    allowlist: Annotated[tuple[ModelName, ...], Field(min_length=1)]
    """Models the meta-panel may seat."""
    panels: Panels
    """One panel for each mode."""
    without_blockrun: Literal["seats", "budget"] = "seats"
    """Who sits when Blockrun is missed: whoever is usable, or "budget": the budget panel."""
    second_round: SecondRound = "auto"
    """When round 2 is held: auto (not if all agree), thrifty (where it can pay), always."""
    profiles: Mapping[Name, Profile]
    """Named variations: "budget" is required, "stronger" serves the third attempt."""
    timeouts: Timeouts = Field(default_factory=Timeouts)
    """Seconds each step may take."""
    limits: Limits = Field(default_factory=Limits)
    """Hard limits of a roundtable."""
    budgets: Budgets = Field(default_factory=Budgets)
    """Money limits in US dollars."""
    arbiter: Arbiter = Field(default_factory=Arbiter)
    """Who may speak now in a thread."""
    ballots: Ballots = Field(default_factory=Ballots)
    """What people vote on beside the models."""
    followups: Followups = Field(default_factory=Followups)
    """What wakes panelists after the conclusion."""
    search: Search = Field(default_factory=Search)
    """Web search before the first round."""
    links: Links = Field(default_factory=Links)
    """Outside systems a roundtable can be linked to."""
    privacy: Privacy = Field(default_factory=Privacy)
    """How long words are kept."""
    toolsets: tuple[Literal["roundtable"], ...] = ()
    """Tools offered to other programs; "roundtable" opens the discussion tools."""
    servers: Mapping[ServerId, ServerOverride] = Field(default_factory=dict)
    """Overrides of output, trigger, language, panel, panels and more by Discord server id."""

    _merged: Mapping[int, "PanelsConfig"] = PrivateAttr(default_factory=dict)

    def with_servers(self, merged: Mapping[int, "PanelsConfig"]) -> "PanelsConfig":
        """This configuration together with the merged one of each server."""
        whole = self.model_copy()
        whole._merged = dict(merged)
        return whole

    def with_providers(self, providers: Mapping[str, Provider]) -> "PanelsConfig":
        """This configuration, also as servers see it, with other providers."""
        whole = self.model_copy(update={"providers": providers})
        whole._merged = {
            server: merged.model_copy(update={"providers": providers})
            for server, merged in self._merged.items()
        }
        return whole

    def for_server(self, guild_id: int | None) -> "PanelsConfig":
        """The configuration as one Discord server sees it."""
        return self if guild_id is None else self._merged.get(guild_id, self)

    def seats_of(self, profile: str) -> tuple[str, ...]:
        """The models of a profile that can sit as a panel; none if there is no such profile."""
        found = self.profiles.get(profile)
        return found.models if found else ()

    def arbiter_for(self, mode: ModeName) -> Arbiter:
        """The arbiter settings with the panel's own on top."""
        return self.panels.of(mode).arbiter.applied_to(self.arbiter)

    def avatar_of(self, role: str) -> str | None:
        """The picture that the file gives a role, on whatever panel."""
        panels = (getattr(self.panels, name) for name in type(self.panels).model_fields)
        agents = (agent for panel in panels if panel is not None for agent in panel.agents)
        return next((str(a.avatar) for a in agents if a.avatar and a.role == role), None)

    def secret_names(self) -> tuple[str, ...]:
        """The variables that hold keys and tokens, each once, in order of appearance."""
        names = [p.api_key_env for p in self._hosted() if p.api_key_env]
        return tuple(
            dict.fromkeys([*names, self.links.github.token_env, self.links.gitlab.token_env])
        )

    def literal_keys(self) -> tuple[str, ...]:
        """Keys written into the file for providers elsewhere, which logs must not show."""
        keys = [p.api_key for p in self._hosted() if p.api_key and not is_loopback(p.base_url)]
        return tuple(key.get_secret_value() for key in keys)

    def _hosted(self) -> list[HostedProvider]:
        return [p for p in self.providers.values() if isinstance(p, HostedProvider)]
