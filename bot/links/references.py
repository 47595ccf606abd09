"""Parses the URL of an issue; only hosts named in panels.json are ever called."""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlsplit

from bot.errors import UsageError
from bot.messages.approvals import LinkText
from bot.panels.sections import Links

_LONGEST = 300
_GITHUB = re.compile(r"/([\w.-]{1,100})/([\w.-]{1,100})/(?:issues|pull)/(\d{1,10})/?")
_GITLAB = re.compile(
    r"/((?:[\w.-]{1,100}/){1,8}[\w.-]{1,100})/-/(issues|merge_requests)/(\d{1,10})/?"
)
_Found = tuple[Literal["github", "gitlab"], str, str]


@dataclass(frozen=True, slots=True)
class Reference:
    """One issue at one service."""

    service: Literal["github", "gitlab"]
    url: str
    comments_path: str
    """Where its comments are, below the service's API address."""

    @classmethod
    def of(cls, text: str, links: Links) -> "Reference":
        """The issue behind an address; raises UsageError when it is none we may comment on."""
        url = text.strip().strip("<>")
        split = urlsplit(url) if len(url) <= _LONGEST else None
        if split is None or split.scheme != "https" or not split.hostname or split.username:
            raise UsageError(LinkText.UNUSABLE)
        found = _github(split.path) if split.hostname == _host_of(links.github.api_url) else None
        if found is None and split.hostname == _host_of(links.gitlab.api_url):
            found = _gitlab(split.path)
        if found is None:
            raise UsageError(LinkText.UNUSABLE)
        service, path, clean_path = found
        return cls(service, f"https://{split.hostname}{clean_path}", path)


def _host_of(api_url: str) -> str:
    """The host whose issues an API serves."""
    host = urlsplit(api_url).hostname or ""
    return host.removeprefix("api.") if host == "api.github.com" else host


def _github(path: str) -> _Found | None:
    match = _GITHUB.fullmatch(path)
    if match is None or ".." in path:
        return None
    owner, name, number = match.groups()
    return "github", f"/repos/{owner}/{name}/issues/{number}/comments", path.rstrip("/")


def _gitlab(path: str) -> _Found | None:
    match = _GITLAB.fullmatch(path)
    if match is None or ".." in path:
        return None
    project, kind, number = match.groups()
    return "gitlab", f"/projects/{quote(project, safe='')}/{kind}/{number}/notes", path.rstrip("/")
