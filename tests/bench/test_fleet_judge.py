"""The checks of the fleet's benchmark let a clean fleet pass and catch every doctored one."""

import asyncio
import math
import os
import random
from contextlib import suppress
from pathlib import Path

import pytest

from bench.support.crash_judge import Evidence, Toll, judge
from bench.support.fleet_cost import Cost, cpu_seconds
from bench.support.fleet_faults import DEATHS, deck
from bench.support.fleet_judge import (
    Death,
    judge_questions,
    paid_calls,
    percentile,
    recorded,
    worked_on,
)
from bench.support.fleet_models import Asked
from bench.support.fleet_rolling import NO_ANSWER, Presses
from bench.support.fleet_watch import IDLE, ROUND_1, TALK, Entry, Watched
from bench.support.postgres_proxy import SOCKET, Line, PostgresProxy
from bot.messages.command_line import FleetText
from tests.support.model_server import Call

ROLES: dict[object, object] = {"Analyst": "analyst"}
DONE = Entry("call.done", "r1:analyst", {"status": "ok"}, 10.0)
HEARD = Entry("followup.heard", "77", {}, 30.0)
TALKED = Entry("call.done", "talk:77:analyst", {"status": "ok"}, 31.0)
CLOSED = Entry("followup.closed", "77", {"answered": True}, 32.0)
OVER = Entry("export.written", "files@1", {}, 20.0)
POSTS = (("r1:analyst", 2, "sent"), ("talk:77:analyst", 3, "sent"))


def asked(at: float, caller: str = "worker-1", question: int = 0) -> Asked:
    template = "follow-up" if question else "round1"
    call = Call({}, {}, 0.0, None)
    call.finished.set()
    return Asked("topic 1", question, caller, at, call, template, {"ROLE": "Analyst"})


def judged(*calls: Asked, posts: object = POSTS, entries: tuple[Entry, ...] = ()) -> Toll:
    """A roundtable with one question, number 5, which is message 77."""
    known = entries or (DONE, OVER, HEARD, TALKED, CLOSED)
    evidence = Evidence(
        topic="topic 1",
        phase="completed",
        runs=1,
        recorded=recorded(known),
        calls=paid_calls(calls, ROLES, {5: 77}),
        posts=posts,  # type: ignore[arg-type]
        shown=[2, 3],
        files=True,
    )
    toll = Toll(started=1)
    judge(evidence, toll)
    judge_questions(evidence, known, (77,), toll)
    return toll


def test_a_clean_fleet_passes() -> None:
    toll = judged(asked(9.0), asked(30.5, question=5))
    assert (toll.wrong, toll.findings) == (0, [])


@pytest.mark.parametrize("caller", ["worker-1", "worker-2"])
def test_a_call_after_its_answer_was_recorded_was_paid_again(caller: str) -> None:
    """By whichever worker, and by the database's clock: entries say when they were committed."""
    assert judged(asked(9.0), asked(10.1, caller)).paid_again == 1
    assert judged(asked(9.0), asked(9.5, caller)).paid_again == 0
    assert judged(asked(30.5, question=5), asked(33.0, caller, question=5)).paid_again == 1


@pytest.mark.parametrize(
    ("posts", "entries"),
    [
        (POSTS[:1], ()),
        (POSTS, (DONE, OVER, HEARD, TALKED)),
        (POSTS, (DONE, OVER, HEARD, TALKED, Entry("followup.closed", "77", {}, 32.0))),
    ],
)
def test_a_question_without_an_answer_is_lost(posts: object, entries: tuple[Entry, ...]) -> None:
    toll = judged(posts=posts, entries=entries)
    assert any("question 77 without an answer" in finding for finding in toll.findings)
    assert toll.lost >= 1


def test_two_answers_to_one_question_are_one_too_many() -> None:
    again = (*POSTS, ("talk:77:skeptic", 4, "sent"))
    assert any("answers more" in finding for finding in judged(posts=again).findings)


