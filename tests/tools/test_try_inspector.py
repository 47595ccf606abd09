"""The script that drives discussions with the MCP inspector: its own steps, without Node.js."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from pydantic import BaseModel

from bot.agents.server import build_server
from bot.discussions.service import Discussions
from tests.discussions.conftest import service
from tools import try_inspector
from tools.try_inspector import FailedError, Inspector, hold_discussion, missing_words

__all__ = ["service"]


class StandIn(Inspector):
    """Reads the same command line as the inspector, and hands on what it would hand on."""

    __slots__ = ("client", "loop", "tamper")
    client: Client
    loop: asyncio.AbstractEventLoop
    tamper: Callable[[str, str], str]

    def __init__(self, client: Client, tamper: Callable[[str, str], str]) -> None:
        super().__init__("", (), {})
        object.__setattr__(self, "client", client)
        object.__setattr__(self, "loop", asyncio.get_running_loop())
        object.__setattr__(self, "tamper", tamper)

    def ask(self, method: str, *options: str) -> dict[str, Any]:
        answer = asyncio.run_coroutine_threadsafe(self._asked(method, *options), self.loop)
        text = answer.result(20).model_dump_json(by_alias=True, exclude_none=True)
        return dict(json.loads(self.tamper(method, text)))

    async def _asked(self, method: str, *options: str) -> BaseModel:
        if method == "tools/list":
            return await self.client.list_tools()
        if method == "resources/read":
            return await self.client.read_resource(options[1])
        _, name, _, *pairs = options
        given = dict(pair.split("=", 1) for pair in pairs)
        if method == "prompts/get":
            return await self.client.get_prompt(name, given)
        tools = {tool.name: tool for tool in (await self.client.list_tools()).tools}
        declared = tools[name].input_schema["properties"]
        values = {key: converted(text, declared[key]) for key, text in given.items()}
        return await self.client.call_tool(name, values)


def converted(text: str, schema: dict[str, Any]) -> Any:
    """What the inspector makes of an argument: by its type alone, so unions stay text."""
    return json.loads(text) if schema.get("type") in ("integer", "array", "object") else text


def as_it_is(_: str, text: str) -> str:
    return text


async def test_a_whole_discussion_is_held_and_checked(service: Discussions, tmp_path: Path) -> None:
    """C13 C17: with the arguments as the inspector sends them, optional ones as text."""
    async with Client(build_server(service)) as client:
        inspector = StandIn(client, as_it_is)
        await asyncio.to_thread(hold_discussion, inspector, tmp_path, "in a test")
        listed = (await client.call_tool("roundtable_list", {})).structured_content

    assert listed is not None
    (entry,) = listed["discussions"]
    assert (entry["topic"], entry["status"]) == ("Split the service, in a test?", "concluded")


async def test_a_prompt_without_what_others_said_is_found(
    service: Discussions, tmp_path: Path
) -> None:
    def forget(method: str, text: str) -> str:
        said = "The operator says in round 1"
        return text.replace(said, "Somebody says") if method == "prompts/get" else text

    async with Client(build_server(service)) as client:
        inspector = StandIn(client, forget)
        with pytest.raises(FailedError, match=r"critic's prompt of round 1 lacks .*The operator"):
            await asyncio.to_thread(hold_discussion, inspector, tmp_path, "in a test")


def test_the_words_of_others_are_wanted_and_own_words_are_not() -> None:
    said = {"critic": ["Too dear."], "judge": ["Fair.", "Still fair."]}
    assert missing_words("judge: Fair.", said, "judge") == ["Too dear."]
    assert missing_words("Too dear. Fair.", said, "architect") == ["Still fair."]


def test_without_npx_one_sentence_says_so_and_nothing_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert try_inspector.main() == 0
    assert capsys.readouterr().out == (
        "npx is not installed (it comes with Node.js): nothing was tried.\n"
    )


def test_an_inspector_that_cannot_be_had_is_told_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    npx = tmp_path / "npx"
    npx.write_text("#!/bin/sh\necho 'no network' >&2\nexit 1\n", encoding="utf-8")
    npx.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert try_inspector.main() == 0
    assert capsys.readouterr().out == (
        "npx cannot get the MCP inspector (no network): nothing was tried.\n"
    )
