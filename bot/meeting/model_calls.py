"""Asks a model once: primary, then fallback, under one deadline; the outcome is recorded."""

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from bot.errors import AwayError
from bot.meeting.late_answers import LateAnswer, LateAnswers, late_key
from bot.meeting.questions import (
    HARNESS,
    CallAttempt,
    CallAttempts,
    CallResult,
    ModelCall,
    OnRemark,
    Parse,
    PlannedAttempt,
    answer_of,
    attempt_key,
    first_word_seconds,
    keep_session,
    may_ask_next,
    nobody_asked,
    origin_of,
    problem_of,
    result_of,
)
from bot.messages.attempts import SeatAnswerText
from bot.messages.store import StoreText
from bot.models.collect import NOBODY, Asides, Live
from bot.models.registry import ModelRegistry
from bot.money.call_budget import CallBudget, prompt_tokens
from bot.money.estimate import NOTHING, Amount, CallGrant, tokens_in, tokens_of
from bot.panels import ResolvedModel
from bot.prompting.short_answers import is_empty_answer
from bot.record.answer_codec import Reading, session_label
from bot.store.engine.store import Store
from bot.store.log import events
from bot.store.log.events import Draft, EventType
from bot.store.log.journal import Journal, Noted
from bot.store.repositories import calls
from bot.store.repositories.answers import AnswerRepository, StoredAnswer
from bot.store.repositories.calls import CallRepository
from bot.store.vocabulary import Actor, CallStatus
from bot.types.model_port import Answer, ErrorKind, FailedAttempt, ModelError, Origin

_log = logging.getLogger(__name__)

_BRIEFLY_AWAY = 5.0
"""A database that is away for longer lets the run begin again from what is recorded."""

__all__ = ["CallResult", "ModelCall", "ModelCaller", "Reading", "attempt_key"]


