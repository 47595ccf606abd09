"""The seven tools as an agent sees them, through the package's own client (C1, C2)."""

import asyncio
import json
import os
import socket
import stat
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, MCPError, StdioServerParameters

from bot.agents.endpoint import Endpoint
from bot.agents.http import serve_tools
from bot.agents.server import build_server
from bot.agents.stdio import connected_to
from bot.discussions.service import Discussions
from bot.errors import UnavailableError
from bot.store import DATABASE, Store
from bot.store.repositories.discussions import DiscussionRepository
from tests.discussions.conftest import open_service, service
from tests.panels.panels_data import ALONE, alone
from tests.support.free_ports import silent_port
from tests.support.postgres_server import PostgresServer

pytestmark = pytest.mark.heavy

FILE = "agents.json"
HERE = "is not a participant of this discussion: its participants are"
WRONG = "was called with wrong arguments:"

__all__ = ["service"]

TOOLS = {f"roundtable_{n}" for n in "init speak read status summarize end list".split()}
PEOPLE = [
    {"profile": "architect", "role": "Architect", "perspective": "structure"},
    {"profile": "operator", "role": "Operator", "display_name": "Olga"},
]


async def called(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.call_tool(f"roundtable_{name}", arguments)
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    return dict(answer.structured_content)


async def refused(client: Client, name: str, **arguments: Any) -> str:
    answer = await client.call_tool(f"roundtable_{name}", arguments)
    assert answer.is_error
    return "".join(getattr(part, "text", "") for part in answer.content)


async def hold_a_discussion(client: Client) -> str:
    """Everything from opening to conclusion; returns the path of the file."""
    opened = await called(client, "init", topic="Split the service?", participants=PEOPLE)
    run_id = opened["discussion_id"]
    await called(
        client, "speak", discussion_id=run_id, participant="coordinator", content="Let us begin."
    )
    for round_ in (1, 2):
        for person in ("architect", "operator"):
            said = await called(
                client,
                "speak",
                discussion_id=run_id,
                participant=person,
                content=f"{person}, round {round_}",
            )
    assert said["discussion_complete"]
    page = await called(client, "read", discussion_id=run_id, limit=2)
    assert [speech["round"] for speech in page["speeches"]] == [0, 1]
    assert (await called(client, "status", discussion_id=run_id))["status"] == "concluded"
    assert len((await called(client, "summarize", discussion_id=run_id))["rounds"]) == 3
    ended = await called(client, "end", discussion_id=run_id, conclusion="Keep it whole.")
    listed = await called(client, "list", status="concluded")
    assert [entry["discussion_id"] for entry in listed["discussions"]] == [run_id]
    prompt = await client.get_prompt(
        "participant", {"discussion_id": run_id, "profile": "operator"}
    )
    assert "Operator (Olga)" in str(prompt.messages)
    minutes = await client.read_resource(f"roundtable://minutes/{run_id}")
    assert "# Roundtable Conclusion: Split the service?" in str(minutes.contents)
    return str(ended["output_path"])


async def test_seven_tools_with_schemas_and_descriptions(service: Discussions) -> None:
    """C1."""
    async with Client(build_server(service)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
        templates = (await client.list_resource_templates()).resource_templates

    assert set(tools) == TOOLS
    for tool in tools.values():
        assert tool.description
        assert tool.output_schema
        for name, given in tool.input_schema.get("properties", {}).items():
            assert given.get("description"), (tool.name, name)
    assert prompts == {"coordinator", "participant"}
    assert {template.uri_template for template in templates} == {
        "roundtable://discussions/{discussion_id}",
        "roundtable://minutes/{discussion_id}",
    }


async def test_malformed_calls_get_errors_an_agent_can_act_on(service: Discussions) -> None:
    async with Client(build_server(service)) as client:
        lonely = await refused(client, "init", topic="x", participants=PEOPLE[:1])
        unknown = await refused(client, "status", discussion_id="rt_00000000")
        missing = await refused(client, "speak", discussion_id="rt_00000000")
        wrong = await refused(client, "init", topic="x", participants="everybody")
        nowhere = await refused(client, "init", topic="x", participants=PEOPLE, channel="123")

    assert lonely.endswith("a discussion needs 2 to 20.")
    assert "call roundtable_list to see those you can read" in unknown
    assert "participant" in missing
    assert "participants" in wrong
    assert "A channel needs the running bot" in nowhere


async def test_unknown_arguments_are_refused_by_name(service: Discussions) -> None:
    """C1: a misspelt argument never looks as if it had been obeyed."""
    odd = [{**PEOPLE[0], "persona": "grim"}, PEOPLE[1]]
    async with Client(build_server(service)) as client:
        run_id = (await called(client, "init", topic="x", participants=PEOPLE))["discussion_id"]
        tools = (await client.list_tools()).tools
        misspelt = await refused(client, "read", discussion_id=run_id, limits=1, first=True)
        nested = await refused(client, "init", topic="x", participants=odd)
        listed = (await called(client, "list"))["discussions"]

    assert all(tool.input_schema["additionalProperties"] is False for tool in tools)
    assert misspelt == (
        "roundtable_read has no argument 'limits', 'first': it takes discussion_id, since_round, "
        "participant, after, limit."
    )
    assert nested == (
        "roundtable_init was called with wrong arguments: participants.0.persona: Extra inputs are "
        "not permitted. Correct them and call it again."
    )
    assert len(listed) == 1


async def test_bounds_stand_in_the_schemas_and_are_kept(service: Discussions) -> None:
    """C1, C7, C11."""
    async with Client(build_server(service)) as client:
        schemas = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
        run_id = (await called(client, "init", topic="x", participants=PEOPLE))["discussion_id"]
        told = [
            await refused(client, "read", discussion_id=run_id, limit=201),
            await refused(client, "list", limit=0),
            await refused(client, "read", discussion_id=run_id, after=2**64),
            await refused(
                client,
                "speak",
                discussion_id=run_id,
                participant="architect",
                content="x",
                reply_to=0,
            ),
            await refused(client, "init", topic="x", participants=PEOPLE, max_rounds=11),
        ]

    opening = schemas["roundtable_init"]["properties"]
    assert (opening["max_rounds"]["minimum"], opening["max_rounds"]["maximum"]) == (1, 10)
    assert (opening["participants"]["minItems"], opening["participants"]["maxItems"]) == (2, 20)
    assert opening["topic"]["maxLength"] == 2_000
    assert schemas["roundtable_speak"]["properties"]["content"]["maxLength"] == 20_000
    for name in ("read", "list"):
        limit = schemas[f"roundtable_{name}"]["properties"]["limit"]
        assert (limit["minimum"], limit["maximum"]) == (1, 200)
    assert ["limit" in told[0], "limit" in told[1], "after" in told[2]] == [True] * 3
    assert "reply_to" in told[3]
    assert told[4].endswith("choose 1 to 10.")


async def test_every_text_number_and_list_has_its_bounds(service: Discussions) -> None:
    """C1: an agent reads in the schema what would be refused."""
    async with Client(build_server(service)) as client:
        schemas = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}

    unbounded = [
        f"{tool}: {name}"
        for tool, schema in schemas.items()
        for part in (schema, *schema.get("$defs", {}).values())
        for name, given in part.get("properties", {}).items()
        if not bounded(given)
    ]
    assert unbounded == []
    ending = schemas["roundtable_end"]["properties"]["conclusion"]
    assert (ending["minLength"], ending["maxLength"]) == (1, 50_000)


def bounded(given: dict[str, Any]) -> bool:
    """Whether a JSON schema says how long, how large or how many."""
    kinds = [{**given, **kind} for kind in given.get("anyOf", [given])]
    limits = {
        "string": ["maxLength"],
        "integer": ["minimum", "maximum"],
        "array": ["maxItems"],
    }
    return all(
        "enum" in kind or all(limit in kind for limit in limits.get(kind.get("type", ""), []))
        for kind in kinds
    )


async def test_prompts_that_cannot_be_given_say_why(service: Discussions) -> None:
    """C17: in the sentence that the tools would use."""
    async with Client(build_server(service)) as client:
        opened = await called(client, "init", topic="x", participants=PEOPLE)
        known = {"discussion_id": opened["discussion_id"]}
        told = []
        for name, arguments in (
            ("participant", {**known, "profile": "ghost"}),
            ("coordinator", {"discussion_id": "rt_00000000"}),
            ("coordinator", {**known, "profiles": "all"}),
            ("participant", known),
        ):
            with pytest.raises(MCPError) as refusal:
                await client.get_prompt(name, arguments)
            told.append(refusal.value.error.message)
        prompts = (await client.list_prompts()).prompts

    assert told == [
        f"'ghost' {HERE} architect, operator.",
        "Discussion not found: call roundtable_list to see those you can read.",
        "coordinator has no argument 'profiles': it takes discussion_id.",
        f"participant {WRONG} profile: Field required. Correct them and call it again.",
    ]
    assert all(part.description for prompt in prompts for part in prompt.arguments or ())


async def test_a_whole_discussion_over_http_with_the_token_only(
    service: Discussions, tmp_path: Path
) -> None:
    async with serve_tools(service, tmp_path) as endpoint:
        assert _mode(tmp_path / FILE) == 0o600
        assert Endpoint.read(tmp_path) == endpoint
        async with connected_to(endpoint) as client:
            path = await hold_a_discussion(client)
        async with httpx.AsyncClient(trust_env=False) as http:
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            without = await http.post(endpoint.url, json=ping)
            wrong = await http.post(
                endpoint.url, json=ping, headers={"Authorization": "Bearer guess"}
            )
            foreign = await http.post(
                endpoint.url,
                json=ping,
                headers={"Authorization": f"Bearer {endpoint.token}", "Host": "evil.example"},
            )
    assert path.endswith(".md")
    assert (without.status_code, wrong.status_code) == (401, 401)
    assert foreign.status_code in (403, 421)
    assert Endpoint.read(tmp_path) is None


async def test_a_taken_port_is_one_sentence_and_a_missing_folder_is_not_called_one(
    service: Discussions, tmp_path: Path
) -> None:
    """Issue 23 point 7: uvicorn ended the process without a word of ours."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UnavailableError, match="set ROUNDTABLE_MCP_PORT to another port"):
            async with serve_tools(service, tmp_path, port=port):
                pass
    with pytest.raises(FileNotFoundError):
        async with serve_tools(service, tmp_path / "missing"):
            pass


def command(home: Path, *toolsets: str) -> StdioServerParameters:
    panels = alone() | {"toolsets": list(toolsets)}
    (home / "panels.json").write_text(json.dumps(panels), encoding="utf-8")
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "bot", "mcp"],
        env=ALONE | {"ROUNDTABLE_HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=home,
    )


async def test_a_whole_discussion_over_stdio_without_a_bot(tmp_path: Path) -> None:
    """C13, C24: the history is read, each speaks in turn; all in Roundtable's own database."""
    async with Client(command(tmp_path, "roundtable")) as client:
        path = await hold_a_discussion(client)

    assert (tmp_path / DATABASE).is_file()
    assert path.startswith(str(tmp_path / "memory" / "roundtables"))
    assert "Keep it whole." in _text(path)


def elsewhere(started: StdioServerParameters, home: Path) -> StdioServerParameters:
    """The same with a home that is not there yet."""
    places = {
        "ROUNDTABLE_HOME": str(home / "new" / "home"),
        "ROUNDTABLE_PANELS": str(home / "panels.json"),
    }
    started.env = {**(started.env or {}), **places}
    return started


async def test_the_database_of_discussions_needs_no_folder_beforehand(tmp_path: Path) -> None:
    """C24: ROUNDTABLE_HOME is made where it is missing."""
    async with Client(elsewhere(command(tmp_path, "roundtable"), tmp_path)) as client:
        await called(client, "init", topic="Split the service?", participants=PEOPLE)
    assert (tmp_path / "new" / "home" / DATABASE).is_file()


async def test_without_a_bot_the_configured_postgres_is_used_or_the_refusal_says_why(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """C24: never a file beside it; a database that a bot holds is refused in one sentence."""
    name = await postgres_server.create()
    agent, home = elsewhere(command(tmp_path, "roundtable"), tmp_path), tmp_path / "new" / "home"
    agent.env = {**(agent.env or {}), "ROUNDTABLE_DATABASE_URL": postgres_server.url(name)}
    try:
        async with Client(agent) as client:
            await hold_a_discussion(client)
        store = await Store.open(postgres_server.url(name))
        listed = await store.read(lambda conn: DiscussionRepository(conn).listed(5))
        code, out, err = await ended(agent, tmp_path)
        await store.close()
    finally:
        await postgres_server.drop(name)

    assert [run.topic for run, _ in listed] == ["Split the service?"]
    assert [path.name for path in home.iterdir()] == ["memory"]
    assert (code, out) == (1, "")
    assert "is already in use by process" in err.splitlines()[-1]


async def ended(agent: StdioServerParameters, home: Path) -> tuple[int | None, str, str]:
    """How `roundtable mcp` ends by itself: exit code, standard output, standard error."""
    process = await asyncio.create_subprocess_exec(
        agent.command, *agent.args, env=agent.env, cwd=home, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    out, err = await asyncio.wait_for(process.communicate(b""), 60)
    return process.returncode, out.decode(), err.decode()


async def test_every_participant_is_told_what_the_others_said(tmp_path: Path) -> None:
    """C13, C17: three agents, each led by nothing but its own prompt, over two rounds."""
    people = [*PEOPLE, {"profile": "critic", "role": "Critic"}]
    said: list[str] = []
    async with Client(command(tmp_path, "roundtable")) as client:

        async def prompt(name: str, **arguments: str) -> str:
            found = await client.get_prompt(name, {"discussion_id": run_id, **arguments})
            (message,) = found.messages
            return str(getattr(message.content, "text", ""))

        async def speak(who: str, content: str) -> dict[str, Any]:
            said.append(content)
            return await called(
                client, "speak", discussion_id=run_id, participant=who, content=content
            )

        opened = await called(client, "init", topic="Split the service?", participants=people)
        run_id = opened["discussion_id"]
        turn = (await speak("coordinator", "Let us begin. " + "What matters here? " * 60))[
            "next_speaker"
        ]
        while turn is not None:
            told = await prompt("participant", profile=turn)
            assert [words for words in said if words.strip() not in told] == []
            assert (f"discussion_id {run_id}" in told, "roundtable_speak" in told) == (True, True)
            assert f"{turn}: " in told
            turn = (await speak(turn, f"{turn} says {len(said)}: " + "reasons " * 150 + "done."))[
                "next_speaker"
            ]
        led = await prompt("coordinator")
        ended = await called(client, "end", discussion_id=run_id, conclusion="1. [ ] Keep it.")

    assert len(said) == 7
    assert [words for words in said if words.strip() not in led] == []
    assert all(words.strip() in _text(ended["output_path"]) for words in said)


async def test_over_stdio_a_running_bot_does_the_writing(tmp_path: Path) -> None:
    async with open_service(tmp_path) as service, serve_tools(service, tmp_path):
        async with Client(command(tmp_path, "roundtable")) as client:
            await hold_a_discussion(client)
            lonely = await refused(client, "init", topic="x", participants=PEOPLE[:1])
            with pytest.raises(MCPError, match="Discussion not found"):
                await client.get_prompt("coordinator", {"discussion_id": "rt_00000000"})
        listed = await service.look.list()

    assert lonely.endswith("a discussion needs 2 to 20.")
    assert len(listed.discussions) == 1


async def test_an_address_a_killed_bot_left_is_no_obstacle(tmp_path: Path) -> None:
    Endpoint(f"http://127.0.0.1:{silent_port()}/mcp", "stale").write(tmp_path)

    async with Client(command(tmp_path, "roundtable")) as client:
        assert (await called(client, "list"))["discussions"] == []


async def test_off_means_not_there(tmp_path: Path) -> None:
    """C2."""
    code, out, err = await ended(command(tmp_path), tmp_path)

    assert (code, out) == (1, "")
    assert err.startswith('The agent tools are disabled: add "toolsets": ["roundtable"]')


def test_an_address_on_another_machine_is_never_believed(tmp_path: Path) -> None:
    Endpoint("http://192.0.2.1:80/mcp", "secret").write(tmp_path)

    assert Endpoint.read(tmp_path) is None


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")
