"""Names: which are alike, which are near, and which Discord accepts for a panelist."""

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from bot.messages.configuration import PanelsFileText

_SHORTEST_ROLE, _LONGEST_ROLE = 2, 80
_RESERVED = re.compile(r"coordinator|roundtable|person\d*")
_FORBIDDEN_PARTS = ("discord", "clyde", "```")
_FORBIDDEN_WORDS = {"everyone", "here"}
_SYNTAX = "@#:[]|"


@lru_cache(maxsize=512)
def folded(name: str) -> str:
    """A name without case, spaces, underscores and punctuation, for telling names apart."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(c for c in plain if c.isalnum())


def shown(name: str, longest: int = 60) -> str:
    """A name from a file as it may be printed: no control characters, not endless."""
    plain = "".join(c if c.isprintable() else "?" for c in name)
    return plain if len(plain) <= longest else f"{plain[:longest]}…"


def nearest(name: str, known: Iterable[str], limit: int = 1) -> tuple[str, ...]:
    """The known names closest to a mistyped one, best first."""
    spelled = {k.casefold(): k for k in known}
    found = difflib.get_close_matches(name.casefold(), spelled, n=limit, cutoff=0.6)
    return tuple(spelled[f] for f in found)


def hint(name: str, known: Sequence[str], otherwise: str) -> str:
    """A question naming the nearest known name, or what else to do."""
    found = nearest(name, known)
    return PanelsFileText.did_you_mean(found[0]) if found else otherwise


@lru_cache(maxsize=512)
def role_fault(role: str) -> str | None:
    """Why Discord or the score format would refuse a panelist of this name, or None."""
    checks = (_length_fault, _character_fault, _word_fault)
    return next((fault for check in checks if (fault := check(role))), None)


def _length_fault(role: str) -> str | None:
    if role != role.strip():
        return PanelsFileText.ROLE_HAS_SPACE
    if not _SHORTEST_ROLE <= len(role) <= _LONGEST_ROLE:
        return PanelsFileText.role_length(len(role), _SHORTEST_ROLE, _LONGEST_ROLE)
    return None


def _character_fault(role: str) -> str | None:
    if any(not c.isprintable() for c in role):
        return PanelsFileText.ROLE_UNPRINTABLE
    if found := next((c for c in _SYNTAX if c in role), None):
        return PanelsFileText.role_sign(found)
    if not folded(role):
        return PanelsFileText.ROLE_HAS_NO_LETTER
    return None


def _word_fault(role: str) -> str | None:
    plain = unicodedata.normalize("NFKC", role).casefold()
    spoken = set(re.findall(r"\w+", plain))
    found = next((p for p in _FORBIDDEN_PARTS if p in plain), None)
    found = found or next(iter(sorted(spoken & _FORBIDDEN_WORDS)), None)
    if found:
        return PanelsFileText.role_word(found)
    if _RESERVED.fullmatch(folded(role)):
        return PanelsFileText.ROLE_IS_OURS
    return None
