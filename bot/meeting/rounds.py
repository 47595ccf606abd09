"""A round: every seat is asked at once, and the answers are posted one at a time in order."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from typing import Any

from bot.measures.speech_order import post_order, shuffled
from bot.meeting.context import RunContext
from bot.meeting.design.decision import HYBRID
from bot.meeting.questions import CallResult, ModelCall
from bot.meeting.run_thread import show_cost
from bot.messages.attempts import SeatAnswerText
from bot.messages.conclusion import ValidationText
from bot.messages.meeting import CardText
from bot.models.collect import Live
from bot.prompting.filling import MissingValue
from bot.prompting.text import label_voices
from bot.record.answer_codec import Reading, read_critique, read_opening
from bot.record.record import RunRecord, Speech
from bot.stage.port import Post, SeatState, Shown
from bot.store import CallStatus, EventType
from bot.store.repositories.seats import Seat
from bot.threads.driver import ThreadDriver
from bot.threads.threads import RoundFloor, floor_for_rounds, open_floor, round_floor


def peer_order(
    reader: str, roles: Iterable[str], seed: int | str, round_number: int
) -> tuple[str, ...]:
    """The other roles, shuffled for this reader so that nobody is always read first."""
    others = (role for role in dict.fromkeys(roles) if role != reader)
    return shuffled(others, "peers", seed, round_number, reader)


def labelled_digests(digests: Mapping[str, str]) -> dict[str, str]:
    """The digests by role as others read them, each under its label; empty ones are left out."""
    return {role: label_voices([(role, text)]) for role, text in digests.items() if text.strip()}


def peer_digests(
    reader: str, labelled: Mapping[str, str], seed: int | str, round_number: int
) -> str:
    """The value of PEER_DIGESTS for one reader; empty when no peer has a digest (E112)."""
    order = peer_order(reader, labelled, seed, round_number)
    return "\n\n".join([labelled[role] for role in order])


_OPENING = "round1"
CRITIQUE = "round2-cross-critique"
_SECOND_STAGE = "s2"
_HELD_BACK = "held-back:"
TURN_SECONDS = 20.0
"""How long a slow seat may keep others from speaking that are ready."""

_Values = Callable[[Seat], Mapping[str, str]]
_Read = Callable[[Seat, str], Reading]


@dataclass(frozen=True, slots=True)
class Round:
    """What a round asks of whom: its name in keys, its prompt, and how answers are read."""

    name: str
    number: int
    template: str
    seats: tuple[Seat, ...]
    values: _Values
    read: _Read


def round_name(number: int) -> str:
    """What a round is called in keys."""
    return f"r{number}"


def opening_round(ctx: RunContext, floor: str) -> Round:
    """Round 1: the same question for all, blind; in a hybrid each seat has its own task."""

    def values(seat: Seat) -> Mapping[str, str]:
        return _common(ctx, seat, 1, floor) | {"CURRENT_CONTEXT": ctx.context}

    return Round(round_name(1), 1, _OPENING, ctx.designed.stage(1), values, _opening_reader(ctx))


def critique_round(ctx: RunContext, number: int, record: RunRecord, floor: str) -> Round:
    """A later round: each reads the others' digests by role, in an order of its own."""
    standing = still_speaking(record, number - 1)
    digests = {speech.seat.role: speech.digest for speech in standing}
    labelled = labelled_digests(digests)
    slugs = {speech.seat.slug for speech in standing}
    seats = tuple(seat for seat in ctx.designed.stage(1) if seat.slug in slugs)

    def values(seat: Seat) -> Mapping[str, str]:
        return _common(ctx, seat, number, floor) | {
            "SELF_DIGEST": digests[seat.role],
            "PEER_DIGESTS": peer_digests(seat.role, labelled, ctx.run.seed, number),
            "ROLLING_SUMMARY": record.summary_before(number - 1),
        }

    def read(seat: Seat, text: str) -> Reading:
        peers = [role for role in digests if role != seat.role]
        options = ctx.designed.options
        return read_critique(text, seat.role, peers, ctx.run.mode, options, digests[seat.role])

    return Round(round_name(number), number, CRITIQUE, seats, values, read)


def second_stage(ctx: RunContext, record: RunRecord, floor: str) -> Round:
    """Stage 2 of a sequential or hybrid workflow: it gets everything stage 1 wrote, whole."""
    number = max((speech.round for speech in record.speeches if speech.stage == 1), default=0) + 1
    outputs = _outputs(record)

    def values(seat: Seat) -> Mapping[str, str]:
        return _common(ctx, seat, number, floor) | {
            "MAX_ROUNDS": str(number),
            "CURRENT_CONTEXT": ctx.context,
            "STAGE_1_OUTPUTS": outputs,
        }

    seats = ctx.designed.stage(2)
    return Round(_SECOND_STAGE, number, _OPENING, seats, values, _opening_reader(ctx))


