"""Names for seats that a model invented: fit for Discord, for keys, and unlike each other."""

import string
from collections.abc import Collection
from functools import lru_cache

from bot.panels.names import folded, role_fault
from bot.prompting.cleaning import plain_words
from bot.request import topic_slug

ROLE_CHARS = 40


@lru_cache(maxsize=512)
def seat_slug(role: str) -> str:
    """The name a seat has in keys and sessions."""
    return topic_slug(role.replace("'", "").replace("’", ""))


def fit_role(written: str) -> str | None:
    """The role as a name Discord takes and a prompt may hold, or None when it cannot be one."""
    role = plain_words(written, ROLE_CHARS)
    has_letter = any(character.isalpha() for character in role)
    return role if has_letter and role_fault(role) is None else None


def free_role(role: str, taken: Collection[str]) -> str | None:
    """The role, or the role with a letter when its name is taken; None when that does not help."""
    spellings = [role, *(f"{role} {letter}" for letter in string.ascii_uppercase[1:])]
    return next((name for name in spellings if not is_taken(name, taken)), None)


def is_taken(role: str, taken: Collection[str]) -> bool:
    """Whether another role would be read, or keyed, as the same one."""
    return any(folded(role) == folded(t) or seat_slug(role) == seat_slug(t) for t in taken)
