"""Reads one answer to its end under a deadline, counts words, and closes the stream."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from typing import Final

from bot.messages.models import ModelErrorText
from bot.types.model_port import (
    Activity,
    Answer,
    Aside,
    Delta,
    ErrorKind,
    Finished,
    ModelError,
    ModelEvent,
    ModelPort,
    ModelRequest,
    Queued,
    Remark,
    SessionKept,
    Started,
    Usage,
)

_OnNote = Callable[[str], None]
_WORDS_PER_CALLBACK = 20
_OnWords = Callable[[int], None]
_ANSWER_CHARS: Final = 50_000
"""The longest answer: several times what a prompt asks for, and parsed within 100 ms."""
_FILES_CHARS: Final = 500_000
"""The longest answer that holds whole files."""
_CHARS_PER_TOKEN: Final = 16
"""No tokenizer has more characters of prose per token."""
_HOLDS_FILES: Final = frozenset({"build-files"})


@dataclass(frozen=True, slots=True)
class Live:
    """Callbacks during a call: the words so far, and a note for the card."""

    on_words: Callable[[int], None] | None = None
    on_note: _OnNote | None = None


NOBODY = Live()


@dataclass(slots=True)
class Asides:
    """Collects the asides of one call; `on_note` receives notes for the card, "" to clear it."""

    on_note: _OnNote | None = None
    clock: Callable[[], float] = time.monotonic
    remarks: list[str] = field(default_factory=list)
    session: str = ""
    waited: float = 0.0
    _queued_at: float | None = None
    _deadline: tuple[asyncio.Timeout, float] | None = None

    @contextmanager
    def pausing(self, deadline: asyncio.Timeout, seconds: float) -> Iterator[None]:
        """While in this block, the deadline is paused in a queue and restarts when the call begins.

        No notes are passed on after leaving it, because nobody waits for the answer any longer.
        """
        self._deadline = (deadline, seconds)
        try:
            yield
        finally:
            self._deadline = self.on_note = None

    def take(self, aside: Aside) -> None:
        """Handle one aside."""
        match aside:
            case Queued(ahead):
                self._wait(ahead)
                if self._deadline:
                    _pause(*self._deadline, aside)
                self._note(ModelErrorText.in_the_queue(ahead))
            case Activity(text):
                self._note(text)
            case Remark(text):
                if text not in self.remarks:
                    self.remarks.append(text)
            case SessionKept(reference):
                self.session = reference

    def settle(self) -> float:
        """The seconds spent in a queue so far, also when the call ended there."""
        self._wait(0)
        return self.waited

    def _wait(self, ahead: int) -> None:
        now = self.clock()
        if self._queued_at is not None:
            self.waited += now - self._queued_at
        self._queued_at = now if ahead else None

    def _note(self, text: str) -> None:
        if self.on_note:
            self.on_note(text)


def _pause(deadline: asyncio.Timeout, seconds: float, queued: Queued) -> None:
    """Pause a deadline in a queue, and restart it when the call begins."""
    now = asyncio.get_running_loop().time()
    deadline.reschedule(None if queued.ahead else now + seconds)


@dataclass(slots=True)
class _Progress:
    """Counts words across pieces, so that a word split in two counts once.

    A piece is counted when another one follows: with the last piece the answer is complete and
    progress no longer matters.
    """

    on_words: _OnWords | None
    words: int = 0
    told: int = 0
    inside_word: bool = False
    newest: str = ""

    def add(self, text: str) -> None:
        if not text or self.on_words is None:
            return
        before, self.newest = self.newest, text
        if before:
            self._count(before, self.on_words)

    def _count(self, text: str, on_words: _OnWords) -> None:
        goes_on = self.inside_word and not text[0].isspace()
        self.words += len(text.split()) - goes_on
        self.inside_word = not text[-1].isspace()
        if self.words - self.told >= _WORDS_PER_CALLBACK:
            self.told = self.words
            on_words(self.words)


@dataclass(slots=True)
class _Collected:
    """The state of a stream so far."""

    model: str
    progress: _Progress
    asides: Asides
    longest: int
    pieces: list[str] = field(default_factory=list)
    written: int = 0
    usage: Usage | None = None
    finished: Finished | None = None

    def take(self, event: ModelEvent) -> None:
        match event:
            case Delta(text):
                self._write(text)
            case Started(model):
                self.model = model
            case Usage():
                self.usage = event
            case Finished():
                self.finished = event
            case _:
                self.asides.take(event)

    def _write(self, text: str) -> None:
        """Add a piece of the answer; raises ModelError when the answer gets too long."""
        self.written += len(text)
        if self.written > self.longest:
            raise ModelError(ErrorKind.BAD_OUTPUT, ModelErrorText.TOO_LONG)
        self.pieces.append(text)
        self.progress.add(text)

    def answer(self, seconds: float) -> Answer:
        """The complete answer; raises ModelError when it is incomplete or empty."""
        if self.finished is None:
            raise ModelError(ErrorKind.NETWORK, ModelErrorText.broke_off(self.model))
        text = "".join(self.pieces)
        if not text.strip():
            raise ModelError(ErrorKind.BAD_OUTPUT, ModelErrorText.without_text(self.model))
        cut_short = self.finished.reason == "length"
        return Answer(text, self.model, self.usage, seconds, cut_short)


async def collect(
    port: ModelPort,
    request: ModelRequest,
    on_words: _OnWords | None = None,
    clock: Callable[[], float] = time.monotonic,
    asides: Asides | None = None,
) -> Answer:
    """Read one answer to its end within the request's deadline and linger; raises ModelError.

    `on_words` receives the number of words so far, at most once every twenty words and not for the
    last piece; `asides` keeps what is reported beside the answer, also when the call fails. Time in
    a queue does not count.
    """
    started = clock()
    progress, limit = _Progress(on_words), longest_answer(request)
    collected = _Collected(request.model, progress, asides or Asides(), limit)
    try:
        async with aclosing(port.stream(request)) as stream:
            await _read(stream, collected, request.deadline_seconds + request.linger_seconds)
        return collected.answer(clock() - started)
    except ModelError as error:
        error.usage = error.usage or collected.usage
        error.chars_written = error.chars_written or collected.written
        raise


async def _read(
    stream: AsyncGenerator[ModelEvent, None], collected: _Collected, deadline_seconds: float
) -> None:
    try:
        async with asyncio.timeout(deadline_seconds) as deadline:
            async for event in stream:
                if isinstance(event, Queued):
                    _pause(deadline, deadline_seconds, event)
                collected.take(event)
    except TimeoutError as error:
        if not deadline.expired():
            raise
        text = ModelErrorText.no_whole_answer(collected.model, deadline_seconds)
        raise ModelError(ErrorKind.TIMEOUT, text) from error


def longest_answer(request: ModelRequest) -> int:
    """The longest allowed answer in characters; less where the call limits the output itself."""
    limit = _FILES_CHARS if request.prompt.template in _HOLDS_FILES else _ANSWER_CHARS
    if request.max_output_tokens is None:
        return limit
    return min(limit, request.max_output_tokens * _CHARS_PER_TOKEN)
