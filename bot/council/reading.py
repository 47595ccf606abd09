"""Reads a run's record from the store; nothing else knows how the rows fit together."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.council.agreement import Agreement, agreement_of
from bot.council.compression import summary_from_dict, summary_key
from bot.council.convergence import convergence_of
from bot.council.facts import Facts, load_facts
from bot.council.failings import call_notes, writer_notes
from bot.council.flips import RoundPositions, flip_ledger
from bot.council.measures import stance_result
from bot.council.people_counts import Counted, PeoplesVotes
from bot.council.readings import (
    stored_critiques,
    stored_revision,
    stored_scores,
    validation_of,
)
from bot.council.record import (
    Conclusion,
    Dissent,
    Ending,
    RunRecord,
    Seat,
    Speech,
)
from bot.council.spending import budget_note, spending_of
from bot.council.stopping import stop_among
from bot.council.tally import Tally, tally_of, vote_stances
from bot.council.validation_result import ValidationResult
from bot.money.estimate import NO_ESTIMATE, Estimate
from bot.prompting.ballot import Ballot
from bot.prompting.stance import Stance
from bot.request import Mode
from bot.search.findings import Findings
from bot.store import BallotTime, CallStatus, EventType, Phase, Store, seats
from bot.store.answers import StoredAnswer
from bot.store.runs import Run
from bot.words.seat_answers import NO_ANSWER

SYNTHESIS_KEYS = ("synthesis:rewrite", "synthesis", "synthesis:orchestrator")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one question ended, whatever attempt it took."""

    key: str
    status: CallStatus
    model: str
    answered_model: str
    seconds: float
    problem: str
    answer: StoredAnswer | None
    late: bool = False


async def read_record(store: Store, run_id: str) -> RunRecord:
    """Everything about a run as it stands now."""
    facts = await store.read(lambda conn: load_facts(conn, run_id))
    return record_of(facts, store.now())


def record_of(facts: Facts, now: float) -> RunRecord:
    """Put the record together from what the store holds."""
    run = facts.run
    design = facts.design
    outcomes = outcomes_of(facts)
    panel = tuple(_seat(row) for row in facts.seats)
    options = tuple(design.get("options", ()))
    speeches = _speeches(panel, outcomes, _links(facts))
    tallies = _tallies(run, panel, speeches, options)
    speeches = _with_vote_stances(speeches, tallies)
    last = max((s.round for s in speeches if s.stage == 1 and s.spoke), default=0)
    summaries = _summaries(outcomes)
    agreements = _agreements(outcomes, panel)
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
        speeches=speeches,
        options=options,
        tallies=tallies,
        stance_result=None,
        agreement=_latest(agreements),
        agreements=agreements,
        convergence=tuple(convergence_of(n, s) for n, s in summaries.items()),
        summaries=tuple(summaries.values()),
        flips=flip_ledger(_positions(speeches, outcomes)),
        rounds_ended=_rounds_ended(facts),
        validation=_validation(panel, outcomes),
        conclusion=_conclusion(outcomes),
        dissents=_dissents(panel, outcomes),
        findings=_findings(facts),
        degradations=tuple(design.get("degradations", ())) + call_notes(panel, outcomes, design),
        notices=tuple(design.get("notices", ())) + writer_notes(panel, outcomes, design),
        decision=design.get("decision", ""),
        meta_recommendation=design.get("meta", "") or design.get("decision", ""),
        spending=spending_of(facts.spent),
        estimate=_estimate(run, design),
        people=_people(facts),
        delivery=facts.delivery,
        budget_note=budget_note(_rounds_closed(facts), _problems(outcomes)),
    )
    if not last:
        return record
    return replace(record, stance_result=stance_result(record.stances_in(last)))


def with_summary(record: RunRecord, number: int, answer: StoredAnswer | None) -> RunRecord:
    """The record after a round was summed up, without reading everything anew."""
    if answer is None or any(found.round == number for found in record.convergence):
        return record
    summary = summary_from_dict(answer.parsed)
    return replace(
        record,
        summaries=(*record.summaries, summary),
        convergence=(*record.convergence, convergence_of(number, summary)),
    )


def with_conclusion(record: RunRecord, answer: StoredAnswer | None) -> RunRecord:
    """The record after the conclusion was written, as far as dissenters are shown it."""
    text = str(answer.parsed.get("text", "")) if answer else ""
    return replace(record, conclusion=Conclusion(text=text))


def _people(facts: Facts) -> PeoplesVotes | None:
    closed = [facts.payload(EventType.BALLOT_CLOSED, when) for when in BallotTime]
    before, after = (Counted.of(payload) if payload else None for payload in closed)
    return PeoplesVotes(before, after) if before and after else None


