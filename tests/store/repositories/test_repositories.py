"""What the smaller repositories promise."""

from dataclasses import replace

import pytest
from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from bot.store import (
    ApprovalStatus,
    ArtifactKind,
    AttemptStatus,
    CallStatus,
    ConflictError,
    EventType,
    InboundKind,
    Phase,
    ReviewType,
    SideEffect,
    Store,
    TurnVoice,
    Verdict,
)
from bot.store.log import events
from bot.store.repositories.answers import AnswerRepository, StoredAnswer
from bot.store.repositories.approvals import Approval, ApprovalRepository, NewApproval
from bot.store.repositories.artifacts import Artifact, ArtifactRepository
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.calls import Call, CallRepository, Spent
from bot.store.repositories.inbound import InboundMessage, InboundRepository
from bot.store.repositories.ledger import MODEL, LedgerRepository
from bot.store.repositories.reviews import Finding, NewReview, ReviewRepository, Severity
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.seats import DesignRepository, Seat, SeatRepository
from bot.store.repositories.servers import ServerRepository, SettingsRepository, StoredChange
from bot.store.repositories.speeches import SpeechRepository
from bot.store.repositories.turns import TurnRepository
from bot.store.rows import insert_new
from bot.store.tables import events as event_table
from bot.store.tables import server_settings
from bot.store.vocabulary import Actor
from tests.store.conftest import request_for, sql, start_run

BOSS = Actor.ORCHESTRATOR


def seat(run: Run, slug: str, ordinal: int) -> Seat:
    return Seat(run.id, slug, ordinal, slug.title(), "opus", "openai", "wire", "claude")


async def test_seats_keep_panel_order_and_a_session_of_their_own(store: Store, run: Run) -> None:
    """2.2#28, B47."""
    await store.write(
        lambda c: SeatRepository(c).place([seat(run, "skeptic", 2), seat(run, "ada", 1)])
    )
    found = await store.read(lambda c: SeatRepository(c).of_run(run.id))
    assert [each.session_key for each in found] == [f"{run.id}:ada", f"{run.id}:skeptic"]


async def test_seating_a_panel_again_changes_nothing(store: Store, run: Run) -> None:
    await store.write(lambda c: SeatRepository(c).place([seat(run, "ada", 1)]))
    await store.write(lambda c: SeatRepository(c).touch(run.id, "ada", 9.0, "acp:42"))
    await store.write(lambda c: SeatRepository(c).place([seat(run, "ada", 1)]))
    (found,) = await store.read(lambda c: SeatRepository(c).of_run(run.id))
    assert (found.last_activity, found.external_session_ref) == (9.0, "acp:42")


HOSTILE = "half \ud800, nul \0, ä"
CLEAN = "half \ufffd, nul , ä"


async def test_text_that_no_database_takes_is_cleaned_in_rows_and_documents(
    store: Store, run: Run
) -> None:
    """2.2#28: no way into the store loses a seat or an answer because of a character."""
    words = {"options": (HOSTILE, "b"), "priorities": {HOSTILE: 1}, "n": 1.5}
    await store.write(
        lambda c: SeatRepository(c).place([replace(seat(run, "ada", 1), task=HOSTILE)])
    )
    await store.write(lambda c: DesignRepository(c).keep(run.id, words))
    (found,) = await store.read(lambda c: SeatRepository(c).of_run(run.id))
    assert found.task == CLEAN
    kept = await store.read(lambda c: DesignRepository(c).of_run(run.id))
    assert kept == {"options": [CLEAN, "b"], "priorities": {CLEAN: 1}, "n": 1.5}


async def test_a_row_without_its_run_is_refused(store: Store, run: Run) -> None:
    row = {"run_id": "rt_none", "type": "x", "key": "k", "actor": BOSS, "payload": {}}
    with pytest.raises(IntegrityError):
        await store.write(lambda c: insert_new(c, event_table, row | {"created_at": 1.0}))
    assert len(await store.read(lambda c: events.history(c, run.id))) == 1


