"""Makes a prompt fit a small context: the longest quoted blocks are cut, and say so."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from bot.models.local.asking import SHORTENED
from bot.models.local.quoting import quoted_blocks
from bot.models.port import Prompt
from bot.prompting.words import count_words, cut_words

SMALLEST_BLOCK: Final = 40


def shorten(prompt: Prompt, share: float) -> Prompt | None:
    """The prompt at about this share of its words; None when there is nothing to cut.

    Only what is quoted is cut, never the rules or the format, and always the longest blocks first.
    """
    texts = [message.text for message in prompt.messages]
    counts = [
        count_words(text[block.body : block.body_end])
        for text in texts
        for block in quoted_blocks(text)
    ]
    whole = sum(map(count_words, texts))
    limit = _limit(counts, sum(counts) - whole * (1 - share))
    if limit >= max(counts, default=0):
        return None
    messages = tuple(replace(m, text="".join(_cut(m.text, limit))) for m in prompt.messages)
    return replace(prompt, messages=messages)


def _limit(counts: list[int], budget: float) -> int:
    """The length to which blocks are cut so that all together fit the budget."""
    left, waiting = budget, sorted(counts)
    while waiting and waiting[0] * len(waiting) <= left:
        left -= waiting.pop(0)
    return max(SMALLEST_BLOCK, int(left / len(waiting))) if waiting else max(counts, default=0)


def _cut(text: str, limit: int) -> Iterator[str]:
    """The text in pieces, with every block at this length at most."""
    at = 0
    for block in quoted_blocks(text):
        body = text[block.body : block.body_end]
        if count_words(body) > limit:
            yield f"{text[at : block.body]}{cut_words(body, limit)} {SHORTENED}"
            at = block.body_end
    yield text[at:]
