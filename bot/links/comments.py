"""Posts a comment on an issue once: a marker in it lets a retry find the first one."""

from typing import Any

import httpx

from bot.errors import UnavailableError
from bot.http.bounded import TooLargeError
from bot.links.references import Reference
from bot.messages.approvals import LinkText
from bot.panels.sections import Links
from bot.types import SecretLookup

_TIMEOUT = 20.0
_PAGE = 100
_MOST_PAGES = 10
_LONGEST = 60_000


class Comments:
    """Calls GitHub's and GitLab's API with the admin's token."""

    def __init__(self, links: Links, secret: SecretLookup, client: httpx.AsyncClient) -> None:
        self._links = links
        self._secret = secret
        self._client = client

    async def post_once(self, reference: Reference, key: str, text: str) -> str:
        """Comment, unless a comment with this key is there already; returns its address."""
        headers = self._headers(reference)
        marker = f"<!-- {key} -->"
        try:
            found = await self._find(reference, marker, headers)
            if found is None:
                body = {"body": f"{text[:_LONGEST]}\n\n{marker}"}
                found = await self._ask("POST", reference, headers, json=body)
        except TooLargeError as error:
            raise UnavailableError(LinkText.too_many_comments(reference.url)) from error
        except httpx.HTTPError as error:
            why = type(error).__name__
            raise UnavailableError(LinkText.unreachable(_name(reference), why)) from error
        return str(found.get("html_url") or reference.url)

    async def _find(
        self, reference: Reference, marker: str, headers: dict[str, str]
    ) -> dict[str, Any] | None:
        for number in range(1, _MOST_PAGES + 1):
            page = {"per_page": str(_PAGE), "page": str(number)}
            comments = await self._ask("GET", reference, headers, params=page)
            for comment in comments:
                if marker in str(comment.get("body", "")):
                    return dict(comment)
            if len(comments) < _PAGE:
                return None
        raise UnavailableError(LinkText.too_many_comments(reference.url))

    async def _ask(
        self, method: str, reference: Reference, headers: dict[str, str], **more: Any
    ) -> Any:
        url = f"{self._api(reference)}{reference.comments_path}"
        answer = await self._client.request(method, url, headers=headers, timeout=_TIMEOUT, **more)
        if answer.status_code in (401, 403):
            variable = self._variable(reference)
            raise UnavailableError(LinkText.token_refused(_name(reference), variable))
        if answer.status_code == 404:
            raise UnavailableError(LinkText.not_found(reference.url, self._variable(reference)))
        answer.raise_for_status()
        try:
            return answer.json()
        except ValueError as error:
            raise UnavailableError(LinkText.not_json(_name(reference))) from error

    def _headers(self, reference: Reference) -> dict[str, str]:
        token = self._secret(self._variable(reference))
        if token is None:
            raise UnavailableError(LinkText.no_token(_name(reference), self._variable(reference)))
        if reference.service == "github":
            return {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
        return {"PRIVATE-TOKEN": token}

    def _api(self, reference: Reference) -> str:
        return str(getattr(self._links, reference.service).api_url).rstrip("/")

    def _variable(self, reference: Reference) -> str:
        return str(getattr(self._links, reference.service).token_env)


def _name(reference: Reference) -> str:
    return LinkText.NAMES[reference.service]
