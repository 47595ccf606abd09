"""What an admin can do so that more of the panel's models can be used."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.messages.models import ProviderText
from bot.panels.config import PanelsConfig
from bot.panels.panel import MODES
from bot.panels.providers import HostedProvider
from bot.panels.resolve import Resolution


@dataclass(frozen=True, slots=True)
class Remedy:
    """One thing to do, and the models it makes usable."""

    step: str
    models: tuple[str, ...]


def remedies(config: PanelsConfig, resolution: Resolution) -> tuple[Remedy, ...]:
    """Steps that would each serve models now lost to the panels, the most helpful first."""
    lost = list(dict.fromkeys(_lost(config, resolution)))
    steps = []
    for name, provider in config.providers.items():
        helped = tuple(key for key in lost if name in resolution.routed[key])
        if not helped or resolution.usable(name) or not isinstance(provider, HostedProvider):
            continue
        steps.append(Remedy(_step(name, provider, resolution.providers[name]), helped))
    return tuple(sorted(steps, key=lambda remedy: -len(remedy.models)))


def _lost(config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    """The models of seats that cannot be used now, or only as stand-ins."""
    for mode in MODES:
        for agent in config.panels.of(mode).agents:
            if resolution.rehearsal or resolution.model(agent.model) is None:
                yield agent.model


def _step(name: str, provider: HostedProvider, fault: str | None) -> str:
    variable = provider.api_key_env
    if not variable:
        return ProviderText.start_server(name)
    return (
        ProviderText.add_key(variable)
        if fault == ProviderText.no_key(variable)
        else ProviderText.replace_key(variable)
    )
