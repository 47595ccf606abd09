"""A whole small roundtable: the real bot over real sockets in the embedded Discord."""

import json

from bot.playground.faults import EventFault
from tests.e2e.playground_harness import PlaygroundHarness

E93_KEYS = {
    "date",
    "topic",
    "mode",
    "workflow_type",
    "stages",
    "meta_panel_recommendation",
    "panel_degraded",
    "panel_degradation_notes",
    "consensus_pct",
    "synthesis_model",
    "validated",
    "elapsed_time_sec",
    "synthesis",
}


async def test_a_command_becomes_a_thread_with_a_panel_and_a_conclusion(
    table: PlaygroundHarness,
) -> None:
    """E1 E28 E31 E60 E89."""
    await table.say("roundtable --quick --vote tabs or spaces?")
    thread = await table.concluded()
    assert thread.name == "🎯 tabs or spaces? [[VOTE]]"
    names = table.voices(thread)
    assert names == ["Roundtable", "Strategist", "Skeptic", "User's Voice", "Roundtable"]


async def test_the_anchor_is_in_the_channel_and_everything_else_in_the_thread(
    table: PlaygroundHarness,
) -> None:
    """E31, 2.2#11."""
    asked = await table.say("roundtable --quick should we adopt uv?")
    thread = await table.concluded()
    after = [m for m in table.said_in(table.discord.channel("general")) if m.id > asked.id]
    assert [m.text.splitlines()[1] for m in after] == ["should we adopt uv?"]
    assert thread.id == after[0].id


async def test_panelists_speak_through_a_webhook_with_their_own_face(
    table: PlaygroundHarness,
) -> None:
    await table.say("roundtable --quick --debate tea")
    thread = await table.concluded()
    seats = [m for m in table.said_in(thread) if m.author.name == "Advocate"]
    assert seats[0].webhook_id
    assert seats[0].avatar_url.endswith("/faces/Advocate")
    assert "rehearsal: no model is speaking" in seats[0].content


async def test_nobody_is_pinged_but_the_starter_once(table: PlaygroundHarness) -> None:
    await table.say("roundtable --quick @everyone <@1> should we ping @here?")
    thread = await table.concluded()
    everything = table.said_in(thread) + table.said_in(table.discord.channel("general"))
    pinged = [message.pings for message in everything if message.author.bot and message.pings]
    jonas = table.discord.person("Jonas").id
    assert [ping.users for ping in pinged] == [{jonas}]
    assert not any(ping.everyone or ping.roles for ping in pinged)


async def test_the_conclusion_has_a_header_and_meta_made_by_code(table: PlaygroundHarness) -> None:
    """E83 2.2#26."""
    await table.say("roundtable --quick --debate should we move to a four-day week?")
    said = table.said_in(await table.concluded())
    closing = "\n".join(m.content for m in said if m.author.name == "Roundtable")
    assert "\n## " in closing
    assert "-# 🔧 META · 3 panelists · 1 round" in closing
    assert said[-1].attachments[0]["filename"].startswith("minutes-should-we-move")


async def test_the_card_ends_as_concluded_without_a_stop_button(table: PlaygroundHarness) -> None:
    await table.say("roundtable --quick --debate tea")
    thread = await table.concluded()
    card = table.card(thread)
    assert "Concluded after" in card.text
    assert [i.rpartition(":")[2] for i in card.custom_ids] == ["ask", "minutes", "details"]
    assert "thinking" not in card.text
    assert card.text.count("✅ [") == 3
    assert "[read](https://discord.com/channels/" in card.text


async def test_json_minutes_and_scorecard_are_written(table: PlaygroundHarness) -> None:
    """E92 E93 E94 A32."""
    await table.say("roundtable --quick --vote tabs or spaces?")
    await table.concluded()
    (export,) = table.exports()
    assert set(export) >= E93_KEYS
    assert export["topic"] == "tabs or spaces?"
    assert export["consensus_pct"] == "N/A"
    folder = table.home / "memory" / "roundtables"
    (minutes,) = folder.glob("*.md")
    assert minutes.name.endswith("-tabs-or-spaces.md")
    line = json.loads((folder / "scorecard.jsonl").read_text())
    assert line["consensus_pct"] is None
    assert {"ts", "topic", "mode", "workflow_type", "elapsed_time_sec", "validated"} <= set(line)


async def test_a_full_panel_has_all_four_seats(table: PlaygroundHarness) -> None:
    """E118."""
    await table.say("roundtable --panel opus,codex,gemini,grok --debate should we adopt uv?")
    thread = await table.concluded()
    seats = [m.author.name for m in table.said_in(thread) if m.webhook_id]
    assert seats[:4] == ["Advocate", "Devil's Advocate", "Analyst", "Contrarian"]


async def test_a_manual_panel_seats_the_named_models(table: PlaygroundHarness) -> None:
    """E15 E99."""
    await table.say("roundtable --panel opus,grok --debate tea or coffee?")
    await table.concluded()
    (export,) = table.exports()
    assert [stage["model"] for stage in export["stages"]] == ["claude-opus", "grok"]


async def test_the_budget_profile_seats_two_models(table: PlaygroundHarness) -> None:
    """E19."""
    await table.say("roundtable --panel budget tea or coffee?")
    await table.concluded()
    (export,) = table.exports()
    assert [stage["model"] for stage in export["stages"]] == ["claude-sonnet", "gpt"]


async def test_every_message_in_the_dedicated_channel_is_a_topic(table: PlaygroundHarness) -> None:
    """E8."""
    await table.say("what makes a good meeting?", channel="ask-the-table")
    thread = await table.concluded()
    assert thread.name == "🎯 what makes a good meeting?"


async def test_messages_inside_a_thread_of_the_dedicated_channel_are_no_topics(
    table: PlaygroundHarness,
) -> None:
    """E8."""
    await table.say("what makes a good meeting?", channel="ask-the-table")
    thread = await table.concluded()
    before = len(table.said_in(thread))
    await table.discord.say(table.discord.person("Ines").id, thread.id, "is that so?")
    await table.ask_for_help()
    assert len(table.discord.threads()) == 1
    assert len(table.said_in(thread)) == before + 1


async def test_a_message_delivered_twice_starts_one_roundtable(table: PlaygroundHarness) -> None:
    table.discord.faults.add(EventFault("double", "MESSAGE_CREATE"))
    await table.say("roundtable --quick --debate tea")
    thread = await table.concluded()
    assert table.discord.faults.struck
    await table.ask_for_help()
    assert [channel.id for channel in table.discord.threads()] == [thread.id]
