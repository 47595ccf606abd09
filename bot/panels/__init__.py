"""panels.json: providers, models, panels and limits, validated as a whole."""

from bot.panels._references import ModelNames
from bot.panels.config import Model, PanelsConfig, Price, Route, Tier
from bot.panels.load import load_panels, parse_panels
from bot.panels.panel import MODES, Agent, ModeName, Panel, Panels, SpeechOrder
from bot.panels.probe import probe_local
from bot.panels.providers import (
    AcpProvider,
    AnthropicProvider,
    GeminiProvider,
    HostedProvider,
    LocalProvider,
    OpenAIProvider,
    Provider,
    RehearsalProvider,
)
from bot.panels.resolve import (
    Resolution,
    ResolvedModel,
    canonical,
    model_names,
    resolve_models,
    suggest,
)
from bot.panels.seating import Chooser, SeatNow, Sitting, any_model, blockrun_is_missed, sitting
from bot.panels.sections import (
    Arbiter,
    Budgets,
    Followups,
    Limits,
    Output,
    Profile,
    Search,
    Timeouts,
    Trigger,
)

__all__ = [
    "MODES",
    "AcpProvider",
    "Agent",
    "AnthropicProvider",
    "Arbiter",
    "Budgets",
    "Chooser",
    "Followups",
    "GeminiProvider",
    "HostedProvider",
    "Limits",
    "LocalProvider",
    "ModeName",
    "Model",
    "ModelNames",
    "OpenAIProvider",
    "Output",
    "Panel",
    "Panels",
    "PanelsConfig",
    "Price",
    "Profile",
    "Provider",
    "RehearsalProvider",
    "Resolution",
    "ResolvedModel",
    "Route",
    "Search",
    "SeatNow",
    "Sitting",
    "SpeechOrder",
    "Tier",
    "Timeouts",
    "Trigger",
    "any_model",
    "blockrun_is_missed",
    "canonical",
    "load_panels",
    "model_names",
    "parse_panels",
    "probe_local",
    "resolve_models",
    "sitting",
    "suggest",
]