def test_a_worker_has_in_hand_what_it_asked_models_for_last_and_did_not_finish() -> None:
    run = Watched("topic 1", "", 1, 0.0, "rt_1", entries=[DONE])
    calls = (asked(9.0), asked(12.0, "worker-2"))
    assert worked_on(run, calls, Death("kill", "worker-1", 11.0))
    assert not worked_on(run, calls, Death("kill", "worker-1", 13.0))
    assert worked_on(run, calls, Death("kill", "worker-2", 13.0))
    run.entries = [DONE, OVER]
    assert not worked_on(run, calls, Death("kill", "worker-2", 21.0))
    run.entries = [DONE, OVER, HEARD]
    assert worked_on(run, calls, Death("kill", "worker-2", 30.5))
    run.entries = [DONE, OVER, HEARD, CLOSED]
    assert not worked_on(run, calls, Death("kill", "worker-2", 33.0))


def test_a_roundtable_is_followed_through_its_phases() -> None:
    run = Watched("topic 1", "", 1, 0.0, "rt_1")
    for kind in ("place.opened", "run.designed"):
        run.entries.append(Entry(kind, "", {}, 1.0))
    assert run.phase == ROUND_1
    run.entries += [DONE, OVER]
    assert run.phase == IDLE
    run.questions[5] = 77
    assert run.phase == TALK
    run.entries += [HEARD, CLOSED]
    assert run.phase == IDLE
    failed = Watched("topic 2", "", 1, 0.0, "rt_2")
    failed.entries.append(Entry("task.transitioned", "failed#1", {}, 1.0))
    assert (failed.phase, failed.concluded) == (IDLE, 0.0)


def test_every_kind_of_fault_is_drawn_and_the_same_seed_draws_the_same() -> None:
    drawn = deck(random.Random(3), 60)
    assert (len(drawn), len(set(drawn))) == (60, 13)
    assert drawn == deck(random.Random(3), 60)
    assert set(DEATHS) < set(drawn)


def test_presses_count_what_people_read_as_an_error() -> None:
    presses = Presses()
    presses.note(0.1, "**Roundtables**, newest first", "list")
    presses.note(2.1, FleetText.NO_WORKER, "list")
    presses.note(math.inf, NO_ANSWER, "help")
    assert presses.errors.total() == 2
    assert percentile(presses.waited, 0.99) == math.inf
    assert percentile([1.0, 2.0, 3.0, 4.0], 0.5) == 2.0
    assert percentile([], 0.95) == 0.0


def test_what_processes_use_at_rest_is_no_cost_of_meetings() -> None:
    assert Cost("x", 10, total=6.0, idle_each_second=0.1, seconds=10.0).each == 0.5


def test_cpu_is_counted() -> None:
    before = cpu_seconds(os.getpid())
    while cpu_seconds(os.getpid()) - before < 0.05:
        sum(range(100_000))


async def test_a_line_can_be_cut_and_half_open(tmp_path: Path) -> None:
    """What a half-open line held back arrives when it is mended; a cut one ends connections."""
    server = tmp_path / "server"
    server.mkdir()

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(100):
            writer.write(data)
        writer.close()

    listener = await asyncio.start_unix_server(echo, str(server / SOCKET))
    proxy = PostgresProxy(tmp_path / "p", server)
    await proxy.open()
    reader, writer = await asyncio.open_unix_connection(str(proxy.folder / SOCKET))
    writer.write(b"a")
    assert await reader.read(1) == b"a"
    proxy.set_line(Line.SILENT)
    writer.write(b"b")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await reader.read(1)
    proxy.set_line(Line.OPEN)
    assert await reader.read(1) == b"b"
    proxy.set_line(Line.REFUSED)
    async with asyncio.timeout(5):
        with suppress(ConnectionError):
            assert await reader.read(1) == b""
    writer.close()
    proxy.close()
    listener.close()
