"""Reads a run's record from the store; nothing else knows how the rows fit together."""

import logging
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from bot.errors import UnavailableError
from bot.measures.agreement import Agreement
from bot.measures.convergence import RoundsEnd, convergence_of, stance_result
from bot.measures.validation import ValidationResult
from bot.messages.attempts import SeatAnswerText
from bot.messages.conclusion import ConclusionText, ValidationText
from bot.messages.library import LibraryText
from bot.messages.money import MoneyText
from bot.money.estimate import NO_ESTIMATE, Estimate
from bot.record.answer_codec import (
    session_label,
    summary_from_dict,
    summary_key,
    validation_of,
)
from bot.record.attempts import stop_among
from bot.record.failures import budget_note, degradation_notes, spending_of, writer_notes
from bot.record.floor import remarks_of
from bot.record.record import (
    Aftermath,
    Conclusion,
    Dissent,
    EarlierRun,
    Ending,
    FailedCall,
    RunRecord,
    SavedRounds,
    SeatView,
    stances_among,
)
from bot.record.run_rows import (
    MASK_KEY,
    PeopleCount,
    PeopleVotes,
    RunRows,
    load_run_rows,
    other_names,
    place_of,
)
from bot.record.transcript import (
    CallOutcome,
    Transcript,
    build_transcript,
    post_links,
    stood_in_for,
)
from bot.search.results import Findings
from bot.stage.port import place_url
from bot.store import BallotTime, EventType, Phase, Store
from bot.store.repositories.answers import StoredAnswer
from bot.store.repositories.runs import Run
from bot.types.mode import Mode

_log = logging.getLogger(__name__)

_READING: Final = (LookupError, TypeError, ValueError, AttributeError)
"""What reading raises where a field is missing or has another form than it should."""
_SECOND_STAGE = "s2"
_ROUND_NAMES = ("r1:", "r2:", "r3:")
_DISSENT: Final = "dissent:"
_SEAT_QUESTIONS = ("r1", "r2", "r3", _SECOND_STAGE)
FORM_KEY: Final = "synthesis:form"
"""The call that rewrites a conclusion whose form has a major fault."""
SYNTHESIS_KEYS = (FORM_KEY, "synthesis:rewrite", "synthesis", "synthesis:orchestrator")


class DamagedRunError(UnavailableError):
    """The record of one run cannot be read."""

    def __init__(self, run_id: str, why: str) -> None:
        super().__init__(LibraryText.unreadable(run_id, why))
        self.run_id = run_id


@contextmanager
def naming_damaged_run(run_id: str) -> Iterator[None]:
    """Read a run's record inside; what goes wrong there names the run."""
    try:
        yield
    except _READING as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        kind = type(error).__name__
        _log.warning("%s cannot be read: %s at %s:%s", run_id, kind, place.name, place.lineno)
        why = LibraryText.missing_field(str(error.args[0])) if isinstance(error, KeyError) else kind
        raise DamagedRunError(run_id, why) from error


async def read_record(store: Store, run_id: str) -> RunRecord:
    """The current record of a run."""
    facts = await store.read(lambda conn: load_run_rows(conn, run_id))
    return record_of(facts, store.now())