class ModelCaller:
    """Makes the calls of one run; a recorded call is never made again.

    A later attempt of the run keeps the answers of earlier ones and repeats, under a key of its
    own, only what failed.
    """

    def __init__(
        self,
        store: Store,
        journal: Journal,
        registry: ModelRegistry,
        late: LateAnswers,
        call_budget: CallBudget,
    ) -> None:
        self._store = store
        self._journal = journal
        self._registry = registry
        self._late = late
        self._call_budget = call_budget
        self.attempt = 1
        self.on_remark: OnRemark = lambda _seat, _text: None

    async def ask(self, ask: ModelCall, parse: Parse, live: Live = NOBODY) -> CallResult:
        """Return the recorded outcome of this call, or make it now; remarks are passed on."""
        reply = await self._ask(ask, parse, live)
        for remark in reply.remarks:
            self.on_remark(ask.seat, remark)
        return reply

    async def _ask(self, ask: ModelCall, parse: Parse, live: Live) -> CallResult:
        for number in range(1, self.attempt):
            key = attempt_key(ask.key, number)
            payload = await self._journal.recorded(EventType.CALL_DONE, key)
            if payload is not None and payload["status"] == CallStatus.OK:
                return await self._reply(key, payload)
        if self.attempt > 1:
            ask = replace(ask, key=attempt_key(ask.key, self.attempt))
        return await self._ask_once(ask, parse, live)

    async def answered(self, key: str) -> bool:
        """Whether the call has an answer, from this attempt or from an earlier one."""
        for number in range(1, self.attempt + 1):
            done = await self._journal.recorded(EventType.CALL_DONE, attempt_key(key, number))
            if done is not None and done["status"] == CallStatus.OK:
                return True
        return False

    async def _ask_once(self, ask: ModelCall, parse: Parse, live: Live) -> CallResult:
        tries = CallAttempts()

        async def work() -> CallAttempts:
            await self._try_models(ask, tries, parse, live)
            gathered = await _gathered(ask, tries)
            tries.answer = answer_of(self._journal.run_id, ask, tries.made, parse, gathered)
            return tries

        def record(conn: Connection, tries: CallAttempts) -> Noted:
            beside = _progress(ask) if ask.seat and tries.answer else ()
            tries.recorded = self._record(conn, ask, tries)
            return Noted(tries.recorded, beside)

        try:
            payload = await self._journal.once(EventType.CALL_DONE, ask.key, work, record)
        finally:
            self._call_budget.settled(tries.held, tries.charged, lingers=tries.lingers)
        if tries.answer is not None and payload == tries.recorded:
            return result_of(payload, tries.answer)
        return await self._reply(ask.key, payload)

    async def _reply(self, key: str, payload: Mapping[str, Any]) -> CallResult:
        run_id = self._journal.run_id
        answer = await self._store.read(lambda conn: AnswerRepository(conn).get(run_id, key))
        return result_of(payload, answer)

    async def _try_models(
        self, ask: ModelCall, tries: CallAttempts, parse: Parse, live: Live
    ) -> None:
        """Go to the next model at once on an error, never after a timeout (2.2#24).

        A model that has not begun when half of the time is over counts as an error. Time in a
        provider's queue is given back, for the seat could not use it.
        """
        whole = ask.seconds + _loading_seconds(ask, self._registry)
        deadline = time.monotonic() + whole
        for model in ask.models:
            left = deadline - time.monotonic()
            asked_at = time.monotonic()
            granted = await self._pay_for(ask, model, tries, patience=left) if left > 0 else None
            if granted is None:
                break
            # Time spent waiting for a budget reservation does not count against the call.
            deadline += time.monotonic() - asked_at
            left = deadline - time.monotonic()
            origin = await self._origin(ask, model)
            now, written = self._store.now(), granted.output_tokens
            first = first_word_seconds(model, ask, left, whole)
            question = PlannedAttempt(ask, model, left, parse, now, origin, written, first)
            last = await self._try_one(question, tries, live)
            tries.made.append(last)
            deadline += last.asides.settle()
            if last.error is None or not may_ask_next(last.error, deadline, whole):
                break

    async def _pay_for(
        self,
        ask: ModelCall,
        model: ResolvedModel,
        tries: CallAttempts,
        *,
        lost: Amount = NOTHING,
        written: int | None = None,
        patience: float = 0.0,
    ) -> CallGrant | None:
        """Reserve the price of a call before it is made, beside what earlier tries have cost."""
        granted = await self._call_budget.reserve(
            model,
            ask.purpose,
            prompt_tokens(ask.prompt.messages),
            charged=tries.charged + lost,
            held=tries.held,
            written=written,
            essential=ask.essential,
            patience=patience,
        )
        if granted is None:
            tries.refused = self._call_budget.obstacle
        else:
            tries.held += granted.held
        return granted

    async def _try_one(
        self, question: PlannedAttempt, tries: CallAttempts, live: Live
    ) -> CallAttempt:
        ask, model, started = question.ask, question.model, question.started_at
        asides = Asides(live.on_note)

        async def repeated(failed: FailedAttempt) -> bool:
            """Whether there is money for one more try, beside what this one has cost."""
            now = self._store.now()
            lost = CallAttempt(model, now - failed.seconds, now, None, failed.error, failed.usage)
            self._billed(ask, lost)
            cost, most = lost.bill.charged, question.output_tokens
            if await self._pay_for(ask, model, tries, lost=cost, written=most) is None:
                return False
            tries.made.append(lost)
            return True

        async def keep_late(answer: Answer) -> None:
            heard = CallAttempt(model, started, self._store.now(), answer, None, answer.usage)
            late, number = self._billed(ask, heard), tries.late_number
            await self._store.write(lambda conn: self._record_late(conn, question, number, late))

        late = LateAnswer(keep_late, tries.linger, lambda: self._call_budget.heard_out(tries.held))
        run_id, asked = self._journal.run_id, question.request(repeated, self._require_database)
        try:
            port = self._registry.port(model.provider)
            answer = await self._late.hear(run_id, port, asked, live.on_words, late, asides)
        except ModelError as error:
            lost = CallAttempt(model, started, self._store.now(), None, error, error.usage, asides)
            return self._billed(ask, lost)
        self._registry.loading.answered(model.provider, model.wire_model)
        silence = None
        if question.ask.must_speak and is_empty_answer(answer.text):
            silence = ModelError(ErrorKind.BAD_OUTPUT, SeatAnswerText.said_nothing(model.key))
        said = CallAttempt(model, started, self._store.now(), answer, silence, answer.usage, asides)
        return self._billed(ask, said)

    async def _require_database(self) -> None:
        """Let no call out that another process may have made by now, as after a long stop."""
        try:
            async with asyncio.timeout(_BRIEFLY_AWAY):
                await self._store.holding.wait()
        except TimeoutError as error:
            raise AwayError(StoreText.unreachable(StoreText.OUR_DATABASE)) from error

    async def _origin(self, ask: ModelCall, model: ResolvedModel) -> Origin:
        """The origin of a call; for a harness also the attempt and its session."""
        run_id = self._journal.run_id
        label = session_label(ask.key, ask.seat)
        if model.kind != HARNESS:
            return Origin(run_id, seat=ask.seat, label=label)
        found = await self._store.read(
            lambda conn: origin_of(
                conn, run_id, ask.seat, model.provider, builds=ask.gather is not None
            )
        )
        return replace(found, label=label)

    def _record_late(
        self, conn: Connection, question: PlannedAttempt, number: int, tried: CallAttempt
    ) -> None:
        """Store a late answer under a key of its own, so that no round ever finds it."""
        run_id, ask = self._journal.run_id, question.ask
        before = CallRepository(conn).note_late(self._call_row(ask, number, tried))
        more = Amount(-before.charged_usd, -before.charged_tokens) if before else NOTHING
        self._call_budget.settle_in(conn, tried.bill.charged + more)
        row = answer_of(run_id, ask, [tried], question.parse)
        if row is not None:
            _saved(conn, ask, replace(row, key=late_key(ask.key), late=True))
        payload = {
            "model": tried.model.key,
            "seconds": round(tried.finished_at - tried.started_at, 3),
            "after_seconds": question.seconds,
        }
        actor, now = Actor.ORCHESTRATOR, self._store.now()
        events.append(conn, run_id, EventType.CALL_LATE, ask.key, actor, payload, now)

    def _billed(self, ask: ModelCall, attempt: CallAttempt) -> CallAttempt:
        attempt.bill = self._call_budget.bill(
            attempt.model,
            attempt.usage,
            attempt.error.kind if attempt.error else None,
            read=prompt_tokens(ask.prompt.messages),
            written=_tokens_written(attempt),
        )
        if attempt.usage is not None and attempt.usage.odd:
            _log.warning("%s: %s reported impossible usage", ask.key, attempt.model.key)
        return attempt

    def _record(self, conn: Connection, ask: ModelCall, tries: CallAttempts) -> Mapping[str, Any]:
        for number, attempt in enumerate(tries.made, 1):
            CallRepository(conn).record(self._call_row(ask, number, attempt))
            if ask.seat and attempt.asides.session:
                kept = (attempt.model.provider, attempt.asides.session)
                keep_session(conn, self._journal.run_id, ask.seat, *kept, attempt.finished_at)
        self._call_budget.settle_in(conn, tries.charged)
        if not tries.made:
            return nobody_asked(ask, tries.refused)
        if tries.answer is not None:
            tries.answer = _saved(conn, ask, tries.answer)
        last = tries.made[-1]
        label, run_id = session_label(ask.key, ask.seat), self._journal.run_id
        _log.info("%s: session %s: %s is %s", run_id, label, ask.key, last.status.value)
        return {
            "status": last.status,
            "seat": ask.seat,
            "model": last.model.key,
            "answered_model": last.answer.model if last.answer else "",
            "seconds": round(last.finished_at - tries.made[0].started_at, 3),
            "problem": problem_of(last, ask),
            "odd_usage": any(t.usage is not None and t.usage.odd for t in tries.made),
            "remarks": list(dict.fromkeys(text for t in tries.made for text in t.asides.remarks)),
        }

    def _call_row(self, ask: ModelCall, number: int, attempt: CallAttempt) -> calls.Call:
        usage = attempt.usage
        return calls.Call(
            run_id=self._journal.run_id,
            person_id=self._call_budget.person_id,
            guild_id=self._call_budget.guild_id,
            key=ask.key,
            purpose=ask.purpose,
            seat=ask.seat or None,
            attempt=number,
            provider=attempt.model.provider,
            model=attempt.model.key,
            answered_model=attempt.answer.model if attempt.answer else "",
            input_tokens=usage.input_tokens if usage else None,
            output_tokens=usage.output_tokens if usage else None,
            cached_tokens=usage.cached_tokens if usage else None,
            cost_usd=attempt.bill.cost_usd,
            charged_usd=attempt.bill.charged.usd,
            charged_tokens=attempt.bill.charged.tokens,
            status=attempt.status,
            error_kind=attempt.error.kind.value if attempt.error else "",
            error_text=str(attempt.error) if attempt.error else "",
            started_at=attempt.started_at,
            finished_at=attempt.finished_at,
        )


