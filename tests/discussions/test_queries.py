"""What agents read of a discussion: pages, summaries, lists, prompts."""

import itertools
import sqlite3
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection

from bot.discussions.queries import MOST_LISTED
from bot.discussions.service import Discussions
from bot.discussions.views import FindingsIn, PointIn
from bot.errors import UsageError
from bot.store import DATABASE, InboundKind, Store
from bot.store.repositories.inbound import InboundMessage, InboundRepository
from bot.store.repositories.speeches import SpeechRepository
from tests.discussions.conftest import ARCHITECT, OPERATOR, open_service, opened, round_of
from tests.support.model_server import ModelServer


@asynccontextmanager
async def open_store(home: Path) -> AsyncIterator[Store]:
    store = await Store.open(home / DATABASE)
    try:
        yield store
    finally:
        await store.close()


def _record(run_id: str, profile: str, conn: Connection) -> None:
    SpeechRepository(conn).record(run_id, 1, profile, "Words.", None, 1.0)


def _hear(run_id: str, words: Iterable[str], conn: Connection) -> None:
    for number, text in enumerate(words, 55):
        InboundRepository(conn).remember(InboundMessage(number, 2, 1, 7, text, 1.0), 2.0)
        InboundRepository(conn).assign(number, run_id, InboundKind.FLOOR)


def dump(home: Path) -> list[str]:
    """Everything in the database."""
    with closing(sqlite3.connect(home / DATABASE)) as conn:
        return list(conn.iterdump())


async def test_pages_follow_one_another_without_gaps(service: Discussions) -> None:
    """C7."""
    run_id = await opened(service)
    for number in range(7):
        await service.speak(run_id, "architect", f"Word {number}.")

    first = await service.look.read(run_id, limit=4)
    second = await service.look.read(run_id, after=first.next_after or 0, limit=4)

    said = [speech.content for speech in (*first.speeches, *second.speeches)]
    assert said == [f"Word {number}." for number in range(7)]
    assert second.next_after is None
    only = await service.look.read(run_id, participant="operator")
    assert only.speeches == []


async def test_a_history_says_who_said_what_when_and_in_reply_to_whom(
    service: Discussions,
) -> None:
    """C7 C13: the opening first, then round by round, also as the text that prompts take."""
    run_id = await opened(service, max_rounds=3)
    opening = await service.speak(run_id, "coordinator", "Let us begin.")
    first = await service.speak(run_id, "architect", "Keep it whole.")
    reply = await service.speak(run_id, "operator", "No.", reply_to=first.speech_id)
    late = await service.speak(run_id, "architect", "I still think so.")

    history = await service.look.read(run_id)

    assert (history.discussion_id, history.topic, history.status, history.current_round) == (
        *(run_id, "Split the service?"),
        *("active", 2),
    )
    ids = [opening.speech_id, first.speech_id, reply.speech_id, late.speech_id]
    assert [
        (s.speech_id, s.round, s.participant, s.role, s.reply_to) for s in history.speeches
    ] == [
        (ids[0], 0, "coordinator", "Coordinator", None),
        (ids[1], 1, "architect", "Architect", None),
        (ids[2], 1, "operator", "Operator", ids[1]),
        (ids[3], 2, "architect", "Architect", None),
    ]
    moments = [datetime.fromisoformat(speech.at) for speech in history.speeches]
    assert moments == sorted(moments)
    assert abs(datetime.now(UTC) - moments[0]) < timedelta(minutes=5)
    assert history.formatted_history == "\n\n".join(
        [
            "## Opening",
            f"[{ids[0]}] Coordinator: Let us begin.",
            "## Round 1",
            f"[{ids[1]}] Architect: Keep it whole.",
            f"[{ids[2]}] Operator (to [{ids[1]}]): No.",
            "## Round 2",
            f"[{ids[3]}] Architect: I still think so.",
        ]
    )
    assert await service.look.formatted(run_id) == history.formatted_history
    assert (history.from_the_floor, history.next_after) == ([], None)
    later = await service.look.read(run_id, since_round=2)
    assert [speech.content for speech in later.speeches] == ["I still think so."]
    assert (await service.look.read(run_id, limit=0)).next_after == ids[0]
    assert (await service.look.read(run_id, limit=3)).next_after == ids[2]
    assert (await service.look.read(run_id, limit=4)).next_after is None


