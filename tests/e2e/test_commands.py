"""Every command that reads, the form, the menus and the completions, as a person uses them."""

import json
import re
from typing import Any

from discord import AppCommandType

from bot.discussions.ports import DiscussionRequest
from bot.discussions.views import ParticipantIn
from bot.messages.library import HelpText
from bot.playground._interactions import Interaction
from bot.playground.faults import Fault
from bot.playground.model import Channel, Message
from bot.request.parse import FLAGS, PLAIN_COMMANDS, RUN_COMMANDS
from bot.store.repositories.seats import SeatRepository
from cogs.client import sync_if_changed
from tests.e2e.playground_harness import PlaygroundHarness

WHO_SAID = "Who said this?"
ON_THIS = "Roundtable on this"


async def slash(
    table: PlaygroundHarness, command: str, channel: Channel, person: str = "Ines", **options: Any
) -> Interaction:
    who = table.discord.person(person).id
    return await table.discord.slash(who, channel.id, f"roundtable {command}", options)


async def told(table: PlaygroundHarness, command: str, channel: Channel, **options: Any) -> Message:
    """The first private answer to a command."""
    pressed = await slash(table, command, channel, **options)
    message = await pressed.message()
    assert message.only_for is not None
    return message


async def completions(table: PlaygroundHarness, command: str, option: str, typed: str) -> list[str]:
    general, ines = table.discord.channel("general"), table.discord.person("Ines")
    asked = await table.discord.slash(
        ines.id, general.id, f"roundtable {command}", {option: typed}, focused=option
    )
    return [choice["value"] for choice in (await asked.answer()).data["choices"]]


async def test_in_its_thread_a_roundtable_needs_no_id(table: PlaygroundHarness) -> None:
    """Design 11, 2.2#42: status, show, read, export and list, slash and text."""
    held = await table.hold("roundtable --quick --debate tea or *coffee*?")
    thread, run_id = held.thread, held.record.run_id
    status = (await told(table, "status", thread)).content
    assert "✅ **tea or coffee?** · debate · concluded" in status
    assert "answers" not in status
    assert "[read](https://discord.com/channels/" in status
    assert run_id in status
    shown = await slash(table, "show", thread)
    await shown.message()
    await table.discord.until(lambda: any("META" in m.content for m in shown.shown.values()))
    read = await told(table, "read", thread)
    assert [file["filename"] for file in read.attachments] == ["minutes-tea-or-coffee.md"]
    exported = await told(table, "export", thread)
    assert exported.attachments[1]["filename"] == file_name(table, "html")
    assert exported.attachments[2]["filename"] == file_name(table, "json")
    minutes, page, as_json = (table.discord.world.files[int(f["id"])] for f in exported.attachments)
    picture = re.compile(r"!\[.*\]\(.*\.png\)\n\n")
    assert minutes.content.decode() == picture.sub("", table.minutes()[0])
    assert page.content.decode().count("data:image/png;base64,") == 1
    assert json.loads(as_json.content) == table.exports()[0]
    for word in ("status", "show", "read", "export", f"status {run_id}"):
        reply = await table.reply_to(await table.write_in(thread, f"roundtable {word}"))
        assert not reply.pings
        assert reply.content
    reply = await table.reply_to(await table.say("roundtable list"))
    entry, small = reply.content.splitlines()[1:]
    assert entry.startswith("**tea or coffee?** · ⚖️ ")
    assert small.startswith("-# debate · <#")
    assert len(table.discord.threads()) == 1


def file_name(table: PlaygroundHarness, ending: str) -> str:
    (path,) = (table.home / "memory" / "roundtables").glob(f"*.{ending}")
    return path.name


async def test_words_around_a_command_make_it_a_topic(table: PlaygroundHarness) -> None:
    """2.2#42."""
    held = await table.hold("roundtable --quick list the pros and cons of tea")
    assert held.record.topic == "list the pros and cons of tea"


async def test_a_bare_start_opens_a_form_that_starts_a_roundtable(table: PlaygroundHarness) -> None:
    general = table.discord.channel("general")
    opened = await slash(table, "start", general, rounds="1")
    assert (await opened.answer()).kind == "modal"
    filled = {"topic": "tea or coffee?", "mode": ["vote"], "extras": ["--no-search"]}
    submitted = await table.discord.submit(opened, filled | {"panel": "Opus, grok"})
    thread = await table.thread()
    assert f"<#{thread.id}>" in (await submitted.message()).content
    held = await table.held(await table.concluded(thread))
    assert held.record.mode == "vote"
    assert [seat.model for seat in held.record.seats] == ["claude-opus", "grok"]
    assert held.record.rounds_planned == 1