def record_of(facts: RunRows, now: float) -> RunRecord:
    """Put the record together from what the store holds."""
    run, design, heard = facts.run, facts.design, build_transcript(facts)
    panel, outcomes, last = heard.panel, heard.outcomes, heard.last_round
    summaries, found = _summaries(outcomes), _findings(facts)
    record = RunRecord(
        run_id=run.id,
        topic=run.topic,
        mode=run.mode,
        workflow=design.get("workflow", "parallel_debate"),
        starter_id=run.starter_id,
        seed=run.seed,
        created_at=run.created_at,
        finished_at=run.finished_at or now,
        ending=_ending(facts),
        ending_note=run.status_reason,
        rehearsal=bool(design.get("rehearsal")),
        quick=bool(run.request.get("quick")),
        rounds_planned=design.get("rounds", 0),
        proposition=design.get("proposition", "") or run.topic,
        seats=panel,
        speeches=heard.speeches,
        options=heard.options,
        tallies=heard.tallies,
        stance_result=stance_result(stances_among(panel, heard.speeches, last)) if last else None,
        agreement=_latest(heard.agreements),
        agreements=heard.agreements,
        convergence=tuple(convergence_of(n, s) for n, s in summaries.items()),
        summaries=tuple(summaries.values()),
        flips=heard.flips,
        rounds_ended=_rounds_ended(facts),
        validation=_validation(panel, outcomes),
        conclusion=_conclusion(outcomes),
        dissents=_dissents(panel, outcomes),
        findings=found,
        degradations=degradation_notes(panel, outcomes, design, _unanswered(facts, heard)),
        notices=_notices(facts, heard, found),
        decision=design.get("decision", ""),
        meta_recommendation=design.get("meta", "") or design.get("decision", ""),
        spending=spending_of(facts.spent),
    )
    return _with_surroundings(record, facts, heard)


def _with_surroundings(record: RunRecord, facts: RunRows, heard: Transcript) -> RunRecord:
    """Add what belongs to few runs, or lies around the rounds: people, money, links, later."""
    run, design, outcomes = facts.run, facts.design, heard.outcomes
    return replace(
        record,
        estimate=_estimate(run, design),
        people=_people(facts),
        delivery=facts.delivery,
        failed_calls=_failed_calls(heard.panel, facts, outcomes),
        budget_note=budget_note(_rounds_closed(facts), _problems(outcomes)),
        thread_url=place_url(place_of(run)) if run.anchor_id or run.thread_id else "",
        conclusion_url=next(iter(post_links(facts).get("conclusion", ())), ""),
        builds_on=earlier_run(run, facts.earlier),
        second_round=design.get("second_round", "always"),
        saved=_saved(facts),
        sessions=_sessions(facts),
        other_names=_other_names(facts),
        worth=heard.worth,
        aftermath=_aftermath(facts),
        floor=remarks_of(facts, heard) if facts.heard or facts.forms else (),
    )


def _aftermath(facts: RunRows) -> Aftermath:
    known = facts.decision
    if known is None:
        return Aftermath()
    newer = facts.successor
    link = EarlierRun(newer.id, place_url(place_of(newer)), "reopen") if newer else None
    return Aftermath(known.answer, known.answered_at, known.look_at, link)


def _other_names(facts: RunRows) -> dict[str, str]:
    revealed = facts.payload(EventType.MASK_LIFTED, MASK_KEY) is not None
    return other_names(facts.run, facts.seats) if revealed else {}


def _sessions(facts: RunRows) -> tuple[str, ...]:
    """Whose sessions were asked, under their labels, in an order that chance does not change."""
    done = facts.of_type(EventType.CALL_DONE)
    labels = {session_label(call.key, call.payload.get("seat", "")) for call in done}
    return tuple(sorted(labels))


def _notices(facts: RunRows, heard: Transcript, found: Findings | None) -> tuple[str, ...]:
    return (
        *facts.design.get("notices", ()),
        *writer_notes(heard.panel, heard.outcomes, facts.design),
        *(found.notices if found else ()),
        *_too_long(heard),
        *_rewritten(heard.outcomes),
        *_unchecked(facts, heard.outcomes),
        *_unanswered_dissents(heard.outcomes),
        *_odd_usage(facts),
        *(note for closed in _rounds_closed(facts) if (note := closed.get("note"))),
    )


def _rewritten(outcomes: Mapping[str, CallOutcome]) -> list[str]:
    """That the conclusion is not the text that anybody checked before its form was mended."""
    mended = outcomes.get(FORM_KEY)
    return [ValidationText.FORM_MENDED] if mended is not None and mended.answer else []


