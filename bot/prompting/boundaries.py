"""The boundaries under which prompts quote: one for a run, and never one that a value holds."""

import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final

TokenFactory = Callable[[], str]
DRAWS: Final = 100
RUNS_KEPT: Final = 1000


class UnexpectedValueError(ValueError):
    """A value that the template does not know or cannot hold: a bug of the caller."""


def random_token() -> str:
    """A boundary that nobody can guess."""
    return secrets.token_hex(6)


class Boundary:
    """The boundary of one run; a model that learned it and writes it gets its words quoted anew."""

    def __init__(self, new_token: TokenFactory) -> None:
        self._new_token = new_token
        self._token = ""

    def absent_from(self, texts: Iterable[str]) -> str:
        """The boundary, drawn again if one of the texts holds it."""
        quoted = tuple(texts)
        for _ in range(DRAWS):
            if self._token and not any(self._token in text for text in quoted):
                return self._token
            self._token = self._new_token()
        raise UnexpectedValueError("no boundary could be drawn that is absent from every value")


class Boundaries:
    """The boundaries of the latest runs, kept in memory only: a restart draws new ones."""

    def __init__(self, new_token: TokenFactory) -> None:
        self._new_token = new_token
        self._kept: OrderedDict[str, Boundary] = OrderedDict()

    def of(self, run_id: str) -> Boundary:
        """The boundary of a run; a prompt of no run gets one of its own."""
        if not run_id:
            return Boundary(self._new_token)
        boundary = self._kept.setdefault(run_id, Boundary(self._new_token))
        self._kept.move_to_end(run_id)
        if len(self._kept) > RUNS_KEPT:
            self._kept.popitem(last=False)
        return boundary
