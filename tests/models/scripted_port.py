"""A port that plays one scripted try after another, and a clock that only sleeping moves."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass, field

from bot.types.model_port import (
    Delta,
    ErrorKind,
    Finished,
    Message,
    ModelError,
    ModelEvent,
    ModelRequest,
    Prompt,
    Started,
    Usage,
)

HELLO: tuple[ModelEvent, ...] = (
    Started("real-model"),
    Delta("Hello."),
    Usage(9, 1),
    Finished("stop"),
)


def joined(events: Iterable[ModelEvent]) -> list[ModelEvent]:
    """The events with pieces of text that follow each other as one: how text is cut is nobody's."""
    told: list[ModelEvent] = []
    for event in events:
        last = told[-1] if told else None
        if isinstance(event, Delta) and isinstance(last, Delta):
            told[-1] = Delta(last.text + event.text)
        else:
            told.append(event)
    return told


def request(seconds: float = 60.0, model: str = "model-1") -> ModelRequest:
    prompt = Prompt("round1", {}, (Message("user", "Speak."),))
    return ModelRequest(model, prompt, "r1:analyst", seconds)


def failing(
    kind: ErrorKind, *before: ModelEvent, after: float = 0.0, retry_after: float | None = None
) -> "Play":
    """A try that says something and fails after some seconds."""
    return Play(before, ModelError(kind, f"It was {kind}.", retry_after), after)


@dataclass(frozen=True, slots=True)
class Play:
    """One try: events, then perhaps an error or an endless wait."""

    events: Sequence[ModelEvent] = HELLO
    error: BaseException | None = None
    seconds: float = 0.0
    hangs: bool = False


@dataclass(slots=True)
class FakeTime:
    """A clock that stands still unless somebody sleeps."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class ScriptedPort:
    """Plays its tries in order, the last one for ever."""

    def __init__(self, time: FakeTime, *plays: Play) -> None:
        self.time = time
        self.plays = list(plays)
        self.requests: list[ModelRequest] = []
        self.hanging = asyncio.Event()
        self.open_streams = 0
        self.closed = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        self.requests.append(request)
        play = self.plays.pop(0) if len(self.plays) > 1 else self.plays[0]
        self.open_streams += 1
        try:
            for event in play.events:
                yield event
            if play.hangs:
                self.hanging.set()
                await asyncio.Event().wait()
            self.time.now += play.seconds
            if play.error:
                raise play.error
        finally:
            self.open_streams -= 1

    async def close(self) -> None:
        self.closed = True
