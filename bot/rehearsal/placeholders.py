"""Checking the placeholders of phrases: texts in braces that the writer of an answer fills.

In a sentence of a seat `{Name}` is `{name}` beginning with a capital.
"""

import re

from pydantic import AfterValidator

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_SHARED = frozenset("role a_role mark whom hedge word thing".split())
"""What every sentence of a seat may use."""


def check(
    pattern: str, needed: str = "", allowed: str = "", shared: frozenset[str] = frozenset()
) -> None:
    """Refuse a text that lacks a placeholder, or has one that nobody fills."""
    if set("{}") & set(_PLACEHOLDER.sub("", pattern)):
        raise ValueError(f"has a brace without its partner in “{pattern}”")
    found = set(_PLACEHOLDER.findall(pattern))
    if shared:
        found = {name[:1].lower() + name[1:] for name in found}
    for name in sorted(found - {*needed.split(), *allowed.split(), *shared}):
        raise ValueError(f"does not know the placeholder {{{name}}} in “{pattern}”")
    for name in sorted(set(needed.split()) - found):
        raise ValueError(f"needs the placeholder {{{name}}} in “{pattern}”")


def says(needed: str = "", allowed: str = "", least: int = 1) -> AfterValidator:
    """Sentences of a seat, at least so many, with these placeholders and the shared ones."""

    def checked(patterns: tuple[str, ...]) -> tuple[str, ...]:
        if len(patterns) < least:
            raise ValueError(f"needs more phrases, at least {least}")
        for pattern in patterns:
            check(pattern, needed, allowed, _SHARED)
        return patterns

    return AfterValidator(checked)


def fills(needed: str = "", allowed: str = "") -> AfterValidator:
    """One text that is filled with these placeholders alone."""

    def checked(text: str) -> str:
        check(text, needed, allowed)
        return text

    return AfterValidator(checked)
