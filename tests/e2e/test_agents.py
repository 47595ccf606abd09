"""Two agents and one person in one thread, through the real bot in the embedded Discord."""

import json
import logging
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
from tests.e2e.scripted_models import FAIL, ScriptedModels, scripted_playground
from tests.e2e.test_approvals import press
from tests.e2e.test_bad_days import remove
from tests.e2e.test_forgetting import DAY
from tests.e2e.test_links import ISSUE, linked_to
from tests.e2e.test_meeting_harness import harnessed
from tests.e2e.test_minutes import divided, vote_with_people
from tests.links.issues_server import TOKEN, issues_server
from tests.models.adapters.acp.agent_port import AgentHarness
from tests.support.time_travel import set_clock

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


def text_of(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


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
    tmp_path: Path, caplog: pytest.LogCaptureFixture
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
    assert "operator" not in first["advice"], "the card is in the thread"
    assert "**Asked by:** the agent that coordinates the discussion, 12345\n" in asked[0].content
    assert again == first
    assert not [r.message for r in caplog.records if r.levelno >= logging.ERROR]
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


async def test_agents_are_told_no_more_of_a_masked_panel_than_people(tmp_path: Path) -> None:
    """C7, C8, C9, E13: profiles are made of other names, too, and people may name a role."""
    discord = EmbeddedDiscord()
    environ = {"ROUNDTABLE_MCP_USER": str(discord.person("Ines").id)}
    async with vote_with_people(
        tmp_path,
        divided(),
        flags="--masked",
        question="Panelist A, is the Critic right?",
        edit_panels=with_tools,
        discord=discord,
        environ=environ,
    ) as vote:
        known = {"discussion_id": vote.export["id"]}
        endpoint = Endpoint.read(tmp_path)
        assert endpoint is not None
        async with connected_to(endpoint) as client:
            page = await called(client, "read", **known)
            own = await called(client, "read", participant="panelist-b", **known)
            told = [page, await called(client, "status", **known)]
            told += [await called(client, "summarize", compact=False, **known)]
            told += [await called(client, "list")]
            minutes = await client.read_resource(f"roundtable://minutes/{vote.export['id']}")

    assert {speech["participant"] for speech in page["speeches"]} == {
        "panelist-a",
        "panelist-b",
        "panelist-c",
    }
    assert [speech["role"] for speech in own["speeches"]] == ["Panelist B"] * 2
    assert page["from_the_floor"][-1]["content"].startswith("Panelist A, is the Panelist ")
    for name in ("Critic", "Planner", "Judge", '"critic', '"planner', '"judge', "sonnet"):
        assert name not in json.dumps(told) + str(minutes), name


async def test_the_file_of_a_discussion_goes_with_what_the_retention_takes(tmp_path: Path) -> None:
    """C25: it quotes people; a file that somebody put in its place stays."""

    def edit(panels: dict[str, Any]) -> None:
        with_tools(panels)
        panels["privacy"]["retentionDays"] = 7

    async with open_harness(tmp_path, edit_panels=edit) as table:
        endpoint, app = Endpoint.read(tmp_path), table.session.app
        assert endpoint is not None
        paths = list[Path]()
        async with connected_to(endpoint) as client:
            for _ in range(2):
                opened = await called(client, "init", topic="Split it?", participants=PEOPLE)
                ending = {"discussion_id": opened["discussion_id"], "conclusion": "Keep it."}
                paths.append(Path((await called(client, "end", **ending))["output_path"]))
        paths[1].write_text("mine", encoding="utf-8")
        end = app.store.now()
        set_clock(app.store, lambda: end + 8 * DAY)
        await app.forgetting.tidy()
        known = [path.exists() for path in paths]

    assert known == [False, True]
    assert paths[1].read_text(encoding="utf-8") == "mine"


async def test_a_thread_that_is_gone_costs_no_file(tmp_path: Path) -> None:
    """C10 C16 C27: also of a linked discussion, whose card has no place any more."""

    def edit(panels: dict[str, Any]) -> None:
        with_tools(panels)
        linked_to(server)(panels)

    async with issues_server() as server, open_harness(tmp_path, edit_panels=edit) as table:
        endpoint, channel = Endpoint.read(tmp_path), table.discord.channel("general")
        assert endpoint is not None
        async with connected_to(endpoint) as client:
            place = {"channel": str(channel.id), "link": ISSUE}
            opened = await called(client, "init", topic="Split it?", participants=PEOPLE, **place)
            ending = {"discussion_id": opened["discussion_id"], "conclusion": "Keep it."}
            (thread,) = table.discord.threads()
            remove(table.discord, thread)
            await spoken(client, opened["discussion_id"], "architect", "Keep it whole.")
            ended = await called(client, "end", **ending)
            again = await called(client, "end", **ending)

    assert again == ended
    assert "Keep it whole." in text_of(ended["output_path"])


async def test_agents_read_of_a_meeting_what_was_said_and_not_who_was_silent(
    tmp_path: Path,
) -> None:
    """C7."""
    discord, cast = EmbeddedDiscord(), ScriptedModels(says={"r1:Judge": FAIL})
    environ = {"ROUNDTABLE_MCP_USER": str(discord.person("Jonas").id)}
    async with scripted_playground(
        tmp_path, cast, edit_panels=with_tools, discord=discord, environ=environ
    ) as table:
        held = await table.hold("roundtable --debate is it so?")
        endpoint = Endpoint.read(tmp_path)
        assert endpoint is not None
        async with connected_to(endpoint) as client:
            page = await called(client, "read", discussion_id=held.export["id"])
    assert any(s["role"] == "Judge" and s["problem"] for s in held.export["transcript"])
    first = [s["participant"] for s in page["speeches"] if s["round"] == 1]
    assert sorted(first) == ["critic", "planner"]
    assert all(s["content"] for s in page["speeches"])


async def test_nobody_is_asked_about_an_issue_before_there_is_a_conclusion(tmp_path: Path) -> None:
    """C27 B30: rounds that are used up conclude nothing; a meeting names its issue, too."""
    discord = EmbeddedDiscord()
    environ = {"ROUNDTABLE_MCP_USER": str(discord.person("Jonas").id), "GITHUB_TOKEN": TOKEN}

    def edit(panels: dict[str, Any]) -> None:
        with_tools(panels)
        linked_to(server)(panels)

    async with (
        issues_server() as server,
        open_harness(tmp_path, discord=discord, edit_panels=edit, environ=environ) as table,
    ):
        endpoint, channel = Endpoint.read(tmp_path), table.discord.channel("general")
        assert endpoint is not None
        async with connected_to(endpoint) as client:
            place = {"channel": str(channel.id), "link": ISSUE, "max_rounds": 1}
            opened = await called(client, "init", topic="Split it?", participants=PEOPLE, **place)
            run_id = opened["discussion_id"]
            for who in ("architect", "operator"):
                last = await spoken(client, run_id, who, "Keep it.")
            await called(client, "end", discussion_id=run_id)
            (thread,) = table.discord.threads()
            early = [m.content for m in table.said_in(thread)]
            await called(client, "end", discussion_id=run_id, conclusion="Keep it whole.")
            late = [m.content for m in table.said_in(thread)]
            held = await table.hold(f"roundtable --quick --debate --link {ISSUE} tea")
            state = await called(client, "status", discussion_id=held.export["id"])

    assert last["discussion_complete"]
    assert any("The discussion is over" in text for text in early)
    assert [sum("Asked by" in text for text in said) for said in (early, late)] == [0, 1]
    assert state["link"] == ISSUE
