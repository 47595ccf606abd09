"""Text as Discord shows it: what it cannot draw is rewritten, long text is split."""

import re
import string
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat, takewhile
from typing import Final, NamedTuple

from bot.messages.discord import PostText
from bot.stage.cleaning import clean_text, short_line
from bot.stage.port import Place, Post, Quote

_MOST_LINES: Final = 200
_MOST_FILES: Final = 8
_FENCED: Final = re.compile(r"(```.*?```)", re.DOTALL)
_BLOCK: Final = re.compile(r"```(?:([\w+#.-]{1,20})\n)?\n?(.*?)\n?```", re.DOTALL)
_DIVIDER: Final = re.compile(r"\s*+\|?+\s*+:?+-{2,}+:?+\s*+(?:\|\s*+:?+-{2,}+:?+\s*+)*+\|?+\s*+")
_DEEP_HEADING: Final = re.compile(r"\s{0,3}#{4,6}\s++(.*)")
_HEADING_END: Final = f"#{string.whitespace}\u00a0\u3000"
_RULE: Final = re.compile(r"\s{0,3}(?:-\s?){3,}|\s{0,3}(?:\*\s?){3,}|\s{0,3}(?:_\s?){3,}")
_ENDINGS: Final = {
    "python": "py", "py": "py", "javascript": "js", "js": "js", "typescript": "ts", "ts": "ts",
    "rust": "rs", "rs": "rs", "go": "go", "java": "java", "c": "c", "cpp": "cpp", "sh": "sh",
    "bash": "sh", "sql": "sql", "html": "html", "css": "css", "json": "json", "yaml": "yaml",
    "toml": "toml", "xml": "xml", "diff": "diff", "markdown": "md", "md": "md",
}  # fmt: skip
_QUOTE_LIMIT = 140
_NAME_LIMIT = 40
_MESSAGE_LIMIT = 2000
_FENCE = "```"
_CLOSE = "\n" + _FENCE
_LANGUAGE = re.compile(r"([\w+#.-]{0,20})\n")
_TICKS = re.compile("```|`{1,2}")
_LOOK = 20
_SENTENCE_END = re.compile(r"[.!?…。！？]\s")
_MOST_OF_A_SEAT: Final = 3
_MOST_OF_THE_BOT: Final = 10
"""A conclusion has about three; this is the limit for one that does not end."""
_FULL_TEXT: Final = "full-text.md"


@dataclass(frozen=True, slots=True)
class CodeFile:
    """Code that is too long to be read in a chat."""

    name: str
    text: str


def readable(text: str) -> str:
    """Rewrite tables as lists, deep headings as bold lines, rules as empty lines; not in code."""
    pieces = _FENCED.split(text)
    return "".join(
        piece if index % 2 else "\n".join(_lines(piece.split("\n")))
        for index, piece in enumerate(pieces)
    )


def set_code_aside(text: str) -> tuple[str, tuple[CodeFile, ...]]:
    """The text with its longest code blocks replaced by a word about the file that holds each."""
    files: list[CodeFile] = []

    def replaced(block: re.Match[str]) -> str:
        lines = block[2].count("\n") + 1
        if lines <= _MOST_LINES or len(files) == _MOST_FILES:
            return block[0]
        ending = _ENDINGS.get((block[1] or "").lower(), "txt")
        files.append(CodeFile(f"code-{len(files) + 1}.{ending}", block[2] + "\n"))
        return f"\n{PostText.code_attached(files[-1].name, lines)}\n"

    return _BLOCK.sub(replaced, text), tuple(files)


def _lines(lines: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        if _is_table(lines, at):
            rows = _rows(lines, at + 2)
            yield from _as_list(_cells(lines[at]), [_cells(row) for row in rows])
            at += 2 + len(rows)
        else:
            yield _plain(lines[at])
            at += 1


def _plain(line: str) -> str:
    if heading := _DEEP_HEADING.fullmatch(line):
        title = heading[1].rstrip(_HEADING_END)
        return f"**{title}**" if title else ""
    return "" if _RULE.fullmatch(line) else line


def _is_table(lines: Sequence[str], at: int) -> bool:
    """A line with cells above a line of dashes with cells."""
    if "|" not in lines[at] or at + 1 == len(lines) or "|" not in lines[at + 1]:
        return False
    return _DIVIDER.fullmatch(lines[at + 1]) is not None


def _rows(lines: Sequence[str], start: int) -> Sequence[str]:
    end = start
    while end < len(lines) and "|" in lines[end]:
        end += 1
    return lines[start:end]


def _cells(line: str) -> list[str]:
    inside = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", inside)]


def _as_list(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A line per row: its first cell, then every other cell under the name of its column."""
    if not rows:
        yield " · ".join(cell for cell in head if cell)
    for row in rows:
        named = [
            f"{name}: {cell}" if name else cell
            for name, cell in zip(chain(islice(head, 1, None), repeat("")), row[1:], strict=False)
            if cell
        ]
        first = f"**{row[0].replace('*', '')}**" if row[0] else ""
        yield f"- {' — '.join(filter(None, (first, ' · '.join(named))))}"


def message_url(place: Place, message_id: int) -> str:
    """The link people follow to a message."""
    return f"https://discord.com/channels/{place.guild_id}/{place.target_id}/{message_id}"


def _quoted(quote: Quote | None, place: Place) -> str:
    """One line that says whose words are answered, and leads to them."""
    if quote is None:
        return ""
    text = short_line(quote.text, _QUOTE_LIMIT).replace("`", "'")
    author = short_line(quote.author, _NAME_LIMIT).replace("*", "")
    link = f" [↗](<{message_url(place, quote.message_id)}>)" if quote.message_id else ""
    return f"> **{author}:** {text}{link}\n"


def post_body(post: Post, place: Place, *, as_persona: bool) -> str:
    """The text as sent: cleaned, with the seat's small print, and its name where it has no face."""
    text = post.text
    if post.untrusted:
        text = clean_text(readable(text), post.known_urls)
    note = f"-# {post.speaker.note}\n" if post.speaker.note else ""
    name = f"**{post.speaker.name}**\n" if post.speaker.seat and not as_persona else ""
    ping = f"<@{post.ping_user_id}>\n" if post.ping_user_id else ""
    return f"{ping}{name}{note}{_quoted(post.quote, place)}{text}" or "\u2026"


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
