"""The rehearsal provider: a port without a model, for tests, load and people without keys."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Literal

from bot.models.port import (
    Delta,
    Finished,
    ModelError,
    ModelEvent,
    ModelRequest,
    Started,
    Usage,
)
from bot.models.rehearsal import troubles as trouble_kinds
from bot.models.rehearsal.dice import Dice
from bot.models.rehearsal.reading import seat_of
from bot.models.rehearsal.troubles import GARBAGE_TEXT, Trouble
from bot.models.rehearsal.writers import write

Sleep = Callable[[float], Awaitable[object]]

CHARS_PER_TOKEN = 4
WORDS_PER_PIECE = (2, 6)
_WORD = re.compile(r"\S+\s*|\s+")


class RehearsalPort:
    """Answers every template in its own format; the same request always gets the same answer.

    `seconds_per_answer` is the middle of the time an answer takes (0: at once, without sleeping);
    `troubles` rehearses bad days, see bot.models.rehearsal.troubles.
    """

    def __init__(
        self,
        seed: int,
        seconds_per_answer: float,
        sleep: Sleep = asyncio.sleep,
        troubles: Mapping[str, Trouble] | None = None,
    ) -> None:
        self._seed = seed
        self._seconds = max(0.0, seconds_per_answer)
        self._sleep = sleep
        self._troubles = dict(troubles or {})
        self._struck: Counter[str] = Counter()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Stream one rehearsed answer."""
        trouble = self._trouble_for(request.label)
        if trouble:
            _fail(trouble)
        yield Started(request.model)
        if trouble and trouble.kind == trouble_kinds.HANG:
            await asyncio.Event().wait()
        text, reason = _limited(self._text(request, trouble), request.max_output_tokens)
        pieces = _pieces(text, self._dice(request, "pieces"))
        pause = self._pause(request, trouble, len(pieces))
        broken = trouble is not None and trouble.kind == trouble_kinds.CUT
        for piece in pieces[: len(pieces) // 2] if broken else pieces:
            if pause > 0:
                await self._sleep(pause)
            yield Delta(piece)
        if broken:
            return
        yield Usage(_tokens_in(request), _tokens(text), cost_usd=0.0)
        yield Finished(reason)

    async def close(self) -> None:
        """Nothing is held, so there is nothing to release."""

    def _trouble_for(self, label: str) -> Trouble | None:
        trouble = self._troubles.get(label)
        if trouble is None or (trouble.times is not None and self._struck[label] >= trouble.times):
            return None
        self._struck[label] += 1
        return trouble

    def _text(self, request: ModelRequest, trouble: Trouble | None) -> str:
        if trouble and trouble.kind == trouble_kinds.GARBAGE:
            return GARBAGE_TEXT
        if trouble and trouble.kind == trouble_kinds.EMPTY:
            return ""
        return write(seat_of(request, self._seed))

    def _pause(self, request: ModelRequest, trouble: Trouble | None, pieces: int) -> float:
        """How long to wait before each piece."""
        total = self._seconds * self._dice(request, "time").between(0.5, 1.5)
        if trouble and trouble.kind == trouble_kinds.SLOW:
            total = trouble.seconds
        return total / max(1, pieces)

    def _dice(self, request: ModelRequest, name: str) -> Dice:
        values = sorted(request.prompt.values.items())
        return Dice(self._seed, name, request.model, request.prompt.template, values)


def _fail(trouble: Trouble) -> None:
    if trouble.error:
        text = f"The rehearsal was told to fail here: {trouble.error.value}."
        raise ModelError(trouble.error, text, trouble.retry_after)


def _limited(text: str, max_tokens: int | None) -> tuple[str, Literal["stop", "length"]]:
    """The text as far as the output limit allows, and why it ends."""
    if max_tokens is None or _tokens(text) <= max_tokens:
        return text, "stop"
    return text[: max_tokens * CHARS_PER_TOKEN].rsplit(" ", 1)[0], "length"


def _pieces(text: str, dice: Dice) -> list[str]:
    words = _WORD.findall(text)
    pieces: list[str] = []
    while words:
        size = int(dice.between(WORDS_PER_PIECE[0], WORDS_PER_PIECE[1] + 1))
        pieces.append("".join(words[:size]))
        words = words[size:]
    return pieces


def _tokens(text: str) -> int:
    return -(-len(text) // CHARS_PER_TOKEN)


def _tokens_in(request: ModelRequest) -> int:
    return sum(_tokens(message.text) for message in request.prompt.messages)
