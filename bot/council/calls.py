"""Asks a model once: primary, then fallback, under one deadline; the outcome is recorded."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection

from bot.council.late import LINGER_SECONDS, LateAnswers, late_key
from bot.council.outside_sessions import HARNESS, ON_THIS_MACHINE, keep_session, origin_of
from bot.models.asides import NOBODY, Asides, Live
from bot.models.desk import ModelDesk
from bot.models.port import Answer, ErrorKind, ModelError, ModelRequest, Origin, Prompt
from bot.panels import ResolvedModel
from bot.prompting.followup import is_empty_answer
from bot.store import Actor, answers, attempts, calls, events
from bot.store.engine import Store
from bot.store.events import EventType
from bot.store.journal import Journal
from bot.store.vocabulary import CallStatus

Parse = Callable[[str], "Reading"]
OnRemark = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read out of an answer, as the store keeps it."""

    digest: str = ""
    stance: str = ""
    parsed: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to one model, under a key made of names."""

    key: str
    purpose: str
    prompt: Prompt
    seconds: float
    models: Sequence[ResolvedModel]
    seat: str = ""
    round: int = 0
    must_speak: bool = False
    """Whether an answer that says nothing, such as NO_REPLY, is a failure (2.2#50)."""


@dataclass(frozen=True, slots=True)
class Reply:
    """How a question ended: an answer, or why there is none."""

    status: CallStatus
    model: str
    answered_model: str
    seconds: float
    problem: str = ""
    answer: answers.StoredAnswer | None = None
    remarks: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is an answer."""
        return self.status is CallStatus.OK


@dataclass(frozen=True, slots=True)
class _Try:
    model: ResolvedModel
    started_at: float
    finished_at: float
    answer: Answer | None = None
    error: ModelError | None = None
    asides: Asides = field(default_factory=Asides)


@dataclass(frozen=True, slots=True)
class _Asked:
    tries: list[_Try]
    answer: answers.StoredAnswer | None


@dataclass(frozen=True, slots=True)
class _Question:
    """One try of a question: whom it is put to, and how long somebody waits."""

    ask: Ask
    number: int
    model: ResolvedModel
    seconds: float
    parse: Parse
    started_at: float
    origin: Origin

    @property
    def request(self) -> ModelRequest:
        return ModelRequest(
            self.model.wire_model,
            self.ask.prompt,
            self.ask.key,
            self.seconds,
            linger_seconds=0.0 if self.model.kind in ON_THIS_MACHINE else LINGER_SECONDS,
            origin=self.origin,
        )


class Caller:
    """Makes the calls of one run; what is recorded is never asked again.

    A later attempt of the run keeps the answers of earlier ones and asks anew, under a key of its
    own, only what failed.
    """

    def __init__(self, store: Store, journal: Journal, desk: ModelDesk, late: LateAnswers) -> None:
        self._store = store
        self._journal = journal
        self._desk = desk
        self._late = late
        self.attempt = 1
        self.on_remark: OnRemark = lambda _seat, _text: None

    async def ask(self, ask: Ask, parse: Parse, live: Live = NOBODY) -> Reply:
        """Return the recorded outcome of this question, or ask it now; remarks are told on."""
        reply = await self._ask(ask, parse, live)
        for remark in reply.remarks:
            self.on_remark(ask.seat, remark)
        return reply

    async def _ask(self, ask: Ask, parse: Parse, live: Live) -> Reply:
        for number in range(1, self.attempt):
            key = attempt_key(ask.key, number)
            payload = await self._journal.recorded(EventType.CALL_DONE, key)
            if payload is not None and payload["status"] == CallStatus.OK:
                return await self._reply(key, payload)
        return await self._ask_once(
            replace(ask, key=attempt_key(ask.key, self.attempt)), parse, live
        )

    async def _ask_once(self, ask: Ask, parse: Parse, live: Live) -> Reply:
        async def work() -> _Asked:
            tries = await self._try_models(ask, parse, live)
            return _Asked(tries, _answer(self._journal.run_id, ask, tries, parse))

        def record(conn: Connection, asked: _Asked) -> Mapping[str, Any]:
            return self._record(conn, ask, asked)

        done = await self._journal.do_once(EventType.CALL_DONE, ask.key, work, record)
        if done.result is None:
            return await self._reply(ask.key, done.payload)
        return _reply(done.payload, done.result.answer)

    async def _reply(self, key: str, payload: Mapping[str, Any]) -> Reply:
        run_id = self._journal.run_id
        answer = await self._store.read(lambda conn: answers.get(conn, run_id, key))
        return _reply(payload, answer)

    async def _try_models(self, ask: Ask, parse: Parse, live: Live) -> list[_Try]:
        """Go to the next model at once on an error, never after a timeout (2.2#24).

        Time in a provider's queue is given back, for the seat could not use it.
        """
        deadline = time.monotonic() + ask.seconds + _loading_seconds(ask, self._desk)
        tries: list[_Try] = []
        for model in ask.models:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            origin = await self._origin(ask, model)
            question = _Question(ask, len(tries) + 1, model, left, parse, self._store.now(), origin)
            tries.append(await self._try_one(question, live))
            deadline += tries[-1].asides.settle()
            error = tries[-1].error
            if error is None or error.kind is ErrorKind.TIMEOUT:
                break
        return tries

    async def _try_one(self, question: "_Question", live: Live) -> _Try:
        model, started = question.model, question.started_at
        asides = Asides(live.on_note)

        async def keep_late(answer: Answer) -> None:
            late = _Try(model, started, self._store.now(), answer)
            await self._store.write(lambda conn: self._record_late(conn, question, late))

        run_id, asked = self._journal.run_id, question.request
        try:
            port = self._desk.port(model.provider)
            answer = await self._late.hear(run_id, port, asked, live.on_words, keep_late, asides)
        except ModelError as error:
            return _Try(model, started, self._store.now(), error=error, asides=asides)
        self._desk.loading.answered(model.provider, model.wire_model)
        silence = None
        if question.ask.must_speak and is_empty_answer(answer.text):
            silence = ModelError(ErrorKind.BAD_OUTPUT, f"{model.key} said nothing.")
        return _Try(model, started, self._store.now(), answer, silence, asides)

    async def _origin(self, ask: Ask, model: ResolvedModel) -> Origin:
        """Who asks; a harness is also told the attempt, and the session it kept."""
        run_id = self._journal.run_id
        if model.kind != HARNESS:
            return Origin(run_id, seat=ask.seat)
        return await self._store.read(
            lambda conn: origin_of(conn, run_id, ask.seat, model.provider)
        )

    def _record_late(self, conn: Connection, question: "_Question", tried: _Try) -> None:
        """Keep a late answer under a key of its own, so that no round ever finds it."""
        run_id, ask = self._journal.run_id, question.ask
        calls.note_late(conn, _call_row(run_id, ask, question.number, tried))
        row = _answer(run_id, ask, [tried], question.parse)
        if row is not None:
            answers.save(conn, replace(row, key=late_key(ask.key), late=True))
        payload = {
            "model": tried.model.key,
            "seconds": round(tried.finished_at - tried.started_at, 3),
            "after_seconds": question.seconds,
        }
        actor, now = Actor.ORCHESTRATOR, self._store.now()
        events.append(conn, run_id, EventType.CALL_LATE, ask.key, actor, payload, now)

    def _checkpoint(self, conn: Connection, ask: Ask) -> None:
        """A seat's answer is progress that a restart goes on from, noted by who worked (B39)."""
        if ask.seat:
            run_id, seat = self._journal.run_id, {"seat": ask.seat, "round": ask.round}
            key, now = f"answer:{ask.key}", self._store.now()
            attempts.checkpoint(conn, run_id, key, seat, Actor.EXECUTOR, now)

    def _record(self, conn: Connection, ask: Ask, asked: _Asked) -> Mapping[str, Any]:
        run_id = self._journal.run_id
        for number, attempt in enumerate(asked.tries, 1):
            calls.record(conn, _call_row(run_id, ask, number, attempt))
            if ask.seat and attempt.asides.session:
                kept = (attempt.model.provider, attempt.asides.session)
                keep_session(conn, run_id, ask.seat, *kept, attempt.finished_at)
        if not asked.tries:
            return _nobody(ask)
        if asked.answer is not None:
            answers.save(conn, asked.answer)
            self._checkpoint(conn, ask)
        last = asked.tries[-1]
        return {
            "status": _status(last),
            "model": last.model.key,
            "answered_model": last.answer.model if last.answer else "",
            "seconds": round(last.finished_at - asked.tries[0].started_at, 3),
            "problem": _problem(last, ask),
            "remarks": list(dict.fromkeys(text for t in asked.tries for text in t.asides.remarks)),
        }


def _loading_seconds(ask: Ask, desk: ModelDesk) -> float:
    """A model that must be loaded first, on this machine, gets the time for it on top."""
    first = ask.models[:1]
    return sum(desk.loading.extra_seconds(model.provider, model.wire_model) for model in first)


def attempt_key(key: str, attempt: int) -> str:
    """The key of a question in an attempt; the first attempt's has no number."""
    return key if attempt <= 1 else f"{key}@{attempt}"


def _status(attempt: _Try) -> CallStatus:
    if attempt.error is None:
        return CallStatus.OK
    return CallStatus.TIMEOUT if attempt.error.kind is ErrorKind.TIMEOUT else CallStatus.FAILED


def _nobody(ask: Ask) -> Mapping[str, Any]:
    """The outcome when no model could even be tried."""
    return {
        "status": CallStatus.FAILED,
        "model": ask.models[0].key if ask.models else "",
        "answered_model": "",
        "seconds": 0.0,
        "problem": "no model was usable in time",
    }


def _problem(attempt: _Try, ask: Ask) -> str:
    if attempt.error is None:
        return ""
    if attempt.error.kind is ErrorKind.TIMEOUT:
        return f"timeout after {ask.seconds:g} s"
    return f"{attempt.error.kind}: {attempt.error}"


def _call_row(run_id: str, ask: Ask, number: int, attempt: _Try) -> calls.Call:
    usage = attempt.answer.usage if attempt.answer else None
    return calls.Call(
        run_id=run_id,
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
        cost_usd=usage.cost_usd if usage else None,
        status=_status(attempt),
        error_kind=attempt.error.kind.value if attempt.error else "",
        error_text=str(attempt.error) if attempt.error else "",
        started_at=attempt.started_at,
        finished_at=attempt.finished_at,
    )


def _answer(
    run_id: str, ask: Ask, tries: Sequence[_Try], parse: Parse
) -> answers.StoredAnswer | None:
    """The answer of the last try, read, as the store will give it back; None if there is none."""
    last = tries[-1] if tries else None
    if last is None or last.answer is None or last.error is not None:
        return None
    reading = parse(last.answer.text)
    return answers.as_stored(
        answers.StoredAnswer(
            run_id=run_id,
            key=ask.key,
            seat=ask.seat,
            round=ask.round,
            text=last.answer.text,
            digest=reading.digest,
            stance=reading.stance,
            parsed=reading.parsed,
            late=False,
            created_at=last.finished_at,
        )
    )


def _reply(payload: Mapping[str, Any], answer: answers.StoredAnswer | None) -> Reply:
    return Reply(
        status=CallStatus(payload["status"]),
        model=payload["model"],
        answered_model=payload["answered_model"],
        seconds=payload["seconds"],
        problem=payload["problem"],
        answer=answer,
        remarks=tuple(payload.get("remarks", ())),
    )