def outcomes_of(facts: Facts) -> dict[str, Outcome]:
    """Every question of the run under its plain key; an answer wins over failed attempts."""
    found: dict[str, Outcome] = {}
    late = {event.key for event in facts.of_type(EventType.CALL_LATE)}
    for event in facts.of_type(EventType.CALL_DONE):
        key = event.key.partition("@")[0]
        if key in found and found[key].answer is not None:
            continue
        payload = event.payload
        found[key] = Outcome(
            key=key,
            status=CallStatus(payload["status"]),
            model=payload["model"],
            answered_model=payload["answered_model"],
            seconds=payload["seconds"],
            problem=payload["problem"],
            answer=facts.answers.get(event.key),
            late=event.key in late,
        )
    return found


def _seat(row: seats.Seat) -> Seat:
    return Seat(row.seat, row.role, row.model, row.family, row.task, row.perspective, row.stage)


def _ending(facts: Facts) -> Ending:
    if facts.run.finished_at is None:
        return Ending.OPEN
    if facts.run.phase is Phase.COMPLETED:
        return Ending.CONCLUDED
    return Ending.FAILED if stop_among(facts.events) is None else Ending.STOPPED


def _speeches(
    panel: Sequence[Seat],
    outcomes: Mapping[str, Outcome],
    links: Mapping[str, tuple[str, ...]],
) -> tuple[Speech, ...]:
    rounds = sorted({int(key[1 : key.index(":")]) for key in outcomes if _is_round(key)})
    named = [(f"r{number}", number, 1) for number in rounds]
    named.append(("s2", max(rounds, default=0) + 1, 2))
    return tuple(
        _speech(seat, number, outcomes[key], links.get(key, ()))
        for name, number, stage in named
        for seat in panel
        if seat.stage == stage and (key := f"{name}:{seat.slug}") in outcomes
    )


def _is_round(key: str) -> bool:
    name, colon, _ = key.partition(":")
    return bool(colon) and name[:1] == "r" and name[1:].isdigit()


def _speech(seat: Seat, number: int, outcome: Outcome, links: tuple[str, ...]) -> Speech:
    answer = outcome.answer
    if answer is None:
        return Speech(
            seat=seat,
            round=number,
            model=outcome.model,
            text="",
            digest="",
            stance=Stance.NEUTRAL,
            problem=outcome.problem or NO_ANSWER,
            timed_out=outcome.status is CallStatus.TIMEOUT,
            late=outcome.late,
        )
    return Speech(
        seat=seat,
        round=number,
        model=outcome.answered_model,
        text=str(answer.parsed.get("public") or answer.text),
        digest=answer.digest,
        stance=Stance(answer.stance or Stance.UNKNOWN),
        ballot=str(answer.parsed.get("ballot") or ""),
        confidence=answer.parsed.get("confidence"),
        reason=str(answer.parsed.get("reason") or ""),
        seconds=outcome.seconds,
        links=links,
        critiques=stored_critiques(answer.parsed),
    )