def _unchecked(facts: RunRows, outcomes: Mapping[str, CallOutcome]) -> list[str]:
    """That `--validate` had nothing to check, because the draft was lost (E116)."""
    written = [outcomes[key] for key in SYNTHESIS_KEYS if key in outcomes]
    lost = bool(written) and not any(outcome.answer for outcome in written)
    return [ValidationText.NO_DRAFT] if lost and facts.run.request.get("validate") else []


def _unanswered_dissents(outcomes: Mapping[str, CallOutcome]) -> list[str]:
    lost = [o for key, o in outcomes.items() if key.startswith(_DISSENT) and o.answer is None]
    return [ConclusionText.dissents_lost(len(lost))] if lost else []


def earlier_run(run: Run, earlier: Run | None) -> EarlierRun | None:
    """What a run builds on, as people are told."""
    if earlier is None:
        return None
    why = "build" if run.mode is Mode.BUILD else "challenge"
    why = "reopen" if run.request.get("reopens") else why
    told = "context" if run.request.get("context_from") else why
    return EarlierRun(earlier.id, place_url(place_of(earlier)), told)


def _odd_usage(facts: RunRows) -> list[str]:
    odd = sum(bool(call.payload.get("odd_usage")) for call in facts.of_type(EventType.CALL_DONE))
    return [MoneyText.odd_usage(odd)] if odd else []


def with_conclusion(record: RunRecord, answer: StoredAnswer | None) -> RunRecord:
    """The record after the conclusion was written, as far as dissenters are shown it."""
    text = str(answer.parsed.get("text", "")) if answer else ""
    return replace(record, conclusion=Conclusion(text=text))


def _people(facts: RunRows) -> PeopleVotes | None:
    closed = [facts.payload(EventType.BALLOT_CLOSED, when) for when in BallotTime]
    before, after = (PeopleCount.of(payload) if payload else None for payload in closed)
    return PeopleVotes(before, after) if before and after else None


def _ending(facts: RunRows) -> Ending:
    if facts.run.finished_at is None:
        return Ending.OPEN
    if facts.run.phase is Phase.COMPLETED:
        return Ending.CONCLUDED
    return Ending.FAILED if stop_among(facts.events) is None else Ending.STOPPED


def _latest(agreements: Mapping[int, Agreement]) -> Agreement:
    """The run's own scores are those of the last cross-critique (2.2#2)."""
    return agreements[max(agreements)] if agreements else Agreement()


def _summaries(outcomes: Mapping[str, CallOutcome]) -> dict[int, Any]:
    found = {}
    for number in range(1, 4):
        outcome = outcomes.get(summary_key(number))
        if outcome is not None and outcome.answer is not None:
            found[number] = summary_from_dict(outcome.answer.parsed)
    return found


def _rounds_closed(facts: RunRows) -> list[Mapping[str, Any]]:
    return [event.payload for event in facts.of_type(EventType.ROUND_CLOSED)]


def _rounds_ended(facts: RunRows) -> str:
    closed = _rounds_closed(facts)
    return str(closed[-1].get("text", "")) if closed else ""


def _saved(facts: RunRows) -> SavedRounds | None:
    """What the last round that was closed says of those after it."""
    saved = next((closed.get("saved") for closed in _rounds_closed(facts)[-1:]), None)
    return SavedRounds(Estimate.from_dict(saved["estimate"]), saved["seconds"]) if saved else None


def _unanswered(facts: RunRows, heard: Transcript) -> list[int]:
    """The rounds that ended without an answer, and got none in a retry either."""
    ended = [
        int(closed["round"])
        for closed in _rounds_closed(facts)
        if closed.get("reason") == RoundsEnd.NOBODY_ANSWERED
    ]
    return sorted({number for number in ended if number > heard.last_round})


