"""Grammars without recursion, built from five kinds of nodes and written as GBNF or as a regex."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_GBNF_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


@dataclass(frozen=True, slots=True)
class Text:
    """Exactly this text."""

    text: str


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of some ranges of letters and digits, or one of a few others."""

    ranges: tuple[tuple[str, str], ...]
    others: str = ""


@dataclass(frozen=True, slots=True)
class Sequence:
    """One part after the other."""

    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Choice:
    """Exactly one of several."""

    options: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part so often, at least and at most."""

    part: "Node"
    least: int
    most: int


Node = Text | Chars | Sequence | Choice | Repeat
_Part = Node | str


def text(part: _Part) -> Node:
    """A node; plain strings stand for themselves."""
    return Text(part) if isinstance(part, str) else part


def sequence(*parts: _Part) -> Node:
    """The parts one after the other."""
    return Sequence(tuple(text(part) for part in parts))


def choice(options: Iterable[_Part]) -> Node:
    """One of the options, of which there must be one."""
    nodes = tuple(dict.fromkeys(text(option) for option in options))
    return nodes[0] if len(nodes) == 1 else Choice(nodes)


def to_gbnf(node: Node) -> str:
    """The grammar as llama.cpp reads it; parts that occur again become rules of their own."""
    rules: dict[Node, str] = {}
    lines = [f"root ::= {_gbnf(node, rules)}"]
    written = 0
    while written < len(rules):
        part, name = [*rules.items()][written]
        lines.append(f"{name} ::= {_gbnf(part, rules, inside=part)}")
        written += 1
    return "\n".join(lines) + "\n"


def to_pattern(node: Node) -> re.Pattern[str]:
    """The grammar as a regular expression, which says what a whole answer may be."""
    return re.compile(_regex(node))


def _gbnf(node: Node, rules: dict[Node, str], inside: Node | None = None) -> str:
    match node:
        case Text(said):
            return '"' + "".join(_GBNF_ESCAPES.get(c, c) for c in said) + '"'
        case Chars():
            return _class(node)
        case Sequence(parts):
            return " ".join(_gbnf(part, rules) for part in parts)
        case Choice(options):
            return "(" + " | ".join(_gbnf(option, rules) for option in options) + ")"
        case Repeat(part, least, most):
            if node != inside:
                return rules.setdefault(node, f"r{len(rules)}")
            return f"({_gbnf(part, rules)}){{{least},{most}}}"


def _class(chars: Chars) -> str:
    """Ranges, then the others; a hyphen stands last, where it is no range."""
    ranges = "".join(low if low == high else f"{low}-{high}" for low, high in chars.ranges)
    others = "".join(sorted(chars.others, key=lambda character: character == "-"))
    return f"[{ranges}{others}]"


def _regex(node: Node) -> str:
    match node:
        case Text(said):
            return re.escape(said)
        case Chars():
            return _class(node)
        case Sequence(parts):
            return "".join(_regex(part) for part in parts)
        case Choice(options):
            return "(?:" + "|".join(_regex(option) for option in options) + ")"
        case Repeat(part, least, most):
            return f"(?:{_regex(part)}){{{least},{most}}}"


_LONGEST_WORD: Final = 18
_SENTENCE: Final = (4, 12)
"""How many words a sentence has, at least and at most."""
# English letters only: given other scripts, a very small model drifts off into them.
_CAPITALS: Final = ("A", "Z")
_SMALLS: Final = ("a", "z")
_DIGITS: Final = ("0", "9")
_CAPITAL: Final = Chars((_CAPITALS,))
_SMALL: Final = Chars((_SMALLS,))
_START: Final = Chars((_CAPITALS, _SMALLS, _DIGITS))
_INNER: Final = Chars((_CAPITALS, _SMALLS, _DIGITS), "'%-")
# A first word in small letters after its first is never one of our headings, which are capitals.
_FIRST: Final = sequence(_CAPITAL, Repeat(Chars((_SMALLS,), "'"), 0, _LONGEST_WORD))
_WORD: Final = sequence(choice((" ", ", ")), _START, Repeat(_INNER, 0, _LONGEST_WORD))


def words(least: int, most: int) -> Node:
    """So many words."""
    return sequence(_FIRST, Repeat(_WORD, least - 1, most - 1))


def sentence(least: int = _SENTENCE[0], most: int = _SENTENCE[1], end: str = ".") -> Node:
    """One sentence with its full stop."""
    return sequence(words(least, most), end)


def reason() -> Node:
    """The end of a sentence that has begun: it goes on in small letters."""
    return sequence(Repeat(_SMALL, 1, _LONGEST_WORD), Repeat(_WORD, 3, _SENTENCE[1] - 1), ".")


def sentences(least: int, most: int) -> Node:
    """A few sentences on one line."""
    return sequence(sentence(), Repeat(sequence(" ", sentence()), least - 1, most - 1))
