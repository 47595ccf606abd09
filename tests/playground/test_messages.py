"""Messages: sending, editing, deleting, replies, files, history, reactions, pings."""

import io
from typing import Any

import aiohttp
import discord
import pytest

from bot.playground.errors import NotPermitted
from bot.playground.model import Upload
from bot.playground.server import EmbeddedDiscord
from tests.playground.conftest import SmallBot


async def test_the_bot_hears_a_person(server: EmbeddedDiscord, bot: SmallBot) -> None:
    said = await server.say(server.person("Mara").id, server.channel("general").id, "hello")
    (heard,) = await bot.hear("message")
    assert (heard.id, heard.content, heard.author.name) == (said.id, "hello", "Mara")
    assert isinstance(heard.author, discord.Member)


async def test_a_message_of_the_bot_is_kept_in_order(
    server: EmbeddedDiscord, bot: SmallBot
) -> None:
    for text in ("one", "two"):
        await bot.text_channel("general").send(text)
    kept = server.messages(server.channel("general").id)
    assert [(m.author.name, m.content) for m in kept] == [
        ("Roundtable", "one"),
        ("Roundtable", "two"),
    ]


async def test_the_same_nonce_makes_one_message(server: EmbeddedDiscord, bot: SmallBot) -> None:
    """discord.md 2.2: nonce with enforce_nonce."""
    first = await bot.text_channel("general").send("once", nonce="rt-1")
    second = await bot.text_channel("general").send("once", nonce="rt-1")
    assert first.id == second.id
    assert len(server.messages(server.channel("general").id)) == 1


async def test_a_reply_carries_what_it_answers(server: EmbeddedDiscord, bot: SmallBot) -> None:
    mara, general = server.person("Mara").id, server.channel("general").id
    own = await bot.text_channel("general").send("ask me")
    await server.say(mara, general, "I do", reply_to=own.id)
    heard = (await bot.hear("message", 2))[1]
    assert heard.reference.resolved.content == "ask me"
    assert heard.mentions == [bot.user]


async def test_the_bot_replies_to_a_person(server: EmbeddedDiscord, bot: SmallBot) -> None:
    said = await server.say(server.person("Mara").id, server.channel("general").id, "hello")
    (heard,) = await bot.hear("message")
    await heard.reply("hello back")
    assert server.messages(said.channel_id)[1].reply_to == said.id


async def test_an_edit_is_seen_by_everybody(server: EmbeddedDiscord, bot: SmallBot) -> None:
    sent = await bot.text_channel("general").send("frist")
    edited = await sent.edit(content="first")
    assert edited.edited_at is not None
    assert server.messages(server.channel("general").id)[0].content == "first"
    assert (await bot.hear("raw_message_edit"))[0].message.content == "first"


async def test_a_person_edits_and_deletes(server: EmbeddedDiscord, bot: SmallBot) -> None:
    mara = server.person("Mara").id
    said = await server.say(mara, server.channel("general").id, "tpyo")
    await server.edit(mara, said.id, "typo")
    await server.delete(mara, said.id)
    assert (await bot.hear("raw_message_edit"))[0].message.content == "typo"
    assert (await bot.hear("raw_message_delete"))[0].message_id == said.id
    assert server.messages(said.channel_id) == []


async def test_only_the_author_edits(server: EmbeddedDiscord) -> None:
    said = await server.say(server.person("Mara").id, server.channel("general").id, "mine")
    with pytest.raises(NotPermitted, match="authored by another user"):
        await server.edit(server.person("Jonas").id, said.id, "yours")


async def test_history_pages_in_both_directions(server: EmbeddedDiscord, bot: SmallBot) -> None:
    mara, general = server.person("Mara").id, server.channel("general").id
    said = [await server.say(mara, general, f"m{n}") for n in range(7)]
    channel, middle = bot.text_channel("general"), discord.Object(said[3].id)
    before = [m.content async for m in channel.history(before=middle, limit=2)]
    after = [m.content async for m in channel.history(after=middle, limit=2)]
    assert (before, after) == (["m2", "m1"], ["m4", "m5"])


async def test_a_single_message_can_be_fetched(server: EmbeddedDiscord, bot: SmallBot) -> None:
    said = await server.say(server.person("Mara").id, server.channel("general").id, "hello")
    assert (await bot.text_channel("general").fetch_message(said.id)).content == "hello"
    with pytest.raises(discord.NotFound) as caught:
        await bot.text_channel("general").fetch_message(1)
    assert caught.value.code == 10008


