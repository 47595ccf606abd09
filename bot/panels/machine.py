"""Looks whether the providers on this machine are there, before a model is asked of them."""

import asyncio
import contextlib
import os
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.messages.models import ProviderText
from bot.panels.config import PanelsConfig
from bot.panels.providers import (
    AcpProvider,
    HostedProvider,
    LocalProvider,
    OpenAIProvider,
    Provider,
)
from bot.panels.urls import is_loopback, port_here

SMALL_MODEL: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
_DEFAULT_PORTS = {"http": 80, "https": 443}
USUAL_PORTS: Final[Mapping[str, int]] = {
    "ollama": 11434,
    "lmstudio": 1234,
    "vllm": 8000,
    "llamacpp": 8080,
}


def fault_here(provider: Provider) -> str | None:
    """Why a provider that runs on this machine cannot be used; None when it can, or runs abroad."""
    match provider:
        case AcpProvider():
            return _harness_fault(provider)
        case LocalProvider():
            return _local_fault(provider)
        case _:
            return None


def model_file(provider: LocalProvider) -> Path:
    """The model file of a provider."""
    return Path(provider.model_path).expanduser() if provider.model_path else small_model_file()


def small_model_file() -> Path:
    """Where `make local` puts the small model: in the user's cache, for all copies of the bot."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "roundtable" / SMALL_MODEL


def _harness_fault(provider: AcpProvider) -> str | None:
    if find_spec("acp") is None:
        return ProviderText.NO_ACP_EXTRA
    if shutil.which(provider.command[0]) is None:
        return ProviderText.no_program(provider.command[0])
    return None


def _local_fault(provider: LocalProvider) -> str | None:
    if find_spec("xllamacpp") is None:
        return ProviderText.NO_LOCAL_EXTRA
    if not model_file(provider).is_file():
        named = provider.model_path
        return ProviderText.no_model_file(named) if named else ProviderText.NO_SMALL_MODEL
    return None


async def probe_local(config: PanelsConfig, timeout: float = 0.5) -> Mapping[str, str]:  # noqa: ASYNC109
    """Try every provider on this machine at once; give the reason for each that fails."""
    local = [
        (name, provider.base_url)
        for name, provider in config.providers.items()
        if isinstance(provider, HostedProvider) and is_loopback(provider.base_url)
    ]
    answers = await asyncio.gather(*(_answers(url, timeout) for _, url in local))
    here = {name: fault_here(provider) for name, provider in config.providers.items()}
    return {name: fault for name, fault in here.items() if fault} | {
        name: ProviderText.nothing_answers(*_address(url), name)
        for (name, url), there in zip(local, answers, strict=True)
        if not there
    }


async def _answers(url: str, seconds: float) -> bool:
    host, port = _address(url)
    try:
        async with asyncio.timeout(seconds):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "127.0.0.1", parts.port or _DEFAULT_PORTS[parts.scheme]


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
