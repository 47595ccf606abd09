"""URLs people configure: what is wrong with one, and whether it stays on this machine."""

import ipaddress
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit

from bot.messages.configuration import PanelsFileText

_BLOCKRUN_PORT = 8402
_OPENROUTER = "openrouter.ai"


def split_url(value: str, *schemes: str) -> SplitResult:
    """Take a URL apart, or say what is wrong with it without repeating it."""
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if host is None or parts.scheme not in schemes or any(c.isspace() for c in value):
        raise ValueError(PanelsFileText.no_url(schemes[0]))
    if parts.username or parts.password:
        raise ValueError(PanelsFileText.URL_HAS_PASSWORD)
    return parts


def without_secrets(url: str) -> str:
    """A URL as anybody may see it: neither user nor password nor options."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


@lru_cache(maxsize=256)
def is_loopback(url: str) -> bool:
    """Whether a URL points at this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def port_here(url: str) -> int | None:
    """The port a URL names on this machine, None when it leads elsewhere."""
    return urlsplit(url).port if is_loopback(url) else None


@lru_cache(maxsize=256)
def is_blockrun(url: str) -> bool:
    """Whether a URL is that of Blockrun, which runs on this machine but costs money."""
    return is_loopback(url) and urlsplit(url).port == _BLOCKRUN_PORT


def is_openrouter(url: str) -> bool:
    """Whether a URL is OpenRouter's."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    return host == _OPENROUTER or host.endswith(f".{_OPENROUTER}")


def is_bare(url: str) -> bool:
    """Whether a URL names a server and nothing on it."""
    return not urlsplit(url).path.strip("/")