async def test_a_seat_remembers_its_outside_session(store: Store, run: Run) -> None:
    """B36, 2.2#28."""
    await store.write(lambda c: SeatRepository(c).place([seat(run, "ada", 1)]))
    await store.write(lambda c: SeatRepository(c).touch(run.id, "ada", 9.0, "acp:42"))
    await store.write(lambda c: SeatRepository(c).touch(run.id, "ada", 10.0))
    found = await store.read(lambda c: SeatRepository(c).get(run.id, "ada"))
    assert found is not None
    assert (found.last_activity, found.external_session_ref) == (10.0, "acp:42")


async def test_attempts_are_counted_in_the_store(store: Store, run: Run) -> None:
    """B19, B26: each with a row and an event that names it."""
    await store.write(sql("UPDATE runs SET phase = 'executing'"))

    def try_and_fail(conn: Connection) -> int:
        ordinal = AttemptRepository(conn).start(run.id, "local", BOSS, 1.0).ordinal
        why = "0 agents responded"
        AttemptRepository(conn).finish(run.id, ordinal, AttemptStatus.FAILED, why, BOSS, 2.0)
        return ordinal

    assert [await store.write(try_and_fail) for _ in range(2)] == [1, 2]
    assert (await store.read(lambda c: RunRepository(c).require(run.id))).attempt == 2
    rows = await store.read(lambda c: AttemptRepository(c).of_run(run.id))
    log = await store.read(lambda c: events.history(c, run.id, EventType.ATTEMPT_STARTED))
    assert [(e.key, e.payload) for e in log] == [
        (str(row.ordinal), {"id": row.id, "runtime": "local"}) for row in rows
    ]


async def test_a_page_of_speeches_is_no_longer_than_was_asked_for(store: Store, run: Run) -> None:
    """C7: however long the discussion is."""

    def speak(conn: Connection) -> list[int]:
        spoken = SpeechRepository(conn)
        return [spoken.record(run.id, 1, "architect", "Go.", None, 1.0).id for _ in range(3)]

    ids = await store.write(speak)
    page = await store.read(lambda c: SpeechRepository(c).page(run.id, limit=2))
    assert [said.id for said in page] == ids[:2]


async def test_one_attempt_runs_at_a_time(store: Store, run: Run) -> None:
    """B26: another one is refused and not counted."""
    await store.write(sql("UPDATE runs SET phase = 'execution_ready'"))
    await store.write(lambda c: AttemptRepository(c).start(run.id, "local", BOSS, 1.0))
    with pytest.raises(ConflictError, match=r"attempt 1 of .* is still running"):
        await store.write(lambda c: AttemptRepository(c).start(run.id, "local", BOSS, 1.0))
    assert (await store.read(lambda c: RunRepository(c).require(run.id))).attempt == 1


@pytest.mark.parametrize("phase", [Phase.SPEC_DRAFT, Phase.SPEC_REVIEW, Phase.COMPLETED])
async def test_no_attempt_starts_before_execution_is_ready(
    store: Store, run: Run, phase: Phase
) -> None:
    """B10, B17."""
    await store.write(sql("UPDATE runs SET phase = ?", phase.value))
    with pytest.raises(ConflictError):
        await store.write(lambda c: AttemptRepository(c).start(run.id, "local", BOSS, 1.0))


async def test_a_retry_is_an_event_with_its_reason(store: Store, run: Run) -> None:
    """B27, 2.2#30."""
    await store.write(
        lambda c: AttemptRepository(c).schedule_retry(run.id, 1, "synthesis lost", 35.0, BOSS, 5.0)
    )
    retry = EventType.ATTEMPT_RETRY_SCHEDULED
    payload = await store.read(lambda c: events.find(c, run.id, retry, "1"))
    assert payload == {"reason": "synthesis lost", "due_at": 35.0}


