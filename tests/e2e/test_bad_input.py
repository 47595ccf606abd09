"""Bad input gets one clear sentence, or silence where people expect silence."""

from pathlib import Path

import pytest

from bot.playground.world import OverwritePlan
from tests.e2e.playground_harness import PlaygroundHarness, open_harness

BOT_ROLE = "Roundtable"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("roundtable 🎉🎉", "has no words"),
        ("roundtable @everyone @here", "has no words"),
        ("roundtable --vote --debate tea", "one mode"),
        ("roundtable --quik tea", "did you mean `--quick`"),
        ("roundtable --panel opsu,grok tea", "did you mean `opus`"),
        ("roundtable --panel haiku tea", "cannot be a panelist"),
        ("roundtable --panel " + ",".join(["opus"] * 9) + " tea", "at most 8 seats"),
        ("roundtable --context-from ../../x tea", "lowercase letters, digits"),
        ("roundtable list", "There are no roundtables in this channel"),
        ("roundtable status", "There is no roundtable here: add its id"),
        ("roundtable show rt_00000000", "Roundtable not found"),
        ("roundtable end rt_00000000", "Roundtable not found"),
        ("roundtable --rounds 4 tea", "1 to 3 rounds: write `--rounds 2`"),
        ("roundtable retry", "There is no roundtable here"),
        ("roundtable stop", "No roundtable is running here"),
    ],
)
async def test_one_sentence_says_what_to_do(
    table: PlaygroundHarness, text: str, sentence: str
) -> None:
    reply = await table.reply_after(await table.say(text))
    assert sentence in reply.content
    assert "\n" not in reply.content
    assert not reply.pings
    assert table.discord.threads() == []


async def test_a_topic_beyond_the_limit_is_refused_with_both_numbers(tmp_path: Path) -> None:
    def short(config):  # type: ignore[no-untyped-def]
        limits = config.limits.model_copy(update={"topic_chars": 500})
        return config.model_copy(update={"limits": limits})

    async with open_harness(tmp_path, adjust=short) as table:
        reply = await table.reply_after(await table.say("roundtable " + "why " * 400))
        assert "1,599 characters and the limit is 500" in reply.content


async def test_another_bot_is_met_with_silence(table: PlaygroundHarness) -> None:
    await table.say("roundtable should bots talk?", person="Echo")
    await table.ask_for_help()
    assert table.discord.threads() == []
    assert len(table.said_in(table.discord.channel("general"))) == 3


async def test_ordinary_talk_is_met_with_silence(table: PlaygroundHarness) -> None:
    await table.say("roundtables are fun, and I love a good roundtable")
    await table.ask_for_help()
    assert len(table.said_in(table.discord.channel("general"))) == 3


async def test_a_private_message_is_told_where_roundtables_are_held(
    table: PlaygroundHarness,
) -> None:
    said = await table.discord.dm(table.discord.person("Ines").id, "roundtable tea or coffee?")
    reply = await table.reply_after(said)
    assert "only work in server channels" in reply.content


@pytest.mark.parametrize(
    "topic",
    [
        "is this right?\n```py\nprint('@everyone')\n```",
        "هل نستخدم بايثون أم جافا؟",
        "[click me](https://evil.example) or not?",
        "**bold** _claims_ ||hidden|| `code`",
        "x" * 900 + " or y?",
    ],
)
async def test_odd_topics_are_discussed_and_ping_nobody(
    table: PlaygroundHarness, topic: str
) -> None:
    await table.say(f"roundtable --quick {topic}")
    thread = await table.concluded()
    assert len(thread.name) <= 100
    assert table.exports()[0]["topic"] == topic
    everything = table.said_in(thread) + table.said_in(table.discord.channel("general"))
    assert not any(m.pings.everyone or m.pings.roles for m in everything)
    assert "Concluded" in table.card(thread).text


def deny(table: PlaygroundHarness, *permissions: str) -> None:
    """Take permissions away from the bot in #general."""
    channel = table.discord.channel("general")
    guild = channel.guild
    assert guild
    overwrite = table.discord.world.overwrite(guild, OverwritePlan(BOT_ROLE, deny=permissions))
    channel.overwrites.append(overwrite)
    table.discord.world.announce_channel("CHANNEL_UPDATE", channel)


async def test_where_the_bot_may_not_write_the_person_is_told_in_private(
    table: PlaygroundHarness,
) -> None:
    deny(table, "send_messages")
    await table.say("roundtable tea or coffee?")
    jonas = table.discord.world.direct(table.discord.person("Jonas").id)
    private = await table.discord.until(lambda: table.said_in(jonas))
    assert "does not give me Send Messages" in private[0].content
    assert len(table.said_in(table.discord.channel("general"))) == 1


@pytest.mark.parametrize("lacking", ["create_public_threads", "send_messages_in_threads"])
async def test_without_threads_the_roundtable_runs_in_the_channel_and_says_so(
    table: PlaygroundHarness, lacking: str
) -> None:
    """E32 2.2#47."""
    deny(table, lacking)
    asked = await table.say("roundtable --quick --debate tea")
    await table.reply_after(asked)
    await table.session.app.run_service.idle()
    general = table.discord.channel("general")
    assert table.discord.threads() == []
    assert "I cannot create threads here" in table.card(general).text
    assert [m.author.name for m in table.said_in(general)][3:6] == [
        "Advocate",
        "Devil's Advocate",
        "Analyst",
    ]


async def test_without_webhooks_panelists_speak_through_the_bot_and_it_is_said_once(
    table: PlaygroundHarness,
) -> None:
    deny(table, "manage_webhooks")
    await table.say("roundtable --quick --debate tea")
    thread = await table.concluded()
    said = table.said_in(thread)
    assert {m.author.name for m in said} == {"Roundtable"}
    assert said[1].content.startswith("**Advocate**\n")
    assert sum("I cannot manage webhooks" in m.text for m in said) == 1


async def test_a_slash_command_is_refused_only_to_its_person(table: PlaygroundHarness) -> None:
    jonas, general = table.discord.person("Jonas"), table.discord.channel("general")
    pressed = await table.discord.slash(jonas.id, general.id, "roundtable start", {"topic": "🎉"})
    message = await pressed.message()
    assert "has no words" in message.content
    assert message.only_for == jonas.id
