"""Circuit breaker: stops calling a model that keeps failing, and tries it again later."""

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
"""Tolerance: a caller may end a call slightly before or after its deadline."""


class CircuitOpenError(ModelError):
    """The model was not called because its circuit is open; `retry_after` says for how long.

    The kind is that of the failure which opened the circuit.
    """


@dataclass(frozen=True, slots=True)
class _Entry:
    """An admitted call: when it began, and whether it is the trial call."""

    began: float
    trial: bool = False


class _Circuit:
    """The consecutive failures of one model: closed, open, or half-open for one trial call."""

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
        """Seconds until a call may be tried; 0 when one may be tried now."""
        return 0.0 if self._rest is None else max(0.0, self._until - self._clock())

    def enter(self) -> _Entry:
        """Admit a call; raises CircuitOpenError."""
        if self._rest is None:
            return _Entry(self._clock())
        if self.resting > 0:
            raise CircuitOpenError(self._kind, self._resting_text(), self.resting)
        if self._on_trial:
            raise CircuitOpenError(self._kind, ModelErrorText.on_trial(self._kind))
        self._on_trial = True
        return _Entry(self._clock(), trial=True)

    def succeeded(self) -> None:
        """The provider answered: close the circuit."""
        self._answered_at = self._clock()
        self._failures = 0
        self._rest = None
        self._on_trial = False

    def failed(self, kind: ErrorKind, entry: _Entry) -> None:
        """An admitted call failed."""
        if kind not in _COUNTED and kind is not ErrorKind.OUT_OF_MONEY:
            self.succeeded()
        elif entry.trial and self._rest is not None:
            self._open(min(self._rest * 2, _LONGEST_REST), kind)
        elif self._rest is None and not self._only_queued(kind, entry):
            self._failures += 1
            if kind is ErrorKind.OUT_OF_MONEY or self._failures >= _FAILURES_TO_OPEN:
                self._open(_FIRST_REST, kind)

    def abandoned(self, entry: _Entry) -> None:
        """An admitted call was cancelled by its caller: the outcome is unknown."""
        if entry.trial:
            self._on_trial = False

    def _only_queued(self, kind: ErrorKind, entry: _Entry) -> bool:
        """Whether the model answered others meanwhile, so that this call only waited in a queue."""
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
    """A provider's port with one circuit per model."""

    def __init__(self, port: ModelPort, clock: _Clock = time.monotonic) -> None:
        self._port = port
        self._clock = clock
        self._circuits: dict[str, _Circuit] = {}

    def circuit(self, model: str) -> _Circuit:
        """The circuit of a model."""
        return self._circuits.setdefault(model, _Circuit(self._clock))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Stream one answer, or fail at once while the circuit is open; raises ModelError."""
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
        """Close the wrapped port."""
        await self._port.close()

    def _given_up(self, circuit: _Circuit, entry: _Entry, deadline: float) -> None:
        """A caller who left at the deadline counts as a timeout; any other one cancelled."""
        if self._clock() - entry.began >= deadline - _DEADLINE_SLACK:
            circuit.failed(ErrorKind.TIMEOUT, entry)
        else:
            circuit.abandoned(entry)
