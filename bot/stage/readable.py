"""Turns what Discord does not draw into what it does: tables, deep headings, rules, long code."""

import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat
from typing import Final

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


_QUOTE_LIMIT = 140
_NAME_LIMIT = 40


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
