"""Makes a server's message safe to show: one short line without keys and links."""

import re
from collections.abc import Iterable

_EXCERPT_LENGTH = 200
_READ_LENGTH = 4_000
_SHORTEST_SECRET = 4
_KEY = "[key]"
_LINK = "[link]"

_ANY_LINK = re.compile(r"[a-z][a-z0-9+.-]{0,30}+://\S+", re.IGNORECASE)
_KEYS = (
    re.compile(r"\b(?:bearer|basic)\s+\S+", re.IGNORECASE),
    re.compile(
        r"\b(?:authorization|x-api-key|x-goog-api-key|api[-_ ]?key|(?:access[-_ ]?)?token|secret|"
        r"password)[\"']?\s*[:=]\s*\S+",
        re.IGNORECASE,
    ),
    re.compile(r"\b(?:sk|pk|rk|gsk|xai|key|tvly|hf)[-_][\w*.…-]{4,}", re.IGNORECASE),
    re.compile(r"\bAIza[\w*-]{4,}"),
    re.compile(r"(?<!\S)\S*(?:\*{3}|•{3})\S*"),
    re.compile(r"[\w+=-]{40,}"),
)


def _redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Replace the given secrets, anything that looks like a key, and every link."""
    text = _ANY_LINK.sub(_LINK, _without_secrets(text, secrets))
    for pattern in _KEYS:
        text = pattern.sub(_KEY, text)
    return text


def _without_secrets(text: str, secrets: Iterable[str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, _KEY)
    return text


def excerpt(text: str, secrets: Iterable[str] = ()) -> str:
    """One short printable line of a text, redacted before it is cut."""
    read = _without_secrets(text, secrets)[:_READ_LENGTH]
    printable = _printable(read)
    if len(read) == _READ_LENGTH:  # the last word may be part of a key
        printable = printable.rpartition(" ")[0] or printable
    line = " ".join(_redact(printable).split())
    return line if len(line) <= _EXCERPT_LENGTH else f"{line[: _EXCERPT_LENGTH - 1].rstrip()}…"


def last_words(text: str, secrets: Iterable[str] = ()) -> str:
    """The end of what a program said, as such a line, from a whole word on."""
    said = _printable(_without_secrets(text, secrets))
    line = " ".join(_redact(said).split())
    if len(line) <= _EXCERPT_LENGTH:
        return line
    return f"…{line[1 - _EXCERPT_LENGTH :].partition(' ')[2]}"


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
