"""Looks whether the providers on this machine are there, before a model is asked of them."""

import asyncio
import contextlib
from collections.abc import Mapping
from urllib.parse import urlsplit

from bot.messages.models import ProviderText
from bot.panels.config import PanelsConfig
from bot.panels.installed import fault_here
from bot.panels.providers import HostedProvider
from bot.panels.urls import is_loopback

_DEFAULT_PORTS = {"http": 80, "https": 443}


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