async def test_a_history_has_the_times_at_which_things_were_said(tmp_path: Path) -> None:
    """C7 A34: whenever it is read, also in the summary and the file."""
    now = [1_000_000_000.0]
    async with open_service(tmp_path, clock=lambda: now[0]) as service:
        run_id = await opened(service)
        for later, profile in ((0.0, "architect"), (61.0, "operator")):
            now[0] += later
            await service.speak(run_id, profile, "Words.")
        now[0] += 86_400.0
        page = await service.look.read(run_id)
        summary = await service.look.summarize(run_id)
        text = await service.look.minutes(run_id)

    times = ["2001-09-09T01:46:40Z", "2001-09-09T01:47:41Z"]
    assert [speech.at for speech in page.speeches] == times
    assert [s.at for entry in summary.rounds for s in entry.speeches] == times
    assert "Words.\n\n01:46:40 UTC\n" in text
    assert "Words.\n\n01:47:41 UTC\n" in text


async def test_a_page_holds_no_more_of_the_floor_than_of_speeches(tmp_path: Path) -> None:
    """C7: the newest words in order, none removed; a busy thread does not fill every answer."""
    words = [*(f"Word {number}" for number in range(5, 9)), ""]
    async with open_service(tmp_path) as service:
        run_id = await opened(service)
    async with open_store(tmp_path) as store:
        await store.write(partial(_hear, run_id, words))
    async with open_service(tmp_path) as service:
        page = await service.look.read(run_id, limit=2)
        whole = await service.look.read(run_id)

    assert [entry.content for entry in page.from_the_floor] == ["Word 7", "Word 8"]
    assert len(whole.from_the_floor) == 4


async def test_the_summary_is_the_raw_data_of_a_conclusion(tmp_path: Path) -> None:
    """C9: what was said and found, by round; a model that could be asked is not."""
    findings = FindingsIn(
        consensus=[PointIn(text="One team", made_by=["architect", "operator"])],
        disagreement=[PointIn(text="Its size", made_by=["operator"])],
        new_points=[PointIn(text="Costs", made_by=["architect"])],
    )
    async with open_service(tmp_path) as service:
        run_id = await opened(service)
        await round_of(service, run_id)
        await service.speak(run_id, "coordinator", "Heard.", findings=findings)
    async with ModelServer() as server, open_service(tmp_path, server.url) as service:
        summary = await service.look.summarize(run_id)
        assert server.calls == []

    assert (summary.discussion_id, summary.topic, summary.context, summary.status) == (
        *(run_id, "Split the service?"),
        *("Six people, one repository.", "active"),
    )
    assert summary.participants == [
        ARCHITECT.model_copy(update={"display_name": "Architect"}),
        OPERATOR,
    ]
    assert summary.convergence_score == 0.5
    found = [(r.round, r.consensus, r.disagreement, r.new_points) for r in summary.rounds]
    assert found[0] == (1, ["One team"], ["Its size"], ["Costs"])
    said = [(r.round, [s.content for s in r.speeches], r.left_out) for r in summary.rounds]
    assert said[0][:2] == (1, ["architect speaks.", "operator speaks."])
    assert [left for _, _, left in said] == [0] * len(said)
    assert summary.from_the_floor == []
    assert "Write the conclusion in Markdown" in summary.advice
    assert "roundtable_end" in summary.advice


async def test_of_what_people_said_the_newest_fits_a_summary(tmp_path: Path) -> None:
    """C9 C17: in its order, in prompts too, and it takes its room from the speeches."""
    words = ["old " * 400, "middle " * 200, "new " * 200]

    async with open_service(tmp_path) as service:
        run_id = await opened(service, max_rounds=10)
        for number in range(7):
            await service.speak(run_id, "architect", f"{number} " + "speech " * 300)
        before = await service.look.summarize(run_id)
    async with open_store(tmp_path) as store:
        await store.write(partial(_hear, run_id, words))
    async with open_service(tmp_path) as service:
        compact = await service.look.summarize(run_id)
        full = await service.look.summarize(run_id, compact=False)
        prompt = (await service.prompts.participant(run_id, "operator")).messages[1].text

    assert "## From the floor\n\n- middle middle" in prompt
    assert "\n\n- new new" in prompt
    assert "old old" not in prompt
    assert [entry.content.split()[0] for entry in compact.from_the_floor] == ["middle", "new"]
    assert [entry.content.split()[0] for entry in full.from_the_floor] == ["old", "middle", "new"]
    assert [len(before.rounds[0].speeches), len(compact.rounds[0].speeches)] == [7, 6]
    assert len(compact.model_dump_json()) < 17_000


