"""The rolling summary: written beside the round or the synthesis that follows its round."""

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from bot.measures.convergence import convergence_of, should_stop
from bot.meeting.context import RunContext
from bot.meeting.questions import CallResult, ModelCall
from bot.prompting.summary import compression_values, parse_summary, shorten_answer
from bot.record.answer_codec import Reading, summary_from_dict, summary_key, summary_to_dict
from bot.record.record import RunRecord, Speech

ROLLING_SUMMARY = "rolling-summary"


class RollingSummaries:
    """The summaries of a run under way: each waits for the one before it, nobody else waits.

    Leaving the context waits for those still being written; an error or a stop cancels them.
    """

    def __init__(self, ctx: RunContext) -> None:
        self._ctx = ctx
        self._tasks: dict[int, asyncio.Task[CallResult]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        if kind is None:
            await self.finished()
            return
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def begin(self, number: int, record: RunRecord) -> None:
        """Have a round summarised in the background, from the record at its end."""
        before = self._tasks.get(number - 1)
        self._tasks[number] = asyncio.create_task(self._write(number, record, before))

    async def converged(self, number: int) -> bool:
        """Wait for the summary of a round; whether it shows that the panel has converged."""
        task = self._tasks.get(number)
        if task is None:
            return False
        await asyncio.wait([task])
        answer = task.result().answer
        found = convergence_of(number, summary_from_dict(answer.parsed) if answer else None)
        return should_stop([found], number)

    async def finished(self) -> None:
        """Wait until every summary has arrived or failed; each has a timeout of its own."""
        await asyncio.gather(*self._tasks.values())

    async def _write(
        self, number: int, record: RunRecord, before: asyncio.Task[CallResult] | None
    ) -> CallResult:
        earlier = record.summary_before(number)
        if before is not None:
            await asyncio.wait([before])
            answer = before.result().answer
            earlier = str(answer.parsed["summary"]) if answer else earlier
        return await summarise_round(self._ctx, number, record, earlier)


async def summarise_round(
    ctx: RunContext, number: int, record: RunRecord, earlier: str
) -> CallResult:
    """Replace the earlier summary; a failed call leaves it and no findings."""
    spoken = [speech for speech in record.speeches if speech.round == number and speech.spoke]
    roles = [seat.role for seat in record.seats]
    ask = ModelCall(
        key=summary_key(number),
        purpose=ROLLING_SUMMARY,
        prompt=ctx.prompt(ROLLING_SUMMARY, _values(ctx, number, record, spoken, earlier)),
        seconds=ctx.time.cap_tail(ctx.config.timeouts.summary),
        models=ctx.designed.coordinators,
        round=number,
    )

    def read(text: str) -> Reading:
        return Reading(parsed=summary_to_dict(parse_summary(text, roles)))

    return await ctx.caller.ask(ask, read)


def _values(
    ctx: RunContext, number: int, record: RunRecord, spoken: Sequence[Speech], earlier: str
) -> dict[str, str]:
    answers = [(speech.seat.role, _answer(speech)) for speech in spoken]
    values = compression_values(record.topic, number, ctx.designed.rounds, answers, earlier)
    return values | ctx.subject()


def _answer(speech: Speech) -> str:
    """Where a seat stands and its digest; its own words only where it has none (2.2#7)."""
    because = f" — {speech.reason}" if speech.ballot and speech.reason else ""
    digest = speech.digest or shorten_answer(speech.text)
    return f"Position: {speech.position}{because}\n{digest}"
