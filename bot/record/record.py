"""A run as it stands in the store, read in one go: conclusion and files are made of it."""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.measures.agreement import Agreement, Flip
from bot.measures.convergence import (
    Convergence,
    StanceResult,
    all_against,
    latest_score,
    stance_counts,
)
from bot.measures.tally import Tally
from bot.measures.validation import ValidationResult
from bot.measures.worth import PanelWorth, recalibrated
from bot.messages.votes import AgreementText
from bot.money.estimate import NO_ESTIMATE, Estimate
from bot.prompting.closing_lines import Stance
from bot.prompting.round_answers import Critique
from bot.prompting.summary import RoundSummary
from bot.record.build import BuildRecord
from bot.record.run_rows import PeopleVotes
from bot.search.results import Findings
from bot.types.mode import Mode

_STANCES = {
    StanceResult.FULL: AgreementText.FULL,
    StanceResult.MAJORITY: AgreementText.MAJORITY,
    StanceResult.NONE: AgreementText.DIVIDED,
}


class Ending(enum.StrEnum):
    """How a run ended; empty while it is under way."""

    OPEN = ""
    CONCLUDED = "concluded"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SeatView:
    """One panelist as frozen into the run."""

    slug: str
    role: str
    model: str
    family: str
    task: str = ""
    perspective: str = ""
    stage: int = 1


@dataclass(frozen=True, slots=True)
class Speech:
    """What one seat said in one round, or why it said nothing."""

    seat: SeatView
    round: int
    model: str
    text: str
    digest: str
    stance: Stance
    ballot: str = ""
    confidence: int | None = None
    reason: str = ""
    problem: str = ""
    timed_out: bool = False
    seconds: float = 0.0
    at: float = 0.0
    """When the answer was there."""
    links: tuple[str, ...] = ()
    critiques: tuple[Critique, ...] = ()
    late: bool = False
    """Whether an answer came after its time; it is kept in the store and counts for nothing."""
    cut_from: int = 0
    """How many characters the answer had, if it was far too long and `text` is its beginning."""
    claims: tuple[tuple[str, str], ...] = ()
    """The numbered claims of the digest, such as ("C1", "…"), by which others cite it."""
    stood_in_for: str = ""
    """The seat's own model, where another one answered in its place."""

    @property
    def spoke(self) -> bool:
        """Whether there is an answer at all."""
        return not self.problem

    @property
    def stage(self) -> int:
        """The stage the seat belongs to."""
        return self.seat.stage

    @property
    def position(self) -> str:
        """Where the seat stands: its option in a vote, its stance otherwise."""
        return self.ballot or self.stance.value


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A model that a seat asked in vain in a round, and the provider's reason."""

    role: str
    round: int
    model: str
    reason: str


@dataclass(frozen=True, slots=True)
class Dissent:
    """What a dissenter wrote about the conclusion."""

    role: str
    text: str
    model: str = ""
    stood_in_for: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """What a person said to the panel, or what a panelist answered.

    People are "Person 1", "Person 2" … as in prompts; nobody's name is stored.
    """

    speaker: str
    text: str
    at: float
    step: str
    """What it came before: a round (`r2`), stage 2 (`s2`), `synthesis`, or nothing more."""
    to: tuple[str, ...] = ()
    """The roles that were asked; of an answer, who is answered."""
    question: str = ""
    """Of an answer: what it answers, unless that was removed."""
    is_answer: bool = False
    answered: bool | None = None
    """Whether a question was answered; None for an open one, and for what is no question."""
    unheard: bool = False
    """Whether it came too late for every prompt."""
    by_starter: bool = False
    form: str = ""
    """Of words in a form: what it was for (`news`, `spec`, `changes`, `rejection`)."""
    model: str = ""
    stood_in_for: str = ""
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spending:
    """What the run used: the known cost, and how many calls have an unknown price."""

    calls: int
    tokens: int
    known_usd: float
    unpriced_calls: int = 0
    cached_tokens: int = 0
    """The part of `tokens` that providers read from their caches."""

    @property
    def cost_usd(self) -> float | None:
        """What the run cost, or None when some price is unknown."""
        return None if self.unpriced_calls else self.known_usd


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What the neutral model wrote, taken apart; code renders everything else."""

    text: str = ""
    title: str = ""
    model: str = ""
    by_orchestrator: bool = False
    sections: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """The roundtable whose conclusion a run was given.

    It has no words of that topic: what is stored of this run would keep them when the other one
    is forgotten.
    """

    run_id: str
    url: str
    why: str
    """What the run does with it: `context`, `challenge`, `reopen` or `build`."""

    @property
    def thread_id(self) -> int:
        """Where the other one was held."""
        return int(self.url.split("/")[5])


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What became of a decision, as far as people said."""

    answer: str = ""
    """The number of the option that was right, `right`, `wrong`, `mixed` or `unknown`."""
    answered_at: float | None = None
    look_at: float | None = None
    """When the thread is asked next."""
    superseded_by: EarlierRun | None = None
    """The run that looked at it again and came to a conclusion of its own."""


