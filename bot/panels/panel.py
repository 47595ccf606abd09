"""Panels: the seats of a meeting, how they speak, and what a server may change."""

from collections.abc import Iterator
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

from bot.panels.names import role_fault
from bot.panels.section import HttpsUrl, ModelName, OneLine, Section
from bot.panels.sections import Arbiter, ArbiterOverride, Budgets, Followups, Output, Trigger

SpeechOrder = Literal["fixed", "random", "priority", "free"]
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
    panels: PanelsOverride | None = None
    """Panels of this server."""
    budgets: Budgets | None = None
    """Money limits of this server."""
    arbiter: Arbiter | None = None
    """Arbiter settings of this server."""
    followups: Followups | None = None
    """What wakes panelists in this server."""
