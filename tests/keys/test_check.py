"""`roundtable check` tells the truth: what providers say, who answers, and when nobody can sit."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.keys.checking import checked
from tests.keys.matrix import SINGLES
from tests.keys.vendor_servers import SECRETS, Vendors


@pytest.fixture
async def vendors() -> AsyncIterator[Vendors]:
    async with Vendors() as serving:
        yield serving


@pytest.mark.parametrize("keys", SINGLES, ids=lambda keys: keys[0].removesuffix("_API_KEY"))
async def test_with_any_one_key_every_model_that_would_sit_answers(
    vendors: Vendors, keys: tuple[str, ...], tmp_path: Path
) -> None:
    code, lines = await checked(vendors, keys, tmp_path, ask_seats=True)
    report = " ".join(" ".join(lines).split())
    assert code == 0, report
    assert "one short question to" in report
    assert report.count("answered after") == len(vendors.asked) >= 2
    assert report.index("for at most") < report.index("answered after")
    assert vendors.refused == []
    if keys[0] in SECRETS:
        assert f"{SECRETS[keys[0]]} usable, lists " in report


async def test_without_the_option_nothing_is_asked_that_costs_money(
    vendors: Vendors, tmp_path: Path
) -> None:
    await checked(vendors, ("OPENAI_API_KEY",), tmp_path)
    assert vendors.asked == []


async def test_a_key_that_is_refused_fails_the_check_in_the_providers_words(
    vendors: Vendors, tmp_path: Path
) -> None:
    wrong = {"ANTHROPIC_API_KEY": "sk-bad-9876543210"}
    code, lines = await checked(vendors, (), tmp_path, environ=wrong)
    report = " ".join(" ".join(lines).split())
    assert code == 1
    assert "anthropic not usable: it rejected the key: invalid x-api-key" in report
    assert "no model is available" in report
    assert "set ANTHROPIC_API_KEY to a working key" in report
    assert "sk-bad" not in report


async def test_a_refused_key_beside_one_that_works_is_said_and_the_panel_sits(
    vendors: Vendors, tmp_path: Path
) -> None:
    wrong = {"ANTHROPIC_API_KEY": "sk-bad-9876543210"}
    code, lines = await checked(vendors, ("XAI_API_KEY",), tmp_path, environ=wrong)
    assert code == 0
    assert "it rejected the key: invalid x-api-key" in " ".join(" ".join(lines).split())


async def test_models_that_do_not_answer_fail_the_check(vendors: Vendors, tmp_path: Path) -> None:
    """An id may be on the list and yet not be served; who does not sit cannot help."""
    vendors.broken.add("openai")
    code, lines = await checked(vendors, ("OPENAI_API_KEY",), tmp_path, ask_seats=True)
    report = " ".join(" ".join(lines).split())
    assert code == 1
    assert "does not exist or you do not have access to it." in report
    assert "panels.debate: no seat can be filled" in report