async def test_the_summary_groups_by_round_and_the_compact_one_stays_small(
    service: Discussions,
) -> None:
    """C9."""
    run_id = await opened(service)
    for number in range(10):
        await service.speak(run_id, "architect", f'Word {number}. "' + "é„\n" * 6000)
    await service.speak(run_id, "operator", "The last word.")

    compact = await service.look.summarize(run_id)
    full = await service.look.summarize(run_id, compact=False)

    assert len(compact.model_dump_json().encode()) < 17_000
    assert [(entry.round, len(entry.speeches), entry.left_out) for entry in compact.rounds] == [
        (1, 2, 9)
    ]
    assert compact.rounds[0].speeches[0].content.startswith("Word 9.")
    assert compact.rounds[0].speeches[0].content.endswith(" …")
    assert len(full.rounds[0].speeches) == 11


async def test_speeches_that_just_fit_a_summary_are_in_it(service: Discussions) -> None:
    """C9: two of half the room each, to the byte."""
    run_id = await opened(service)
    await service.speak(run_id, "architect", "?")
    (empty,) = (await service.look.summarize(run_id)).rounds[0].speeches
    for _ in range(2):
        size = 8_000 - len(empty.model_dump_json()) + len(empty.content)
        await service.speak(run_id, "architect", "x" * size)

    kept = (await service.look.summarize(run_id)).rounds[0].speeches

    assert [len(speech.model_dump_json()) for speech in kept] == [8_000, 8_000]
    assert not any("…" in speech.content for speech in kept)


async def test_whole_speeches_reach_prompts_and_summary_and_the_oldest_are_left_out(
    service: Discussions,
) -> None:
    """C13, C17: 500 words are not cut; of more than fits 16 kB the newest stays."""
    run_id = await opened(service, max_rounds=10)
    last = ""
    for number in range(1, 9):
        for profile in ("architect", "operator"):
            last = f"{profile} {number} " + "word " * 498 + "end."
            await service.speak(run_id, profile, last)

    prompt = (await service.prompts.participant(run_id, "architect")).messages[1].text
    summary = await service.look.summarize(run_id)

    assert last in prompt
    assert prompt.count("end.") == 6
    assert "architect 6 " in prompt
    assert "architect 1 " not in prompt
    assert prompt.index("operator 7 ") < prompt.index("operator 8 ")
    left_out = "10 earlier speeches are left out; roundtable_read has them."
    assert prompt.count(left_out) == 1
    assert prompt.index(left_out) < prompt.index("## Round 6")
    assert "## Round 5" not in prompt
    kept = [speech.content for entry in summary.rounds for speech in entry.speeches]
    assert kept[-1] == last
    assert [entry.left_out for entry in summary.rounds] == [2, 2, 2, 2, 2, 0, 0, 0]
    assert 10_000 < len(summary.model_dump_json()) < 18_000


async def test_reading_changes_nothing_and_calls_nobody(tmp_path: Path) -> None:
    """C7, C8, C9, C11: also when a restart interrupted the end of a round."""
    async with open_service(tmp_path) as service:
        run_id = await opened(service)
    async with open_store(tmp_path) as store:
        for profile in ("architect", "operator"):
            await store.write(partial(_record, run_id, profile))
    before = dump(tmp_path)

    async with ModelServer() as server, open_service(tmp_path, server.url) as service:
        state = await service.look.status(run_id)
        await service.look.read(run_id)
        await service.look.summarize(run_id)
        await service.look.minutes(run_id)
        await service.look.list()
        await service.prompts.coordinator(run_id)
        assert (server.calls, dump(tmp_path)) == ([], before)
        assert (state.current_round, state.waiting_for) == (1, [])
        later = await service.speak(run_id, "architect", "More.")

    assert later.round == 2


async def test_the_list_is_newest_first_and_filters_by_status(service: Discussions) -> None:
    """C11."""
    first, second = await opened(service), await opened(service)
    await service.end(first, cancel=True)

    everything = (await service.look.list()).discussions
    active = (await service.look.list(status="active")).discussions

    assert {line.discussion_id for line in everything} == {first, second}
    assert [line.discussion_id for line in active] == [second]


async def test_what_is_active_is_listed_however_much_ended_after_it(service: Discussions) -> None:
    """C11."""
    active = await opened(service)
    for _ in range(MOST_LISTED):
        await service.end(await opened(service), cancel=True)
    listed = await service.look.list(status="active", limit=1)
    assert [line.discussion_id for line in listed.discussions] == [active]


