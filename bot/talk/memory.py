"""What a seat is reminded of before it answers: its own turns and the talk, within a limit."""

from collections.abc import Sequence
from typing import Final

from bot.prompting.voices import label_voices
from bot.prompting.words import CUT, LONGEST_WORD, cut_words

OWN_CHARS: Final = 12_000
"""The most that a seat's own turns take up in a prompt."""
TALK_CHARS: Final = 4_000
"""The most that earlier talk of others takes up; the exchange itself is limited by the floor."""
CONCLUSION_CHARS: Final = 6_000
BRIEF_WORDS: Final = 25
_NOTE_CHARS: Final = 60
_BETWEEN: Final = "\n\n"

Entry = tuple[str, str]
"""Who said something, and what."""


def fit_entries(entries: Sequence[Entry], limit: int) -> str:
    """The newest entries whole, older ones in brief, the oldest only counted; oldest first."""
    blocks: list[str] = []
    room = limit - _NOTE_CHARS
    whole_room = room * 2 // 3
    left = list(entries)
    while left and (block := _whole(left[-1], whole_room, first=not blocks)):
        blocks.append(block)
        whole_room -= len(block) + len(_BETWEEN)
        room -= len(block) + len(_BETWEEN)
        left.pop()
    while left and len(block := _brief(left[-1])) <= room:
        blocks.append(block)
        room -= len(block) + len(_BETWEEN)
        left.pop()
    if left:
        blocks.append(f"({len(left)} earlier turns are left out)")
    return _BETWEEN.join(reversed(blocks))


def _whole(entry: Entry, room: int, *, first: bool) -> str:
    """The entry as it is when it fits; the newest of all is cut until it does."""
    label, text = entry
    if len(text) > room:
        if not first:
            return ""
        text = text[:room] + CUT
    block = label_voices([(label, text)])
    while first and len(block) > room and text:
        text = text[: len(text) * 4 // 5]
        block = label_voices([(label, text + CUT)])
    return block if len(block) <= room else ""


def _brief(entry: Entry) -> str:
    label, text = entry
    beginning = text[: BRIEF_WORDS * LONGEST_WORD]
    return label_voices([(label, cut_words(" ".join(beginning.split()), BRIEF_WORDS))])
