"""Late answers: an answer after its timeout is stored and marked, and changes nothing.

A provider keeps working, and is paid, when nobody waits any more. So a running answer is read to
its end for a while: past its deadline, or past a stop once it has begun. It is stored beside the
round, never in it, and never posted.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from bot.messages.attempts import SeatAnswerText
from bot.models.collect import Asides, collect
from bot.types.model_port import Answer, ErrorKind, ModelError, ModelPort, ModelRequest

_log = logging.getLogger(__name__)

LINGER_SECONDS: Final = 60.0
_LATE: Final = ":late"

_Keep = Callable[[Answer], Awaitable[None]]
_OnWords = Callable[[int], None]
_CHARS_PER_WORD: Final = 6


@dataclass(frozen=True, slots=True)
class LateAnswer:
    """A call nobody waits for: who stores its answer, and who is notified of its end."""

    keep: _Keep
    begun: Callable[[], None]
    over: Callable[[], None]


def late_key(key: str) -> str:
    """The key of a late answer, which no round looks for."""
    return f"{key}{_LATE}"


class LateAnswers:
    """Collects the results of calls, also after their waiter gave up."""

    def __init__(self) -> None:
        self._listening: dict[asyncio.Task[None], str] = {}
        self._closed = False

    async def hear(
        self,
        run_id: str,
        port: ModelPort,
        request: ModelRequest,
        on_words: _OnWords | None,
        late: LateAnswer,
        asides: Asides,
    ) -> Answer:
        """The answer, if it comes in time; raises ModelError. A late one is stored.

        A request that may not linger is ended at its deadline and by a stop.
        """
        words = _Words(on_words)
        lingering = late if request.linger_seconds else None
        reading = asyncio.create_task(collect(port, request, words, asides=asides))
        try:
            async with asyncio.timeout(request.deadline_seconds) as deadline:
                with asides.pausing(deadline, request.deadline_seconds):
                    return await asyncio.shield(reading)
        except TimeoutError as error:
            if not deadline.expired():
                raise
            await self._go_on(run_id, reading, words, lingering)
            lost = ModelError(ErrorKind.TIMEOUT, _too_late(request))
            lost.chars_written = words.count * _CHARS_PER_WORD
            raise lost from error
        except asyncio.CancelledError:
            # A call that has not started may not have been sent yet; do not send it.
            await self._go_on(run_id, reading, words, lingering if words.count else None)
            raise

    def abandon(self, run_id: str) -> None:
        """Stop waiting for late answers of a run whose calls are repeated."""
        for task, listening_for in list(self._listening.items()):
            if listening_for == run_id:
                task.cancel()

    def awaits(self, run_id: str) -> bool:
        """Whether a late answer of a run may still come."""
        return run_id in self._listening.values()

    async def ended(self, run_id: str) -> None:
        """Wait until no late answer of a run is awaited any more."""
        if tasks := [task for task, of_run in self._listening.items() if of_run == run_id]:
            await asyncio.wait(tasks)

    async def close(self) -> None:
        """Stop listening altogether."""
        self._closed = True
        tasks = list(self._listening)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _go_on(
        self, run_id: str, reading: "asyncio.Task[Answer]", words: "_Words", late: LateAnswer | None
    ) -> None:
        """Hand the call to a listener, or cancel it when its answer would not be stored."""
        words.leave()
        if late is None or self._closed:
            reading.cancel()
            await asyncio.wait([reading])
            return
        task = asyncio.create_task(_listen(reading, late.keep), name=f"late {run_id}")
        self._listening[task] = run_id
        late.begun()

        def over(done: "asyncio.Task[None]") -> None:
            self._listening.pop(done, None)
            late.over()

        task.add_done_callback(over)


class _Words:
    """Reports the progress of an answer while its caller still waits."""

    def __init__(self, on_words: _OnWords | None) -> None:
        self._on_words = on_words
        self.count = 0

    def __call__(self, words: int) -> None:
        self.count = words
        if self._on_words is not None:
            self._on_words(words)

    def leave(self) -> None:
        self._on_words = None


async def _listen(reading: "asyncio.Task[Answer]", keep: _Keep) -> None:
    try:
        await keep(await reading)
    except ModelError as error:
        _log.info("no late answer arrived: %s", error.kind)
    except Exception:
        _log.exception("a late answer could not be stored")


def _too_late(request: ModelRequest) -> str:
    return SeatAnswerText.not_whole(request.model, request.deadline_seconds)