def _too_long(heard: Transcript) -> list[str]:
    """Who wrote far more than was asked for, so that only the beginning is used."""
    said = [
        ConclusionText.answer_cut(speech.seat.role, speech.round, speech.cut_from)
        for speech in heard.speeches
        if speech.cut_from
    ]
    written = (heard.outcomes.get(key) for key in SYNTHESIS_KEYS)
    final = next((o.answer for o in written if o is not None and o.answer is not None), None)
    return [*said, ConclusionText.CONCLUSION_CUT] if final and final.parsed.get("cut") else said


def _problems(outcomes: Mapping[str, CallOutcome]) -> list[str]:
    return [outcome.problem for outcome in outcomes.values() if outcome.answer is None]


def _estimate(run: Run, design: Mapping[str, Any]) -> Estimate:
    """What the run was thought to cost, as far as its design was known."""
    stored = design.get("estimate") or run.request.get("estimate")
    return Estimate.from_dict(stored) if stored else NO_ESTIMATE


def _validation(panel: Sequence[SeatView], outcomes: Mapping[str, CallOutcome]) -> ValidationResult:
    rewrite = outcomes.get("synthesis:rewrite")
    return validation_of(
        {seat.role: _verdict(outcomes.get(f"validate:{seat.slug}")) for seat in panel},
        rewritten=rewrite is not None and rewrite.answer is not None,
    )


def _verdict(outcome: CallOutcome | None) -> Mapping[str, Any] | None:
    if outcome is None:
        return None
    return outcome.answer.parsed if outcome.answer else {}


def _conclusion(outcomes: Mapping[str, CallOutcome]) -> Conclusion:
    stand_in = outcomes.get("synthesis:orchestrator")
    for key in SYNTHESIS_KEYS:
        outcome = outcomes.get(key)
        if outcome is None or outcome.answer is None:
            continue
        parsed = outcome.answer.parsed
        return Conclusion(
            text=str(parsed.get("text", "")),
            title=str(parsed.get("title", "")),
            model=outcome.answered_model or outcome.model,
            by_orchestrator=stand_in is not None and stand_in.answer is not None,
            sections=dict(parsed.get("sections", {})),
            missing=tuple(parsed.get("missing", ())),
        )
    return Conclusion()


def _dissents(
    panel: Sequence[SeatView], outcomes: Mapping[str, CallOutcome]
) -> tuple[Dissent, ...]:
    written = ((seat, outcomes.get(f"{_DISSENT}{seat.slug}")) for seat in panel)
    return tuple(
        Dissent(
            seat.role,
            str(outcome.answer.parsed.get("text", "")),
            outcome.answered_model or outcome.model,
            stood_in_for(seat, outcome),
        )
        for seat, outcome in written
        if outcome is not None and outcome.answer is not None
    )


def _failed_calls(
    panel: Sequence[SeatView], facts: RunRows, outcomes: Mapping[str, CallOutcome]
) -> tuple[FailedCall, ...]:
    """Models of seats that did not answer; one that answered on its next try is not among them."""
    asked = {f"{name}:{seat.slug}": seat for seat in panel for name in _SEAT_QUESTIONS}
    found = []
    for call in facts.failed:
        key = call.key.partition("@")[0]
        outcome = outcomes.get(key)
        if key not in asked or outcome is None:
            continue
        if outcome.answer is None or outcome.model != call.model:
            reason = SeatAnswerText.failed(call.error_kind, call.error_text)
            number = _round_of(key, outcomes)
            found.append(FailedCall(asked[key].role, number, call.model, reason))
    return tuple(dict.fromkeys(found))


def _round_of(key: str, outcomes: Mapping[str, CallOutcome]) -> int:
    name = key.partition(":")[0]
    if name != _SECOND_STAGE:
        return int(name[1:])
    return max((int(k[1]) for k in outcomes if k.startswith(_ROUND_NAMES)), default=0) + 1


def _findings(facts: RunRows) -> Findings | None:
    stored = facts.payload(EventType.SEARCH_DONE, "search")
    return None if stored is None else Findings.from_dict(stored)