async def test_a_form_that_cannot_be_used_is_refused_in_one_sentence(
    table: PlaygroundHarness,
) -> None:
    opened = await slash(table, "start", table.discord.channel("general"))
    await opened.answer()
    submitted = await table.discord.submit(opened, {"topic": "tea", "context_from": "../x"})
    refusal = await submitted.message()
    assert "lowercase letters, digits and dashes" in refusal.content
    assert refusal.only_for
    assert table.discord.threads() == []


async def test_three_rounds_are_held_when_asked_for(table: PlaygroundHarness) -> None:
    """2.2#1."""
    held = await table.hold("roundtable --vote --rounds 3 --panel opus,grok tea or coffee?")
    assert held.record.rounds_planned == 3


async def test_quick_and_rounds_together_say_which_wins(table: PlaygroundHarness) -> None:
    """2.2#44."""
    held = await table.hold("roundtable --quick --debate --rounds 3 tea")
    assert held.record.rounds_planned == 1
    assert "`--rounds 3` has no effect" in held.card


async def test_completions_offer_models_and_roundtables(table: PlaygroundHarness) -> None:
    held = await table.hold("roundtable --quick --debate tea")
    run_id = held.record.run_id
    assert "budget" in await completions(table, "start", "panel", "bud")
    assert "opus,grok" in await completions(table, "start", "panel", "opus,gro")
    assert "opus,opus" not in await completions(table, "start", "panel", "opus,op")
    assert await completions(table, "status", "id", "TEA") == [run_id]
    assert await completions(table, "post", "id", "tea") == [run_id]
    assert await completions(table, "stop", "id", "tea") == []
    assert await completions(table, "retry", "id", "tea") == []
    assert await completions(table, "show", "id", "coffee") == []


async def test_who_said_this_names_the_seat_and_the_model(table: PlaygroundHarness) -> None:
    held = await table.hold("roundtable --quick --debate tea")
    ines = table.discord.person("Ines").id

    async def who(message: Message) -> str:
        pressed = await table.discord.menu(ines, message.id, WHO_SAID)
        return (await pressed.message()).content

    said = table.said_in(held.thread)
    voice = next(m for m in said if m.webhook_id)
    assert (await who(voice)).startswith(f"**{voice.author.name}**, a stand-in for ")
    assert "said this in round 1 of **tea**" in await who(voice)
    assert "Roundtable posted this conclusion, written by" in await who(said[-2])
    assert "no model wrote it" in await who(table.card(held.thread))
    asked = await table.write_in(held.thread, "why?", reply_to=voice.id)
    answer = await table.discord.until(
        lambda: next(
            (m for m in table.said_in(held.thread) if m.id > asked.id and m.webhook_id), None
        )
    )
    assert answer
    await table.talked()
    assert "in reply to a question" in await who(answer)
    not_ours = (
        "This message does not belong to a roundtable: choose one from a panelist or the bot."
    )
    assert await who(await table.say("hello")) == not_ours


async def test_no_command_takes_a_mask_off(table: PlaygroundHarness) -> None:
    """E13: until people have voted again, everything people ask for is masked."""
    await table.say("roundtable --masked --quick --vote tea or coffee?")
    thread = await table.concluded()
    run = await table.session.app.run_service.last_in(thread.id)
    assert run
    panel = await table.stored(lambda conn: SeatRepository(conn).of_run(run.id))
    hidden = [word for seat in panel for word in (seat.role, seat.model)]
    voice = next(m for m in table.said_in(thread) if m.webhook_id)
    ines = table.discord.person("Ines").id
    minutes = next(i for m in table.said_in(thread) for i in m.custom_ids if i.endswith("minutes"))
    card = next(m for m in table.said_in(thread) if minutes in m.custom_ids)
    asked = [
        await slash(table, command, thread) for command in ("status", "show", "read", "export")
    ]
    asked.append(await table.discord.menu(ines, voice.id, WHO_SAID))
    asked.append(await table.discord.press(ines, card.id, minutes))
    for question in asked:
        await question.message()
        for shown in question.shown.values():
            files = [table.discord.world.files[int(f["id"])] for f in shown.attachments]
            text = "\n".join([shown.text, *(file.content.decode() for file in files)])
            assert [word for word in hidden if word in text] == []
            assert text


