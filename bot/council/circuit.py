"""The post of an open circuit: what failed, the attempts, what there is, and the ways out (B25)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from bot.council.attempting import STRONGER_FROM
from bot.council.conclusion import duration_words
from bot.council.delivery.files import plain_name
from bot.council.record import RunRecord
from bot.models.port import ErrorKind
from bot.store.artifacts import Artifact
from bot.store.attempts import Attempt
from bot.store.vocabulary import AttemptStatus

_WAYS_OUT: Final = {
    ErrorKind.RATE_LIMITED: "The provider limits calls: wait some minutes before you retry.",
    ErrorKind.OVERLOADED: "The provider is overloaded: wait some minutes before you retry.",
    ErrorKind.NETWORK: "The provider cannot be reached: check that it is up, then retry.",
    ErrorKind.TIMEOUT: "Models were too slow: an admin can raise `timeouts` in panels.json.",
    ErrorKind.OUT_OF_MONEY: "The provider's account is empty: an admin can top it up.",
    ErrorKind.NOT_AUTHORISED: "A key is not accepted: an admin can run `roundtable check`.",
    ErrorKind.CONTEXT_EXCEEDED: "The question is too long for these models: ask a shorter one.",
    ErrorKind.REFUSED: "The models declined: put the question in other words.",
    ErrorKind.UNSUPPORTED_PARAMETER: "A model does not take the request: choose another one.",
    ErrorKind.BAD_OUTPUT: "The models answered nothing usable: choose others with `--panel`.",
}
_RETRY: Final = (
    "Press **Retry** or type `roundtable retry` (the person who asked, or an admin): what was "
    "answered is kept and not paid again."
)
_ANEW: Final = "Or ask again with other models: `roundtable --panel opus,grok …`."


@dataclass(frozen=True, slots=True)
class Built:
    """What a build has when its circuit opens."""

    files: Sequence[Artifact] = ()
    findings: Sequence[str] = ()


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
    failed = tried[-1].error_summary if tried else "nothing was tried"
    ways = [text for kind, text in _WAYS_OUT.items() if kind in kinds]
    blocks = [
        f"⛔ **The circuit is open: it is not tried again by itself.**\nWhat failed: {failed}."
        + "".join(f"\n- {text}" for text in built.findings[:MOST_FINDINGS]),
        "**Attempts**\n" + "\n".join(_attempt_line(attempt, stronger) for attempt in tried),
        f"**Last good result**\n{_built(built.files)}{_last_good(record, artifact)}",
        "**What can unblock it**\n" + "\n".join(f"- {way}" for way in (*ways, _RETRY, _ANEW)),
    ]
    return "\n".join(blocks)


def _attempt_line(attempt: Attempt, stronger: bool) -> str:
    seconds = round((attempt.finished_at or attempt.started_at) - attempt.started_at)
    profile = ", stronger profile" if stronger and attempt.ordinal >= STRONGER_FROM else ""
    how = "stopped" if attempt.status is AttemptStatus.ABORTED else attempt.status.value
    why = f": {attempt.error_summary}" if attempt.error_summary else ""
    return f"{attempt.ordinal}. {how} after {duration_words(seconds)}{profile}{why}"


def _built(files: Sequence[Artifact]) -> str:
    if not files:
        return ""
    names = ", ".join(f"`{plain_name(file)}`" for file in files)
    return f"The files of attempt {files[0].attempt}, attached, which passed no gate: {names}.\n"


def _last_good(record: RunRecord, artifact: str) -> str:
    spoken = sum(speech.spoke for speech in record.speeches)
    if not spoken:
        return "None: no panelist has answered yet."
    answers = "1 answer" if spoken == 1 else f"{spoken} answers"
    return f"The minutes up to round {record.rounds_held} with {answers}, attached as `{artifact}`."
