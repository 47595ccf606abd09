"""Splits long text into messages: at paragraphs, lines, sentences or words, fences kept whole."""

import re
from collections import deque
from itertools import takewhile
from typing import Final, NamedTuple

from bot.messages.discord import PostText
from bot.stage.readable import CodeFile, set_code_aside

_MESSAGE_LIMIT = 2000
_FENCE = "```"
_CLOSE = "\n" + _FENCE
_LANGUAGE = re.compile(r"([\w+#.-]{0,20})\n")
_TICKS = re.compile("```|`{1,2}")
_LOOK = 20
_SENTENCE_END = re.compile(r"[.!?…。！？]\s")


def split_text(text: str, limit: int = _MESSAGE_LIMIT) -> list[str]:
    """Split so that no part, markers included, is longer than the limit; text order is kept."""
    parts: list[str] = []
    reopen = ""
    text = rest = text.strip("\n")
    spans = _inline_code(text)
    while rest.strip():
        if len(reopen) + len(rest) <= limit and not _open_fence(reopen + rest):
            parts.append(reopen + rest)
            break
        room = limit - len(reopen) - len(_CLOSE)
        begun = len(text) - len(rest)
        cut, ticks = _around_code(spans, text, begun, begun + _best_cut(rest, room), room)
        body = reopen + text[begun:cut].rstrip()
        # Inside of inline code there is no fence, but what is reopened may look like one.
        fence = "" if ticks else _open_fence(body)
        rest = text[cut:].lstrip("\n") if fence else text[cut:].lstrip()
        if body.strip() and body.strip() not in (fence.strip(), reopen.strip()):
            parts.append(body + (_CLOSE if fence else ticks))
        reopen = fence or ticks
    return parts


class _Span(NamedTuple):
    """Inline code: where it begins and ends with its ticks."""

    start: int
    end: int
    ticks: str


def _inline_code(text: str) -> deque[_Span]:
    """Every inline code of a text in order; a tick without its partner begins none."""
    found: deque[_Span] = deque()
    later: dict[str, re.Match[str]] = {}
    partners: dict[int, re.Match[str]] = {}
    ticks = list(_TICKS.finditer(text)) if "`" in text else []
    fenced = False
    # From the end, so that each finds the next of its length at once.
    for tick in reversed(ticks):
        if tick[0] == _FENCE:
            later.clear()
        elif tick[0] in later:
            partners[tick.start()] = later[tick[0]]
        later[tick[0]] = tick
    for tick in ticks:
        fenced ^= tick[0] == _FENCE
        partner = partners.get(tick.start())
        if partner and not fenced and (not found or found[-1].end <= tick.start()):
            found.append(_Span(tick.start(), partner.end(), tick[0]))
    return found


def _around_code(
    spans: deque[_Span], text: str, begun: int, cut: int, room: int
) -> tuple[int, str]:
    """Where to cut instead of in inline code, and the ticks to repeat where that is too long."""
    while spans and spans[0].end <= begun:
        spans.popleft()
    before = takewhile(lambda span: span.start < cut, spans)
    span = next((span for span in before if cut < span.end), None)
    if span is None:
        return cut, ""
    if span.start - begun >= room // 3:
        return span.start, ""
    first, last = max(span.start, begun) + len(span.ticks), span.end - len(span.ticks)
    cut = min(max(cut, first + 1), last)
    while first < cut < last and _touches_tick(text, cut):
        cut -= 1
    return (span.end, "") if cut >= last else (cut, span.ticks)


def _touches_tick(text: str, cut: int) -> bool:
    """Whether ticks put at a cut would grow together with one of the code."""
    before, after = text[max(0, cut - _LOOK) : cut].rstrip(), text[cut : cut + _LOOK].lstrip()
    return before.endswith("`") or after.startswith("`")


def _open_fence(text: str) -> str:
    """The marker that reopens the fence this text leaves open, or nothing."""
    pieces = text.split(_FENCE)
    if len(pieces) % 2:
        return ""
    language = _LANGUAGE.match(pieces[-1])
    return f"{_FENCE}{language[1] if language else ''}\n"


def _best_cut(text: str, room: int) -> int:
    if len(text) <= room:
        return len(text)
    window = text[:room]
    least = room // 3
    for cut in (_before_fence(window), window.rfind("\n\n"), window.rfind("\n")):
        if cut >= least:
            return cut
    ends = [match.end() for match in _SENTENCE_END.finditer(window, least)]
    if ends:
        return ends[-1]
    space = window.rfind(" ")
    return space if space >= least else _outside_marker(text, room)


def _before_fence(window: str) -> int:
    """Where to cut so that a code block that does not fit starts in the next part."""
    pieces = window.split(_FENCE)
    return -1 if len(pieces) % 2 else len(window) - len(pieces[-1]) - len(_FENCE)


def _outside_marker(text: str, cut: int) -> int:
    """Never cut through the three backticks themselves; more in a row are no marker."""
    before = cut - len(_FENCE)
    return next((place for place in range(cut, before, -1) if text[place - 1] != "`"), cut)


_MOST_OF_A_SEAT: Final = 3
_MOST_OF_THE_BOT: Final = 10
"""A conclusion has about three; this is the limit for one that does not end."""
_FULL_TEXT: Final = "full-text.md"


def message_parts(
    body: str, *, code_aside: bool, by_a_seat: bool
) -> tuple[list[str], tuple[CodeFile, ...]]:
    """The messages of a post and the files that go with them.

    Beyond a few messages only the first is shown, and the whole text is a file of it.
    """
    text, code = set_code_aside(body) if code_aside else (body, ())
    parts = split_text(text)
    if len(parts) <= (_MOST_OF_A_SEAT if by_a_seat else _MOST_OF_THE_BOT):
        return parts, code
    note = PostText.full_text_attached(_FULL_TEXT, len(body))
    first = split_text(body, _MESSAGE_LIMIT - len(note) - 1)[0]
    return [f"{first}\n{note}"], (CodeFile(_FULL_TEXT, f"{body}\n"),)
