"""Long strings built from a regular expression's own syntax tree, to find where it is not linear.

A pattern is flattened into chains of literals and character sets, one per alternative. Whatever
piece of a chain can follow itself is repeated to the length asked for, behind what leads to it and
before something that does not fit. Characters that several sets of the pattern have in common are
preferred in turn, because a pattern backtracks where two of its parts want the same text.
"""

import itertools
from collections.abc import Iterator, Sequence
from importlib import import_module
from operator import and_
from typing import Any, NamedTuple

# No other parser of the language that `re` reads exists; they are private, hence without types.
compiler: Any = import_module("re._compiler")
op: Any = import_module("re._constants")
parser: Any = import_module("re._parser")

LENGTH = 20_000
ALPHABET = " \n\taZ0_-.:/|[](){}<>*`#@!?,;\"'\\~=+•é日\u0301\x00"
SUFFIXES = ("", "\x00", "\n")
MOST_CHAINS = 24
MOST_LETTERS = 10
LONGEST_PIECE = 4

Letters = tuple[str, ...]
"""The characters that may stand in one place, or one literal text."""
Chain = tuple[Letters, ...]


class Recipe(NamedTuple):
    """What leads, what is repeated and what ends a string."""

    lead: str
    piece: str
    end: str

    def text(self, length: int) -> str:
        """The string at about this length."""
        return self.lead + self.piece * (length // len(self.piece)) + self.end

    def __str__(self) -> str:
        return f"{self.lead[-30:]!r} + {self.piece[:60]!r} * n + {self.end!r}"


def recipes(pattern: str, flags: int = 0) -> list[Recipe]:
    """Strings that are hard for the pattern, each once."""
    return list(dict.fromkeys(_recipes(pattern, flags)))


def _recipes(pattern: str, flags: int) -> Iterator[Recipe]:
    tree = parser.parse(pattern, flags)
    letters = _Letters(tree)
    chains = list(itertools.islice(dict.fromkeys(_chains(list(tree), letters)), MOST_CHAINS))
    for pair in itertools.product(letters.kinds, repeat=2):
        yield from (Recipe("", "".join(dict.fromkeys(pair)), end) for end in SUFFIXES)
    for chain, wanted in itertools.product(chains, letters.kinds):
        parts = [wanted if wanted in part else part[0] for part in chain]
        for start, end in itertools.combinations(range(len(parts) + 1), 2):
            if end - start <= LONGEST_PIECE:
                lead, piece = "".join(parts[:start]), "".join(parts[start:end])
                yield from (Recipe(lead, piece, close) for close in SUFFIXES)


class _Letters:
    """The characters that a pattern tells apart, one for each group it treats alike."""

    def __init__(self, tree: Any) -> None:
        self._state = tree.state
        self._flags = tree.state.flags
        nodes = list(_sets(tree))
        characters = dict.fromkeys([*ALPHABET, *itertools.chain(*map(_named, nodes))])
        groups: dict[tuple[bool, ...], str] = {}
        tests = [*map(self._test, nodes), str.isalnum, str.isspace]
        for character in characters:
            groups.setdefault(tuple(test(character) for test in tests), character)
        wide = [kind is not op.LITERAL for kind, _ in nodes]
        ranked = sorted(groups.items(), key=lambda group: -sum(map(and_, group[0], wide)))
        self.kinds = [character for _, character in ranked[:MOST_LETTERS]]
        self._all = [character for _, character in ranked]

    def of(self, node: Any) -> Letters:
        """One character of each group that fits a node; none if nothing known does."""
        test = self._test(node)
        return tuple(filter(test, self._all))

    def _test(self, node: Any) -> Any:
        state = parser.State()
        state.flags = self._flags
        tree = parser.SubPattern(state, [node])
        compiled = compiler.compile(tree, self._flags)
        return lambda character: compiled.fullmatch(character) is not None


def _sets(tree: Any) -> Iterator[Any]:
    """Every node that stands for one character."""
    for kind, value in tree:
        if kind in {op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN}:
            yield (kind, value)
        else:
            for part in _parts(kind, value):
                yield from _sets(part)


def _parts(kind: Any, value: Any) -> Sequence[Any]:
    if kind is op.BRANCH:
        return list(value[1])
    if kind is op.SUBPATTERN:
        return [value[3]]
    if kind in {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}:
        return [value[2]]
    if kind in {op.ASSERT, op.ASSERT_NOT}:
        return [value[1]]
    if kind is op.ATOMIC_GROUP:
        return [value]
    if kind is op.GROUPREF_EXISTS:
        return [part for part in value[1:] if part]
    return []


def _named(node: Any) -> Iterator[str]:
    """The characters a node names, and the ends of its ranges."""
    kind, value = node
    if kind in {op.LITERAL, op.NOT_LITERAL}:
        yield chr(value)
    elif kind is op.IN:
        for inner, what in value:
            if inner is op.LITERAL:
                yield chr(what)
            elif inner is op.RANGE:
                yield from (chr(what[0]), chr(what[1]))


def _chains(nodes: list[Any], letters: _Letters) -> Iterator[Chain]:
    """The ways through a sequence of nodes, never more than a few."""
    ways: list[Chain] = [()]
    for kind, value in nodes:
        steps = list(itertools.islice(_steps(kind, value, letters), MOST_CHAINS))
        ways = [way + step for step in steps for way in ways][:MOST_CHAINS]
    yield from map(_joined, ways)


def _steps(kind: Any, value: Any, letters: _Letters) -> Iterator[Chain]:
    if kind is op.LITERAL:
        yield ((chr(value),),)
    elif kind in {op.NOT_LITERAL, op.ANY, op.IN}:
        if found := letters.of((kind, value)):
            yield (found,)
    elif kind in {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}:
        for step in _chains(list(value[2]), letters):
            yield step * min(max(1, value[0]), 50)
        if value[0] == 0:
            yield ()
    elif kind in {op.ASSERT, op.ASSERT_NOT}:
        yield ()
        yield from _chains(list(value[1]), letters)
    elif parts := _parts(kind, value):
        for part in parts:
            yield from _chains(list(part), letters)
    else:
        yield ()


def _joined(chain: Chain) -> Chain:
    """Literals in a row as one."""
    found: list[Letters] = []
    for fixed, group in itertools.groupby(chain, lambda part: len(part) == 1):
        parts = list(group)
        found.extend([("".join(part[0] for part in parts),)] if fixed else parts)
    return tuple(found)
