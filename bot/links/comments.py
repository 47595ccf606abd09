"""Posts a comment on an issue once: a marker in it lets a second try find the first one."""

from collections.abc import Callable
from typing import Any

import httpx

from bot.errors import UnavailableError
from bot.links.references import Reference
from bot.panels.sections import Links

TIMEOUT = 20.0
PAGE = 100
MOST_PAGES = 10
LONGEST = 60_000

Secret = Callable[[str], str | None]


class Comments:
    """Speaks GitHub's and GitLab's API with the admin's token."""

    def __init__(self, links: Links, secret: Secret, client: httpx.AsyncClient) -> None:
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
                body = {"body": f"{text[:LONGEST]}\n\n{marker}"}
                found = await self._ask("POST", reference, headers, json=body)
        except httpx.HTTPError as error:
            raise UnavailableError(
                f"{_name(reference)} cannot be reached ({type(error).__name__}): try again later."
            ) from error
        return str(found.get("html_url") or reference.url)

    async def _find(
        self, reference: Reference, marker: str, headers: dict[str, str]
    ) -> dict[str, Any] | None:
        for number in range(1, MOST_PAGES + 1):
            page = {"per_page": str(PAGE), "page": str(number)}
            comments = await self._ask("GET", reference, headers, params=page)
            for comment in comments:
                if marker in str(comment.get("body", "")):
                    return dict(comment)
            if len(comments) < PAGE:
                return None
        raise UnavailableError(
            f"{reference.url} has too many comments to look through: post the conclusion by hand."
        )

    async def _ask(
        self, method: str, reference: Reference, headers: dict[str, str], **more: Any
    ) -> Any:
        url = f"{self._api(reference)}{reference.comments_path}"
        answer = await self._client.request(method, url, headers=headers, timeout=TIMEOUT, **more)
        if answer.status_code in (401, 403):
            raise UnavailableError(
                f"{_name(reference)} does not accept the token in {self._variable(reference)}: give"
                " it the right to comment, then approve again."
            )
        if answer.status_code == 404:
            raise UnavailableError(
                f"{reference.url} was not found with the token in {self._variable(reference)}:"
                " check the address and the token's rights."
            )
        answer.raise_for_status()
        try:
            return answer.json()
        except ValueError as error:
            raise UnavailableError(
                f"{_name(reference)} answered something that is not JSON: check `links` in"
                " panels.json."
            ) from error

    def _headers(self, reference: Reference) -> dict[str, str]:
        token = self._secret(self._variable(reference))
        if token is None:
            raise UnavailableError(
                f"No token for {_name(reference)}: set {self._variable(reference)} in .env, then"
                " approve again."
            )
        if reference.service == "github":
            return {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
        return {"PRIVATE-TOKEN": token}

    def _api(self, reference: Reference) -> str:
        return str(getattr(self._links, reference.service).api_url).rstrip("/")

    def _variable(self, reference: Reference) -> str:
        return str(getattr(self._links, reference.service).token_env)


def _name(reference: Reference) -> str:
    return "GitHub" if reference.service == "github" else "GitLab"
