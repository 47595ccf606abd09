"""Makes a prompt fit a small context: the longest quoted blocks are cut, and say so."""

import re
from dataclasses import replace
from typing import Final

from bot.models.local.asking import SHORTENED
from bot.models.port import Message, Prompt
from bot.prompting.words import count_words, cut_words

SMALLEST_BLOCK: Final = 40
_BLOCK: Final = re.compile(
    r"(?P<open><data-(?P<token>\w+) [^>\n]*>\n)(?P<body>.*?)(?=\n</data-(?P=token)>)", re.DOTALL
)


def shorten(prompt: Prompt, share: float) -> Prompt | None:
    """The prompt at about this share of its words; None when there is nothing to cut.

    Only what is quoted is cut, never the rules or the format, and always the longest blocks first.
    """
    bodies = [m["body"] for message in prompt.messages for m in _BLOCK.finditer(message.text)]
    counts = [count_words(body) for body in bodies]
    whole = sum(count_words(message.text) for message in prompt.messages)
    limit = _limit(counts, sum(counts) - whole * (1 - share))
    if limit >= max(counts, default=0):
        return None
    messages = tuple(replace(m, text=_cut(m, limit)) for m in prompt.messages)
    return replace(prompt, messages=messages)


def _limit(counts: list[int], budget: float) -> int:
    """The length to which blocks are cut so that all together fit the budget."""
    left, waiting = budget, sorted(counts)
    while waiting and waiting[0] * len(waiting) <= left:
        left -= waiting.pop(0)
    return max(SMALLEST_BLOCK, int(left / len(waiting))) if waiting else max(counts, default=0)


def _cut(message: Message, limit: int) -> str:
    def shorter(match: re.Match[str]) -> str:
        if count_words(match["body"]) <= limit:
            return match[0]
        return f"{match['open']}{cut_words(match['body'], limit)} {SHORTENED}"

    return _BLOCK.sub(shorter, message.text)
