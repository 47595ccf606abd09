"""Model servers at their usual ports on this machine, which panels.json need not name."""

from collections.abc import Mapping
from typing import Final

from pydantic import SecretStr

from bot.panels.config import PanelsConfig
from bot.panels.providers import HostedProvider, OpenAIProvider, Provider
from bot.panels.urls import port_here

USUAL_PORTS: Final[Mapping[str, int]] = {
    "ollama": 11434,
    "lmstudio": 1234,
    "vllm": 8000,
    "llamacpp": 8080,
}


def with_usual_servers(config: PanelsConfig) -> PanelsConfig:
    """The configuration together with the usual servers that it does not name."""
    return config.with_providers({**config.providers, **_unnamed(config)})


def only_usual_servers(config: PanelsConfig) -> PanelsConfig:
    """The configuration with nothing but the usual servers that it does not name."""
    return config.with_providers(_unnamed(config))


def _unnamed(config: PanelsConfig) -> dict[str, Provider]:
    urls = [p.base_url for p in config.providers.values() if isinstance(p, HostedProvider)]
    named = {port_here(url) for url in urls}
    return {
        name: _at(port)
        for name, port in USUAL_PORTS.items()
        if name not in config.providers and port not in named
    }


def _at(port: int) -> OpenAIProvider:
    url, key = f"http://127.0.0.1:{port}/v1", SecretStr("none")
    return OpenAIProvider.model_validate({"kind": "openai", "baseUrl": url, "apiKey": key})
