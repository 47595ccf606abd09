"""A change of panels.json reaches the running bot, and no roundtable that is under way."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bot.store.repositories.servers import ServerRepository
from tests.e2e.playground_harness import PlaygroundHarness, open_harness
from tests.support.model_server import ModelServer
from tests.support.rehearsed_answers import RehearsedAnswers


async def edit(table: PlaygroundHarness, change: Callable[[dict[str, Any]], object]) -> None:
    """Save panels.json with a change, and let the watch see that it rests."""
    file = table.home / "panels.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    change(data)
    await save(table, json.dumps(data))


async def save(table: PlaygroundHarness, text: str) -> None:
    file = table.home / "panels.json"
    before = file.stat().st_mtime_ns
    file.write_text(text, encoding="utf-8")
    os.utime(file, ns=(before + 1_000_000, before + 1_000_000))
    for _ in range(2):
        await table.session.app.watch.look()


async def test_the_next_roundtable_follows_the_file_and_the_running_one_its_design(
    tmp_path: Path,
) -> None:
    """2.2: what was frozen stays; a provider that is gone still serves who sits there."""

    def call_it_other(data: dict[str, Any]) -> None:
        data["panels"]["debate"]["agents"][0]["role"] = "Champion"
        data["providers"]["play"] = data["providers"].pop("rehearsal") | {"secondsPerAnswer": 0.0}

    async with open_harness(tmp_path, seconds_per_answer=0.4) as table:
        await table.say("roundtable --quick --debate should we adopt uv?")
        first = await table.thread()
        await table.discord.until(lambda: any("thinking" in m.text for m in table.said_in(first)))
        await edit(table, call_it_other)
        await table.concluded(first)
        before = await table.held(first)
        after = await table.hold("roundtable --quick --debate should we adopt bazel?")
    assert "Advocate" in before.voices
    assert {call.provider for call in before.calls} == {"rehearsal"}
    assert "Champion" in after.voices
    assert {call.provider for call in after.calls} == {"play"}


async def test_a_bad_file_is_told_in_the_channel_of_the_admins_and_changes_nothing(
    table: PlaygroundHarness,
) -> None:
    general = table.discord.channel("general")
    guild_id = general.guild_id or 0
    await table.session.app.store.write(
        lambda conn: ServerRepository(conn).set_admin_channel(guild_id, general.id)
    )
    await save(table, '{\n  "limits": {,}\n}')
    (told,) = [m.content for m in table.said_in(general) if "panels.json" in m.content]
    assert "line 2" in told
    held = await table.hold("roundtable --quick --debate tea or coffee?")
    assert held.conclusion


async def test_a_provider_that_is_written_into_the_file_speaks_at_the_next_table(
    tmp_path: Path,
) -> None:
    async with ModelServer(answer=RehearsedAnswers()) as server:

        def serve(data: dict[str, Any]) -> None:
            data["providers"]["mine"] = {"kind": "openai", "baseUrl": server.url}

        async with open_harness(tmp_path) as table:
            await edit(table, serve)
            held = await table.hold("roundtable --quick --debate tea or coffee?")
    assert not held.record.rehearsal
    assert len(server.calls) == len(held.calls) > 0
