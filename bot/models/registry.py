"""The model registry: one adapter per provider, built when first used, closed together."""

import asyncio
import logging
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

from pydantic import SecretStr

from bot.models.adapters.acp.workspaces import Workspaces
from bot.models.breaker import BreakerPort
from bot.models.failure_details import mapping, parse_json, text
from bot.models.local_servers import LoadPatience
from bot.models.retry import RetryingPort
from bot.panels import PanelsConfig, Provider, RehearsalProvider
from bot.panels.machine import model_file
from bot.panels.providers import (
    AcpProvider,
    AnthropicProvider,
    GeminiProvider,
    HostedProvider,
    LocalProvider,
    OpenAIProvider,
)
from bot.panels.urls import is_openrouter
from bot.types import SecretLookup
from bot.types.model_port import ModelError, ModelPort

if TYPE_CHECKING:
    import httpx

    from bot.models.adapters.local import LocalPort


_KEPT_SECONDS: Final = 6 * 3600.0
_RETRY_SECONDS: Final = 300.0
_SECONDS: Final = 10.0
_MOST_PAGES: Final = 20
_LONGEST_LIST: Final = 8 * 1024 * 1024
"""The limit for all pages together."""
_MILLION: Final = 1_000_000
_NOTHING: Final[Mapping[str, "ReportedPrice"]] = MappingProxyType({})

_log = logging.getLogger(__name__)
Build = Callable[[Provider], ModelPort]
Connect = Callable[[], "httpx.AsyncClient"]
ADAPTERS: frozenset[str] = frozenset({"acp", "anthropic", "gemini", "local", "openai", "rehearsal"})


@dataclass(frozen=True, slots=True)
class ReportedPrice:
    """Dollars per million tokens; `cached` where cached input has a price of its own."""

    read_per_million: float
    written_per_million: float
    cached_per_million: float | None = None


class Catalogue:
    """The price list of one router; if it cannot be read, the previous one stays."""

    def __init__(
        self,
        base_url: str,
        client: "Callable[[], httpx.AsyncClient]",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = f"{base_url.rstrip('/')}/models"
        self._client = client
        self._clock = clock
        self._prices = _NOTHING
        self._due = -math.inf
        self._reading = asyncio.Lock()

    async def prices(self) -> Mapping[str, ReportedPrice]:
        """The price of every model by the router's id; models without a price are missing."""
        async with self._reading:
            if self._clock() >= self._due:
                await self._refresh()
        return self._prices

    async def _refresh(self) -> None:
        import httpx  # noqa: PLC0415 (heavy, first use)

        try:
            async with asyncio.timeout(_SECONDS):
                found = {model: price async for model, price in self._read()}
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError) as error:
            _log.info("the list of models could not be read: %s", type(error).__name__)
            self._due = self._clock() + _RETRY_SECONDS
            return
        self._prices = MappingProxyType(found)
        self._due = self._clock() + _KEPT_SECONDS

    async def _read(self) -> AsyncIterator[tuple[str, ReportedPrice]]:
        from bot.http.bounded import read_body  # noqa: PLC0415 (heavy, first use)

        url, left = self._url, _LONGEST_LIST
        for _ in range(_MOST_PAGES):
            async with self._client().stream("GET", url) as answer:
                if not answer.is_success:
                    raise ValueError(url)
                body = await read_body(answer, left)
            left -= len(body)
            page = mapping(parse_json(body))
            listed = page.get("data")
            for entry in listed if isinstance(listed, list) else ():
                for priced in _priced(mapping(entry)):
                    yield priced
            following = self._next(page)
            if following is None:
                return
            url = following

    def _next(self, page: Mapping[str, Any]) -> str | None:
        """The URL of the next page, if it is on the same server."""
        link = text(mapping(page.get("links")).get("next"))
        if not link:
            return None
        whole = urljoin(self._url, link)
        here, there = urlsplit(self._url), urlsplit(whole)
        return whole if (here.scheme, here.netloc) == (there.scheme, there.netloc) else None


