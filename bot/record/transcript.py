"""What panelists said: turns, ballots, scores and positions, from the results of calls."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from bot.measures.agreement import Agreement, Flip, RoundPositions, agreement_of, flip_ledger
from bot.measures.tally import Tally
from bot.measures.worth import Experience, PanelWorth, seat_weights, skills_of
from bot.messages.attempts import SeatAnswerText
from bot.panels.offers import short_name
from bot.prompting.closing_lines import Ballot, Stance
from bot.prompting.text import cut_chars
from bot.record.answer_codec import stored_critiques, stored_revision, stored_scores
from bot.record.record import Ending, RunRecord, SeatView, Speech
from bot.record.run_rows import RunRows
from bot.store import CallStatus, EventType
from bot.store.repositories import seats
from bot.store.repositories.answers import StoredAnswer
from bot.store.repositories.runs import Run
from bot.types.mode import Mode

_SPEECH_CHARS: Final = 12_000
"""So much of an answer goes into prompts, minutes and files: five times what is asked for."""
_DIGEST_CHARS: Final = 4_000


class CallOutcome(NamedTuple):
    """How one question ended, whatever attempt it took."""

    key: str
    status: CallStatus
    model: str
    answered_model: str
    seconds: float
    problem: str
    answer: StoredAnswer | None
    late: bool = False


def outcomes_of(facts: RunRows) -> dict[str, CallOutcome]:
    """Every question of the run under its plain key; an answer wins over failed attempts."""
    found: dict[str, CallOutcome] = {}
    late = {event.key for event in facts.of_type(EventType.CALL_LATE)}
    for event in facts.of_type(EventType.CALL_DONE):
        key = event.key.partition("@")[0]
        if key in found and found[key].answer is not None:
            continue
        payload = event.payload
        found[key] = CallOutcome(
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


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a run's panel said, and how every question to anybody ended."""

    panel: tuple[SeatView, ...]
    outcomes: Mapping[str, CallOutcome]
    rounds: tuple[int, ...]
    """The numbers of the rounds in which somebody of the first stage was asked."""
    options: tuple[str, ...]
    speeches: tuple[Speech, ...]
    tallies: tuple[Tally, ...]
    agreements: Mapping[int, Agreement]
    """The scores of every cross-critique anybody answered, by round."""
    flips: tuple[Flip, ...]
    """Who moved from what to what, in which round and because of what."""
    worth: PanelWorth | None = None
    """What the positions of the last round are worth."""

    @property
    def last_round(self) -> int:
        """The last round in which somebody of the first stage spoke, 0 without one."""
        return max((s.round for s in self.speeches if s.stage == 1 and s.spoke), default=0)


def build_transcript(facts: RunRows) -> Transcript:
    """Put together what was said in every round that was held."""
    outcomes = outcomes_of(facts)
    panel = tuple(_seat(row) for row in facts.seats)
    rounds = tuple(sorted({int(key[1 : key.index(":")]) for key in outcomes if _is_round(key)}))
    options = tuple(facts.design.get("options", ()))
    speeches = _speeches(panel, rounds, outcomes, post_links(facts))
    voters = {number: _Voters.of(facts.design, panel, outcomes, number) for number in rounds}
    cut = bool(facts.of_type(EventType.CONCLUDE_REQUESTED))
    tallies = _tallies(facts.run, voters, speeches, options, cut=cut)
    if tallies:
        speeches = _with_vote_stances(speeches, tallies)
    agreements = _agreements(rounds, outcomes, panel)
    flips = flip_ledger(_positions(speeches, outcomes))
    worth = _worth(voters, speeches, tallies)
    return Transcript(panel, outcomes, rounds, options, speeches, tallies, agreements, flips, worth)


