"""Which models a meta-panel may seat here and now, and why not the others."""

import string
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from bot.measures.degradation import Cause, action_text
from bot.messages.meeting import SeatingText
from bot.panels import ModelNames, PanelsConfig, Resolution
from bot.panels.names import folded, role_fault, shown
from bot.prompting.text import plain_words
from bot.request import topic_slug

_ROLE_CHARS = 40
_HARD_ROUND_CAP = 3


@lru_cache(maxsize=512)
def seat_slug(role: str) -> str:
    """The name a seat has in keys and sessions."""
    return topic_slug(role.replace("'", ""))


def fit_role(written: str) -> str | None:
    """The role as a name Discord takes and a prompt may hold, or None when it cannot be one."""
    role = plain_words(written, _ROLE_CHARS)
    has_letter = any(character.isalpha() for character in role)
    return role if has_letter and role_fault(role) is None else None


def free_role(role: str, taken: Collection[str]) -> str | None:
    """The role, or the role with a letter when its name is taken; None when that does not help."""
    spellings = [role, *(f"{role} {letter}" for letter in string.ascii_uppercase[1:])]
    return next((name for name in spellings if not is_taken(name, taken)), None)


def is_taken(role: str, taken: Collection[str]) -> bool:
    """Whether another role would be read, or keyed, as the same one."""
    return any(folded(role) == folded(t) or seat_slug(role) == seat_slug(t) for t in taken)


@dataclass(frozen=True, slots=True)
class SeatingRules:
    """The limits of a design; models are given by their keys."""

    names: ModelNames
    allowlist: frozenset[str]
    premium: frozenset[str]
    usable: frozenset[str]
    orchestrator: str
    max_seats: int
    max_rounds: int
    stand_ins: Mapping[str, str] = field(default_factory=dict)

    def seatable(self, written: str) -> str | None:
        """The key of the model an analyst named, when it may be chosen."""
        key = self._meant(written)
        return key if key is not None and self._may_sit(key) else None

    def fault(self, written: str) -> str | None:
        """Why a model an analyst named is passed over, or None (E43, E44)."""
        key = self._meant(written)
        if key is None:
            return SeatingText.no_such_name(shown_model(written))
        return None if self._may_sit(key) else self._fault_of(key)

    def _meant(self, written: str) -> str | None:
        """A model that is not allowed itself means the one that stands in for it."""
        key = self.names.canonical(written)
        return self.stand_ins.get(key, key) if key and key not in self.allowlist else key

    def _may_sit(self, key: str) -> bool:
        return key != self.orchestrator and key in self.allowlist & self.usable

    def _fault_of(self, key: str) -> str:
        """Why a model may not sit."""
        if key == self.orchestrator:
            return SeatingText.never_sits(key)
        if key not in self.allowlist:
            return SeatingText.not_allowed(key, action_text(Cause.NOT_ALLOWLISTED, key))
        return SeatingText.not_usable(key)

    def faults(self, written: Iterable[str]) -> tuple[str, ...]:
        """Why each of these models is passed over, each reason once."""
        found = (self.fault(name) for name in dict.fromkeys(written))
        return tuple(dict.fromkeys(fault for fault in found if fault))


def seating_rules(config: PanelsConfig, resolution: Resolution) -> SeatingRules:
    """The rules of a configuration with the models that are usable now."""
    return SeatingRules(
        names=resolution.names,
        allowlist=frozenset(config.allowlist),
        premium=frozenset(config.premium),
        usable=frozenset(resolution.models),
        orchestrator=config.orchestrator.model,
        max_seats=config.limits.max_seats,
        max_rounds=min(_HARD_ROUND_CAP, config.limits.max_rounds),
        stand_ins=resolution.stand_ins,
    )


@lru_cache(maxsize=512)
def shown_model(written: str) -> str:
    """A model's name as an analyst wrote it, fit to be printed."""
    return shown(plain_words(written)) or SeatingText.NAMELESS
