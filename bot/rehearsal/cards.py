"""Considerations as cards: what speaks for and against, how to check it, how it can go wrong."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Card:
    """One consideration; `check` and `mend` are orders, the other texts are clauses.

    A clause fits after "because" and after a colon. In the deck of choices `{x}` stands for the
    option spoken for and `{y}` for its rival.
    """

    name: str
    pro: str
    con: str
    check: str
    risk: str
    mend: str

    def between(self, x: str, y: str) -> "Card":
        """The same card with the options filled in."""
        filled = (
            text.replace("{x}", x).replace("{y}", y)
            for text in (self.name, self.pro, self.con, self.check, self.risk, self.mend)
        )
        return Card(*filled)


Deck = tuple[Card, ...]