async def test_files_go_up_and_come_down(server: EmbeddedDiscord, bot: SmallBot) -> None:
    file = discord.File(io.BytesIO(b"# Minutes"), "minutes.md", description="the minutes")
    sent = await bot.text_channel("general").send("done", file=file)
    assert await sent.attachments[0].read() == b"# Minutes"
    kept = server.messages(server.channel("general").id)[0].attachments[0]
    assert (kept["filename"], kept["description"]) == ("minutes.md", "the minutes")


async def test_an_edit_can_drop_and_add_files(server: EmbeddedDiscord, bot: SmallBot) -> None:
    sent = await bot.text_channel("general").send(file=discord.File(io.BytesIO(b"a"), "a.txt"))
    added = await sent.add_files(discord.File(io.BytesIO(b"b"), "b.txt"))
    kept = await added.edit(attachments=[added.attachments[1]])
    assert [a.filename for a in added.attachments] == ["a.txt", "b.txt"]
    assert [a.filename for a in kept.attachments] == ["b.txt"]


async def test_a_person_attaches_a_file(server: EmbeddedDiscord, bot: SmallBot) -> None:
    upload = Upload("plan.txt", b"the plan")
    await server.say(server.person("Mara").id, server.channel("general").id, "see", files=[upload])
    (heard,) = await bot.hear("message")
    assert await heard.attachments[0].read() == b"the plan"


async def test_an_uploaded_page_never_runs_in_our_origin(
    server: EmbeddedDiscord, bot: SmallBot
) -> None:
    file = discord.File(io.BytesIO(b"<script>"), "evil.html")
    sent = await bot.text_channel("general").send(file=file)
    async with aiohttp.ClientSession() as http, http.get(sent.attachments[0].url) as answer:
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert "sandbox" in answer.headers["Content-Security-Policy"]


async def test_faces_are_drawn_and_differ(server: EmbeddedDiscord, bot: SmallBot) -> None:
    members = {member.name: member for member in bot.guilds[0].members}
    mara = await members["Mara"].display_avatar.read()
    assert mara.startswith(b"\x89PNG")
    assert mara != await members["Jonas"].display_avatar.read()
    assert mara == await members["Mara"].display_avatar.read()


async def test_reactions_are_heard_and_sent(server: EmbeddedDiscord, bot: SmallBot) -> None:
    sent = await bot.text_channel("general").send("vote")
    await sent.add_reaction("👍")
    await server.react(server.person("Jonas").id, sent.id, "👍")
    heard = (await bot.hear("raw_reaction_add", 2))[1]
    assert heard.member.name == "Jonas"
    fetched = await bot.text_channel("general").fetch_message(sent.id)
    assert [(r.emoji, r.count, r.me) for r in fetched.reactions] == [("👍", 2, True)]


async def test_the_same_reaction_twice_is_one(server: EmbeddedDiscord, bot: SmallBot) -> None:
    jonas = server.person("Jonas").id
    sent = await bot.text_channel("general").send("vote")
    for emoji in ("👍", "👍", "👎"):
        await server.react(jonas, sent.id, emoji)
    heard = await bot.hear("raw_reaction_add", 2)
    assert [str(event.emoji) for event in heard] == ["👍", "👎"]


async def test_reactions_are_taken_away(server: EmbeddedDiscord, bot: SmallBot) -> None:
    jonas = server.person("Jonas").id
    sent = await bot.text_channel("general").send("vote")
    await sent.add_reaction("👍")
    await sent.remove_reaction("👍", discord.Object(server.bot_user_id))
    await server.react(jonas, sent.id, "👎")
    await server.react(jonas, sent.id, "👎", on=False)
    await bot.hear("raw_reaction_remove", 2)
    assert server.messages(server.channel("general").id)[0].reactions == {}


async def test_typing_is_heard_and_sent(server: EmbeddedDiscord, bot: SmallBot) -> None:
    async with bot.text_channel("general").typing():
        pass
    await server.type(server.person("Mara").id, server.channel("general").id)
    heard = await bot.hear("raw_typing", 2)
    assert {event.user_id for event in heard} == {server.bot_user_id, server.person("Mara").id}


async def test_direct_messages_go_both_ways(server: EmbeddedDiscord, bot: SmallBot) -> None:
    said = await server.dm(server.person("Ines").id, "psst")
    (heard,) = await bot.hear("message")
    assert heard.guild is None
    await heard.channel.send("yes?")
    assert [m.content for m in server.messages(said.channel_id)] == ["psst", "yes?"]


