"""What a model costs, and which models may not be called because nobody knows."""

import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from bot.models.registry import ADAPTERS, ReportedPrice
from bot.money.prices import PriceBook, Source, Tariff, Tokens
from bot.panels import PanelsConfig, Resolution, resolve_models
from tests.panels.panels_data import bent, loaded, shipped

MILLION = Tokens(1_000_000, 1_000_000)


def opened(data: dict[str, Any], *keys: str) -> tuple[PriceBook, PanelsConfig, Resolution]:
    """A price book over panels.json with these keys in .env; nothing local runs."""
    config = loaded(data)
    local = {"blockrun": "silent", "ollama": "silent"}
    secrets = dict.fromkeys(keys, "k")
    resolution = resolve_models(config, secrets.get, ADAPTERS, local)
    return PriceBook(lambda: config, lambda: resolution), config, resolution


def price_at(base_url: str, **provider: Any) -> Tariff | None:
    """What a model without a price costs at a server of kind openai."""

    def change(data: dict[str, Any]) -> None:
        data["providers"]["here"] = {"kind": "openai", "baseUrl": base_url, **provider}
        data["models"]["m"] = {
            "routes": [{"provider": "here", "model": "no-such-model"}],
            "family": "f",
            "tier": "mid",
        }

    book, _, resolution = opened(bent(change), "OPENROUTER_API_KEY")
    return book.tariff(resolution.models["m"])


def test_with_one_openrouter_key_every_shipped_model_has_a_price() -> None:
    """E20: nothing is free with a key, and nothing is unknown."""
    book, _, resolution = opened(shipped(), "OPENROUTER_API_KEY")
    tariffs = {key: book.tariff(model) for key, model in resolution.models.items()}
    assert all(tariff and tariff.cost(MILLION) > 0.01 for tariff in tariffs.values())
    assert book.usable() is resolution


def test_a_configured_price_comes_before_the_list() -> None:
    def change(data: dict[str, Any]) -> None:
        data["models"]["claude-opus"]["price"] = {"inputPerMillion": 1.0, "outputPerMillion": 2.0}

    book, _, resolution = opened(bent(change), "ANTHROPIC_API_KEY")
    tariff = book.tariff(resolution.models["claude-opus"])
    assert tariff is not None
    assert (tariff.source, tariff.cost(MILLION)) == (Source.CONFIGURED, 3.0)


def test_the_list_knows_what_a_cache_saves() -> None:
    book, _, resolution = opened(shipped(), "ANTHROPIC_API_KEY")
    tariff = book.tariff(resolution.models["claude-opus"])
    assert tariff is not None
    assert tariff.source is Source.LISTED
    assert tariff.cost(Tokens(1000, 0, cached=900)) < tariff.cost(Tokens(1000, 0)) / 2
    assert tariff.cost(Tokens(10, 0, cached=900)) > 0
    assert tariff.cost(Tokens(1000, 0, kept=900)) > tariff.cost(Tokens(1000, 0))


@pytest.mark.parametrize(("extra", "cost"), [({}, 10.0), ({"cachedInputPerMillion": 1.0}, 2.8)])
def test_a_configured_price_may_know_a_cheaper_cache(extra: dict[str, float], cost: float) -> None:
    def change(data: dict[str, Any]) -> None:
        price = {"inputPerMillion": 10.0, "outputPerMillion": 2.0}
        data["models"]["claude-opus"]["price"] = price | extra

    book, _, resolution = opened(bent(change), "ANTHROPIC_API_KEY")
    tariff = book.tariff(resolution.models["claude-opus"])
    assert tariff is not None
    assert tariff.cost(Tokens(1_000_000, 0, cached=800_000)) == pytest.approx(cost)


@pytest.mark.parametrize(
    ("base_url", "provider", "free"),
    [
        ("http://127.0.0.1:11434/v1", {}, True),
        ("http://127.0.0.1:8402/v1", {}, False),
        ("http://127.0.0.1:4000/v1", {"free": False}, False),
        ("https://models.example/v1", {}, False),
        ("https://models.example/v1", {"free": True}, True),
    ],
)
def test_a_server_on_this_machine_is_free_unless_it_is_a_gateway(
    base_url: str, provider: dict[str, Any], free: bool
) -> None:
    tariff = price_at(base_url, **provider)
    assert (tariff is not None) is free
    assert tariff is None or tariff.cost(MILLION) == 0.0


def unknown(data: dict[str, Any]) -> None:
    data["models"]["grok"]["routes"] = [{"provider": "openrouter", "model": "x-ai/grok-4"}]


def test_a_model_of_unknown_price_is_not_used_and_says_what_to_do() -> None:
    book, _, resolution = opened(bent(unknown), "OPENROUTER_API_KEY")
    usable = book.usable()
    assert "grok" in resolution.models
    assert usable.model("grok") is None
    (reason,) = usable.why_not("grok")
    assert "grok" not in usable.lost_without("blockrun")
    assert "models.grok.price" in reason
    assert "models.grok.allowUnpriced" in reason


async def test_a_router_that_lists_its_prices_is_asked_for_what_nobody_else_knows() -> None:
    asked: list[str] = []

    async def listed(provider: str) -> Mapping[str, ReportedPrice]:
        asked.append(provider)
        return {"x-ai/grok-4": ReportedPrice(3.0, 15.0, 0.3)}

    _, config, resolution = opened(bent(unknown), "OPENROUTER_API_KEY")
    book = PriceBook(lambda: config, lambda: resolution, listed)
    await book.load()
    tariff = book.tariff(resolution.models["grok"])
    assert tariff is not None
    assert (tariff.source, tariff.cost(MILLION)) == (Source.REPORTED, 18.0)
    assert tariff.cost(Tokens(1_000_000, 0, cached=1_000_000)) == pytest.approx(0.3)
    assert book.usable() is resolution
    assert asked == ["openrouter"]


def test_an_admin_may_allow_a_model_of_unknown_price() -> None:
    def change(data: dict[str, Any]) -> None:
        unknown(data)
        data["models"]["grok"]["allowUnpriced"] = True

    book, _, _ = opened(bent(change), "OPENROUTER_API_KEY")
    assert book.usable().model("grok") is not None


def test_a_stand_in_costs_nothing_whatever_it_plays() -> None:
    book, _, resolution = opened(shipped())
    assert resolution.rehearsal
    assert all(book.tariff(m) == Tariff(Source.FREE, 0, 0) for m in resolution.models.values())


def test_the_list_is_not_read_when_nothing_needs_it() -> None:
    """Importing it takes a quarter of a second, which a playground should not pay."""
    program = (
        "import asyncio, sys; from tests.money.test_prices import opened, shipped;"
        "asyncio.run(opened(shipped())[0].load()); print('genai_prices' in sys.modules)"
    )
    run = [sys.executable, "-c", program]
    assert subprocess.check_output(run, text=True).strip() == "False"