async def test_every_discussion_is_listed_up_to_a_limit_that_only_the_oldest_miss(
    tmp_path: Path,
) -> None:
    """C11: not only the first page of them."""
    seconds = itertools.count(1_000_000_000.0)
    async with open_service(tmp_path, clock=lambda: next(seconds)) as service:
        ids = [await opened(service) for _ in range(MOST_LISTED + 1)]
        listed = await service.look.list(limit=MOST_LISTED)
    assert [line.discussion_id for line in listed.discussions] == ids[:0:-1]


async def test_a_line_of_the_list_says_what_a_discussion_is_and_where_it_stands(
    tmp_path: Path,
) -> None:
    """C11: the newest first, as many as asked for, at least one."""
    seconds = itertools.count(1_000_000_000.0)
    async with open_service(tmp_path, clock=lambda: next(seconds)) as service:
        topics = ("First?", "Second?", "Third?")
        ids = [await opened(service, topic=t, max_rounds=n) for n, t in enumerate(topics, 2)]
        await round_of(service, ids[1])
        await service.end(ids[0], conclusion="So be it.")

        lines = (await service.look.list()).discussions

        assert [(line.discussion_id, line.topic, line.status) for line in lines] == [
            (ids[2], "Third?", "active"),
            (ids[1], "Second?", "active"),
            (ids[0], "First?", "concluded"),
        ]
        assert [(line.kind, line.current_round, line.max_rounds) for line in lines] == [
            ("discussion", 1, 4),
            ("discussion", 2, 3),
            ("discussion", 1, 2),
        ]
        assert lines[0].created_at > lines[1].created_at > lines[2].created_at
        assert lines[0].created_at.startswith("2001-09-09T01:46:4")
        for limit, shown in ((0, 1), (1, 1), (2, 2), (9, 3)):
            assert len((await service.look.list(limit=limit)).discussions) == shown
        concluded = (await service.look.list(status="concluded")).discussions
        assert [line.discussion_id for line in concluded] == [ids[0]]


async def test_an_unknown_id_is_said_alike_everywhere(service: Discussions) -> None:
    for attempt in (
        service.look.read("rt_00000000"),
        service.look.status("rt_00000000"),
        service.look.summarize("rt_00000000"),
        service.speak("rt_00000000", "architect", "Hello"),
        service.end("rt_00000000"),
    ):
        with pytest.raises(UsageError, match="Discussion not found"):
            await attempt


async def test_what_people_said_reaches_the_prompts_whole(tmp_path: Path) -> None:
    """C13 C17: below the speeches, also where nobody else has spoken yet."""
    words = "Think of the people on call: they are the ones whom it wakes at three in the morning."

    async with open_service(tmp_path) as service:
        run_id = await opened(service)
    async with open_store(tmp_path) as store:
        await store.write(partial(_hear, run_id, [words]))
    async with open_service(tmp_path) as service:
        before = await service.prompts.participant(run_id, "architect")
        await service.speak(run_id, "architect", "Keep it whole.")
        after = await service.prompts.participant(run_id, "operator")
        led = await service.prompts.coordinator(run_id)

    told = f"## From the floor\n\n- {words}"
    assert told in before.messages[1].text
    for prompt in (after, led):
        text = prompt.messages[1].text
        assert text.index("Architect: Keep it whole.") < text.index(told)


async def test_the_prompts_say_what_an_agent_needs(service: Discussions) -> None:
    """C13, C17, C18, C19."""
    run_id = await opened(service)
    first = await service.prompts.participant(run_id, "architect")
    assert "Nobody has spoken yet." in first.messages[1].text
    await service.speak(run_id, "architect", "Keep it whole.")

    prompt = await service.prompts.participant(run_id, "operator")
    system, user = (message.text for message in prompt.messages)
    assert "200 to 500 words" in system
    assert "Where you agree, say so explicitly" in system
    assert "propose an alternative" in system
    for part in ("Split the service?", "Six people", "Round 1 / 2", "Operator (Olga)"):
        assert part in user
    assert "Architect: Keep it whole." in user
    assert f"discussion_id {run_id}" in user
    assert "operator: Operator (Olga)" in user
    assert "with roundtable_speak" in user

    coordinator = await service.prompts.coordinator(run_id)
    people = "architect: Architect (Architect), structure\noperator: Operator (Olga)\n"
    assert people in coordinator.messages[1].text
    assert f"discussion_id {run_id}" in coordinator.messages[1].text
    assert "Record words with roundtable_speak" in coordinator.messages[0].text
    each_round = "Each round, read the history and let all speak once, as next_speaker says."
    assert each_round in coordinator.messages[0].text
    with pytest.raises(UsageError, match="is not a participant"):
        await service.prompts.participant(run_id, "stranger")
