"""The post of an open circuit: what failed, the attempts, what there is, and the ways out (B25)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from bot.council.attempting import STRONGER_FROM
from bot.council.delivery.files import plain_name
from bot.council.record import RunRecord
from bot.models.port import ErrorKind
from bot.store.artifacts import Artifact
from bot.store.attempts import Attempt
from bot.store.vocabulary import AttemptStatus
from bot.words import circuit as words

_WAYS_OUT: Final = {
    ErrorKind.RATE_LIMITED: words.RATE_LIMITED,
    ErrorKind.OVERLOADED: words.OVERLOADED,
    ErrorKind.NETWORK: words.NETWORK,
    ErrorKind.TIMEOUT: words.TIMEOUT,
    ErrorKind.OUT_OF_MONEY: words.OUT_OF_MONEY,
    ErrorKind.NOT_AUTHORISED: words.NOT_AUTHORISED,
    ErrorKind.CONTEXT_EXCEEDED: words.CONTEXT_EXCEEDED,
    ErrorKind.REFUSED: words.REFUSED,
    ErrorKind.UNSUPPORTED_PARAMETER: words.UNSUPPORTED,
    ErrorKind.BAD_OUTPUT: words.BAD_OUTPUT,
}


@dataclass(frozen=True, slots=True)
class Built:
    """What a build has when its circuit opens."""

    files: Sequence[Artifact] = ()
    findings: Sequence[str] = ()
    gates_passed: int = 0


NOTHING_BUILT: Final = Built()
MOST_FINDINGS: Final = 5


def circuit_text(
    record: RunRecord,
    tried: Sequence[Attempt],
    kinds: Collection[str],
    artifact: str,
    built: Built = NOTHING_BUILT,
    *,
    stronger: bool,
) -> str:
    """What people read when automatic attempts have stopped; `artifact` names the attached file.

    `built` is what the last attempt of a build wrote, attached too, and what was found in it.
    """
    failed = tried[-1].error_summary if tried else words.NOTHING_TRIED
    ways = [text for kind, text in _WAYS_OUT.items() if kind in kinds]
    blocks = [
        words.retries_stopped(failed, built.findings[:MOST_FINDINGS]),
        words.attempts([_attempt_line(attempt, stronger) for attempt in tried]),
        words.last_good("\n".join([*_built(built), _last_good(record, artifact)])),
        words.ways_out([*ways, words.RETRY, words.ASK_ANEW]),
    ]
    return "\n".join(blocks)


def _attempt_line(attempt: Attempt, stronger: bool) -> str:
    seconds = round((attempt.finished_at or attempt.started_at) - attempt.started_at)
    stopped = attempt.status is AttemptStatus.ABORTED
    return words.attempt_line(
        attempt.ordinal,
        words.STOPPED if stopped else attempt.status.value,
        seconds,
        attempt.error_summary,
        stronger=stronger and attempt.ordinal >= STRONGER_FROM,
    )


def _built(built: Built) -> list[str]:
    if not built.files:
        return []
    names = [plain_name(file) for file in built.files]
    return [words.built_files(built.files[0].attempt, names, built.gates_passed)]


def _last_good(record: RunRecord, artifact: str) -> str:
    spoken = sum(speech.spoke for speech in record.speeches)
    if not spoken:
        return words.NO_ANSWER_YET
    return words.minutes_until(record.rounds_held, spoken, artifact)
