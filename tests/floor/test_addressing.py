"""Whom a text addresses by a name at its beginning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.floor import FloorSeat, addressed_seat

NAMES = (
    "Al",
    "Analyst",
    "Devil's Advocate",
    "Devil",
    "Économiste",
    "Søren Łuk",
    "Co-Chair",
    "分析师",
    "Аналитик",
    "محلل",
    "विश्लेषक",
    "분석가",
    "Straße",
)
SEATS = tuple(FloorSeat(name, name) for name in NAMES)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Analyst, why?", "Analyst"),
        ("analyst, why?", "Analyst"),
        ("ANALYST: why", "Analyst"),
        ("@Analyst tell me more", "Analyst"),
        ("@ Analyst, more", "Analyst"),
        ("Analyst", "Analyst"),
        ("Analyst?", "Analyst"),
        ("  Analyst !", "Analyst"),
        ("**Analyst**, why?", "Analyst"),
        ("Analyst — why", "Analyst"),
        ("Analyst - why", "Analyst"),
        ("Analyst\nwhy do you say so?", "Analyst"),
        ("Analyst why do you say so?", "Analyst"),
        ("<@123456> Analyst, why?", "Analyst"),
        ("Devil's Advocate: really", "Devil's Advocate"),
        ("Devil’s Advocate: really", "Devil's Advocate"),
        ("devils advocate, really", "Devil's Advocate"),
        ("Devil's  Advocate, really", "Devil's Advocate"),
        ("Devil, really", "Devil"),
        ("Economiste, pourquoi ?", "Économiste"),
        ("ÉCONOMISTE : pourquoi", "Économiste"),
        ("Soren Luk, hvorfor", "Søren Łuk"),
        ("co chair, next", "Co-Chair"),
        ("分析师，为什么？", "分析师"),
        ("分析师：继续", "分析师"),
        ("分析师、どう", "分析师"),
        ("аналитик, почему", "Аналитик"),
        ("محلل، لماذا", "محلل"),
        ("مُحلّل، لماذا", "محلل"),
        ("विश्लेषक, क्यों", "विश्लेषक"),
        ("분석가, 왜", "분석가"),
        ("STRASSE: x", "Straße"),
        ("Al, so what", "Al"),
        ("> Devil, said somebody\nAnalyst, what of it", "Analyst"),
    ],
)
def test_a_leading_name_addresses_its_seat(text: str, name: str) -> None:
    """2.2#38, 3.2 flaw 3: case, accents and apostrophes do not matter; the longest name wins."""
    assert addressed_seat(text, SEATS) == name


@pytest.mark.parametrize(
    "text",
    [
        "also, why?",
        "Always, I say",
        "Analysts, why?",
        "Analyst's view is wrong, no?",
        "Analyst reports are dull.",
        "I think, Analyst, you are wrong",
        "> Analyst, why?",
        ">>> Analyst, why?\nAnalyst, really?",
        "分析师们，为什么？",
        "분석가들, 왜?",
        "विश्लेषकों, क्यों?",
        "```\nAnalyst, why?\n```",
        "@Analysts why?",
        "",
        "@",
        "<@123456>",
    ],
)
def test_other_words_address_nobody(text: str) -> None:
    """3.2 flaw 3: whole names, at the beginning, outside quotes."""
    assert addressed_seat(text, SEATS) is None


@given(st.text(max_size=60), st.lists(st.text(max_size=10), max_size=4))
def test_any_text_can_be_read(text: str, names: list[str]) -> None:
    seats = tuple(FloorSeat(f"s{place}", name) for place, name in enumerate(names))
    found = addressed_seat(text, seats)
    assert found is None or found in {seat.key for seat in seats}


@given(st.sampled_from(NAMES), st.text(max_size=40))
def test_a_name_before_a_colon_always_addresses_its_seat(name: str, rest: str) -> None:
    assert addressed_seat(f"{name}: {rest}", SEATS) == name
