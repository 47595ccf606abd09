"""Failed attempts: the reason, when the next one starts, and what to do when there is none."""

from collections.abc import Sequence
from typing import Final

from bot.words.counting import counted, duration_words

NOBODY_ANSWERED: Final = "0 agents responded: no panelist answered"
NO_CONCLUSION: Final = "the conclusion could not be written"
THREAD_DELETED: Final = "its thread was deleted"
RATE_LIMITED: Final = "The provider is rate limiting us: wait a few minutes before you retry."
OVERLOADED: Final = "The provider is overloaded: wait a few minutes before you retry."
NETWORK: Final = "The provider is unreachable: check that it is up, then retry."
TIMEOUT: Final = "Models were too slow: an admin can raise `timeouts` in panels.json."
OUT_OF_MONEY: Final = "The provider's account is out of credit: an admin can top it up."
NOT_AUTHORISED: Final = "An API key was rejected: an admin can run `roundtable check`."
CONTEXT_EXCEEDED: Final = "The question is too long for these models: ask a shorter one."
REFUSED: Final = "The models declined to answer: rephrase the question."
UNSUPPORTED: Final = "A model does not support this request: choose another one."
BAD_OUTPUT: Final = "The models gave no usable answer: choose others with `--panel`."
RETRY: Final = (
    "Press **Retry** or type `roundtable retry` (the person who asked, or an admin): existing "
    "answers are kept and not paid for again."
)
ASK_ANEW: Final = "Or start again with other models: `roundtable --panel opus,grok …`."
NOTHING_TRIED: Final = "nothing was tried"
NO_ANSWER_YET: Final = "None: no panelist has answered yet."
STOPPED: Final = "stopped"


def broke(code: str) -> str:
    """A run failed because of a bug in the bot."""
    return f"internal error in the bot (code {code})"


def no_place(kind: str) -> str:
    """Why a run ended that could not even open its thread."""
    return f"no thread could be opened ({kind})"


def failed(reason: str, run_id: str) -> str:
    """A run failed; may be posted outside its thread."""
    return (
        f"⚠️ This roundtable failed: {reason.rstrip('.')}. To continue it, type `roundtable retry "
        f"{run_id}`: existing answers are kept."
    )


def failed_retry(reason: str) -> str:
    """A run failed and can be retried immediately."""
    return f"⚠️ This roundtable failed: {reason}. Type `roundtable retry` to try again."


def reason_with_kinds(reason: str, kinds: Sequence[str]) -> str:
    """Why an attempt failed, with how its calls did."""
    return f"{reason} ({', '.join(kinds)})" if kinds else reason


def waits(attempt: int, reason: str, due: str) -> str:
    """Why a run waits until its next attempt."""
    return f"attempt {attempt} failed: {reason}; next attempt at {due}"


def under_way(attempt: int) -> str:
    """The attempt that is running."""
    return f"attempt {attempt} is running"


def no_spec_yet(reason: str, due_at: float) -> str:
    """Drafting the spec failed and will be retried."""
    return f"⏳ There is no spec yet: {reason}. Next attempt at <t:{due_at:.0f}:T>."


def next_attempt(attempt: int, reason: str, due_at: float, *, stronger: bool) -> str:
    """An attempt failed and the next one starts automatically."""
    how = ", with the stronger profile" if stronger else ""
    return (
        f"⏳ Attempt {attempt} failed: {reason}. Attempt {attempt + 1} starts at "
        f"<t:{due_at:.0f}:T>{how}; existing answers are kept."
    )


def retries_stopped(reason: str, findings: Sequence[str]) -> str:
    """The first lines of the post after the last automatic retry."""
    found = "".join(f"\n- {text}" for text in findings)
    return f"⛔ **No more automatic retries.**\nWhat failed: {reason}.{found}"


def attempts(lines: Sequence[str]) -> str:
    """All attempts under their heading."""
    return "**Attempts**\n" + "\n".join(lines)


def attempt_line(number: int, how: str, seconds: int, reason: str, *, stronger: bool) -> str:
    """One attempt: how it ended, after how long, why."""
    profile = ", stronger profile" if stronger else ""
    why = f": {reason}" if reason else ""
    return f"{number}. {how} after {duration_words(seconds)}{profile}{why}"


def last_good(text: str) -> str:
    """What there is, under its heading."""
    return f"**Last usable result**\n{text}"


def built_files(attempt: int, names: Sequence[str], gates_passed: int) -> str:
    """The attached files of a build, and how far they came."""
    how = "passed the spec gate but not the quality gate" if gates_passed else "passed no gate"
    listed = ", ".join(f"`{name}`" for name in names)
    return f"The attached files of attempt {attempt}, which {how}: {listed}."


def minutes_until(round_number: int, answers: int, name: str) -> str:
    """The attached minutes of what was said."""
    said = counted(answers, "answer")
    return f"The minutes up to round {round_number} ({said}), attached as `{name}`."


def ways_out(ways: Sequence[str]) -> str:
    """What people can do, under its heading."""
    return "**What you can do**\n" + "\n".join(f"- {way}" for way in ways)
