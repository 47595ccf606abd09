"""The post of an open circuit: what failed, the attempts, what there is, and the ways out (B25)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from bot.delivery.files import plain_name
from bot.messages.attempts import AttemptText
from bot.record.attempts import STRONGER_FROM
from bot.record.record import RunRecord
from bot.store.repositories.artifacts import Artifact
from bot.store.repositories.attempts import Attempt
from bot.store.vocabulary import AttemptStatus
from bot.types.model_port import ErrorKind

_WAYS_OUT: Final = {
    ErrorKind.RATE_LIMITED: AttemptText.RATE_LIMITED,
    ErrorKind.OVERLOADED: AttemptText.OVERLOADED,
    ErrorKind.NETWORK: AttemptText.NETWORK,
    ErrorKind.TIMEOUT: AttemptText.TIMEOUT,
    ErrorKind.OUT_OF_MONEY: AttemptText.OUT_OF_MONEY,
    ErrorKind.NOT_AUTHORISED: AttemptText.NOT_AUTHORISED,
    ErrorKind.CONTEXT_EXCEEDED: AttemptText.CONTEXT_EXCEEDED,
    ErrorKind.REFUSED: AttemptText.REFUSED,
    ErrorKind.UNSUPPORTED_PARAMETER: AttemptText.UNSUPPORTED,
    ErrorKind.BAD_OUTPUT: AttemptText.BAD_OUTPUT,
}
_MOST_FINDINGS: Final = 5


@dataclass(frozen=True, slots=True)
class Built:
    """The files and findings of a build when its circuit opens."""

    files: Sequence[Artifact] = ()
    findings: Sequence[str] = ()
    gates_passed: int = 0


_NOTHING_BUILT: Final = Built()


def circuit_text(
    record: RunRecord,
    tried: Sequence[Attempt],
    kinds: Collection[str],
    artifact: str,
    built: Built = _NOTHING_BUILT,
    *,
    stronger: bool,
) -> str:
    """What people read when automatic attempts have stopped; `artifact` names the attached file.

    `built` is what the last attempt of a build wrote, attached too, and what was found in it.
    """
    failed = tried[-1].error_summary if tried else AttemptText.NOTHING_TRIED
    ways = [text for kind, text in _WAYS_OUT.items() if kind in kinds]
    blocks = [
        AttemptText.retries_stopped(failed, built.findings[:_MOST_FINDINGS]),
        AttemptText.attempts([_attempt_line(attempt, stronger) for attempt in tried]),
        AttemptText.last_good("\n".join([*_built(built), _last_good(record, artifact)])),
        AttemptText.ways_out([*ways, AttemptText.RETRY, AttemptText.ASK_ANEW]),
    ]
    return "\n".join(blocks)


def _attempt_line(attempt: Attempt, stronger: bool) -> str:
    seconds = round((attempt.finished_at or attempt.started_at) - attempt.started_at)
    stopped = attempt.status is AttemptStatus.ABORTED
    return AttemptText.attempt_line(
        attempt.ordinal,
        AttemptText.STOPPED if stopped else attempt.status.value,
        seconds,
        attempt.error_summary,
        stronger=stronger and attempt.ordinal >= STRONGER_FROM,
    )


def _built(built: Built) -> list[str]:
    if not built.files:
        return []
    names = [plain_name(file) for file in built.files]
    return [AttemptText.built_files(built.files[0].attempt, names, built.gates_passed)]


def _last_good(record: RunRecord, artifact: str) -> str:
    spoken = sum(speech.spoke for speech in record.speeches)
    if not spoken:
        return AttemptText.NO_ANSWER_YET
    return AttemptText.minutes_until(record.rounds_held, spoken, artifact)
