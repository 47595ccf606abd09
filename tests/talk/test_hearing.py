"""Whom a message is for."""

import pytest

from bot.floor import Seat
from bot.talk.hearing import NOBODY, Address, Heard, address_of, pings

PANEL = (Seat("rt_1:analyst", "Analyst"), Seat("rt_1:critic", "Critic"))
ALL = Address(("rt_1:analyst", "rt_1:critic"), for_all=True)
BOT = 77


def heard(text: str, *, mentions_bot: bool = False) -> Heard:
    return Heard(1, 2, 3, 4, "Ada", text, 0.0, mentions_bot=mentions_bot)


def test_a_reply_wins_over_a_name_and_a_name_over_everybody() -> None:
    """2.2#38, part 4: reply target, then name, then all."""
    named = heard("Analyst, why?", mentions_bot=True)
    assert address_of(named, "rt_1:critic", PANEL, open_always=True).seats == ("rt_1:critic",)
    assert address_of(named, None, PANEL, open_always=True).seats == ("rt_1:analyst",)
    assert address_of(heard("why?", mentions_bot=True), None, PANEL, open_always=False) == ALL


def test_talk_between_people_is_for_nobody_unless_the_floor_is_always_open() -> None:
    assert address_of(heard("It rains."), None, PANEL, open_always=False) is NOBODY
    assert address_of(heard("It rains."), None, PANEL, open_always=True) == ALL


@pytest.mark.parametrize(
    ("text", "called"),
    [
        (f"<@{BOT}> why?", True),
        (f"why, <@!{BOT}>?", True),
        (f"> <@{BOT}> why?\nGood question.", False),
        (f">>> quoted\n<@{BOT}> why?", False),
        (f"write `<@{BOT}> why?`", False),
        (f"```\n<@{BOT}>\n```", False),
        ("<@78> why?", False),
        ("Thank you.", False),
    ],
)
def test_only_a_ping_of_ones_own_calls_the_bot(text: str, called: bool) -> None:
    """Part 4: quoted pings and the ping of a reply do not count."""
    assert pings(text, BOT) is called
