"""Writes at random what a grammar in llama.cpp's own notation allows, read from its text alone."""

import random
import re
from collections.abc import Callable
from functools import partial

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|\{\d+,\d+\}|[A-Za-z]\w*|[()|]|\s+')
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}

Write = Callable[[random.Random], str]


def write_from(grammar: str, rng: random.Random) -> str:
    """One text of the grammar."""
    rules: dict[str, Write] = {}
    for line in grammar.strip().split("\n"):
        name, _, body = line.partition(" ::= ")
        rules[name] = _Reader(body, rules).alternatives()
    return rules["root"](rng)


class _Reader:
    def __init__(self, body: str, rules: dict[str, Write]) -> None:
        tokens = _TOKEN.findall(body)
        assert "".join(tokens) == body, f"not understood: {body}"
        self._tokens = [token for token in tokens if token.strip()]
        self._rules = rules

    def alternatives(self) -> Write:
        options = [self._sequence()]
        while self._next() == "|":
            self._tokens.pop(0)
            options.append(self._sequence())
        return lambda rng: rng.choice(options)(rng)

    def _sequence(self) -> Write:
        parts: list[Write] = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._repeated(self._item()))
        return lambda rng: "".join(part(rng) for part in parts)

    def _repeated(self, part: Write) -> Write:
        if not self._next().startswith("{"):
            return part
        least, most = map(int, self._tokens.pop(0)[1:-1].split(","))
        return lambda rng: "".join(part(rng) for _ in range(rng.randint(least, most)))

    def _item(self) -> Write:
        token = self._tokens.pop(0)
        if token == "(":
            inner = self.alternatives()
            assert self._tokens.pop(0) == ")"
            return inner
        if token[0] == '"':
            said = re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), token[1:-1])
            return lambda _: said
        if token[0] == "[":
            characters = _characters(token[1:-1])
            return lambda rng: rng.choice(characters)
        return partial(self._rule, token)

    def _rule(self, name: str, rng: random.Random) -> str:
        """What a rule writes, looked up late, for rules may stand in any order."""
        return self._rules[name](rng)

    def _next(self) -> str:
        return self._tokens[0] if self._tokens else ""


def _characters(body: str) -> str:
    ranges = re.findall(r"(.)-(.)", body)
    others = re.sub(r".-.", "", body)
    return others + "".join(
        chr(code) for low, high in ranges for code in range(ord(low), ord(high) + 1)
    )
