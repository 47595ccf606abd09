"""Any one key gives a good panel: who sits with which keys, on lists that providers gave."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence

import pytest

from bot.meeting.design.panel import plan_meeting
from bot.models.availability import KnownLists
from bot.models.collect import collect
from bot.models.registry import ModelRegistry
from bot.panels import MODES, ResolvedModel
from bot.request import Request
from bot.types.mode import Mode
from tests.keys.matrix import (
    BLOCKRUN,
    OPENROUTER,
    PAIRS,
    SINGLES,
    TRIPLES,
    Around,
    look_around,
    secrets_of,
)
from tests.keys.vendor_servers import SECRETS, Vendors
from tests.models.dialects import request
from tests.panels.panels_data import bent, loaded, shipped
from tools.keys_table import DOCUMENT, table

ANTHROPIC, OPENAI, GEMINI = "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"


@pytest.fixture
async def vendors() -> AsyncIterator[Vendors]:
    async with Vendors() as serving:
        yield serving


async def around(vendors: Vendors, *keys: str) -> Around:
    return await look_around(vendors, loaded(shipped()), keys)


def name(keys: Sequence[str]) -> str:
    return "+".join(key.removesuffix("_API_KEY").casefold() for key in keys)


@pytest.mark.parametrize("keys", [*SINGLES, *PAIRS, *TRIPLES], ids=name)
async def test_everybody_sits_and_as_many_families_as_there_are(
    vendors: Vendors, keys: tuple[str, ...]
) -> None:
    """E21, 2.2#17."""
    found = await around(vendors, *keys)
    everything = keys[0] in (OPENROUTER, BLOCKRUN)
    for mode, now in found.sittings.items():
        assert not now.budget
        assert all(seat.model for seat in now.seats), mode
        assert len(now.families) == (4 if everything else len(keys)), mode
        seated = Counter(seat.model.family for seat in now.seats if seat.model)
        assert max(seated.values()) - min(seated.values()) <= 1 or len(keys) == 3, mode


@pytest.mark.parametrize("keys", SINGLES, ids=name)
async def test_one_vendors_key_seats_two_tiers(vendors: Vendors, keys: tuple[str, ...]) -> None:
    found = await around(vendors, *keys)
    for mode, now in found.sittings.items():
        models = {seat.model.key: seat.model.tier for seat in now.seats if seat.model}
        assert len(models) >= 2, mode
        assert len(set(models.values())) >= 2 or len(now.families) >= 3, mode


@pytest.mark.parametrize("keys", SINGLES, ids=name)
async def test_every_model_a_meeting_would_ask_answers(
    vendors: Vendors, keys: tuple[str, ...]
) -> None:
    """No mode fails with any single key: the servers refuse ids they do not list."""
    found = await around(vendors, *keys)
    asked: set[ResolvedModel] = set()
    for mode in MODES:
        for quick in (False, True):
            plan = plan_meeting(
                found.config, found.resolution, Request("Why?", Mode(mode), quick=quick)
            )
            asked |= {seat.model for seat in plan.seats}
            asked |= {seat.fallback for seat in plan.seats if seat.fallback}
            asked |= {*plan.synthesis, *plan.coordinators}
            assert plan.synthesis
            assert plan.coordinators
    registry = ModelRegistry(
        found.config.providers, secret=secrets_of(keys).get, connect=vendors.client
    )
    for model in asked:
        answer = await collect(registry.port(model.provider), request(model=model.wire_model))
        assert answer.text == "ready"
    await registry.close()
    assert vendors.refused == []


@pytest.mark.parametrize("keys", SINGLES, ids=name)
async def test_every_model_that_sits_has_a_price(vendors: Vendors, keys: tuple[str, ...]) -> None:
    found = await around(vendors, *keys)
    assert all(found.prices.tariff(model) for model in found.resolution.models.values())


async def test_with_nothing_stand_ins_play_every_seat(vendors: Vendors) -> None:
    found = await around(vendors)
    assert found.resolution.rehearsal
    standings = {seat.standing for now in found.sittings.values() for seat in now.seats}
    assert standings == {"rehearsal"}


async def test_the_three_vendors_of_the_seeds_sit_with_their_own_models(vendors: Vendors) -> None:
    found = await around(vendors, ANTHROPIC, OPENAI, GEMINI)
    seats = {
        seat.role: seat.model.wire_model for seat in found.sitting("redteam").seats if seat.model
    }
    assert seats == {
        "Defender": "claude-opus-5-5",
        "Analyst": "gemini-4-argon",
        "Attacker": "claude-sonnet-5-5",
        "Red Teamer": "gpt-6.1-sol",
    }