async def test_an_attempt_finishes_once(store: Store, run: Run) -> None:
    await store.write(sql("UPDATE runs SET phase = 'executing'"))
    await store.write(lambda c: AttemptRepository(c).start(run.id, "local", BOSS, 1.0))

    def finish(conn: Connection, status: AttemptStatus) -> bool:
        return AttemptRepository(conn).finish(run.id, 1, status, "", BOSS, 2.0)

    assert await store.write(lambda c: finish(c, AttemptStatus.SUCCEEDED))
    assert not await store.write(lambda c: finish(c, AttemptStatus.FAILED))
    last = await store.read(lambda c: AttemptRepository(c).last(run.id))
    assert last is not None
    assert last.status is AttemptStatus.SUCCEEDED


def call(run: Run, key: str, cost: float | None, status: CallStatus = CallStatus.OK) -> Call:
    used = 10 if status is CallStatus.OK else None
    return Call(
        run.id, key, "round", "openai", "opus", status, 1.0, 2.0,
        input_tokens=used, output_tokens=used, cost_usd=cost,
    )  # fmt: skip


async def test_a_call_is_stored_once_per_try(store: Store, run: Run) -> None:
    first = call(run, "r1:ada", 0.1)
    assert await store.write(lambda c: CallRepository(c).record(first))
    assert not await store.write(lambda c: CallRepository(c).record(first))
    assert await store.read(lambda c: CallRepository(c).of_run(run.id)) == (first,)


async def test_an_unknown_price_is_counted_and_never_taken_for_nothing(
    store: Store, run: Run
) -> None:
    """design.md 7."""
    paid = [call(run, "a", 0.25), call(run, "b", None), call(run, "c", None, CallStatus.TIMEOUT)]
    await store.write(lambda c: [CallRepository(c).record(each) for each in paid])
    assert await store.read(lambda c: CallRepository(c).spent(run.id)) == Spent(3, 20, 20, 0.25, 1)


async def test_what_came_from_caches_is_summed_up(store: Store, run: Run) -> None:
    """providers 1.1."""
    read = [call(run, "a", 0.25)._replace(cached_tokens=4), call(run, "b", 0.25)]
    await store.write(lambda c: [CallRepository(c).record(each) for each in read])
    assert (await store.read(lambda c: CallRepository(c).spent(run.id))).cached_tokens == 4
    summed = await store.read(lambda c: LedgerRepository(c).of_person(0, 0.0))
    assert (summed.tokens, summed.cached_tokens) == (40, 4)


async def test_the_models_of_a_masked_run_are_in_no_list_before_the_reveal(store: Store) -> None:
    """E13: the sum counts them, but no line names them."""
    masked = await start_run(store, replace(request_for(), request={"masked": True}))
    await store.write(lambda c: CallRepository(c).record(call(masked, "a", 0.25)))
    assert (await store.read(lambda c: LedgerRepository(c).of_person(0, 0.0))).known_usd == 0.25
    assert await store.read(lambda c: LedgerRepository(c).person_lines(0, 0.0, MODEL)) == ()
    lifted, boss = EventType.MASK_LIFTED, Actor.ORCHESTRATOR
    await store.write(lambda c: events.append(c, masked.id, lifted, "mask", boss, {}, 2.0))
    (line,) = await store.read(lambda c: LedgerRepository(c).person_lines(0, 0.0, MODEL))
    assert line.sum.known_usd == 0.25


