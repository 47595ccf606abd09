"""Splits an answer at its headings, however a model chose to decorate them."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

_MARK: Final = re.compile(r"\s{0,20}(?:[-+•*–]\s{1,4}|\(?\d{1,2}[.):]\s{0,4}(?!\d))")


def has_mark(line: str) -> bool:
    """Whether a line begins a list item."""
    return _MARK.match(line) is not None


def strip_mark(line: str) -> str:
    """The line without its bullet or number."""
    match = _MARK.match(line)
    return (line[match.end() :] if match else line).strip()


def list_items(body: str) -> tuple[str, ...]:
    """The outer items of a list, one string each; text before the first mark is not an item."""
    items: list[list[str]] = []
    outer = 0
    for line in body.split("\n"):
        mark = _MARK.match(line)
        text = (line[mark.end() :] if mark else line).strip()
        indent = len(line) - len(line.lstrip())
        if mark and (not items or indent <= outer + 1):
            outer = indent if not items else outer
            items.append([text])
        elif items and line.strip():
            items[-1].append(text)
    return tuple(text for text in (" ".join(item).strip() for item in items) if text)


_LOOK: Final = 200  # a heading stands at the start of its line; the rest of a long line is body
_LIST_MARK: Final = re.compile(r"\s*(?:[-+•]|\*(?=\s)|\d{1,2}[.)])")
_DECORATION: Final = re.compile(r"\*\*|__|#|\*(?=\S)")
_NOTHING: Final = re.compile(r"[\W_]*\Z")
_ASIDE: Final = r"[\s*_`]{0,8}(?:\([^()\n]{0,90}\))?[\s*_`]{0,8}"
_COLON: Final = rf"{_ASIDE}[:：][ \t]{{0,8}}(?:[*_]{{1,3}}(?=\s|\Z))?\s{{0,8}}"
_BOLD_END: Final = r"\s{0,8}(?:\*{1,3}|_{1,3})[\s:：]{0,8}(?:[—–-]\s)?\s{0,8}"
_DASH: Final = r"\s{0,8}[—–-]\s{1,8}"
_PLAIN_END: Final = re.compile(_COLON)
_STRONG_END: Final = re.compile(f"{_COLON}|{_BOLD_END}|{_DASH}")
_RULED_WITH: Final = "-*_—"
_RULE: Final = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,}|—{2,})\s*")


class FoundHeading(NamedTuple):
    """A heading on a line: its key and the body that begins on the same line.

    A `weak` one counts only where its section is not open already (a bullet with the same emoji).
    """

    key: str
    inline: str
    weak: bool = False


class Section(NamedTuple):
    """A heading's key ("" before the first heading), its body, and the lines it covers."""

    key: str
    body: str
    first_line: int
    end_line: int


_Finder = Callable[[str], FoundHeading | None]


class Headings:
    """Known headings with all their spellings; finds one at the start of a line."""

    def __init__(self, spellings: Mapping[str, Iterable[str]]) -> None:
        pairs = [(_loose(text), key) for key, texts in spellings.items() for text in texts]
        pairs.sort(key=lambda pair: len(pair[0]), reverse=True)
        self._patterns = [pattern for pattern, _ in pairs]
        self._keys = ("", "", *(key for _, key in pairs))  # group 1 is what stands before the name

    @cached_property
    def _line(self) -> re.Pattern[str]:
        """Slow to compile, so not before it is needed; one letter tells most lines apart."""
        initials = "".join({pattern[0] for pattern in self._patterns})
        return re.compile(
            rf"([\W_]{{0,40}}(?:\d{{1,2}}[.)][\W_]{{0,10}})?)"
            rf"(?=[{initials}])(?:({')|('.join(self._patterns)}))(?![^\W_])",
            re.IGNORECASE,
        )

    def find(self, line: str) -> FoundHeading | None:
        """The heading that this line is or begins with, if any."""
        match = self._line.match(line, 0, _LOOK)
        if match is None:
            return None
        # The group tells the heading: letters may be alike in another case and yet not the same.
        group = match.lastindex or 0
        lead, name = match[1], match[group]
        decorated = _is_decorated(lead)
        strong = decorated or name.isupper()
        if not strong and _LIST_MARK.match(lead):
            return None
        inline = _after_name(line[match.end() :], strong=strong)
        if inline is None:
            return None
        return FoundHeading(self._keys[group], _unbold(inline) if decorated else inline.strip())


@lru_cache(maxsize=512)
def _is_decorated(lead: str) -> bool:
    return _DECORATION.search(lead) is not None


def _after_name(rest: str, *, strong: bool) -> str | None:
    """The body on the heading's own line, or None when the line is a sentence and no heading."""
    if not rest or (len(rest) <= _LOOK and _NOTHING.match(rest)):
        return ""
    match = _STRONG_END.match(rest) if strong else _PLAIN_END.match(rest)
    return rest[match.end() :] if match else None


def _unbold(inline: str) -> str:
    """Drop the one pair of stars that belongs to the heading and not to the body."""
    text = inline.strip()
    if text.count("**") % 2 == 0:
        return text
    return text.removesuffix("**").rstrip() if text.endswith("**") else text.removeprefix("**")


def _loose(name: str) -> str:
    return r"[\W_]{0,4}".join(re.escape(word) for word in re.findall(r"[^\W_]+", name))


def split_sections(text: str, find: _Finder) -> tuple[Section, ...]:
    """Cut a text into sections; what comes before the first heading has the key ""."""
    sections: list[Section] = []
    lines = text.split("\n")
    key, inline, first, body_from = "", "", 0, 0
    for number, line in enumerate(lines):
        found = find(line)
        if found is None or (found.weak and found.key == key):
            continue
        sections.append(Section(key, _joined([inline, *lines[body_from:number]]), first, number))
        key, inline, first, body_from = found.key, found.inline, number, number + 1
    sections.append(Section(key, _joined([inline, *lines[body_from:]]), first, len(lines)))
    return tuple([section for section in sections if section.key or section.body])


def last_body(sections: Iterable[Section], key: str) -> str:
    """The body of the last section with this key that has one, else ""."""
    return last_bodies(sections).get(key, "")


def last_bodies(sections: Iterable[Section]) -> dict[str, str]:
    """For every key the body of the last section that has one."""
    return {section.key: section.body for section in sections if section.body}


def is_rule(line: str) -> bool:
    """Whether a line is a horizontal rule."""
    return len(line) <= _LOOK and _RULE.fullmatch(line) is not None


def _joined(lines: list[str]) -> str:
    """The lines without the blank lines and rules around them."""
    while lines:
        last = lines[-1].strip()
        if last and (last[0] not in _RULED_WITH or not is_rule(lines[-1])):
            break
        lines.pop()
    return "\n".join(lines).strip()