@pytest.mark.parametrize(
    ("keys", "opus", "gpt", "gemini", "grok"),
    [
        (
            (ANTHROPIC, OPENAI, GEMINI, "XAI_API_KEY"),
            *("claude-opus-5-5", "gpt-6.1-sol", "gemini-4-argon", "grok-4.7"),
        ),
        (
            (OPENROUTER,),
            *("anthropic/claude-opus-5.5", "openai/gpt-6.1-sol"),
            *("google/gemini-4-argon", "x-ai/grok-4.7"),
        ),
        (
            (BLOCKRUN,),
            *("anthropic/claude-opus-5.5", "openai/gpt-5.6-sol"),
            *("google/gemini-3.1-pro", "xai/grok-4.5"),
        ),
    ],
    ids=["vendors", "openrouter", "blockrun"],
)
async def test_every_panel_is_asked_by_the_ids_of_its_four_models(
    vendors: Vendors, keys: tuple[str, ...], opus: str, gpt: str, gemini: str, grok: str
) -> None:
    """E118 E119 E120 E121 E122: whoever serves them, nobody sits as another model."""
    found = await around(vendors, *keys)
    asked = {
        mode: [seat.model.wire_model for seat in now.seats if seat.model]
        for mode, now in found.sittings.items()
    }
    assert asked == {
        "debate": [opus, gpt, gemini, grok],
        "build": [opus, gemini, grok, gpt],
        "redteam": [opus, gemini, grok, gpt],
        "vote": [opus, gemini, grok, gpt],
        "default": [opus, gpt, gemini, grok],
    }


async def test_claude_alone_falls_back_to_sonnet(vendors: Vendors) -> None:
    """E21 E122."""
    found = await around(vendors, ANTHROPIC)
    keys = [seat.model.key for seat in found.sitting("debate").seats if seat.model]
    assert keys == ["claude-opus", *["claude-sonnet"] * 3]


@pytest.mark.parametrize("variable", SECRETS)
async def test_a_wrong_key_serves_nothing_and_the_provider_is_quoted(
    vendors: Vendors, variable: str
) -> None:
    config = loaded(shipped())
    async with vendors.client() as client:
        lists = KnownLists(lambda: client, {variable: "sk-bad-9876543210"}.get)
        await lists.ask(config)
    (said,) = lists.refusals.values()
    assert said.startswith("it rejected the key: ")
    assert lists.offers(config) == {}
    assert "sk-bad" not in said
    assert "http" not in said


async def test_an_id_so_new_that_nobody_knows_its_price_is_not_taken(vendors: Vendors) -> None:
    vendors.ids["openai"] = ("gpt-9-sol", "gpt-5.5")
    found = await around(vendors, OPENAI)
    assert found.resolution.models["gpt"].wire_model == "gpt-5.5"


async def test_the_budget_panel_sits_without_blockrun_where_the_file_says_so(
    vendors: Vendors,
) -> None:
    """E102 to the letter."""
    config = loaded(bent(lambda data: data.update(withoutBlockrun="budget")))
    found = await look_around(vendors, config, (ANTHROPIC, OPENAI))
    now = found.sitting("redteam")
    assert now.budget
    assert [(seat.role, seat.wanted) for seat in now.seats] == [
        ("Defender", "claude-sonnet"),
        ("Attacker", "gpt"),
    ]


@pytest.mark.parametrize(
    ("variable", "name", "served"),
    [
        (OPENAI, "gpt-5.3-codex", "gpt-5.3-codex"),
        (ANTHROPIC, "opus-4.6", "claude-opus-4-6"),
        (GEMINI, "gemini-3.1-pro", "gemini-3.1-pro-preview"),
        ("XAI_API_KEY", "grok-4", "grok-4.7"),
    ],
)
async def test_a_seeds_name_answers_as_that_model_or_says_what_stands_in(
    vendors: Vendors, variable: str, name: str, served: str
) -> None:
    """gpt-5.3-codex is served by the Responses API alone."""
    found = await around(vendors, variable)
    asked = Request("Why?", Mode.DEBATE, panel=(name,))
    plan = plan_meeting(found.config, found.resolution, asked)
    (seat,) = plan.seats
    assert seat.model.wire_model == served
    registry = ModelRegistry(
        found.config.providers, secret=secrets_of([variable]).get, connect=vendors.client
    )
    answer = await collect(registry.port(seat.model.provider), request(model=seat.model.wire_model))
    await registry.close()
    assert answer.text == "ready"
    assert any("substituted grok-4 with grok" in note for note in plan.degradations) is (
        name == "grok-4"
    )


async def test_the_table_in_the_documentation_is_up_to_date() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert await table() in text, "run python -m tools.keys_table"
