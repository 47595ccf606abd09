"""Two agents and one person in one thread, through the real bot in the embedded Discord."""

from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from sqlalchemy import Connection, delete, update

from bot.agents.endpoint import Endpoint
from bot.agents.stdio import connected_to
from bot.approvals.issue_comment import approve_comment
from bot.errors import UsageError
from bot.playground.server import EmbeddedDiscord
from bot.prompting.summary import Point, RoundSummary
from bot.record.answer_codec import summary_key, summary_to_dict
from bot.record.loader import read_record
from bot.store.repositories.seats import SeatRepository
from bot.store.tables import answers
from tests.agents.test_server import PEOPLE, called, refused
from tests.e2e.playground_harness import PlaygroundHarness, open_harness
from tests.e2e.test_approvals import press
from tests.e2e.test_links import ISSUE, linked_to
from tests.e2e.test_meeting_harness import harnessed
from tests.links.issues_server import TOKEN, issues_server
from tests.models.adapters.acp.agent_port import AgentHarness

pytestmark = pytest.mark.heavy


def with_tools(panels: dict[str, Any]) -> None:
    panels["toolsets"] = ["roundtable"]


def tampered(conn: Connection, run_id: str) -> None:
    """Answers have a time of their own, and one point of the round is that of one seat alone."""
    mine = answers.c.run_id == run_id
    conn.execute(update(answers).where(mine).values(created_at=1_000_000_000.0))
    first, second = (seat.role for seat in SeatRepository(conn).of_run(run_id)[:2])
    summary = RoundSummary(
        summary="They agree.",
        consensus=(Point("Tea is fine", (first, second)), Point("So is milk", (first,))),
        disagreement=(Point("Sugar", (first, second)),),
        new_points=(),
        parsed=True,
    )
    here = mine, answers.c.key == summary_key(1)
    changed = conn.execute(update(answers).where(*here).values(parsed=summary_to_dict(summary)))
    assert changed.rowcount == 1


async def spoken(client: Client, run_id: str, who: str, text: str) -> dict[str, Any]:
    return await called(client, "speak", discussion_id=run_id, participant=who, content=text)


def voices(table: PlaygroundHarness) -> list[tuple[str, str]]:
    (thread,) = table.discord.threads()
    return [(m.author.name, m.text) for m in table.discord.messages(thread.id)]


async def test_two_agents_and_one_person_share_a_thread(tmp_path: Path) -> None:
    """C6, C7, C14: agents speak as personas; what a person writes is read from the floor."""
    async with open_harness(tmp_path, edit_panels=with_tools) as table:
        endpoint = Endpoint.read(tmp_path)
        assert endpoint is not None
        async with connected_to(endpoint) as first, connected_to(endpoint) as second:
            channel = str(table.discord.channel("general").id)
            opened = await called(
                first, "init", topic="Split the service?", participants=PEOPLE, channel=channel
            )
            run_id = opened["discussion_id"]
            await spoken(first, run_id, "architect", "Keep it whole, @everyone.")
            (thread,) = table.discord.threads()
            assert opened["thread_url"].endswith(f"/{thread.id}")
            jonas = table.discord.person("Jonas").id
            await table.discord.say(jonas, thread.id, "Think of the on-call people.")
            await table.discord.until(
                lambda: any(m.reactions for m in table.discord.messages(thread.id))
            )
            heard = await called(second, "read", discussion_id=run_id)
            assert [m["content"] for m in heard["from_the_floor"]] == [
                "Think of the on-call people."
            ]
            last = await spoken(second, run_id, "operator", "Agreed, for their sake.")
            assert last["round_complete"]
            await called(first, "end", discussion_id=run_id, conclusion="Keep it whole.")
            lost = await refused(
                first, "init", topic="x", participants=PEOPLE, channel="12345678901234567"
            )
        said = voices(table)
        assert table.discord.unknown_routes == []

    assert any(name == "Architect" and "Keep it whole" in text for name, text in said)
    assert [name for name, _ in said if name.startswith(("Architect", "Operator"))] == [
        "Architect",
        "Operator · Olga",
    ]
    assert said[-1][1].endswith("Keep it whole.")
    assert "Channel not found" in lost


async def test_the_card_of_a_linked_discussion_names_the_agent_and_is_asked_once(
    tmp_path: Path,
) -> None:
    """C27: it is decided in the thread, not on the command line; the comment leads back there."""

    def edit(panels: dict[str, Any]) -> None:
        with_tools(panels)
        linked_to(server)(panels)

    async with issues_server() as server:
        environ = {"GITHUB_TOKEN": TOKEN}
        async with open_harness(tmp_path, edit_panels=edit, environ=environ) as table:
            endpoint = Endpoint.read(tmp_path)
            assert endpoint is not None
            async with connected_to(endpoint) as client:
                opened = await called(
                    client,
                    "init",
                    topic="Split the service?",
                    participants=PEOPLE,
                    channel=str(table.discord.channel("general").id),
                    link=ISSUE,
                    created_by="12345",
                )
                ending = {"discussion_id": opened["discussion_id"], "conclusion": "Keep it."}
                first = await called(client, "end", **ending)
                (thread,) = table.discord.threads()
                asked = [m for m in table.said_in(thread) if "Asked by" in m.content]
                store, links = table.session.app.store, table.session.app.config.links
                with pytest.raises(UsageError, match="an approver decides there"):
                    await approve_comment(
                        store, links, environ.get, opened["discussion_id"], lambda *_: True
                    )
                await (await press(table, thread, "approve", "Mara")).message()
                again = await called(client, "end", **ending)
            said = [m.content for m in table.said_in(thread)]
        (kept,) = next(iter(server.comments.values()))

    assert len(asked) == 1
    assert "**Asked by:** the agent that coordinates the discussion, 12345\n" in asked[0].content
    assert again == first
    assert server.posts == 1
    assert kept["body"].startswith(f"Keep it.\n\nPosted by Roundtable: {opened['thread_url']}\n")
    assert sum("Asked by" in text for text in said) == 1
    assert sum("The discussion is over" in text for text in said) == 1


