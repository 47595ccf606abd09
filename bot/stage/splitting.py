"""Splits long text into messages: at paragraphs, lines, sentences or words, fences kept whole."""

import re

MESSAGE_LIMIT = 2000
FENCE = "```"
_CLOSE = "\n" + FENCE
_LANGUAGE = re.compile(r"([\w+#.-]{0,20})\n")
_SENTENCE_END = re.compile(r"[.!?…。！？]\s")


def split_text(text: str, limit: int = MESSAGE_LIMIT) -> list[str]:
    """Split so that no part, markers included, is longer than the limit; text order is kept."""
    parts: list[str] = []
    reopen = ""
    rest = text.strip("\n")
    while rest.strip():
        if len(reopen) + len(rest) <= limit and not _open_fence(reopen + rest):
            parts.append(reopen + rest)
            break
        room = limit - len(reopen) - len(_CLOSE)
        cut = _best_cut(rest, room)
        body = reopen + rest[:cut].rstrip()
        rest = rest[cut:].lstrip("\n") if _open_fence(body) else rest[cut:].lstrip()
        reopen = _open_fence(body)
        if body.strip() and body.strip() != reopen.strip():
            parts.append(body + _CLOSE if reopen else body)
    return parts


def _open_fence(text: str) -> str:
    """The marker that reopens the fence this text leaves open, or nothing."""
    pieces = text.split(FENCE)
    if len(pieces) % 2:
        return ""
    language = _LANGUAGE.match(pieces[-1])
    return f"{FENCE}{language[1] if language else ''}\n"


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
    pieces = window.split(FENCE)
    return -1 if len(pieces) % 2 else len(window) - len(pieces[-1]) - len(FENCE)


def _outside_marker(text: str, cut: int) -> int:
    """Never cut through the three backticks themselves; more in a row are no marker."""
    before = cut - len(FENCE)
    return next((place for place in range(cut, before, -1) if text[place - 1] != "`"), cut)