def _outputs(record: RunRecord) -> str:
    """What each seat of stage 1 wrote, all its rounds: a critique alone lacks the proposal."""
    written: dict[str, list[str]] = {}
    for speech in record.speeches:
        if speech.stage == 1 and speech.spoke:
            written.setdefault(speech.seat.role, []).append(speech.text)
    return label_voices(
        (f"STAGE 1 OUTPUT from {role}", "\n\n".join(texts)) for role, texts in written.items()
    )


def still_speaking(record: RunRecord, after: int) -> list[Speech]:
    """The latest speeches of the seats that answered every round so far and have a digest."""
    return [
        speech
        for speech in record.speeches
        if speech.stage == 1
        and speech.round == after
        and speech.spoke
        and speech.digest
        and all(s.spoke for s in record.speeches if s.seat == speech.seat and s.round < after)
    ]


async def hold_round(ctx: RunContext, round_: Round) -> None:
    """Ask all seats in parallel and post each answer when its turn comes."""
    ctx.begin_round(_title(round_), _roles_of(round_.seats))
    asking = {
        seat.role: asyncio.create_task(_ask_in_time(ctx, round_, seat)) for seat in round_.seats
    }
    by_role = {seat.role: seat for seat in round_.seats}
    order = _order(ctx, round_)
    keys = [by_role[role].session_key for role in order or asking]
    try:
        in_order = order is not None and _is_strict(ctx)
        turns = aclosing(_turns(ctx, order, asking))
        floor = round_floor(_floor(ctx), keys, in_order=in_order)
        async with turns as roles:
            async for role in roles:
                reply = await asking[role]
                posting = _post(ctx, round_, floor, by_role[role], reply)
                await asyncio.gather(posting, show_cost(ctx))
    finally:
        for task in asking.values():
            task.cancel()
        await asyncio.gather(*asking.values(), return_exceptions=True)


def floor_of_rounds(ctx: RunContext) -> AbstractAsyncContextManager[None]:
    """Keep the floor for the rounds that are held inside."""
    return floor_for_rounds(lambda: _floor(ctx))


def _title(round_: Round) -> str:
    return CardText.STAGE_2 if round_.name == _SECOND_STAGE else CardText.round_title(round_.number)


def _floor(ctx: RunContext) -> ThreadDriver:
    design, deps = ctx.designed, ctx.deps
    panel = ctx.mask.seats(design.seats)
    return open_floor(deps.threads, ctx.config, ctx.run, panel)


def _order(ctx: RunContext, round_: Round) -> tuple[str, ...] | None:
    design = ctx.designed
    roles = _roles_of(round_.seats)
    if ctx.mask:
        return ctx.mask.order(roles)
    return post_order(design.speech_order, roles, design.priorities, ctx.run.seed, round_.number)


def _is_strict(ctx: RunContext) -> bool:
    """Who is slow gives a model away, so the seats of a masked panel keep to their order."""
    return ctx.designed.strict_order or bool(ctx.mask)


_Asking = Mapping[str, "asyncio.Task[CallResult]"]


async def _as_ready(asking: _Asking, waiting: Sequence[str]) -> str:
    """The first of those still waiting that has an answer or has failed."""
    await asyncio.wait([asking[role] for role in waiting], return_when=asyncio.FIRST_COMPLETED)
    return next(role for role in waiting if asking[role].done())


async def _turns(
    ctx: RunContext, order: Sequence[str] | None, asking: _Asking
) -> AsyncGenerator[str, None]:
    """Whose answer is shown next; a slow seat delays its own slot until its timeout only.

    Unless the order is strict, those that are ready go first once a seat was waited for too long.
    """
    waiting = list(order or sorted(asking))
    patience: dict[str, asyncio.Future[None]] = {}
    try:
        while waiting:
            if order is not None and not asking[waiting[0]].done():
                await _wait_for_turn(ctx, waiting[0], asking, patience)
            role = await _as_ready(asking, waiting)
            waiting.remove(role)
            yield role
    finally:
        for left in patience.values():
            left.cancel()


async def _wait_for_turn(
    ctx: RunContext, role: str, asking: _Asking, patience: dict[str, "asyncio.Future[None]"]
) -> None:
    """Give the seat whose turn it is its time, once; it is over when it answers."""
    if _is_strict(ctx):
        await asyncio.wait([asking[role]])
        return
    if role not in patience:
        patience[role] = asyncio.ensure_future(ctx.deps.sleep(TURN_SECONDS))
    either: tuple[asyncio.Future[Any], ...] = (asking[role], patience[role])
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)


