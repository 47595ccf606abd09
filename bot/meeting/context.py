"""One run under way: its journal, place, frozen design, time and card."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol
from weakref import WeakMethod

from sqlalchemy import Connection

from bot.meeting.dependencies import Dependencies
from bot.meeting.model_calls import ModelCaller
from bot.meeting.questions import HARNESS, OnRemark
from bot.messages.meeting import CardText, MeetingText
from bot.money.estimate import NO_ESTIMATE, Estimate, estimate_words
from bot.panels import PanelsConfig, ResolvedModel, SecondRound, Timeouts
from bot.panels.sections import Thinker
from bot.pictures.facts import DrawnPicture
from bot.record.masking import UNMASKED, Mask
from bot.stage.port import Card, PastRound, Place, Post, SeatRow, SeatState, Shown, Speaker
from bot.store import Journal, Phase, move
from bot.store.repositories import runs
from bot.store.repositories.approvals import Approval, NewApproval
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.seats import Seat
from bot.store.vocabulary import Actor
from bot.types.mode import Mode, SpeechOrder
from bot.types.model_port import Prompt

_LEAST_SECONDS = 5.0
Write = Callable[[Connection], object]
_PATH = (
    Phase.SPEC_DRAFT,
    Phase.SPEC_REVIEW,
    Phase.EXECUTION_READY,
    Phase.EXECUTING,
    Phase.SPEC_GATE,
    Phase.QUALITY_GATE,
    Phase.COMPLETED,
)


class TimeBudget:
    """Counts from the moment a process takes a run up; the tail is kept for the conclusion."""

    def __init__(
        self, timeouts: Timeouts, *, validate: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        tail = timeouts.synthesis + timeouts.dissent + (timeouts.validation if validate else 0)
        most = max(timeouts.tiers.values(), default=1.0)
        self._timeouts = timeouts
        self._clock = clock
        self._rounds_end = clock() + most * max(timeouts.run - tail, timeouts.round)
        self._run_ends = clock() + timeouts.longest_run

    def left(self) -> float:
        """Seconds until the rounds must be over."""
        return max(0.0, self._rounds_end - self._clock())

    def allows(self, seconds: float) -> bool:
        """Whether a step of that length still fits before the tail."""
        return self.left() >= seconds

    def cap(self, seconds: float, models: Iterable[Thinker] = ()) -> float:
        """A step's own limit, as long as its models may think, shortened to what is left.

        It is never so short that nobody can answer.
        """
        wanted = self._timeouts.allowed(seconds, models)
        return min(wanted, max(self.left(), _LEAST_SECONDS))

    def cap_tail(self, seconds: float, models: Iterable[Thinker] = ()) -> float:
        """The same for a step after the rounds, which may use the tail and not more (A30)."""
        wanted = self._timeouts.allowed(seconds, models)
        return min(wanted, max(self._run_ends - self._clock(), _LEAST_SECONDS))


@dataclass(frozen=True, slots=True)
class Design:
    """What was frozen before the first round; an edit of panels.json changes none of it."""

    workflow: str
    rounds: int
    seats: tuple[Seat, ...]
    models: Mapping[str, ResolvedModel]
    synthesis: tuple[ResolvedModel, ...]
    coordinators: tuple[ResolvedModel, ...]
    rehearsal: bool
    proposition: str
    options: tuple[str, ...]
    speech_order: SpeechOrder
    priorities: Mapping[str, int]
    early_exit: bool
    notices: tuple[str, ...]
    second_round: SecondRound = "always"
    """An older design knows no other."""
    strict_order: bool = False
    scripted: bool = False
    """Whether the rehearsal plays a meeting that people wrote."""
    stronger: tuple[ResolvedModel, ...] = ()
    stronger_fallback: ResolvedModel | None = None
    estimate: Estimate = NO_ESTIMATE

    @property
    def has_stronger(self) -> bool:
        """Whether the third attempt is held with other models than the first."""
        return bool(self.stronger) or self.stronger_fallback is not None

    def stage(self, number: int) -> tuple[Seat, ...]:
        """The seats of a stage, in panel order."""
        return tuple(seat for seat in self.seats if seat.stage == number)

    def models_of(self, seat: Seat) -> tuple[ResolvedModel, ...]:
        """The seat's model and the one that may stand in for it."""
        names = [seat.model, *([seat.fallback] if seat.fallback else [])]
        return tuple(self.models[name] for name in names if name in self.models)


def no_extra_write(_: Connection) -> None:
    """Nothing else is to be written."""


