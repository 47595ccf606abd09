"""The rehearsal provider: a port without a model, for tests, load and people without keys."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from bot.errors import ConfigError
from bot.rehearsal import after_rounds as after
from bot.rehearsal.conclusion import write_synthesis
from bot.rehearsal.dice import Dice
from bot.rehearsal.panel_design import write_meta_panel, write_options, write_proposition
from bot.rehearsal.request_reader import seat_of
from bot.rehearsal.round1 import write_round1
from bot.rehearsal.round2 import write_round2
from bot.rehearsal.script_answers import scripted_answer
from bot.rehearsal.seat import RehearsedSeat
from bot.rehearsal.summary import write_search_digest, write_summary
from bot.types.model_port import (
    Delta,
    ErrorKind,
    Finished,
    ModelError,
    ModelEvent,
    ModelRequest,
    Started,
    Usage,
)

_Sleep = Callable[[float], Awaitable[object]]

_CHARS_PER_TOKEN = 4
_USUAL_SECONDS = 2.0
"""The seconds of an answer in the shipped panels.json, at which scripts play at their own pace."""
_WORDS_PER_PIECE = (2, 6)
_WORD = re.compile(r"\S+\s*|\s+")
_WRITERS: Mapping[str, Callable[[RehearsedSeat], str]] = {
    "round1": write_round1,
    "round2-cross-critique": write_round2,
    "meta-panel": write_meta_panel,
    "proposition": write_proposition,
    "vote-options": write_options,
    "rolling-summary": write_summary,
    "search-digest": write_search_digest,
    "final-synthesis": write_synthesis,
    "round3-validation": after.write_validation,
    "dissent": after.write_dissent,
    "follow-up": after.write_follow_up,
    "build-spec": after.write_spec,
    "build-spec-review": after.write_spec_review,
    "build-files": after.write_files,
    "build-spec-gate": after.write_spec_gate,
    "build-quality-gate": after.write_quality_gate,
}
"""One writer per template: each turns a seat into the text that the template asks for."""

_HANG, _GARBAGE, _EMPTY, _SLOW, _CUT = "hang", "garbage", "empty", "slow", "cut"
_MISBEHAVIOURS = frozenset({_HANG, _GARBAGE, _EMPTY, _SLOW, _CUT})
_KINDS = _MISBEHAVIOURS | {kind.value for kind in ErrorKind}

_GARBAGE_TEXT = (
    "well, it depends, and anyway the form does not suit me; imagine a table with three legs "
    "and a fourth one somewhere else, that is about what I think of it"
)


@dataclass(frozen=True, slots=True)
class _Pace:
    """How long nothing comes, and how long the pieces take together."""

    thinks: float
    writes: float


@dataclass(frozen=True, slots=True)
class Trouble:
    """What goes wrong with a call.

    `kind` is the value of an ErrorKind (the call fails that way), "hang" (no answer ever comes),
    "garbage" (text without any structure), "empty" (an answer without text), "slow" (the answer
    takes `seconds`) or "cut" (the stream ends in the middle). `times` limits it to the first so
    many calls of that label; None means always. `retry_after` goes with a failing kind.
    """

    kind: str
    seconds: float = 0.0
    times: int | None = None
    retry_after: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            known = ", ".join(sorted(_KINDS))
            raise ConfigError(f"“{self.kind}” is not a trouble; use one of: {known}.")

    @property
    def error(self) -> ErrorKind | None:
        """The error the call fails with, if it fails."""
        return None if self.kind in _MISBEHAVIOURS else ErrorKind(self.kind)


class RehearsalPort:
    """Answers every template in its own format; the same request always gets the same answer.

    A topic of a scripted example is answered from its script, any other one by stand-ins.
    `seconds_per_answer` is the middle of the time an answer takes (0: at once, without sleeping);
    `troubles` rehearses bad days by the label of a request, for instance
    `{"r1:analyst": Trouble("hang"), "synthesis": Trouble("overloaded", times=1)}`.
    """

    def __init__(
        self,
        seed: int,
        seconds_per_answer: float,
        sleep: _Sleep = asyncio.sleep,
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
        if trouble and trouble.kind == _HANG:
            await asyncio.Event().wait()
        whole, pace = self._answer(request, trouble)
        text, reason = _limited(whole, request.max_output_tokens)
        pieces = _pieces(text, self._dice(request, "pieces"))
        broken = trouble is not None and trouble.kind == _CUT
        await self._wait(pace.thinks)
        for piece in pieces[: len(pieces) // 2] if broken else pieces:
            await self._wait(pace.writes / len(pieces))
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

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            await self._sleep(seconds)

    def _answer(self, request: ModelRequest, trouble: Trouble | None) -> tuple[str, _Pace]:
        usual = _Pace(0.0, self._seconds * self._dice(request, "time").between(0.5, 1.5))
        if trouble and trouble.kind == _GARBAGE:
            return _GARBAGE_TEXT, usual
        if trouble and trouble.kind == _EMPTY:
            return "", usual
        slow = _Pace(0.0, trouble.seconds) if trouble and trouble.kind == _SLOW else None
        if scripted := scripted_answer(request.prompt.template, request.prompt.values):
            speed = self._seconds / _USUAL_SECONDS
            pace = _Pace(scripted.thinks * speed, scripted.writes * speed)
            return scripted.text, slow or pace
        seat = seat_of(request, self._seed)
        return _WRITERS.get(seat.template, _write_unknown)(seat), slow or usual

    def _dice(self, request: ModelRequest, name: str) -> Dice:
        values = sorted(request.prompt.values.items())
        return Dice(self._seed, name, request.model, request.prompt.template, values)


def _write_unknown(seat: RehearsedSeat) -> str:
    return (
        f"Rehearsal: no model is speaking, and there is nothing to rehearse for {seat.topic.quote}."
    )


def _fail(trouble: Trouble) -> None:
    if trouble.error:
        text = f"The rehearsal was told to fail here: {trouble.error.value}."
        raise ModelError(trouble.error, text, trouble.retry_after)


def _limited(text: str, max_tokens: int | None) -> tuple[str, Literal["stop", "length"]]:
    """The text as far as the output limit allows, and why it ends."""
    if max_tokens is None or _tokens(text) <= max_tokens:
        return text, "stop"
    return text[: max_tokens * _CHARS_PER_TOKEN].rsplit(" ", 1)[0], "length"


def _pieces(text: str, dice: Dice) -> list[str]:
    words = _WORD.findall(text)
    pieces: list[str] = []
    while words:
        size = int(dice.between(_WORDS_PER_PIECE[0], _WORDS_PER_PIECE[1] + 1))
        pieces.append("".join(words[:size]))
        words = words[size:]
    return pieces


def _tokens(text: str) -> int:
    return -(-len(text) // _CHARS_PER_TOKEN)


def _tokens_in(request: ModelRequest) -> int:
    return sum(_tokens(message.text) for message in request.prompt.messages)
