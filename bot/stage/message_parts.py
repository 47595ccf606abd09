"""A post as messages: split where it reads well, and as a file what would fill the thread."""

from typing import Final

from bot.messages.discord import PostText
from bot.stage.readable import CodeFile, set_code_aside
from bot.stage.splitting import MESSAGE_LIMIT, split_text

MOST_OF_A_SEAT: Final = 3
MOST_OF_THE_BOT: Final = 10
"""A conclusion has about three; this is the limit for one that does not end."""
FULL_TEXT: Final = "full-text.md"


def message_parts(
    body: str, *, code_aside: bool, by_a_seat: bool
) -> tuple[list[str], tuple[CodeFile, ...]]:
    """The messages of a post and the files that go with them.

    Beyond a few messages only the first is shown, and the whole text is a file of it.
    """
    text, code = set_code_aside(body) if code_aside else (body, ())
    parts = split_text(text)
    if len(parts) <= (MOST_OF_A_SEAT if by_a_seat else MOST_OF_THE_BOT):
        return parts, code
    note = PostText.full_text_attached(FULL_TEXT, len(body))
    first = split_text(body, MESSAGE_LIMIT - len(note) - 1)[0]
    return [f"{first}\n{note}"], (CodeFile(FULL_TEXT, f"{body}\n"),)
