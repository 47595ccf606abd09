"""Stops calling a model that keeps failing, and finds out now and then whether it works again."""

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final

from bot.messages.models import ModelErrorText
from bot.types.model_port import (
    ErrorKind,
    Finished,
    ModelError,
    ModelEvent,
    ModelPort,
    ModelRequest,
    Queued,
)

_Clock = Callable[[], float]

_FAILURES_TO_OPEN: Final = 5
_FIRST_REST: Final = 30.0
_LONGEST_REST: Final = 300.0
_COUNTED: Final = frozenset(
    {ErrorKind.RATE_LIMITED, ErrorKind.OVERLOADED, ErrorKind.NETWORK, ErrorKind.TIMEOUT}
)
_DEADLINE_SLACK: Final = 0.25
"""A caller ends a call at its deadline a moment before or after the call itself would."""


class CircuitOpenError(ModelError):
    """The model was not called, for it keeps failing; `retry_after` says how long it still rests.

    The kind is that of the failure which opened the circuit.
    """


@dataclass(frozen=True, slots=True)
class _Entry:
    """A call that was let through: since when, and whether it is the trial."""

    began: float
    trial: bool = False


class _Circuit:
    """The failures of one model in a row: closed, open for a while, or open to one trial call."""

    def __init__(self, clock: _Clock = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._answered_at = -math.inf
        self._rest: float | None = None
        self._until = 0.0
        self._on_trial = False
        self._kind = ErrorKind.NETWORK

    @property
    def resting(self) -> float:
        """How many seconds no call is let through; 0 when one may be tried."""
        return 0.0 if self._rest is None else max(0.0, self._until - self._clock())

    def enter(self) -> _Entry:
        """Let a call through; raises CircuitOpenError."""
        if self._rest is None:
            return _Entry(self._clock())
        if self.resting > 0:
            raise CircuitOpenError(self._kind, self._resting_text(), self.resting)
        if self._on_trial:
            raise CircuitOpenError(self._kind, ModelErrorText.on_trial(self._kind))
        self._on_trial = True
        return _Entry(self._clock(), trial=True)

    def succeeded(self) -> None:
        """The provider answered: whatever failed before is over."""
        self._answered_at = self._clock()
        self._failures = 0
        self._rest = None
        self._on_trial = False

    def failed(self, kind: ErrorKind, entry: _Entry) -> None:
        """A call that was let through failed."""
        if kind not in _COUNTED and kind is not ErrorKind.OUT_OF_MONEY:
            self.succeeded()
        elif entry.trial and self._rest is not None:
            self._open(min(self._rest * 2, _LONGEST_REST), kind)
        elif self._rest is None and not self._only_queued(kind, entry):
            self._failures += 1
            if kind is ErrorKind.OUT_OF_MONEY or self._failures >= _FAILURES_TO_OPEN:
                self._open(_FIRST_REST, kind)

    def abandoned(self, entry: _Entry) -> None:
        """A call that was let through was given up by its caller: nothing is known."""
        if entry.trial:
            self._on_trial = False

    def _only_queued(self, kind: ErrorKind, entry: _Entry) -> bool:
        """Whether the model worked for others meanwhile, so that the time went into a queue."""
        return kind is ErrorKind.TIMEOUT and self._answered_at > entry.began

    def _open(self, rest: float, kind: ErrorKind) -> None:
        self._rest = rest
        self._until = self._clock() + rest
        self._on_trial = False
        self._kind = kind

    def _resting_text(self) -> str:
        seconds = math.ceil(self.resting)
        if self._kind is ErrorKind.OUT_OF_MONEY:
            return ModelErrorText.resting_without_money(seconds)
        return ModelErrorText.resting(self._kind, seconds)


class BreakerPort:
    """A provider's port with one circuit for each of its models."""

    def __init__(self, port: ModelPort, clock: _Clock = time.monotonic) -> None:
        self._port = port
        self._clock = clock
        self._circuits: dict[str, _Circuit] = {}

    def circuit(self, model: str) -> _Circuit:
        """The circuit of a model."""
        return self._circuits.setdefault(model, _Circuit(self._clock))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Stream one answer, or fail at once while the model rests; raises ModelError."""
        circuit = self.circuit(request.model)
        entry = circuit.enter()
        answered = False
        try:
            async with aclosing(self._port.stream(request)) as events:
                async for event in events:
                    if isinstance(event, Finished):
                        answered = True
                        circuit.succeeded()
                    elif isinstance(event, Queued):
                        entry = replace(entry, began=self._clock())
                    yield event
            if not answered:
                circuit.failed(ErrorKind.NETWORK, entry)
        except ModelError as error:
            circuit.failed(error.kind, entry)
            raise
        except (asyncio.CancelledError, GeneratorExit):
            if not answered:
                self._given_up(circuit, entry, request.deadline_seconds)
            raise
        except BaseException:
            circuit.abandoned(entry)
            raise

    async def close(self) -> None:
        """Close the port behind."""
        await self._port.close()

    def _given_up(self, circuit: _Circuit, entry: _Entry, deadline: float) -> None:
        """A caller who left when the time was over saw a timeout; any other had enough."""
        if self._clock() - entry.began >= deadline - _DEADLINE_SLACK:
            circuit.failed(ErrorKind.TIMEOUT, entry)
        else:
            circuit.abandoned(entry)