@dataclass(frozen=True, slots=True)
class RequestedApproval:
    """An approval and the link to what its effect left behind, once it took place."""

    approval: Approval
    done: str = ""


class _ApprovalGate(Protocol):
    """Asks approvers before something leaves the run."""

    async def request(self, wanted: NewApproval) -> RequestedApproval:
        """Ask under the key of the request, or continue the earlier request with this key."""

    async def withdraw(self, approval_id: str, why: str) -> None:
        """Take a request back that nobody decided."""


LANGUAGE: Final = "language"
"""Under which name a run's request keeps the language of its server."""


class RunContext:
    """Everything the steps of one run share."""

    def __init__(self, run: Run, deps: Dependencies, gate: _ApprovalGate | None = None) -> None:
        self.run = run
        self.deps = deps
        self._gate = gate
        self.journal = Journal(deps.store, run.id, Actor.ORCHESTRATOR)
        self.call_budget = deps.call_budget(run)
        self.caller = ModelCaller(
            deps.store, self.journal, deps.registry, deps.late, self.call_budget
        )
        self.caller.attempt = max(1, run.attempt)
        self.caller.on_remark = _while_it_lives(self._remark)
        self.time = self._time_budget()
        self.place = Place(run.guild_id, run.output_channel_id, run.thread_id, run.anchor_id)
        self.placed = False
        """Whether the place is known to be open; another one is another meeting's."""
        self.design: Design | None = None
        self.context = ""
        self.grounding: asyncio.Task[None] | None = None
        """The search, once it was begun."""
        self.before_closing: Callable[[], Awaitable[None]] = _nothing_more
        self.decided = asyncio.Event()
        """Set when a person answered what the card asks."""
        self.concluding = asyncio.Event()
        """Set when a person asked for the conclusion: no further answer is waited for."""
        self.mask: Mask = UNMASKED
        self.drawn: DrawnPicture | None = None
        """The picture of who stood where, once it was drawn."""
        self._card = Card(run.id, run.topic, run.mode.value, CardText.OPENING)

    def cancel_grounding(self) -> None:
        """Stop a search that nobody will use."""
        if self.grounding is None:
            return
        if self.grounding.done() and not self.grounding.cancelled():
            self.grounding.exception()  # so that nobody reports it as never retrieved
        self.grounding.cancel()

    def _time_budget(self) -> TimeBudget:
        return TimeBudget(self.config.timeouts, validate=bool(self.run.request.get("validate")))

    def restart_clock(self) -> None:
        """Restart the run's clock: waiting for a person does not count."""
        self.time = self._time_budget()

    @property
    def gate(self) -> _ApprovalGate:
        """Where approvers are asked; what happens after a run needs none."""
        if self._gate is None:
            raise RuntimeError(f"{self.run.id} has nobody to ask for approval")
        return self._gate

    @property
    def config(self) -> PanelsConfig:
        """The configuration as the run's server sees it."""
        return self.deps.config(self.run.guild_id)

    @property
    def designed(self) -> Design:
        """The frozen design, which must be there."""
        if self.design is None:
            raise RuntimeError(f"{self.run.id} has no design yet")
        return self.design

    def begin_attempt(self, run: Run) -> None:
        """Restart with the clock of another attempt; the record is kept."""
        self.deps.late.abandon(run.id)
        self.run = run
        self.caller.attempt = max(1, run.attempt)
        self.time = self._time_budget()

    def start_over(self, run: Run) -> None:
        """Go through the same attempt again from what is recorded, as after a restart."""
        self.begin_attempt(run)
        self._card = Card(run.id, run.topic, run.mode.value, CardText.OPENING)

    def prompt(self, template: str, values: Mapping[str, str]) -> Prompt:
        """A prompt of this run, in the language that its server had set when it was started."""
        language = str(self.run.request.get(LANGUAGE) or "")
        return self.deps.book.render(template, values, self.run.id, language=language)

    def subject(self) -> dict[str, str]:
        """What stances or ballots are about, as prompts take it."""
        if self.run.mode is Mode.VOTE:
            return {"OPTIONS": "\n".join(self.designed.options)}
        return {"PROPOSITION": self.designed.proposition or self.run.topic}

    async def reach(
        self,
        target: Phase,
        reason: str,
        *,
        first: Write = no_extra_write,
        then: Write = no_extra_write,
    ) -> None:
        """Walk the main line up to a phase; a run that is already there stays.

        What is to be written before and after that shares the transaction.
        """
        store = self.deps.store
        run_id = self.run.id

        def work(conn: Connection) -> Run:
            first(conn)
            run = RunRepository(conn).require(run_id)
            while run.phase in _PATH and _PATH.index(run.phase) < _PATH.index(target):
                following = _PATH[_PATH.index(run.phase) + 1]
                now = store.now()
                run = move(conn, run_id, run.phase, following, Actor.ORCHESTRATOR, reason, now)
                if following is Phase.EXECUTION_READY:
                    actor, runtime = Actor.ORCHESTRATOR, self._runtime()
                    begun = AttemptRepository(conn).start(run_id, runtime, actor, now)
                    run = runs.with_attempt(run, begun.ordinal)
            then(conn)
            return run

        self.run = await store.write(work)

    def _runtime(self) -> str:
        """Where the work is done: by an external harness, if one has a seat, else here (B19)."""
        models = self.design.models.values() if self.design else ()
        return HARNESS if any(model.kind == HARNESS for model in models) else "local"

    async def say(self, post: Post) -> Sequence[Shown]:
        """Post once where the run lives."""
        return await self.deps.stage.say(self.run.id, self.place, self.mask.post(post))

    def speaker(self, seat: Seat, answered_model: str = "") -> Speaker:
        """A seat as it appears to people: its role, its face, and which model really spoke."""
        model = self.mask.model(answered_model or seat.model)
        design = self.designed
        note = MeetingText.speaker_note(model, rehearsal=design.rehearsal, scripted=design.scripted)
        return Speaker(name=seat.role, seat=seat.slug, face=seat.role, note=note)

    def note_price(self, estimate: Estimate) -> None:
        """Say on the card what the run will cost, before anything is paid."""
        if estimate.most_calls:
            self._card = replace(self._card, notices=(estimate_words(estimate),))

    async def open_card(self) -> None:
        """Post the card as the thread's first message."""
        await self.deps.stage.open_card(self.place, self.mask.card(self._card))

    def show(self, step: str | None = None, **changes: Any) -> None:
        """Put a new state on the card."""
        if step is not None:
            changes["step"] = step
        self._card = replace(self._card, **changes)
        self.deps.stage.update_card(self.mask.card(self._card))

    def notice(self, text: str) -> None:
        """Add one more thing to tell people on the card."""
        if text not in self._card.notices:
            self.show(notices=(*self._card.notices, text))

    def _remark(self, seat: str, text: str) -> None:
        """Tell people what the record says about a call."""
        seats = self.design.seats if self.design else ()
        role = next((entry.role for entry in seats if entry.slug == seat), "")
        self.notice(CardText.remark(role, text))

    def begin_round(self, name: str, roles: Sequence[str]) -> None:
        """Keep the round that was on the card in a line, and show who is asked in the next."""
        card = self._card
        over = PastRound(card.round, tuple(card.seats))
        models = {seat.role: seat.model for seat in self.designed.seats}
        seats = tuple(SeatRow(role, models[role], SeatState.THINKING) for role in roles)
        past = (*card.past, over) if card.round else card.past
        self.show(round=name, seats=seats, past=past, may_conclude=True)

    def drop_round(self) -> None:
        """Take the round off the card that was begun last; the one before is shown again."""
        *past, last = self._card.past
        self.show(round=last.name, seats=last.seats, past=tuple(past))

    def show_seat(self, role: str, state: SeatState, **changes: Any) -> None:
        """Change one seat's row on the card."""
        rows = [
            replace(row, state=state, **changes) if row.role == role else row
            for row in self._card.seats
        ]
        self.show(seats=tuple(rows))

    async def close_card(self, outcome: str, *, succeeded: bool) -> None:
        """Leave the card in its last state."""
        self._card = replace(self._card, running=False, outcome=outcome, succeeded=succeeded)
        await self.deps.stage.close_card(self.place, self.mask.card(self._card))


def _while_it_lives(remark: OnRemark) -> OnRemark:
    """Weak reference, so the callback does not keep the run alive."""
    heard = WeakMethod(remark)

    def tell(seat: str, text: str) -> None:
        living = heard()
        if living is not None:
            living(seat, text)

    return tell


async def _nothing_more() -> None:
    """A meeting without a waiter simply ends."""


class RunFailedError(Exception):
    """The attempt failed; the text says why in words for people.

    `asked` is how the keys of the calls begin that all failed.
    """

    def __init__(self, text: str, asked: str) -> None:
        super().__init__(text)
        self.asked = asked