def _priced(entry: Mapping[str, Any]) -> Iterator[tuple[str, ReportedPrice]]:
    told = mapping(entry.get("pricing"))
    read, written = _dollars(told, "prompt"), _dollars(told, "completion")
    name = text(entry.get("id"))
    if name and read is not None and written is not None:
        yield name, ReportedPrice(read, written, _dollars(told, "input_cache_read"))


def _dollars(pricing: Mapping[str, Any], name: str) -> float | None:
    """Dollars per million tokens; values that are no price, such as -1, are unknown."""
    try:
        value = float(pricing[name])
    except (KeyError, TypeError, ValueError):
        return None
    return value * _MILLION if math.isfinite(value) and value >= 0 else None


def no_secret(_: str) -> None:
    """The lookup of a registry without secrets."""


class PortBuilder:
    """Builds adapters; those that speak HTTP share one client, opened on first use."""

    def __init__(
        self,
        secret: SecretLookup = no_secret,
        home: Path | None = None,
        connect: "Connect | None" = None,
    ) -> None:
        self._secret = secret
        self._connect = connect
        self.workspaces = Workspaces(home or Path.cwd())
        self._client: httpx.AsyncClient | None = None
        self._in_process: list[LocalPort] = []
        self.agent_tools: tuple[str, str] | None = None

    def build_port(self, provider: Provider) -> ModelPort:
        """Build the adapter for a provider's kind; its module is imported on first use."""
        if isinstance(provider, RehearsalProvider):
            return _rehearsal(provider)
        if isinstance(provider, LocalProvider):
            self._in_process.append(_local(provider))
            return self._in_process[-1]
        if isinstance(provider, AcpProvider):
            return self._harness(provider)
        make = _adapter(provider)
        return make(provider, self._key(provider), self.client())

    def client(self) -> "httpx.AsyncClient":
        """The one HTTP client of the process."""
        from bot.http.client import make_client  # noqa: PLC0415 (heavy, first use)

        self._client = self._client or (self._connect or make_client)()
        return self._client

    async def warm_up(self) -> None:
        """Load models that run in this process; a failure is reported by the first call."""
        for port in self._in_process:
            with suppress(ModelError):
                await port.warm_up()

    async def close(self) -> None:
        """Close the client if there is one."""
        client, self._client = self._client, None
        if client:
            await client.aclose()

    def _harness(self, provider: AcpProvider) -> ModelPort:
        from bot.models.adapters.acp import AcpPort, Harness, harness_environment  # noqa: PLC0415

        passed = {name: self._secret(name) for name in provider.pass_env}
        harness = Harness(
            command=provider.command,
            workspace=Path(provider.workspace).expanduser() if provider.workspace else None,
            workspaces=self.workspaces,
            allow=frozenset(provider.allow),
            environment=harness_environment(passed),
            sandbox=provider.sandbox,
            network=provider.network,
            shared=tuple(Path(place).expanduser() for place in provider.share),
            wants_tools="roundtable" in provider.toolsets,
            served_at=lambda: self.agent_tools,
        )
        return AcpPort(harness, provider.max_concurrent)

    def _key(self, provider: HostedProvider) -> SecretStr | None:
        if provider.api_key_env is None:
            return provider.api_key
        value = self._secret(provider.api_key_env)
        return SecretStr(value) if value else None


def _adapter(
    provider: HostedProvider,
) -> Callable[[Any, SecretStr | None, "httpx.AsyncClient"], ModelPort]:
    """The constructor of an adapter; slow imports wait for the first use."""
    match provider:
        case OpenAIProvider():
            from bot.models.adapters.openai import OpenAIPort  # noqa: PLC0415

            return OpenAIPort.of
        case AnthropicProvider():
            from bot.models.adapters.anthropic import AnthropicPort  # noqa: PLC0415

            return AnthropicPort.of
        case GeminiProvider():
            from bot.models.adapters.gemini import GeminiPort  # noqa: PLC0415

            return GeminiPort.of


def _local(provider: LocalProvider) -> "LocalPort":
    from bot.models.adapters.local import LocalPort, open_runtime  # noqa: PLC0415 (heavy, first use)

    path = model_file(provider)
    return LocalPort(lambda: open_runtime(path, provider.threads))