async def test_the_bot_opens_a_direct_conversation(server: EmbeddedDiscord, bot: SmallBot) -> None:
    user = bot.get_user(server.person("Ines").id)
    assert user is not None
    sent = await user.send("hello Ines")
    assert server.messages(sent.channel.id)[0].content == "hello Ines"


@pytest.mark.parametrize(
    ("content", "allowed", "pinged"),
    [
        ("hi {mara}", None, {"Mara"}),
        ("hi {mara}", discord.AllowedMentions.none(), set()),
        ("hi {mara} {jonas}", discord.AllowedMentions(users=[discord.Object(0)]), {"Mara"}),
        ("`{mara}` ```{jonas}```", None, set()),
    ],
)
async def test_pings_honour_allowed_mentions(
    server: EmbeddedDiscord,
    bot: SmallBot,
    content: str,
    allowed: discord.AllowedMentions | None,
    pinged: set[str],
) -> None:
    """examples.md 31"""
    mara, jonas = server.person("Mara").id, server.person("Jonas").id
    if allowed is not None and isinstance(allowed.users, list):
        allowed = discord.AllowedMentions(users=[discord.Object(mara)], everyone=False)
    text = content.format(mara=f"<@{mara}>", jonas=f"<@{jonas}>")
    kwargs: dict[str, Any] = {} if allowed is None else {"allowed_mentions": allowed}
    await bot.text_channel("general").send(text, **kwargs)
    kept = server.messages(server.channel("general").id)[0]
    assert {server.world.users[user].name for user in kept.pings.users} == pinged


async def test_everyone_is_pinged_only_by_who_may(server: EmbeddedDiscord, bot: SmallBot) -> None:
    general = server.channel("general").id
    await server.say(server.person("Mara").id, general, "@everyone look")
    await server.say(server.person("Jonas").id, general, "@everyone look")
    await bot.text_channel("general").send("@everyone look")
    assert [m.pings.everyone for m in server.messages(general)] == [True, False, False]


async def test_an_edit_without_the_field_pings_again(
    server: EmbeddedDiscord, bot: SmallBot
) -> None:
    """discord.md 2.2: an edit without the field re-parses with defaults."""
    mara = server.person("Mara").id
    none = discord.AllowedMentions.none()
    sent = await bot.text_channel("general").send(f"<@{mara}>", allowed_mentions=none)
    assert not server.messages(sent.channel.id)[0].pings
    await sent.edit(content=f"again <@{mara}>")
    assert server.messages(sent.channel.id)[0].pings.users == {mara}


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({"content": "x" * 2001}, 50035),
        ({"content": "  "}, 50006),
        ({"embed": discord.Embed(description="x" * 4097)}, 50035),
        ({"embeds": [discord.Embed(description="x" * 4000)] * 2}, 50035),
    ],
)
async def test_what_discord_rejects_is_rejected(
    bot: SmallBot, payload: dict[str, Any], code: int
) -> None:
    """discord.md 2.2"""
    with pytest.raises(discord.HTTPException) as caught:
        await bot.text_channel("general").send(**payload)
    assert (caught.value.status, caught.value.code) == (400, code)


async def test_a_reply_to_a_deleted_message_is_refused_unless_told_otherwise(
    bot: SmallBot,
) -> None:
    channel = bot.text_channel("general")
    gone = discord.MessageReference(message_id=5, channel_id=channel.id)
    with pytest.raises(discord.HTTPException, match="Unknown message"):
        await channel.send("hm", reference=gone)
    gone.fail_if_not_exists = False
    assert (await channel.send("hm", reference=gone)).reference is None


async def test_until_gives_what_it_waited_for(server: EmbeddedDiscord, bot: SmallBot) -> None:
    general = server.channel("general").id
    await server.say(server.person("Mara").id, general, "ping")
    (heard,) = await bot.hear("message")
    await heard.channel.send("pong")
    found = await server.until(lambda: server.messages(general)[1:])
    assert found[0].content == "pong"


async def test_until_shows_the_last_messages_when_it_gives_up(server: EmbeddedDiscord) -> None:
    await server.say(server.person("Mara").id, server.channel("general").id, "anybody here?")
    with pytest.raises(TimeoutError, match=r"#general \| Mara: 'anybody here\?'"):
        await server.until(lambda: False, timeout=0.01)


async def test_subscribers_see_changes_with_their_viewers(server: EmbeddedDiscord) -> None:
    changes = server.subscribe()
    await server.say(server.person("Mara").id, server.channel("off-limits").id, "quietly")
    change = await anext(changes)
    assert change.name == "MESSAGE_CREATE"
    assert change.viewers == {server.person("Mara").id, server.bot_user_id}
    changes.close()
