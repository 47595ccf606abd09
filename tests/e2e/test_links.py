"""`--link`: the conclusion becomes a comment on the issue after approval, once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.e2e.playground_harness import open_harness
from tests.e2e.test_approvals import card, press
from tests.links.issues_server import TOKEN, IssuesServer, issues_server

ISSUE = "https://127.0.0.1/team/app/issues/7"
ASKED = f"roundtable --quick --debate --link {ISSUE} tea"


def linked_to(server: IssuesServer) -> Callable[[dict[str, Any]], None]:
    def edit(panels: dict[str, Any]) -> None:
        panels["links"] = {"github": {"apiUrl": server.url, "tokenEnv": "GITHUB_TOKEN"}}

    return edit


async def test_a_linked_conclusion_is_commented_once_after_approval(tmp_path: Path) -> None:
    """C27 2.2#49."""
    environ = {"GITHUB_TOKEN": TOKEN}
    async with issues_server() as server:
        edit = linked_to(server)
        async with open_harness(tmp_path, edit_panels=edit, environ=environ) as table:
            held = await table.hold(ASKED)
            shown = card(table, held.thread).content
            assert f"post the conclusion as a comment on <{ISSUE}>" in shown
            assert server.posts == 0
            told = await (await press(table, held.thread, "approve", "Mara")).message()
            assert told.content.startswith("Approved and done: http://127.0.0.1:")
            bad = await table.say("roundtable --link https://evil.example/a/b/issues/1 tea")
            refused = (await table.reply_to(bad)).content
        (kept,) = next(iter(server.comments.values()))

    assert server.posts == 1
    assert kept["body"].startswith("## ✅ tea: leaning yes, 2 of 3 agree\n")
    assert kept["body"].endswith(f"<!-- roundtable:{held.export['id']} -->")
    assert "`--link` takes the URL of an issue" in refused


async def test_a_linked_build_says_so_with_its_spec_and_comments_what_it_delivered(
    tmp_path: Path,
) -> None:
    """B20 B30 C27: the effect is declared before anybody builds, and waits for an approver."""
    environ = {"GITHUB_TOKEN": TOKEN}
    async with issues_server() as server:
        edit = linked_to(server)
        async with open_harness(tmp_path, edit_panels=edit, environ=environ) as table:
            held = await table.hold(f"roundtable --build --link {ISSUE} a tea timer")
            spec = next(m for m in table.said_in(held.thread) if "📐 Spec v1" in m.content)
            assert "posting it as a comment on `127.0.0.1/team/app/issues/7`" in spec.content
            assert server.posts == 0
            await (await press(table, held.thread, "approve", "Mara")).message()
        (kept,) = next(iter(server.comments.values()))
    assert server.posts == 1
    assert "📦 DELIVERY" in kept["body"]


async def test_without_a_token_nothing_is_lost_and_it_is_said(tmp_path: Path) -> None:
    """C27."""
    async with issues_server() as server:
        async with open_harness(tmp_path, edit_panels=linked_to(server)) as table:
            held = await table.hold(ASKED)
            told = await (await press(table, held.thread, "approve", "Mara")).message()
            assert "set GITHUB_TOKEN in .env" in told.content
        assert server.posts == 0
    assert "## ✅ tea: leaning yes, 2 of 3 agree" in held.conclusion
