"""What was visibly said in an exchange, as a text for a prompt that stays within its limit."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.prompting.text import plain_words
from bot.types.characters import clean

CUT_MARK: Final = " […]"
ANSWER_RULE: Final = "The latest message is addressed to you: answer it."
OPEN_RULE: Final = (
    "Speak only if you can add something materially distinct from what was said; "
    "otherwise write only NO_REPLY."
)


class Voice(enum.StrEnum):
    """Who speaks in a line."""

    PERSON = "person"
    PANELIST = "panelist"


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One message of a person, or one whole turn of a panelist with all its parts."""

    voice: Voice
    label: str
    message_ids: tuple[int, ...]
    text: str
    agent: str = ""

    @property
    def source(self) -> int:
        """The message that stands for this line: its newest part."""
        return self.message_ids[-1]


def render(lines: Sequence[TranscriptLine], eligible: Sequence[str], rule: str) -> str:
    """Numbered, oldest first; what was said is indented so that it cannot pose as a label."""
    blocks = [_block(number, line) for number, line in enumerate(lines, start=1)]
    return "\n\n".join([*blocks, f"Eligible to speak now: {', '.join(eligible)}.\n{rule}"])


def fit(
    lines: Sequence[TranscriptLine], eligible: Sequence[str], rule: str, limit: int
) -> tuple[TranscriptLine, ...] | None:
    """The lines without the oldest ones that do not fit; None when all fit as they are."""
    if len(render(lines, eligible, rule)) <= limit:
        return None
    kept = list(lines)
    while len(kept) > 1 and len(render(kept, eligible, rule)) > limit:
        del kept[0]
    over = len(render(kept, eligible, rule)) - limit
    if over > 0:
        kept[-1] = _shortened(kept[-1], eligible, rule, limit)
    return tuple(kept)


def _shortened(
    line: TranscriptLine, eligible: Sequence[str], rule: str, limit: int
) -> TranscriptLine:
    """The newest line is always kept; only its end is cut, by halving in on the limit."""
    low, high = 0, len(line.text)
    while low < high:
        middle = (low + high + 1) // 2
        shorter = replace(line, text=line.text[:middle] + CUT_MARK)
        if len(render((shorter,), eligible, rule)) <= limit:
            low = middle
        else:
            high = middle - 1
    return replace(line, text=line.text[:low] + CUT_MARK)


def _block(number: int, line: TranscriptLine) -> str:
    ids = ", ".join(map(str, line.message_ids))
    head = f"[{number}] {line.voice} · {plain_words(line.label)} · message {ids}"
    said = clean(line.text).strip().split("\n")
    return "\n".join([head, *(f"  {part}" if part.strip() else "" for part in said)])
