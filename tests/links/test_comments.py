"""Comments on linked issues: only where panels.json allows, and once (C27)."""

import httpx
import pytest

from bot.errors import UnavailableError, UsageError
from bot.links.comments import Comments
from bot.links.references import Reference
from bot.panels.sections import Links
from tests.links.issues_server import TOKEN, IssuesServer, issues_server

SHIPPED = Links()
ISSUE = "https://127.0.0.1/team/app/issues/7"


def links_to(server: IssuesServer) -> Links:
    return Links.model_validate(
        {"github": {"apiUrl": server.url}, "gitlab": {"apiUrl": f"{server.url}/api/v4"}}
    )


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://github.com/a/b/issues/12", "/repos/a/b/issues/12/comments"),
        ("<https://github.com/a/b.c/pull/3/>", "/repos/a/b.c/issues/3/comments"),
        ("https://gitlab.com/g/sub/p/-/issues/9", "/projects/g%2Fsub%2Fp/issues/9/notes"),
        ("https://gitlab.com/g/p/-/merge_requests/1", "/projects/g%2Fp/merge_requests/1/notes"),
    ],
)
def test_addresses_of_issues_are_understood(url: str, path: str) -> None:
    """C27."""
    assert Reference.of(url, SHIPPED).comments_path == path


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/a/b/issues/12",
        "http://github.com/a/b/issues/12",
        "https://github.com@evil.example/a/b/issues/12",
        "https://user:pw@github.com/a/b/issues/12",
        "https://github.com/a/b/issues/12/../../x",
        "https://github.com/../b/issues/12",
        "https://github.com/a/b",
        "https://gitlab.com/a/b/issues/12",
        "github.com/a/b/issues/12",
        "https://github.com/a/b/issues/12?x=1" + "y" * 400,
        "",
    ],
)
def test_anything_else_is_refused_with_the_right_form(url: str) -> None:
    """2.2#49."""
    with pytest.raises(UsageError, match="takes the URL of an issue or pull request"):
        Reference.of(url, SHIPPED)


@pytest.mark.parametrize("issue", [ISSUE, "https://127.0.0.1/g/sub/p/-/issues/9"])
async def test_a_comment_is_posted_once_even_when_the_answer_was_lost(issue: str) -> None:
    """C27: the key in the comment lets a retry find it."""
    async with issues_server() as server, httpx.AsyncClient(trust_env=False) as client:
        comments = Comments(links_to(server), lambda _: TOKEN, client)
        reference = Reference.of(issue, links_to(server))
        server.lose_the_answer = True
        with pytest.raises(UnavailableError, match="is unreachable"):
            await comments.post_once(reference, "roundtable:rt_1", "Keep it.")
        where = await comments.post_once(reference, "roundtable:rt_1", "Keep it.")
        await comments.post_once(reference, "roundtable:rt_2", "Another.")

    ((path, kept),) = server.comments.items()
    assert server.posts == 2
    assert kept[0]["body"] == "Keep it.\n\n<!-- roundtable:rt_1 -->"
    assert where.endswith(f"{httpx.URL('http://x' + path).path}#1")


async def test_a_marker_on_a_later_page_is_found() -> None:
    async with issues_server() as server, httpx.AsyncClient(trust_env=False) as client:
        comments = Comments(links_to(server), lambda _: TOKEN, client)
        reference = Reference.of(ISSUE, links_to(server))
        many = [{"body": "chatter", "html_url": "x"}] * 150
        server.comments[reference.comments_path] = [
            *many,
            {"body": "<!-- roundtable:rt_1 -->", "html_url": "there"},
        ]
        found = await comments.post_once(reference, "roundtable:rt_1", "Keep it.")

    assert (found, server.posts) == ("there", 0)


@pytest.mark.parametrize(
    ("token", "sentence"),
    [
        (None, "No token for GitHub: set GITHUB_TOKEN in .env"),
        ("wrong", "rejected the token in GITHUB_TOKEN"),
    ],
)
async def test_without_a_good_token_it_says_how_to_set_one(
    token: str | None, sentence: str
) -> None:
    async with issues_server() as server, httpx.AsyncClient(trust_env=False) as client:
        comments = Comments(links_to(server), lambda _: token, client)
        with pytest.raises(UnavailableError, match=sentence) as refused:
            await comments.post_once(
                Reference.of(ISSUE, links_to(server)), "roundtable:rt_1", "Keep it."
            )
    assert "wrong" not in str(refused.value)
    assert server.posts == 0
