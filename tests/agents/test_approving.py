"""`roundtable approve`: the operator decides about linked discussions that have no thread."""

import asyncio
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from sqlalchemy import Connection

from bot.approvals.issue_comment import approve_comment
from bot.errors import UsageError
from bot.panels.load import parse_panels
from bot.store import Store
from bot.store.repositories.approvals import ApprovalRepository
from bot.store.repositories.discussions import DiscussionRepository, NewDiscussion, Participant
from bot.store.vocabulary import TalkOrder
from tests.agents.test_server import PEOPLE, called, command
from tests.e2e.playground_harness import open_harness
from tests.e2e.test_command_line import finished, start
from tests.e2e.test_links import ISSUE, linked_to
from tests.links.issues_server import TOKEN, IssuesServer, issues_server
from tests.panels.panels_data import alone

pytestmark = pytest.mark.heavy


async def held(home: Path, server: IssuesServer, **ending: str) -> tuple[str, dict[str, Any]]:
    """The id of a linked discussion that agents held without a bot, and how it ended."""
    agent = command(home, "roundtable")
    panels = alone() | {"toolsets": ["roundtable"]}
    linked_to(server)(panels)
    (home / "panels.json").write_text(json.dumps(panels), encoding="utf-8")
    async with Client(agent) as client:
        opened = await called(client, "init", topic="Split?", participants=PEOPLE, link=ISSUE)
        ended = await called(client, "end", discussion_id=opened["discussion_id"], **ending)
    return opened["discussion_id"], ended


@pytest.mark.heavy  # starts several processes
async def test_the_operator_approves_a_linked_discussion_without_a_channel(tmp_path: Path) -> None:
    """C27, B30: nothing is posted before the yes, and nothing twice."""
    async with issues_server() as server:
        run_id, ended = await held(tmp_path, server, conclusion="Keep it whole.")
        asked = await finished(await start(tmp_path, "approve", run_id, GITHUB_TOKEN=TOKEN))
        assert server.posts == 0
        locked_out = await finished(await start(tmp_path, "approve", run_id, "--yes"))
        done = await finished(await start(tmp_path, "approve", run_id, "--yes", GITHUB_TOKEN=TOKEN))
        again = await finished(
            await start(tmp_path, "approve", run_id, "--yes", GITHUB_TOKEN=TOKEN)
        )
        (kept,) = next(iter(server.comments.values()))

    assert f"with `roundtable approve {run_id}`" in ended["advice"]
    assert "Keep it whole." in asked[1]
    assert f"Post this as a comment on {ISSUE}?" in asked[1]
    assert locked_out[0] == 1
    assert "set GITHUB_TOKEN in .env" in locked_out[2]
    assert done[:1] == (0,)
    assert done[1].startswith("Approved and done: http://127.0.0.1:")
    assert again[0] == 0
    assert server.posts == 1
    assert kept["body"].startswith(f"Keep it whole.\n\nPosted by Roundtable: {run_id}\n")


async def test_a_yes_that_was_interrupted_is_carried_out_by_the_bot(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """B31: the yes is stored before the comment is posted; a start of the bot finishes it."""
    async with issues_server() as server:
        run_id, _ = await held(tmp_path, server, conclusion="Keep it whole.")
        await finished(await start(tmp_path, "approve", run_id, "--yes"))
        assert server.posts == 0
        environ = {"GITHUB_TOKEN": TOKEN}
        async with open_harness(tmp_path, edit_panels=linked_to(server), environ=environ):
            async with asyncio.timeout(20):
                while not server.posts:  # noqa: ASYNC110 (it counts and tells nobody)
                    await asyncio.sleep(0.02)
    assert "could not be resumed" not in caplog.text
    store = await Store.open(tmp_path / "roundtable.db")
    try:
        approval = await store.read(lambda conn: ApprovalRepository(conn).find(f"link:{run_id}"))
    finally:
        await store.close()

    assert approval is not None
    assert (approval.status.value, approval.resolved_by) == ("approved", "the operator")


async def test_what_cannot_be_approved_is_said(tmp_path: Path) -> None:
    """C27."""
    async with issues_server() as server:
        run_id, _ = await held(tmp_path, server)
        early = await finished(await start(tmp_path, "approve", run_id, "--yes"))
        unknown = await finished(await start(tmp_path, "approve", "rt_00000000", "--yes"))

    assert early[0] == 1
    assert early[2].startswith("This discussion has no conclusion yet: approve it once")
    assert unknown[2].startswith("There is no discussion 'rt_00000000'")


async def test_what_has_a_thread_or_no_link_is_not_for_the_operator(tmp_path: Path) -> None:
    """C27 B30: the yes of those who decide in the thread is not passed over."""
    store, config = await Store.open(tmp_path / "roundtable.db"), parse_panels(json.dumps(alone()))
    asked: list[str] = []

    def agree(link: str, _: str) -> bool:
        asked.append(link)
        return True

    people = (Participant("architect", "Architect"), Participant("operator", "Operator"))
    plain = NewDiscussion("Split?", "Split?", "", "agent", 2, TalkOrder.FIXED, people, 1)
    shown = replace(plain, link=ISSUE, guild_id=1, channel_id=2)

    def held(conn: Connection, new: NewDiscussion) -> str:
        run_id = DiscussionRepository(conn).create(new, 1.0).run.id
        DiscussionRepository(conn).set_conclusion(run_id, "Keep it.")
        DiscussionRepository(conn).conclude(run_id, "ended", 2.0)
        return run_id

    try:
        for new, why in ((plain, "has no link"), (shown, "This discussion has a thread")):
            run_id = await store.write(partial(held, new=new))
            with pytest.raises(UsageError, match=why):
                await approve_comment(
                    store, config.for_server(0).links, lambda _: TOKEN, run_id, agree
                )
    finally:
        await store.close()
    assert asked == []