def _links(facts: Facts) -> dict[str, tuple[str, ...]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for event in facts.of_type(EventType.POST_SENT):
        place = f"{facts.run.guild_id}/{event.payload['target_id']}/{event.payload['message_id']}"
        found[event.key.rpartition("#")[0]].append(f"https://discord.com/channels/{place}")
    return {key: tuple(urls) for key, urls in found.items()}


def _tallies(
    run: Run, panel: Sequence[Seat], speeches: Sequence[Speech], options: tuple[str, ...]
) -> tuple[Tally, ...]:
    if run.mode is not Mode.VOTE:
        return ()
    voters = [seat.role for seat in panel if seat.stage == 1]
    rounds = sorted({speech.round for speech in speeches if speech.stage == 1})
    return tuple(tally_of(n, options, _ballots(voters, speeches, n)) for n in rounds)


def _ballots(
    voters: Iterable[str], speeches: Sequence[Speech], number: int
) -> dict[str, Ballot | None]:
    cast = {
        s.seat.role: Ballot(s.ballot or None, s.confidence, s.reason)
        for s in speeches
        if s.round == number and s.spoke
    }
    return {role: cast.get(role) for role in voters}


def _with_vote_stances(
    speeches: tuple[Speech, ...], tallies: Sequence[Tally]
) -> tuple[Speech, ...]:
    """In vote mode a stance follows from the ballots (2.2#6)."""
    stances = {tally.round: vote_stances(tally) for tally in tallies}
    return tuple(
        replace(s, stance=stances[s.round].get(s.seat.role, Stance.NEUTRAL))
        if s.round in stances and s.stage == 1
        else s
        for s in speeches
    )


def _agreements(outcomes: Mapping[str, Outcome], panel: Sequence[Seat]) -> dict[int, Agreement]:
    """The scores of every cross-critique anybody answered, by round."""
    rounds = {int(key[1 : key.index(":")]) for key in outcomes if _is_round(key)} - {1}
    found = {}
    for number in sorted(rounds):
        given = {
            seat.role: stored_scores(outcome.answer.parsed) if outcome.answer else None
            for seat in panel
            if (outcome := outcomes.get(f"r{number}:{seat.slug}")) is not None
        }
        if any(scores is not None for scores in given.values()):
            found[number] = agreement_of(given)
    return found


def _latest(agreements: Mapping[int, Agreement]) -> Agreement:
    """The run's own scores are those of the last cross-critique (2.2#2)."""
    return agreements[max(agreements)] if agreements else Agreement()


def _positions(speeches: Sequence[Speech], outcomes: Mapping[str, Outcome]) -> list[RoundPositions]:
    rounds = sorted({speech.round for speech in speeches if speech.stage == 1})
    return [_round_positions(n, speeches, outcomes) for n in rounds]


def _round_positions(
    number: int, speeches: Sequence[Speech], outcomes: Mapping[str, Outcome]
) -> RoundPositions:
    spoken = [s for s in speeches if s.round == number and s.stage == 1 and s.spoke]
    parsed = {s.seat.role: _parsed(outcomes[f"r{number}:{s.seat.slug}"]) for s in spoken}
    return RoundPositions(
        round=number,
        positions={s.seat.role: s.position for s in spoken},
        revisions={role: stored_revision(data) for role, data in parsed.items()},
        claims={role: tuple(data.get("claims", ())) for role, data in parsed.items()},
    )


def _parsed(outcome: Outcome) -> Mapping[str, Any]:
    return outcome.answer.parsed if outcome.answer else {}


def _summaries(outcomes: Mapping[str, Outcome]) -> dict[int, Any]:
    found = {}
    for number in range(1, 4):
        outcome = outcomes.get(summary_key(number))
        if outcome is not None and outcome.answer is not None:
            found[number] = summary_from_dict(outcome.answer.parsed)
    return found


def _rounds_closed(facts: Facts) -> list[Mapping[str, Any]]:
    return [event.payload for event in facts.of_type(EventType.ROUND_CLOSED)]


def _rounds_ended(facts: Facts) -> str:
    closed = _rounds_closed(facts)
    return str(closed[-1].get("text", "")) if closed else ""


def _problems(outcomes: Mapping[str, Outcome]) -> list[str]:
    return [outcome.problem for outcome in outcomes.values() if outcome.answer is None]


def _estimate(run: Run, design: Mapping[str, Any]) -> Estimate:
    """What the run was thought to cost, as far as its design was known."""
    stored = design.get("estimate") or run.request.get("estimate")
    return Estimate.from_dict(stored) if stored else NO_ESTIMATE


def _validation(panel: Sequence[Seat], outcomes: Mapping[str, Outcome]) -> ValidationResult:
    rewrite = outcomes.get("synthesis:rewrite")
    return validation_of(
        {seat.role: _verdict(outcomes.get(f"validate:{seat.slug}")) for seat in panel},
        rewritten=rewrite is not None and rewrite.answer is not None,
    )


def _verdict(outcome: Outcome | None) -> Mapping[str, Any] | None:
    if outcome is None:
        return None
    return outcome.answer.parsed if outcome.answer else {}


def _conclusion(outcomes: Mapping[str, Outcome]) -> Conclusion:
    for key in SYNTHESIS_KEYS:
        outcome = outcomes.get(key)
        if outcome is None or outcome.answer is None:
            continue
        parsed = outcome.answer.parsed
        return Conclusion(
            text=str(parsed.get("text", "")),
            title=str(parsed.get("title", "")),
            model=outcome.answered_model or outcome.model,
            by_orchestrator=key == "synthesis:orchestrator",
            sections=dict(parsed.get("sections", {})),
            missing=tuple(parsed.get("missing", ())),
        )
    return Conclusion()


def _dissents(panel: Sequence[Seat], outcomes: Mapping[str, Outcome]) -> tuple[Dissent, ...]:
    written = ((seat.role, outcomes.get(f"dissent:{seat.slug}")) for seat in panel)
    return tuple(
        Dissent(role, str(outcome.answer.parsed.get("text", "")))
        for role, outcome in written
        if outcome is not None and outcome.answer is not None
    )


def _findings(facts: Facts) -> Findings | None:
    stored = facts.payload(EventType.SEARCH_DONE, "search")
    return None if stored is None else Findings.from_dict(stored)