@dataclass(frozen=True, slots=True)
class _Voters:
    """Model and family that speak for each role of stage 1 in a round, and models' skills."""

    models: Mapping[str, str]
    families: Mapping[str, str]
    skills: Mapping[str, float]
    experience: Experience

    @classmethod
    def of(
        cls,
        design: Mapping[str, Any],
        panel: Sequence[SeatView],
        outcomes: Mapping[str, CallOutcome],
        number: int,
    ) -> "_Voters":
        """A fallback that answered is the model that votes; an older design knows no skills."""
        frozen, given = design.get("models", {}), design.get("skills", {})
        learnt = Experience.frozen(design.get("resolved", {}))
        models, families, known = {}, {}, dict[str, float | None]()
        for seat in panel:
            if seat.stage != 1:
                continue
            outcome = outcomes.get(f"r{number}:{seat.slug}")
            key = outcome.model if outcome and outcome.answer else seat.model
            meant = frozen.get(key, {})
            model = real_model(key, meant)
            models[seat.role], families[seat.role] = model, meant.get("family", seat.family)
            known[model] = given.get(key, known.get(model))
        return cls(models, families, skills_of(known, learnt.decided), learnt)

    @property
    def weights(self) -> tuple[tuple[str, float], ...]:
        """What the ballot of each role counts."""
        return seat_weights(self.models, self.skills)


def real_model(key: str, frozen: Mapping[str, Any]) -> str:
    """What is called by a name: several names, and providers, may have one and the same model."""
    # A program's id is only one of that program.
    if not frozen or frozen["kind"] == "acp":
        return key
    return short_name(frozen["wire_model"]).rpartition("/")[2]


def _worth(
    voters: Mapping[int, _Voters], speeches: Sequence[Speech], tallies: Sequence[Tally]
) -> PanelWorth | None:
    """Counts who took a position in the last round: a readable ballot, else a readable stance."""
    spoken = [s for s in speeches if s.stage == 1 and s.spoke]
    last = max((s.round for s in spoken), default=0)
    if not last:
        return None
    held = {s.seat.role for s in spoken if s.round == last and s.stance is not Stance.UNKNOWN}
    if tallies:
        held = {role for role, option in tallies[-1].choices().items() if option}
    asked = voters[last]
    models = {role: model for role, model in asked.models.items() if role in held}
    return PanelWorth.of(models, asked.families, asked.skills, asked.experience)


def _seat(row: seats.Seat) -> SeatView:
    return SeatView(row.slug, row.role, row.model, row.family, row.task, row.perspective, row.stage)


def _speeches(
    panel: Sequence[SeatView],
    rounds: Sequence[int],
    outcomes: Mapping[str, CallOutcome],
    links: Mapping[str, tuple[str, ...]],
) -> tuple[Speech, ...]:
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


def _speech(seat: SeatView, number: int, outcome: CallOutcome, links: tuple[str, ...]) -> Speech:
    answer = outcome.answer
    if answer is None:
        return Speech(
            seat=seat,
            round=number,
            model=outcome.model,
            text="",
            digest="",
            stance=Stance.NEUTRAL,
            problem=outcome.problem or SeatAnswerText.NO_ANSWER,
            timed_out=outcome.status is CallStatus.TIMEOUT,
            late=outcome.late,
        )
    said = str(answer.parsed.get("public") or answer.text)
    return Speech(
        seat=seat,
        round=number,
        model=outcome.answered_model,
        text=cut_chars(said, _SPEECH_CHARS),
        digest=cut_chars(answer.digest, _DIGEST_CHARS),
        cut_from=len(said) if len(said) > _SPEECH_CHARS else 0,
        stance=Stance(answer.stance or Stance.UNKNOWN),
        ballot=str(answer.parsed.get("ballot") or ""),
        confidence=answer.parsed.get("confidence"),
        reason=str(answer.parsed.get("reason") or ""),
        seconds=outcome.seconds,
        at=answer.created_at,
        links=links,
        critiques=stored_critiques(answer.parsed),
        claims=tuple((str(n), str(c)) for n, c in answer.parsed.get("claims", {}).items()),
        stood_in_for=stood_in_for(seat, outcome),
    )