@pytest.mark.parametrize("missing", [False, True])
async def test_a_meeting_has_no_score_for_agents_when_it_has_none_for_people(
    tmp_path: Path, missing: bool
) -> None:
    """C21, 2.2#4: an earlier round's score is not that of a last round nobody could read."""
    discord = EmbeddedDiscord()
    environ = {"ROUNDTABLE_MCP_USER": str(discord.person("Ines").id)}

    def unreadable(conn: Connection) -> None:
        tampered(conn, run_id)
        here = answers.c.run_id == run_id, answers.c.key == summary_key(2)
        plain = summary_to_dict(RoundSummary(summary="They talk."))
        change = update(answers).where(*here).values(parsed=plain)
        assert conn.execute(delete(answers).where(*here) if missing else change).rowcount == 1

    async with open_harness(
        tmp_path, discord=discord, edit_panels=with_tools, environ=environ
    ) as table:
        held = await table.hold("roundtable --rounds 2 --debate tea")
        run_id = held.export["id"]
        await table.session.app.store.write(unreadable)
        record = await read_record(table.session.app.store, run_id)
        endpoint = Endpoint.read(tmp_path)
        assert endpoint is not None
        async with connected_to(endpoint) as client:
            state = await called(client, "status", discussion_id=run_id)

    assert [(entry["round"], entry["score"]) for entry in state["history"]] == [(1, 0.5), (2, None)]
    assert (state["convergence_score"], record.convergence_score) == (None, None)


async def test_a_harness_at_the_table_is_given_the_tools_that_are_served(tmp_path: Path) -> None:
    """C2: by seat; the address it gets is the one that answers."""
    journal = AgentHarness.watching(tmp_path)

    def edit(panels: dict[str, Any]) -> None:
        with_tools(panels)
        harnessed(tmp_path)(panels)
        panels["providers"]["harness"]["toolsets"] = ["roundtable"]

    async with open_harness(tmp_path, edit_panels=edit) as table:
        await table.hold("roundtable --quick --panel harness,mid,cheap --debate tea")
        (given, *_) = journal.notes("tools")
        (header,) = given["server"]["headers"]
        token = header["value"].removeprefix("Bearer ")
        async with connected_to(Endpoint(given["server"]["url"], token)) as client:
            answered = await called(client, "list")

    assert answered == {"discussions": []}


async def test_without_the_toolset_nothing_is_served(tmp_path: Path) -> None:
    """C2."""
    async with open_harness(tmp_path):
        assert Endpoint.read(tmp_path) is None


async def test_a_meeting_is_read_by_agents_of_a_person_who_may_read_it(tmp_path: Path) -> None:
    """C7, C8, C11: with the rights of ROUNDTABLE_MCP_USER, looked up now; else it is not there."""
    first = EmbeddedDiscord()
    ines = first.person("Ines").id
    environ = {"ROUNDTABLE_MCP_USER": str(ines)}
    async with open_harness(
        tmp_path, discord=first, edit_panels=with_tools, environ=environ
    ) as table:
        other = await table.hold("roundtable --quick --debate coffee")
        held = await table.hold("roundtable --quick --debate tea")
        run_id = held.export["id"]
        endpoint = Endpoint.read(tmp_path)
        assert endpoint is not None
        async with connected_to(endpoint) as client:
            await table.session.app.store.write(lambda conn: tampered(conn, run_id))
            listed = (await called(client, "list"))["discussions"]
            active = (await called(client, "list", status="active"))["discussions"]
            page = await called(client, "read", discussion_id=run_id, limit=2)
            rest = await called(client, "read", discussion_id=run_id, after=2)
            one = await called(client, "read", discussion_id=run_id, participant="analyst")
            whole = await called(client, "read", discussion_id=run_id, since_round=1)
            later = await called(client, "read", discussion_id=run_id, since_round=2)
            state = await called(client, "status", discussion_id=run_id)
            refusal = await refused(
                client, "speak", discussion_id=run_id, participant="coordinator", content="Hm."
            )
            record = await read_record(table.session.app.store, run_id)
            assert held.thread.guild
            held.thread.guild.members.pop(ines)
            gone = await refused(client, "read", discussion_id=run_id)
            empty = (await called(client, "list"))["discussions"]

    assert [(entry["kind"], entry["discussion_id"]) for entry in listed] == [
        ("meeting", run_id),
        ("meeting", other.export["id"]),
    ]
    assert active == []
    said = page["speeches"] + rest["speeches"]
    assert [speech["speech_id"] for speech in said] == [1, 2, 3]
    assert (page["next_after"], rest["next_after"]) == (2, None)
    assert one["speeches"] == [s for s in said if s["participant"] == "analyst"] != []
    assert (whole["speeches"], later["speeches"]) == (said, [])
    assert [speech["at"] for speech in page["speeches"]] == ["2001-09-09T01:46:40Z"] * 2
    assert state["status"] == "concluded"
    assert state["convergence_score"] == record.convergence_score == 0.5
    assert state["consensus_points"] == ["Tea is fine"]
    assert "Discussion not found" in refusal
    assert gone.partition(": ")[2] == refusal.partition(": ")[2]
    assert empty == []
