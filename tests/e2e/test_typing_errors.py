"""A typing error buys nothing: what hardly asks for a meeting is asked back."""

from pathlib import Path

import pytest

from bot.playground.model import Message
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.scripted_models import ScriptedModels, scripted_playground

ERRORS = (
    "statsu",
    "stpo",
    "-h",
    "--help",
    "post #decisions",
    "",
    "tea",
    "hello there",
    "--fast x y",
)


def labels(message: Message) -> list[str]:
    return [button["label"] for row in message.components for button in row["components"]]


async def test_typing_errors_call_no_model_and_open_no_thread(tmp_path: Path) -> None:
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        for typed in ERRORS:
            said = await table.say(f"roundtable {typed}")
            assert await table.reply_to(said)
        ines = table.discord.person("Ines").id
        asked = await table.reply_to(await table.say(f"roundtable <@{ines}> what do you think?"))
        assert "question to people" in asked.content
        assert table.discord.threads() == []
    assert cast.heard == []


async def test_the_buttons_do_what_was_meant_or_start_it_anyway(tmp_path: Path) -> None:
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        asked = await table.reply_to(await table.say("roundtable lsit"))
        assert asked.content == "I do not know `roundtable lsit`: did you mean `roundtable list`?"
        assert labels(asked) == ["roundtable list", "Start a roundtable on it"]
        stranger = await table.press(asked, "meant", "Ines")
        assert stranger.content == "Only the person who wrote the message can do this."
        listed = await table.press(asked, "meant")
        assert listed.content.startswith("There are no roundtables you can read yet")
        assert cast.heard == []
        started = await table.press(asked, "anyway")
        thread = await table.concluded()
        assert f"<#{thread.id}>" in started.content
        assert thread.name.startswith("🎯 lsit")


async def test_an_unknown_flag_is_mended_by_a_button(tmp_path: Path) -> None:
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        asked = await table.reply_to(await table.say("roundtable --fast --poll tea or coffee?"))
        assert "did you mean `--quick`?" in asked.content
        assert labels(asked) == ["Start with --quick"]
        again = await table.press(asked, "meant")
        assert "did you mean `--vote`?" in again.content
        assert cast.heard == []
        asked = await table.reply_to(await table.say("roundtable --fast tea or coffee?"))
        await table.press(asked, "meant")
        await table.concluded()
        (export,) = table.exports()
    assert (export["mode"], len(export["stages"])) == ("vote", 3)


async def test_bare_roundtable_gives_help(table: PlaygroundHarness) -> None:
    reply = await table.reply_to(await table.say("roundtable"))
    assert reply.content.startswith("**Roundtable** lets a panel")


@pytest.mark.parametrize("typed", ["hi all", "nice one", "@Ines lunch at noon today?"])
async def test_where_every_message_is_a_topic_chatter_is_asked_back(
    tmp_path: Path, typed: str
) -> None:
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        said = await table.say(typed, channel="ask-the-table")
        asked = await table.reply_to(said)
        assert labels(asked)[-1] == "Start a roundtable on it"
        ines = table.discord.person("Ines").id
        reply = await table.discord.say(
            ines, said.channel_id, "I would say so, yes", reply_to=said.id
        )
        assert "question to people" in (await table.reply_to(reply)).content
        assert cast.heard == []
        await table.press(asked, "anyway")
        await table.concluded()
    assert cast.heard
