"""Splits an answer at its headings, however a model chose to decorate them."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

_LOOK: Final = 200  # a heading stands at the start of its line; the rest of a long line is body
_LIST_MARK: Final = re.compile(r"\s*(?:[-+•]|\*(?=\s)|\d{1,2}[.)])")
_DECORATION: Final = re.compile(r"\*\*|__|#|\*(?=\S)")
_NOTHING: Final = re.compile(r"[\W_]*\Z")
_ASIDE: Final = r"[\s*_`]{0,8}(?:\([^()\n]{0,90}\))?[\s*_`]{0,8}"
_COLON: Final = re.compile(rf"{_ASIDE}[:：][ \t]{{0,8}}(?:[*_]{{1,3}}(?=\s|\Z))?\s{{0,8}}")
_BOLD_END: Final = re.compile(r"\s{0,8}(?:\*{1,3}|_{1,3})[\s:：]{0,8}(?:[—–-]\s)?\s{0,8}")
_DASH: Final = re.compile(r"\s{0,8}[—–-]\s{1,8}")
_RULE: Final = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,}|—{2,})\s*")


@dataclass(frozen=True, slots=True)
class Found:
    """A heading on a line: its key and the body that begins on the same line.

    A `weak` one counts only where its section is not open already (a bullet with the same emoji).
    """

    key: str
    inline: str
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A heading's key ("" before the first heading), its body, and the lines it covers."""

    key: str
    body: str
    first_line: int
    end_line: int


Finder = Callable[[str], Found | None]


class Headings:
    """Known headings with all their spellings; finds one at the start of a line."""

    def __init__(self, spellings: Mapping[str, Iterable[str]]) -> None:
        self._keys = {_bare(text): key for key, texts in spellings.items() for text in texts}
        names = sorted((text for texts in spellings.values() for text in texts), key=len)
        pattern = "|".join(_loose(name) for name in reversed(names))
        self._line = re.compile(
            rf"(?P<lead>[\W_]{{0,40}}(?:\d{{1,2}}[.)][\W_]{{0,10}})?)(?P<name>{pattern})(?![^\W_])",
            re.IGNORECASE,
        )

    def find(self, line: str) -> Found | None:
        """The heading that this line is or begins with, if any."""
        match = self._line.match(line[:_LOOK])
        if match is None:
            return None
        lead, name = match["lead"], match["name"]
        decorated = bool(_DECORATION.search(lead))
        if _LIST_MARK.match(lead) and not decorated and not name.isupper():
            return None
        inline = _after_name(line[match.end() :], strong=decorated or name.isupper())
        if inline is None:
            return None
        return Found(self._keys[_bare(name)], _unbold(inline) if decorated else inline.strip())


def _after_name(rest: str, *, strong: bool) -> str | None:
    """The body on the heading's own line, or None when the line is a sentence and no heading."""
    if len(rest) <= _LOOK and _NOTHING.match(rest):
        return ""
    patterns = (_COLON, _BOLD_END, _DASH) if strong else (_COLON,)
    for pattern in patterns:
        match = pattern.match(rest)
        if match:
            return rest[match.end() :]
    return None


def _unbold(inline: str) -> str:
    """Drop the one pair of stars that belongs to the heading and not to the body."""
    text = inline.strip()
    if text.count("**") % 2 == 0:
        return text
    return text.removesuffix("**").rstrip() if text.endswith("**") else text.removeprefix("**")


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _loose(name: str) -> str:
    return r"[\W_]{0,4}".join(re.escape(word) for word in re.findall(r"[^\W_]+", name))


def split_sections(text: str, find: Finder) -> tuple[Section, ...]:
    """Cut a text into sections; what comes before the first heading has the key ""."""
    sections: list[Section] = []
    key, body, first = "", list[str](), 0
    lines = text.split("\n")
    for number, line in enumerate(lines):
        found = find(line)
        if found is None or (found.weak and found.key == key):
            body.append(line)
            continue
        sections.append(Section(key, _joined(body), first, number))
        key, body, first = found.key, [found.inline], number
    sections.append(Section(key, _joined(body), first, len(lines)))
    return tuple(section for section in sections if section.key or section.body)


def last_body(sections: Iterable[Section], key: str) -> str:
    """The body of the last section with this key that has one, else ""."""
    body = ""
    for section in sections:
        if section.key == key and section.body:
            body = section.body
    return body


def is_rule(line: str) -> bool:
    """Whether a line is a horizontal rule."""
    return len(line) <= _LOOK and _RULE.fullmatch(line) is not None


def _joined(lines: list[str]) -> str:
    """The lines without the blank lines and rules around them."""
    kept = list(lines)
    while kept and (not kept[-1].strip() or is_rule(kept[-1])):
        kept.pop()
    return "\n".join(kept).strip()
