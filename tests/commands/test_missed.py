"""What becomes of messages that were written while the bot was away."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import Connection

from bot.commands.missed import Missed, MissedMessages, Shard, missed_kind
from bot.store import Phase, Store, move
from bot.store.repositories.runs import RunRepository
from bot.store.vocabulary import Actor
from bot.talk.incoming import IncomingMessage, moment_id
from tests.store.conftest import request_for

GUILD = request_for().place.guild_id
OPEN, OVER = (moment_id(1_799_999_000.0) + number for number in (1, 2))

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


@dataclass
class Clock:
    """Time that moves only when told."""

    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class MissedHarness:
    """What was missed, by a store with one open and one finished run, and its clock."""

    missed: MissedMessages
    clock: Clock

    def threads(self) -> tuple[list[int], list[int]]:
        """The unread threads that are taken now: of open runs, and of finished ones."""
        live, over = (self.missed.take_threads(live=live) for live in (True, False))
        return [one.thread_id for one in live], [one.thread_id for one in over]


@pytest.fixture
async def harness(tmp_path: Path) -> AsyncIterator[MissedHarness]:
    clock = Clock()
    store = await Store.open(tmp_path / "roundtable.db", clock=clock)

    def work(conn: Connection) -> None:
        for topic, thread in (("open", OPEN), ("over", OVER)):
            run = RunRepository(conn).insert(request_for(topic), Actor.ORCHESTRATOR, clock.now)
            RunRepository(conn).set_place(run.id, thread, thread, clock.now)
        actor = Actor.ORCHESTRATOR
        move(conn, run.id, run.phase, Phase.FAILED, actor, "over", clock.now)

    await store.write(work)
    yield MissedHarness(MissedMessages(store), clock)
    await store.close()


async def test_at_a_start_every_thread_is_read_once(harness: MissedHarness) -> None:
    assert harness.threads() == ([], [])
    await harness.missed.look_at_start()
    assert harness.threads() == ([OPEN], [OVER])
    assert harness.threads() == ([], [])


async def test_after_a_new_identification_reading_begins_where_the_connection_was_lost(
    harness: MissedHarness,
) -> None:
    harness.missed.disconnected()
    lost = harness.clock.now
    harness.clock.now += 600
    harness.missed.disconnected()
    await harness.missed.look_again()
    (unread,) = harness.missed.take_threads(live=True)
    assert moment_id(lost - 300) < unread.after < moment_id(lost)


async def test_nothing_is_read_again_after_a_resume_or_a_second_ready(
    harness: MissedHarness,
) -> None:
    """After a resume Discord has replayed every event."""
    harness.missed.disconnected()
    harness.missed.resumed()
    await harness.missed.look_again()
    assert harness.threads() == ([], [])
    harness.missed.disconnected()
    await harness.missed.look_again()
    assert harness.threads() == ([OPEN], [OVER])
    await harness.missed.look_again()
    assert harness.threads() == ([], [])


async def test_shards_are_away_each_for_itself(harness: MissedHarness) -> None:
    """One that resumed says nothing about another, and each reads only its own servers."""
    shards = [Shard(number, 2) for number in range(2)]
    (mine,) = [shard for shard in shards if shard.serves(GUILD)]
    (other,) = [shard for shard in shards if not shard.serves(GUILD)]
    for shard in shards:
        harness.missed.disconnected(shard.id)
    harness.missed.resumed(other.id)
    await harness.missed.look_again(other)
    assert harness.threads() == ([], [])
    harness.missed.disconnected(other.id)
    await harness.missed.look_again(other)
    assert harness.threads() == ([], [])
    await harness.missed.look_again(mine)
    assert harness.threads() == ([OPEN], [OVER])


def test_commands_of_the_last_two_minutes_are_still_carried_out(harness: MissedHarness) -> None:
    now = harness.clock.now
    assert moment_id(now - 180) < harness.missed.recent_after() < moment_id(now - 120)