@dataclass(frozen=True, slots=True)
class SavedRounds:
    """What rounds that were not held would have cost, as far as it can be estimated."""

    estimate: Estimate
    seconds: float
    """How long the round before them took."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Everything about a run that people, minutes and files show."""

    run_id: str
    topic: str
    mode: Mode
    workflow: str
    starter_id: int
    seed: int
    created_at: float
    finished_at: float
    ending: Ending
    ending_note: str
    rehearsal: bool
    quick: bool
    rounds_planned: int
    proposition: str
    seats: tuple[SeatView, ...]
    speeches: tuple[Speech, ...]
    options: tuple[str, ...]
    tallies: tuple[Tally, ...]
    stance_result: StanceResult | None
    agreement: Agreement
    convergence: tuple[Convergence, ...]
    summaries: tuple[RoundSummary, ...]
    flips: tuple[Flip, ...]
    rounds_ended: str
    validation: ValidationResult
    conclusion: Conclusion
    dissents: tuple[Dissent, ...]
    findings: Findings | None
    degradations: tuple[str, ...]
    notices: tuple[str, ...]
    decision: str
    meta_recommendation: str
    spending: Spending
    estimate: Estimate = NO_ESTIMATE
    budget_note: str = ""
    """Why the run was cut short for money; empty when it was not."""
    people: PeopleVotes | None = None
    """How people voted before and after, once they cannot vote any more."""
    agreements: Mapping[int, Agreement] = field(default_factory=dict)
    """The scores of every cross-critique; `agreement` is the last of them."""
    failed_calls: tuple[FailedCall, ...] = ()
    """Models that did not answer for a seat, whether or not another one stood in."""
    delivery: BuildRecord | None = None
    """What a build has done; None for other meetings, and before there is a spec."""
    thread_url: str = ""
    conclusion_url: str = ""
    """Where the conclusion can be read; empty before it is posted."""
    builds_on: EarlierRun | None = None
    second_round: str = "always"
    """The rule of panels.json by which a second round is held."""
    saved: SavedRounds | None = None
    """What was not spent because the panel agreed, or a round could not pay."""
    sessions: tuple[str, ...] = ()
    """The labels of the sessions that were asked; none while the panel is masked."""
    other_names: Mapping[str, str] = field(default_factory=dict)
    """What panelists who were masked were called, by role; empty until they are revealed."""
    worth: PanelWorth | None = None
    """What the positions of the last round are worth; None while the panel is masked."""
    aftermath: Aftermath = Aftermath()
    floor: tuple[Remark, ...] = ()
    """What people said in the thread and what panelists answered them, in order."""

    @property
    def sure(self) -> float | None:
        """How sure the vote is, corrected by resolved ones once there are enough of them here.

        Never one model's own number, and unknown while the panel is masked.
        """
        if self.worth is None or self.worth.models == 1 or not self.tallies:
            return None
        sure = self.tallies[-1].sure
        return None if sure is None else recalibrated(sure, self.worth.experience.curve)

    @property
    def seconds(self) -> int:
        """How long the run took."""
        return max(0, round(self.finished_at - self.created_at))

    @property
    def rounds_held(self) -> int:
        """How many rounds of stage 1 had at least one answer."""
        return max((s.round for s in self.speeches if s.spoke and s.stage == 1), default=0)

    @property
    def ended_early(self) -> str:
        """Why rounds that were planned were not held, or nothing."""
        return self.rounds_ended if self.rounds_held < self.rounds_planned else ""

    @property
    def convergence_score(self) -> float | None:
        """The convergence of the last round; None while its summary has not arrived."""
        held = self.rounds_held
        return latest_score([found for found in self.convergence if found.round >= held])

    @property
    def last_summary(self) -> RoundSummary | None:
        """The summary of the last round; None while it has not arrived."""
        known = zip(self.convergence, self.summaries, strict=False)
        of_last = [summary for found, summary in known if found.round >= self.rounds_held]
        return of_last[-1] if of_last else None

    @property
    def consensus_pct(self) -> float | None:
        """The peers' agreement in the last cross-critique."""
        return self.agreement.pct

    @property
    def validated(self) -> str:
        """Whether the panelists found themselves represented: yes, partial or no."""
        return self.validation.value

    def summary_before(self, number: int) -> str:
        """The newest summary of the rounds before a round that has arrived, or nothing.

        Whoever reads the digests of a round needs the summary of the rounds before it alone.
        """
        known = zip(self.convergence, self.summaries, strict=False)
        earlier = [summary.summary for measure, summary in known if measure.round < number]
        return earlier[-1] if earlier else ""

    @property
    def final_speeches(self) -> tuple[Speech, ...]:
        """The last thing each seat said, in panel order."""
        last = {speech.seat.slug: speech for speech in self.speeches if speech.spoke}
        return tuple(last[seat.slug] for seat in self.seats if seat.slug in last)

    def answered(self, number: int) -> bool:
        """Whether anybody of stage 1 answered in a round."""
        return any(s.round == number and s.spoke and s.stage == 1 for s in self.speeches)

    def silent_in(self, number: int) -> int:
        """How many seats of stage 1 said nothing in a round."""
        said = {s.seat.slug for s in self.speeches if s.round == number and s.spoke}
        return sum(seat.stage == 1 and seat.slug not in said for seat in self.seats)

    def answered_by(self, seat: SeatView) -> tuple[str, ...]:
        """The models that really spoke for a seat, as their providers name them."""
        spoke = (s.model for s in self.speeches if s.seat.slug == seat.slug and s.spoke)
        return tuple(dict.fromkeys(spoke))

    def stances_in(self, number: int) -> tuple[Stance, ...]:
        """The stances of a round, one for every seat of stage 1."""
        return stances_among(self.seats, self.speeches, number)


def stances_among(
    panel: Sequence[SeatView], speeches: Sequence[Speech], number: int
) -> tuple[Stance, ...]:
    """What every seat of stage 1 held in a round; who said nothing is neutral."""
    said = {s.seat.slug: s.stance for s in speeches if s.round == number}
    return tuple([said.get(seat.slug, Stance.NEUTRAL) for seat in panel if seat.stage == 1])


def stance_text(record: RunRecord) -> str:
    """How far the panel agrees, in one line; a vote says it itself."""
    if record.stance_result is None or record.tallies:
        return ""
    counts = counted_stances(record)
    return AgreementText.agreement_line(stance_words(record), counts, record.consensus_pct)


def stance_words(record: RunRecord) -> str:
    """What the stances add up to; all against it is agreement, too (2.2#5)."""
    if record.stance_result is None:
        return ""
    stances = record.stances_in(record.rounds_held)
    if all_against(stances):
        return AgreementText.AGAINST
    return _STANCES[record.stance_result]


def counted_stances(record: RunRecord) -> str:
    """The stances of the last round, counted in words."""
    held = record.rounds_held
    return stance_counts(record.stances_in(held), record.silent_in(held))