def _rehearsal(provider: RehearsalProvider) -> ModelPort:
    from bot.rehearsal import RehearsalPort, Trouble  # noqa: PLC0415 (heavy, first use)

    troubles = {
        label: Trouble(trouble.kind, trouble.seconds, trouble.times, trouble.retry_after)
        for label, trouble in provider.troubles.items()
    }
    return RehearsalPort(provider.seed, provider.seconds_per_answer, troubles=troubles)


class ModelRegistry:
    """Returns the adapter of a provider by its name in panels.json.

    Every adapter retries and has a breaker, except the rehearsal, whose failures are simulated.
    """

    def __init__(
        self,
        providers: Mapping[str, Provider],
        build: Build | None = None,
        secret: SecretLookup = no_secret,
        home: Path | None = None,
        loading: LoadPatience | None = None,
        connect: Connect | None = None,
    ) -> None:
        self.loading = loading or LoadPatience()
        self._providers = dict(providers)
        self._builder = PortBuilder(secret, home, connect)
        self._build = build or self._builder.build_port
        self._ports: dict[str, ModelPort] = {}
        self._retired: list[ModelPort] = []
        self._catalogues: dict[str, Catalogue] = {}

    @classmethod
    def for_config(
        cls,
        config: PanelsConfig,
        secret: SecretLookup = no_secret,
        home: Path | None = None,
        loading: LoadPatience | None = None,
    ) -> "ModelRegistry":
        """A registry with every provider of a configuration; `secret` looks keys up by name."""
        return cls(config.providers, secret=secret, home=home, loading=loading)

    def client(self) -> "httpx.AsyncClient":
        """The one HTTP client of the process."""
        return self._builder.client()

    def serve_agents_at(self, url: str, token: str) -> None:
        """Where harnesses that are given the discussion tools find them (C2)."""
        self._builder.agent_tools = url, token

    def port(self, provider: str) -> ModelPort:
        """The adapter of a provider."""
        if provider not in self._ports:
            self._ports[provider] = self._make(self._providers[provider])
        return self._ports[provider]

    def follow(self, providers: Mapping[str, Provider]) -> None:
        """Use another configuration.

        A provider that is no longer named stays, because a run may have a seat there; the adapter
        of a changed one is closed at the end, because a call may be running on it.
        """
        for name, provider in providers.items():
            if self._providers.get(name) != provider:
                self._retired += [self._ports.pop(name)] if name in self._ports else []
                self._catalogues.pop(name, None)
        self._providers |= providers

    @property
    def workspaces(self) -> Workspaces:
        """The folders in which harnesses work."""
        return self._builder.workspaces

    async def warm_up(self, usable: Callable[[str], bool]) -> None:
        """Load the models that run in this process, before the first call."""
        for name, provider in self._providers.items():
            if isinstance(provider, LocalProvider) and usable(name):
                self.port(name)
        await self._builder.warm_up()

    def import_adapters(self, usable: Callable[[str], bool]) -> None:
        """Import the adapters of usable providers; slow, for a thread beside the event loop."""
        for name, provider in self._providers.items():
            if not usable(name):
                continue
            if isinstance(provider, HostedProvider):
                from bot.http.client import make_client  # noqa: F401, PLC0415 (imported for later)

                _adapter(provider)
            elif isinstance(provider, RehearsalProvider):
                _rehearsal(provider)

    async def reported_prices(self, provider: str) -> Mapping[str, ReportedPrice]:
        """The prices a provider reports, by its own ids; only OpenRouter reports any."""
        told = self._providers.get(provider)
        if not isinstance(told, OpenAIProvider) or not is_openrouter(told.base_url):
            return _NOTHING
        if provider not in self._catalogues:
            self._catalogues[provider] = Catalogue(told.base_url, self._builder.client)
        return await self._catalogues[provider].prices()

    async def close(self) -> None:
        """Close every adapter that was used, then the client they share."""
        async with AsyncExitStack() as closing:
            closing.push_async_callback(self._builder.close)
            for port in (*self._ports.values(), *self._retired):
                closing.push_async_callback(port.close)
            self._ports.clear()
            self._retired.clear()

    def _make(self, provider: Provider) -> ModelPort:
        port = self._build(provider)
        if isinstance(provider, RehearsalProvider):
            return port
        return RetryingPort(BreakerPort(port))
