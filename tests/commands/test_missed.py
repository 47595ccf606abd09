"""What becomes of messages that were written while the bot was away."""

from dataclasses import replace

import pytest

from bot.commands.missed import Missed, missed_kind
from bot.talk.incoming import IncomingMessage
from cogs.services import CogServices

MESSAGE = IncomingMessage(1, 2, 3, 4, "Ada", "", 0.0, bot_id=77, sender_ids=frozenset({4}))


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("and in winter?", Missed.TALK),
        ("roundtable stop", Missed.COMMAND),
        ("<@77> roundtable stop rt_0123abcd", Missed.COMMAND),
        ("roundtable help", Missed.LATE_COMMAND),
        ("roundtable stop smoking or not?", Missed.LATE_COMMAND),
    ],
)
def test_only_a_stop_is_still_carried_out(content: str, kind: Missed) -> None:
    assert missed_kind(replace(MESSAGE, content=content)) is kind


def test_bots_are_heard_but_not_obeyed_and_own_messages_are_skipped() -> None:
    stop = replace(MESSAGE, content="roundtable stop", proxied=True)
    assert missed_kind(stop) is Missed.TALK
    assert missed_kind(replace(stop, sender_ids=frozenset({5, 77}))) is Missed.OWN


async def test_nothing_is_unread_in_an_empty_store(services: CogServices) -> None:
    missed = services.missed
    await missed.look_at_start()
    missed.disconnected()
    await missed.look_again()
    assert missed.take_threads(live=True) == missed.take_threads(live=False) == []