def _progress(ask: ModelCall) -> tuple[Draft, ...]:
    """A seat's answer is progress that a restart continues from, recorded with its author (B39)."""
    seat = {"seat": ask.seat, "round": ask.round}
    return (Draft(EventType.ATTEMPT_CHECKPOINT, f"answer:{ask.key}", Actor.EXECUTOR, seat),)


def _saved(conn: Connection, ask: ModelCall, answer: StoredAnswer) -> StoredAnswer:
    """Store an answer; returns what is left of it after what was withdrawn meanwhile is gone."""
    AnswerRepository(conn).save(answer)
    if ask.after_saving is None:
        return answer
    ask.after_saving(conn)
    return AnswerRepository(conn).get(answer.run_id, answer.key) or answer


async def _gathered(ask: ModelCall, tries: CallAttempts) -> Mapping[str, Any]:
    """What the model produced beside its text, stored together with it."""
    last = tries.made[-1] if tries.made else None
    if ask.gather is None or last is None or last.answer is None or last.error is not None:
        return {}
    return await ask.gather(last.model)


def _tokens_written(attempt: CallAttempt) -> int:
    """What a try wrote, also when it was lost on the way."""
    if attempt.answer is not None:
        return tokens_of(attempt.answer.text)
    return tokens_in(attempt.error.chars_written) if attempt.error else 0


def _loading_seconds(ask: ModelCall, registry: ModelRegistry) -> float:
    """A local model that must be loaded first gets extra time."""
    first = ask.models[:1]
    return sum(registry.loading.extra_seconds(model.provider, model.wire_model) for model in first)
