"""Who speaks how: one voice per known role, and one that any other role can borrow."""

import re
from dataclasses import dataclass

from bot.rehearsal.text import clean, cut

Patterns = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Voice:
    """How one role argues in its first answer.

    `place` says which part of a deck is dealt to the role; `lean` is its natural inclination from
    -1 (against) to 1 (in favour); `turned` are its claims when a point speaks for the other side,
    if the usual ones would not fit; `manner` names its manners, if they are not those of its place;
    `choice` is how it says that it prefers one option to another, if it has its own way.
    """

    place: int
    lean: float
    thesis_for: Patterns
    thesis_against: Patterns
    thesis_open: Patterns
    claims: Patterns
    evidence: Patterns
    risks: Patterns
    advice: Patterns
    turned: Patterns = ()
    manner: str = ""
    choice: str = ""


def role_name(role: str) -> str:
    """A role as people read it."""
    return cut(clean(role.replace("_", " ")), 40) or "Panelist"


def role_in_prose(role: str) -> str:
    """A role as it stands inside a sentence: without capitals that are not an abbreviation's."""
    return " ".join(word.lower() if word.istitle() else word for word in role.split())


def role_key(role: str) -> str:
    """A role as it is compared: letters and digits only, in lower case."""
    return re.sub(r"[\W_]+", "", role).casefold()