async def _ask_in_time(ctx: RunContext, round_: Round, seat: Seat) -> CallResult:
    """The seat's answer, unless somebody asks for the conclusion before it is there."""
    if not ctx.concluding.is_set():
        asking = asyncio.create_task(_ask(ctx, round_, seat))
        concluding = asyncio.create_task(ctx.concluding.wait())
        try:
            await asyncio.wait((asking, concluding), return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                return asking.result()
        finally:
            for task in (asking, concluding):
                task.cancel()
            await asyncio.gather(asking, concluding, return_exceptions=True)
    if await ctx.caller.answered(f"{round_.name}:{seat.slug}"):
        return await _ask(ctx, round_, seat)  # it is recorded, so nobody is asked again
    problem = SeatAnswerText.NOT_WAITED_FOR
    return CallResult(CallStatus.FAILED, seat.model, "", 0.0, problem)


async def _ask(ctx: RunContext, round_: Round, seat: Seat) -> CallResult:
    try:
        prompt = ctx.prompt(round_.template, round_.values(seat))
    except MissingValue as error:
        return CallResult(
            CallStatus.FAILED, seat.model, "", 0.0, ValidationText.is_missing(error.placeholder)
        )
    models = ctx.designed.models_of(seat)
    ask = ModelCall(
        key=f"{round_.name}:{seat.slug}",
        purpose=round_.template,
        prompt=prompt,
        seconds=ctx.time.cap(ctx.config.timeouts.round, models),
        models=models,
        seat=seat.slug,
        round=round_.number,
        must_speak=True,
    )

    def on_words(words: int) -> None:
        ctx.show_seat(seat.role, SeatState.THINKING, words=words)

    def on_note(note: str) -> None:
        ctx.show_seat(seat.role, SeatState.THINKING, note=note)

    live = Live(on_words, on_note)
    reply = await ctx.caller.ask(ask, lambda text: round_.read(seat, text), live)
    stand_in = reply.model if reply.ok and reply.model != seat.model else ""
    state = SeatState.READY if reply.ok else _bad_state(reply)
    ctx.show_seat(seat.role, state, note="", stand_in=stand_in)
    return reply


async def _post(
    ctx: RunContext, round_: Round, floor: RoundFloor, seat: Seat, reply: CallResult
) -> None:
    if reply.answer is None:
        floor.skip(seat.session_key, reply.problem)
        ctx.show_seat(seat.role, _bad_state(reply), note=reply.problem)
        return
    text = str(reply.answer.parsed.get("public") or reply.answer.text)
    speaker = ctx.speaker(seat, reply.answered_model)
    post = Post(f"{round_.name}:{seat.slug}", speaker, text)
    if not floor.fails_open and await _was_held_back(ctx, post):
        floor.skip(seat.session_key, SeatAnswerText.HELD_BACK)
        _show_held_back(ctx, seat)
        return
    shown: list[Shown] = []

    async def say() -> tuple[int, ...]:
        shown.extend(await ctx.say(post))
        return tuple(part.message_id for part in shown)

    if await floor.speak(seat.session_key, text, say):
        ctx.show_seat(seat.role, SeatState.SPOKE, message_url=shown[0].url, words=0)
    else:
        await _hold_back(ctx, post)
        _show_held_back(ctx, seat)


async def _was_held_back(ctx: RunContext, post: Post) -> bool:
    """Whether it stays unposted: after a restart it would stand below what was said after it."""
    key = f"{_HELD_BACK}{post.key}"
    return await ctx.journal.recorded(EventType.RUN_NOTICE, key) is not None


async def _hold_back(ctx: RunContext, post: Post) -> None:
    async def work() -> None:
        """Only the fact is recorded."""

    key = f"{_HELD_BACK}{post.key}"
    await ctx.journal.once(EventType.RUN_NOTICE, key, work, lambda *_: {})


def _show_held_back(ctx: RunContext, seat: Seat) -> None:
    ctx.show_seat(seat.role, SeatState.READY, note=SeatAnswerText.HELD_BACK, words=0)
    ctx.notice(CardText.remark(seat.role, SeatAnswerText.WHY_HELD_BACK))


def _bad_state(reply: CallResult) -> SeatState:
    return SeatState.TIMED_OUT if reply.status is CallStatus.TIMEOUT else SeatState.FAILED


def _common(ctx: RunContext, seat: Seat, number: int, floor: str) -> dict[str, str]:
    values = {
        "ROLE": seat.role,
        "MODE": ctx.run.mode.value,
        "PROMPT": ctx.run.topic,
        "ROUND": str(number),
        "MAX_ROUNDS": str(ctx.designed.rounds),
        "PERSPECTIVE": seat.perspective,
        "FLOOR": floor,
        **ctx.subject(),
    }
    if seat.task and _has_own_task(ctx, seat, number):
        values["TASK"] = seat.task
    return values


def _has_own_task(ctx: RunContext, seat: Seat, number: int) -> bool:
    """In a parallel debate and in stage 1 of a sequence all get the same question (E49, E53)."""
    return seat.stage == 2 or (number == 1 and ctx.designed.workflow == HYBRID)


def _opening_reader(ctx: RunContext) -> _Read:
    def read(_: Seat, text: str) -> Reading:
        return read_opening(text, ctx.run.mode, ctx.designed.options)

    return read


def _roles_of(seats: Sequence[Seat]) -> list[str]:
    """The roles of seats, in order."""
    return [seat.role for seat in seats]
