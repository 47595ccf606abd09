"""URLs from search results: which may be printed, in which spelling, and which are the same."""

import re
from typing import Final
from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

from bot.prompting.cleaning import clean

LONGEST_URL: Final = 600
_HOST: Final = re.compile(r"(?:[a-z0-9_][a-z0-9_.-]*)?[a-z0-9]")
_KEPT: Final = "/?%:!$&+,;=~-._"
_LOST_AT_THE_END: Final = ".,;:!_"
"""What readers of a text, our own cleaner among them, take for punctuation after a URL."""


def printable_url(url: object) -> str | None:
    """The URL in plain ASCII, or None when it is no web address that people should be shown."""
    if not isinstance(url, str) or len(url) > LONGEST_URL or not _is_whole(url.strip()):
        return None
    try:
        parts = urlsplit(url.strip())
        netloc = _netloc(parts)
    except ValueError:  # also what the IDNA codec raises
        return None
    if parts.scheme not in ("http", "https") or netloc is None:
        return None
    path, query, fragment = (quote(part, safe=_KEPT) for part in parts[2:])
    printed = _closed(urlunsplit((parts.scheme, netloc, path, query, fragment)))
    return printed if len(printed) <= LONGEST_URL else None


def host_of(url: str) -> str:
    """The host to show beside a printable URL, without a leading www."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def sameness(url: str) -> tuple[str, str, str]:
    """What two printable URLs of one page have in common, whatever campaign they came from."""
    parts = urlsplit(url)
    wanted = [p for p in parts.query.split("&") if p and not p.startswith("utm_")]
    port = f":{parts.port}" if parts.port else ""
    return host_of(url) + port, parts.path.rstrip("/"), "&".join(wanted)


def _is_whole(url: str) -> bool:
    """Whether it is one word without anything invisible, which urlsplit would silently drop."""
    return clean(url) == url and not any(char.isspace() for char in url)


def _netloc(parts: SplitResult) -> str | None:
    """Host and port in ASCII; None without a host, or with a user name to mislead people."""
    if parts.username is not None or parts.password is not None or not parts.hostname:
        return None
    host = parts.hostname.encode("idna").decode("ascii").lower().rstrip(".")
    if not _HOST.fullmatch(host):
        return None
    return host if parts.port is None else f"{host}:{parts.port}"


def _closed(url: str) -> str:
    """The URL with its last character spelled so that it cannot be taken for punctuation."""
    return f"{url[:-1]}%{ord(url[-1]):02X}" if url[-1] in _LOST_AT_THE_END else url