def dissenters(record: RunRecord) -> list[Speech]:
    """Who ended up against the result: the losing ballots, or the smaller side of the stances."""
    final = [s for s in record.final_speeches if s.stage == 1]
    disagree = [s for s in final if s.stance is Stance.DISAGREE]
    if record.mode is Mode.VOTE:
        return disagree
    agree = [s for s in final if s.stance is Stance.AGREE]
    return [] if len(agree) == len(disagree) else min(agree, disagree, key=len)


def lost_dissents(record: RunRecord) -> list[Speech]:
    """Who ended up against a conclusion without a word about it that was recorded."""
    if record.ending is not Ending.CONCLUDED or not record.conclusion.text:
        return []
    wrote = {dissent.role for dissent in record.dissents}
    return [speech for speech in dissenters(record) if speech.seat.role not in wrote]


def stood_in_for(seat: SeatView, outcome: CallOutcome) -> str:
    """The seat's own model, where another one answered."""
    return seat.model if outcome.model != seat.model else ""


def post_links(facts: RunRows) -> dict[str, tuple[str, ...]]:
    """Where each post can be read, by its key."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for event in facts.of_type(EventType.POST_SENT):
        place = f"{facts.run.guild_id}/{event.payload['target_id']}/{event.payload['message_id']}"
        found[event.key.rpartition("#")[0]].append(f"https://discord.com/channels/{place}")
    return {key: tuple(urls) for key, urls in found.items()}


def _tallies(
    run: Run,
    asked: Mapping[int, _Voters],
    speeches: Sequence[Speech],
    options: tuple[str, ...],
    *,
    cut: bool,
) -> tuple[Tally, ...]:
    if run.mode is not Mode.VOTE:
        return ()
    # A round without answers is not a ballot: the one before it counts.
    rounds = sorted({s.round for s in speeches if s.stage == 1 and s.spoke})
    cast = {n: _ballots(asked[n].models, speeches, n) for n in rounds}
    if cut and len(rounds) > 1:
        # Whoever was not waited for in the last round still votes as in the one before.
        before, last = rounds[-2:]
        waited_for = {s.seat.role for s in speeches if s.round == last}
        kept = {role: cast[before][role] for role in asked[last].models if role not in waited_for}
        cast[last] = cast[last] | kept
    return tuple(Tally.of(n, options, cast[n], asked[n].weights) for n in rounds)


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
    stances = {tally.round: tally.stances() for tally in tallies}
    return tuple(
        replace(s, stance=stances[s.round].get(s.seat.role, Stance.NEUTRAL))
        if s.round in stances and s.stage == 1
        else s
        for s in speeches
    )


def _agreements(
    rounds: Sequence[int], outcomes: Mapping[str, CallOutcome], panel: Sequence[SeatView]
) -> dict[int, Agreement]:
    found = {}
    for number in rounds:
        if number == 1:
            continue
        given = {
            seat.role: stored_scores(outcome.answer.parsed) if outcome.answer else None
            for seat in panel
            if (outcome := outcomes.get(f"r{number}:{seat.slug}")) is not None
        }
        if any(scores is not None for scores in given.values()):
            found[number] = agreement_of(given)
    return found


def _positions(
    speeches: Sequence[Speech], outcomes: Mapping[str, CallOutcome]
) -> list[RoundPositions]:
    rounds = sorted({speech.round for speech in speeches if speech.stage == 1})
    return [_round_positions(n, speeches, outcomes) for n in rounds]


def _round_positions(
    number: int, speeches: Sequence[Speech], outcomes: Mapping[str, CallOutcome]
) -> RoundPositions:
    spoken = [s for s in speeches if s.round == number and s.stage == 1 and s.spoke]
    parsed = {s.seat.role: _parsed(outcomes[f"r{number}:{s.seat.slug}"]) for s in spoken}
    return RoundPositions(
        round=number,
        positions={s.seat.role: s.position for s in spoken},
        revisions={
            role: stored_revision(data) for role, data in parsed.items() if "revision" in data
        },
        claims={role: data.get("claims", ()) for role, data in parsed.items()},
    )


def _parsed(outcome: CallOutcome) -> Mapping[str, Any]:
    return outcome.answer.parsed if outcome.answer else {}
