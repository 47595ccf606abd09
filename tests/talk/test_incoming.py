"""Whom a message is for."""

from dataclasses import replace

import pytest

from bot.floor import FloorSeat
from bot.talk.incoming import NOBODY, Address, IncomingMessage, address_of, pings

PANEL = (FloorSeat("rt_1:analyst", "Analyst"), FloorSeat("rt_1:critic", "Critic"))
ALL = Address(("rt_1:analyst", "rt_1:critic"), for_all=True)
BOT = 77


def heard(text: str, *, mentions_bot: bool = False) -> IncomingMessage:
    return IncomingMessage(1, 2, 3, 4, "Ada", text, 0.0, mentions_bot=mentions_bot)


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


def test_a_bot_speaks_for_a_person_only_where_it_may() -> None:
    """PluralKit and others repeat what people write; the bot's own messages never count."""
    person = IncomingMessage(1, 2, 3, 4, "Ada", "why?", 0.0, bot_id=BOT, sender_ids=frozenset({4}))
    proxy = replace(person, proxied=True, sender_ids=frozenset({5, 6}))
    own = replace(proxy, sender_ids=frozenset({5, 6, BOT}))
    assert person.speaks_for_a_person(())
    assert proxy.speaks_for_a_person({6})
    assert not proxy.speaks_for_a_person({7})
    assert not own.speaks_for_a_person({6})


def test_commands_and_talk_in_channels_do_not_concern_a_panel() -> None:
    in_thread = IncomingMessage(1, 2, 3, 4, "Ada", "why?", 0.0, content="why?", bot_id=BOT)
    in_channel = replace(in_thread, in_channel=True)
    assert in_thread.may_concern_a_panel()
    assert not in_channel.may_concern_a_panel()
    assert replace(in_channel, reply_to=9).may_concern_a_panel()
    assert not replace(in_thread, content=f"<@{BOT}> roundtable help").may_concern_a_panel()
    assert not replace(in_thread, content=" ").may_concern_a_panel()
