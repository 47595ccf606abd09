"""What went wrong on a panel, and what a person can do about it."""

from collections.abc import Sequence
from typing import Final

from bot.words.counting import listed
from bot.words.ending import rounds_before

ORCHESTRATOR_WROTE: Final = "Synthesis by orchestrator (bias risk — no neutral model available)"
START_BLOCKRUN: Final = (
    "Start Blockrun at localhost:8402 for full panel, "
    "or use `--panel budget` for stable 2-model run"
)
CHECK_PROVIDER: Final = "Check provider API key / quota, then retry"
ADD_A_KEY: Final = "Add another vendor's key, or OPENROUTER_API_KEY for all vendors, to .env"
RAISE_TIMEOUT: Final = "Retry, or raise `timeouts.round` in panels.json"
ADD_A_WRITER: Final = "Add a premium model that sits on no panel to `premium` in panels.json"
_SIGN: Final = "⚠️ PANEL DEGRADED —"
_NOBODY: Final = f"{_SIGN} nobody answered in round"


def with_action(line: str, action: str) -> str:
    """A fault and, below it, what to do."""
    return f"{line}\nAction: {action}"


def allow(model: str) -> str:
    """What to do about a model that is not allowed."""
    return f"Add {model} to allowlist in panels.json"


def make_usable(model: str, reason: str) -> str:
    """What to do about a model that cannot be reached."""
    action = f"Make {model} usable (run `roundtable check` to see how), then start again"
    return f"{action} ({reason})" if reason else action


def substituted(role: str, original: str, fallback: str) -> str:
    """Another model speaks for a seat."""
    return f"{role} substituted {original} with {fallback}"


def same_family(change: str, family: str) -> str:
    """The other model is of the family of the first."""
    return f"{_SIGN} {change} (same family: {family})"


def family_sits(change: str, family: str, roles: Sequence[str]) -> str:
    """The other model's family sat on the panel already."""
    return f"{_SIGN} {change} (family {family} already sits as {listed(roles)})"


def one_family(family: str) -> str:
    """All seats are taken by one family."""
    return f"{_SIGN} every seat is taken by the {family} family, in different roles"


def one_model(model: str) -> str:
    """All seats are taken by one model."""
    return f"{_SIGN} every seat is taken by {model}, the only available model, in different roles"


def timed_out(role: str, seconds: float, round_number: int) -> str:
    """A seat did not answer in time."""
    return f"[TIMEOUT] {role} did not answer within {seconds:g} s in round {round_number}"


def left_out(role: str, model: str, fallback: str | None) -> str:
    """Nobody could take a seat."""
    failed = f"{model} and its fallback {fallback} failed" if fallback else f"{model} failed"
    return f"{role} was left out: {failed}"


def round_unanswered(number: int, last_answered: int) -> str:
    """Every seat failed in a later round."""
    rest = rounds_before(last_answered)
    return f"{_NOBODY} {number}, so the conclusion is based on {rest}"


def names_nobody(note: str) -> bool:
    """Whether a note can be read while the panelists wear masks."""
    return note.startswith(_NOBODY)


def failed_in_stage_2(role: str, *, others: bool) -> str:
    """A seat of stage 2 failed, perhaps as the last one."""
    rest = "stage 2 went on without it" if others else "the conclusion rests on stage 1"
    return f"{role} failed in stage 2: {rest}"


def writer_sat(model: str) -> str:
    """The conclusion's writer had argued itself."""
    return f"{model} wrote the conclusion: synthesizer also sat on the panel"
