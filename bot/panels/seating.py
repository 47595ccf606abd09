"""Who would take the seats of a panel now: the model itself, its fallback, or a stand-in."""

from dataclasses import dataclass
from typing import Literal

from bot.panels.config import PanelsConfig
from bot.panels.panel import Agent, ModeName
from bot.panels.resolve import Resolution, ResolvedModel

Standing = Literal["primary", "fallback", "rehearsal", "empty"]


@dataclass(frozen=True, slots=True)
class SeatNow:
    """One seat and the model that would answer for it."""

    agent: Agent
    model: ResolvedModel | None
    standing: Standing


def seats_now(config: PanelsConfig, resolution: Resolution, mode: ModeName) -> tuple[SeatNow, ...]:
    """The seats of a mode's panel as they could be taken now."""
    return tuple(_seat(agent, resolution) for agent in config.panels.of(mode).agents)


def _seat(agent: Agent, resolution: Resolution) -> SeatNow:
    if model := resolution.model(agent.model):
        return SeatNow(agent, model, "rehearsal" if resolution.rehearsal else "primary")
    if agent.fallback and (model := resolution.model(agent.fallback)):
        return SeatNow(agent, model, "fallback")
    return SeatNow(agent, None, "empty")