async def test_roundtable_on_this_brings_the_message_into_the_form(
    table: PlaygroundHarness,
) -> None:
    ines = table.discord.person("Ines").id
    said = await table.say("Should we move to a four-day week?")
    opened = await table.discord.menu(ines, said.id, ON_THIS)
    (topic,) = [
        part["component"]["value"]
        for part in (await opened.answer()).data["components"]
        if part["component"]["custom_id"] == "topic"
    ]
    assert topic == said.content
    submitted = await table.discord.submit(opened, {"topic": topic, "extras": ["--quick"]})
    assert "The roundtable is in" in (await submitted.message()).content
    held = await table.held(await table.concluded())
    assert held.record.topic == said.content
    refused = await table.discord.menu(ines, table.card(held.thread).id, ON_THIS)
    assert (await refused.message()).content == (
        "This message has no text to discuss: choose another one."
    )


async def test_a_discussion_of_agents_is_read_and_ended_by_people(table: PlaygroundHarness) -> None:
    """C10 C12, design 11: moderators end it, others are told who may."""
    general = table.discord.channel("general")
    talks = table.session.app.run_service.library.talks
    people = [ParticipantIn(profile=name, role=name.title()) for name in ("architect", "critic")]
    opened = await talks.init(DiscussionRequest("which queue", people, channel=str(general.id)))
    await talks.speak(opened.discussion_id, "architect", "Postgres will do.")
    thread = await table.thread()
    status = (await told(table, "status", thread)).content
    assert "**which queue** · agent discussion · active" in status
    assert "waiting for critic" in status
    assert "Only its coordinator or a moderator" in (await told(table, "end", thread)).content
    said = await table.write_in(thread, "roundtable end", person="Mara")
    assert "The discussion has ended" in (await table.reply_to(said)).content
    assert "ended by a moderator" in table.said_in(thread)[-2].text
    assert (
        "use `roundtable show` to see" in (await told(table, "end", thread, person="Mara")).content
    )
    exported = await told(table, "export", thread)
    minutes, as_json = (table.discord.world.files[int(f["id"])] for f in exported.attachments)
    assert "Postgres will do." in minutes.content.decode()
    assert json.loads(as_json.content)["discussion_id"] == opened.discussion_id
    held = await table.hold("roundtable --quick --debate tea")
    refusal = await table.write_in(held.thread, "roundtable end", person="Mara")
    assert "use `roundtable stop` to end it" in (await table.reply_to(refusal)).content


async def test_what_is_no_id_is_not_found_whatever_it_is(table: PlaygroundHarness) -> None:
    general = table.discord.channel("general")
    for odd in ("rt_\x00", "'; drop table runs", "../../etc", "rt_0000000g", "🎉"):
        reply = await told(table, "show", general, id=odd)
        assert reply.content.startswith("Roundtable not found: use `/roundtable list`")


async def test_while_discord_does_not_say_who_may_read_nothing_is_shown(
    table: PlaygroundHarness,
) -> None:
    held = await table.hold("roundtable --quick --debate tea")
    table.discord.faults.add(Fault("status", "GET", "guilds/*/members/*", status=503, times=2))
    assert await completions(table, "show", "id", "tea") == []
    assert (await told(table, "show", held.thread)).content == (
        "I cannot check read permissions with Discord right now: try again in a moment."
    )
    assert "tea" in (await told(table, "status", held.thread)).content


async def test_commands_are_told_to_discord_only_when_they_changed(
    table: PlaygroundHarness,
) -> None:
    """Design 11."""
    tree, home = table.session.app.bot.tree, table.home
    before = list(table.discord.world.commands)
    table.discord.world.commands.clear()
    assert not await sync_if_changed(tree, home)
    assert table.discord.world.commands == []
    tree.remove_command(WHO_SAID, type=AppCommandType.message)
    assert await sync_if_changed(tree, home)
    assert len(table.discord.world.commands) == len(before) - 1


def test_help_fits_one_message_and_names_every_command() -> None:
    assert len(HelpText.help_text(reads_messages=False)) <= 2000
    words = {*PLAIN_COMMANDS, *RUN_COMMANDS, "post"} - {"help", "forget"}
    assert [
        word for word in sorted(words) if not re.search(rf"`(roundtable )?{word}\b", HelpText.HELP)
    ] == []
    assert [flag for flag in FLAGS if f"`{flag}" not in HelpText.HELP] == []
    assert all(name in HelpText.HELP for name in (WHO_SAID, ON_THIS))
