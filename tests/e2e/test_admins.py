"""What admins do in chat: panels, setting up, the doctor, the kill switch; and who may not."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.playground.errors import NotPermitted
from bot.playground.model import Message
from bot.playground.server import EmbeddedDiscord
from bot.playground.world import ChannelPlan, GuildPlan, OverwritePlan, the_table
from tests.e2e.playground_harness import PlaygroundHarness, open_harness

ADMIN, MEMBER = "Mara", "Ines"


async def ask(
    table: PlaygroundHarness,
    command: str,
    options: Mapping[str, Any] | None = None,
    *,
    person: str = ADMIN,
    channel: str = "general",
) -> Message:
    """The answer to a slash command, which only its person sees and which fits one message."""
    who, where = table.discord.person(person), table.discord.channel(channel)
    pressed = await table.discord.slash(who.id, where.id, command, dict(options or {}))
    answer = await pressed.message()
    assert answer.only_for == who.id
    assert len(answer.content) <= 2000
    return answer


async def test_only_who_manages_the_server_may(table: PlaygroundHarness) -> None:
    """Discord hides `/panel` from others; under `/roundtable` they are refused."""
    for name in ("setup", "doctor", "pause", "resume"):
        refused = await ask(table, f"roundtable {name}", person=MEMBER)
        assert refused.content.startswith("Only members with the Manage Server permission")
    with pytest.raises(NotPermitted):
        await ask(table, "panel list", person=MEMBER)


async def test_an_admin_sees_and_reloads_the_panels(table: PlaygroundHarness) -> None:
    listed = await ask(table, "panel list")
    assert "**debate**" in listed.content
    assert "Contrarian (grok)" in listed.content
    assert "stand-ins" in listed.content
    assert (
        "questions the frame itself"
        in (await ask(table, "panel show", {"panel": "debate"})).content
    )
    assert "has not changed" in (await ask(table, "panel reload")).content
    file = table.home / "panels.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    data["panels"]["debate"]["agents"][3]["role"] = "Fool"
    file.write_text(json.dumps(data), encoding="utf-8")
    assert "reloaded" in (await ask(table, "panel reload")).content
    assert "Fool" in (await ask(table, "panel list")).content
    file.write_text('{"limits": {', encoding="utf-8")
    assert "line 1" in (await ask(table, "panel reload")).content
    assert "Fool" in (await ask(table, "panel list")).content


async def test_a_panel_is_tried_once_its_price_was_seen(table: PlaygroundHarness) -> None:
    shown = await ask(table, "panel try", {"panel": "redteam", "question": "is our lock safe?"})
    assert "costs nothing" in shown.content
    assert table.discord.threads() == []
    (button,) = shown.custom_ids
    mara = table.discord.person(ADMIN)
    pressed = await table.discord.press(mara.id, shown.id, button)
    assert "The roundtable is in" in (await pressed.message()).content
    held = await table.held(await table.concluded())
    assert held.export["mode"] == "redteam"
    assert len(held.export["stages"]) == 3


def a_server_with_gaps() -> GuildPlan:
    plan = the_table()
    mute = OverwritePlan("Roundtable", deny=("send_messages_in_threads", "manage_webhooks"))
    channels = (*plan.channels, ChannelPlan("no-threads", overwrites=(mute,)))
    return GuildPlan(plan.name, plan.owner, plan.people, channels, plan.roles)


async def test_the_doctor_names_every_gap_with_its_fix(tmp_path: Path) -> None:
    discord = EmbeddedDiscord(guilds=(a_server_with_gaps(),))
    async with open_harness(tmp_path, discord=discord) as table:
        well = (await ask(table, "roundtable doctor")).content
        gaps = (await ask(table, "roundtable doctor", channel="no-threads")).content
    place = discord.channel("no-threads")
    assert f"⚠️ Send Messages in Threads is missing in <#{place.id}>" in well
    assert "Permissions here: View Channel, Send Messages in Threads" in well
    assert "15 of 15 webhooks are left" in well
    assert "✅ The Message Content intent is enabled" in well
    assert "✅ The database responds" in well
    assert "disk space free" in well
    assert "No model is usable" in well
    assert "Budgets: " in well
    assert "Search: " in well
    assert "⚠️ Missing permissions here: Send Messages in Threads, Manage Webhooks" in gaps


async def test_a_pause_refuses_what_is_new_and_lets_what_runs_come_to_its_end(
    tmp_path: Path,
) -> None:
    def listen_always(data: dict[str, Any]) -> None:
        data["followups"]["openFloor"] = "always"

    async with open_harness(tmp_path, seconds_per_answer=0.4, edit_panels=listen_always) as table:
        await table.say("roundtable --quick --debate should we adopt uv?")
        thread = await table.thread()
        assert "Paused" in (await ask(table, "roundtable pause")).content
        refused = await table.reply_after(await table.say("roundtable tea or coffee?"))
        assert refused.content.startswith("An admin paused Roundtable here")
        await table.concluded(thread)
        held = await table.held(thread)
        assert held.conclusion
        chatter = await table.write_in(thread, "lovely weather today")
        question = await table.write_in(thread, "Advocate, why?")
        assert (await table.reply_to(question)).content == refused.content
        await table.ask_for_help()
        assert not [m for m in table.said_in(thread) if m.reply_to == chatter.id]
        assert "Paused by" in (await ask(table, "roundtable doctor")).content
        assert "again" in (await ask(table, "roundtable resume")).content
        assert "not paused" in (await ask(table, "roundtable resume")).content
        again = await table.hold("roundtable --quick --debate tea or coffee?")
        assert again.conclusion


async def test_panels_json_switches_the_bot_off_for_one_server_or_all(tmp_path: Path) -> None:
    def off(data: dict[str, Any]) -> None:
        data["trigger"]["enabled"] = False

    async with open_harness(tmp_path, edit_panels=off) as table:
        refused = await table.reply_after(await table.say("roundtable tea or coffee?"))
        await asyncio.wait_for(table.session.app.run_service.idle(), 5)
    assert "trigger.enabled" in refused.content