async def test_the_newest_settings_of_a_server_hold_until_it_is_forgotten(store: Store) -> None:
    """Every change is a row with who and when."""
    for moment, language in enumerate(("German", "Dutch"), 1):
        await store.write(
            lambda c, at=moment, name=language: SettingsRepository(c).put(  # type: ignore[misc]
                7, 30 + at, {"language": name}, float(at)
            )
        )
    await store.write(lambda c: SettingsRepository(c).put(8, 30, {}, 3.0))
    found = await store.read(lambda c: SettingsRepository(c).all())
    assert found == {7: StoredChange({"language": "Dutch"}, 32, 2.0), 8: StoredChange({}, 30, 3.0)}
    query = select(server_settings.c.changed_by).where(server_settings.c.guild_id == 7)
    assert sorted(await store.read(lambda c: c.execute(query).scalars().all())) == [31, 32]
    await store.write(lambda c: ServerRepository(c).forget(7))
    assert await store.read(lambda c: SettingsRepository(c).get(7)) == StoredChange()


async def test_an_answer_is_kept_whole_and_once(store: Store, run: Run) -> None:
    first = StoredAnswer(run.id, "r1:ada", "ada", 1, "whole", 1.0, parsed={"claims": ["C1"]})
    late = StoredAnswer(run.id, "r2:ada", "ada", 2, "late", 2.0, late=True)
    assert await store.write(lambda c: AnswerRepository(c).save(first))
    assert await store.write(lambda c: AnswerRepository(c).save(late))
    again = StoredAnswer(run.id, "r1:ada", "ada", 1, "other", 3.0)
    assert not await store.write(lambda c: AnswerRepository(c).save(again))
    assert await store.read(lambda c: AnswerRepository(c).of_run(run.id)) == (first, late)
    assert await store.read(lambda c: AnswerRepository(c).of_run(run.id, 2)) == (late,)


MESSAGE = InboundMessage(55, 20, 1, 4_000, "what about cost?", 1.0)


async def test_a_message_is_new_only_the_first_time(store: Store) -> None:
    assert await store.write(lambda c: InboundRepository(c).remember(MESSAGE, 2.0))
    assert not await store.write(lambda c: InboundRepository(c).remember(MESSAGE, 3.0))


async def test_an_erased_message_is_still_known_as_seen(store: Store) -> None:
    await store.write(lambda c: InboundRepository(c).remember(MESSAGE, 2.0))
    assert await store.read(lambda c: InboundRepository(c).of_author(4_000)) == (MESSAGE,)
    assert await store.write(lambda c: InboundRepository(c).erase(55))
    assert not await store.read(lambda c: InboundRepository(c).wrote(4_000))
    assert not await store.write(lambda c: InboundRepository(c).remember(MESSAGE, 3.0))
    found = await store.read(lambda c: InboundRepository(c).get(55))
    assert found is not None
    assert found.content == ""


async def test_what_the_floor_said_is_handed_on_in_order(store: Store, run: Run) -> None:
    """2.2#37."""

    def hear(conn: Connection) -> None:
        for number in (57, 55, 56):
            message = InboundMessage(number, 20, 1, 4_000, str(number), 1.0)
            InboundRepository(conn).remember(message, 2.0)
            InboundRepository(conn).assign(number, run.id, InboundKind.FLOOR)

    await store.write(hear)
    heard = await store.read(
        lambda c: InboundRepository(c).of_run(run.id, InboundKind.FLOOR, after_id=55)
    )
    assert [message.content for message in heard] == ["56", "57"]


async def test_a_session_is_the_seats_own_turns_in_order(store: Store, run: Run) -> None:
    other = await start_run(store, request_for("Vim or Emacs?"))

    def speak(conn: Connection) -> None:
        for where, text in ((run, "one"), (other, "elsewhere"), (run, "two")):
            TurnRepository(conn).append(where.id, "ada", TurnVoice.SAID, "Ada", text, 1.0)

    await store.write(speak)
    found = await store.read(lambda c: TurnRepository(c).session(run.id, "ada"))
    assert [(turn.ordinal, turn.text) for turn in found] == [(1, "one"), (2, "two")]


async def test_forgetting_a_message_empties_the_turns_that_heard_it(store: Store, run: Run) -> None:
    def hear(conn: Connection) -> None:
        for slug in ("ada", "bob"):
            TurnRepository(conn).append(run.id, slug, TurnVoice.HEARD, "Eve", "a secret", 1.0, 55)

    await store.write(hear)
    assert await store.write(lambda c: TurnRepository(c).erase(55)) == 2
    (turn,) = await store.read(lambda c: TurnRepository(c).session(run.id, "ada"))
    assert (turn.text, turn.author) == ("", "")


async def test_an_artifact_is_recorded_once_with_hash_and_event(store: Store, run: Run) -> None:
    def record(conn: Connection, text: str) -> Artifact:
        kind = ArtifactKind.PRIMARY_OUTPUT
        return ArtifactRepository(conn).record(
            run.id, 1, kind, "synthesis", text, Actor.EXECUTOR, 1.0
        )

    first = await store.write(lambda c: record(c, "für alle"))
    assert await store.write(lambda c: record(c, "another")) == first
    assert first.size == 9
    (logged,) = await store.read(lambda c: events.history(c, run.id, EventType.ARTIFACT_RECORDED))
    assert (logged.payload["id"], logged.payload["sha256"]) == (first.id, first.sha256)


async def test_a_reviewer_reviews_an_attempt_once_with_findings(store: Store, run: Run) -> None:
    """B41."""
    finding = Finding(Severity.MAJOR, "claims C2 was dropped", "art_1")
    review = NewReview(
        run.id, 1, ReviewType.SPEC, "ada", Verdict.CHANGES_REQUESTED, "not quite", [finding]
    )
    results = [
        await store.write(lambda c: ReviewRepository(c).append(review, Actor.SPEC_REVIEWER, 1.0))
        for _ in range(2)
    ]
    (found,) = await store.read(lambda c: ReviewRepository(c).of_attempt(run.id, 1))
    assert results == [True, False]
    assert (found.verdict, found.findings) == (Verdict.CHANGES_REQUESTED, (finding,))


def ask(conn: Connection, run: Run) -> Approval:
    wanted = NewApproval(run.id, "post elsewhere", SideEffect.NOTIFY, "k", "council")
    return ApprovalRepository(conn).request(wanted, BOSS, 1.0)


async def test_an_approval_is_asked_once_per_key_and_decided_once(store: Store, run: Run) -> None:
    """B31, B33."""
    asked = await store.write(lambda c: ask(c, run))
    assert await store.write(lambda c: ask(c, run)) == asked

    def decide(conn: Connection, status: ApprovalStatus) -> bool:
        return ApprovalRepository(conn).resolve(asked.id, status, "Ada", "fine", Actor.HUMAN, 2.0)

    assert await store.write(lambda c: decide(c, ApprovalStatus.APPROVED))
    assert not await store.write(lambda c: decide(c, ApprovalStatus.REJECTED))
    found = await store.read(lambda c: ApprovalRepository(c).find("k"))
    assert found is not None
    assert (found.status, found.resolved_by) == (ApprovalStatus.APPROVED, "Ada")
    assert await store.read(lambda conn: ApprovalRepository(conn).pending()) == ()


async def test_a_pending_approval_survives_a_restart(store: Store, run: Run) -> None:
    """B31."""
    await store.write(lambda c: ask(c, run))
    await store.close()
    again = await Store.open(store.where)
    waiting = await again.read(lambda c: ApprovalRepository(c).pending(run.id))
    await again.close()
    assert [approval.idempotency_key for approval in waiting] == ["k"]


async def test_the_words_of_an_approval_note_stay_out_of_the_log(store: Store, run: Run) -> None:
    """design.md 4."""
    asked = await store.write(lambda c: ask(c, run))
    await store.write(
        lambda c: ApprovalRepository(c).resolve(
            asked.id, ApprovalStatus.REJECTED, "Ada", "because of my secret", Actor.HUMAN, 2.0
        )
    )
    log = await store.read(lambda c: events.history(c, run.id))
    assert "secret" not in str([event.payload for event in log])
