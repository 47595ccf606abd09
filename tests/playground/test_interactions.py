"""Interactions: commands, components, modals, and what the person sees of the answers."""

import time
from typing import Any

import discord
import pytest
from discord import app_commands

from bot.playground.errors import NotPermitted
from bot.playground.server import EmbeddedDiscord
from tests.playground.conftest import SmallBot, connected

Client = discord.Interaction[Any]


class Form(discord.ui.Modal, title="Start a roundtable"):
    """A form with every kind of field we use."""

    topic: discord.ui.Label[Any] = discord.ui.Label(
        text="Topic", component=discord.ui.TextInput(custom_id="topic")
    )
    panel: discord.ui.Label[Any] = discord.ui.Label(
        text="Panel",
        component=discord.ui.Select(
            custom_id="panel", options=[discord.SelectOption(label="classic")]
        ),
    )
    guest: discord.ui.Label[Any] = discord.ui.Label(
        text="Guest", component=discord.ui.UserSelect(custom_id="guest", required=False)
    )

    async def on_submit(self, interaction: Client) -> None:
        topic, panel, guest = self.topic.component, self.panel.component, self.guest.component
        assert isinstance(topic, discord.ui.TextInput)
        assert isinstance(panel, discord.ui.Select)
        assert isinstance(guest, discord.ui.UserSelect)
        names = [user.name for user in guest.values]
        await interaction.response.send_message(f"{topic.value}, {panel.values}, {names}")


def talkative() -> SmallBot:
    """A bot with a command group, a menu command and a command for admins."""
    bot = SmallBot()
    group = app_commands.Group(name="roundtable", description="Meetings")

    @group.command(name="start", description="Start a meeting")
    async def start(
        interaction: Client, topic: str, rounds: int = 2, guest: discord.Member | None = None
    ) -> None:
        name = guest.name if guest else "nobody"
        await interaction.response.send_message(f"{topic} / {rounds} / {name}", ephemeral=True)

    @group.command(name="slow", description="Think first")
    async def slow(interaction: Client, private: bool = False) -> None:
        await interaction.response.defer(ephemeral=private, thinking=True)
        await interaction.followup.send("thought about it")
        await interaction.followup.send("and more")

    @group.command(name="form", description="Fill in a form")
    async def form(interaction: Client) -> None:
        await interaction.response.send_modal(Form(custom_id="form"))

    @start.autocomplete("topic")
    async def topics(_: Client, current: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=current + "!", value=current)]

    @app_commands.command(name="admin", description="For admins")
    @app_commands.default_permissions(administrator=True)
    async def admin(interaction: Client) -> None:
        await interaction.response.send_message("yes, admin")

    @app_commands.context_menu(name="Who said this?")
    async def who(interaction: Client, message: discord.Message) -> None:
        await interaction.response.send_message(f"{message.author.name}: {message.content}")

    bot.tree.add_command(group)
    bot.tree.add_command(admin)
    bot.tree.add_command(who)
    bot.sync = True
    return bot


class Panel(discord.ui.View):
    """Buttons and selects that answer in different ways."""

    @discord.ui.button(label="Stop", custom_id="stop")
    async def stop_it(self, interaction: Client, _: discord.ui.Button[Any]) -> None:
        await interaction.response.edit_message(content="stopped", view=None)

    @discord.ui.button(label="Whisper", custom_id="whisper")
    async def whisper(self, interaction: Client, _: discord.ui.Button[Any]) -> None:
        await interaction.response.send_message("only you", ephemeral=True)

    @discord.ui.button(label="Later", custom_id="later")
    async def later(self, interaction: Client, _: discord.ui.Button[Any]) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(content="later")

    @discord.ui.button(label="Off", custom_id="off", disabled=True)
    async def off(self, interaction: Client, _: discord.ui.Button[Any]) -> None:
        raise AssertionError

    @discord.ui.select(
        custom_id="choose", options=[discord.SelectOption(label=x) for x in ("a", "b")]
    )
    async def choose(self, interaction: Client, select: discord.ui.Select[Any]) -> None:
        await interaction.response.send_message(f"chose {select.values}")

    @discord.ui.select(cls=discord.ui.UserSelect, custom_id="person")
    async def person(self, interaction: Client, select: discord.ui.UserSelect[Any]) -> None:
        await interaction.response.send_message(f"chose {select.values[0].name}")

    @discord.ui.select(cls=discord.ui.ChannelSelect, custom_id="where")
    async def where(self, interaction: Client, select: discord.ui.ChannelSelect[Any]) -> None:
        await interaction.response.send_message(f"chose {select.values[0].name}")

    @discord.ui.select(cls=discord.ui.RoleSelect, custom_id="role")
    async def role(self, interaction: Client, select: discord.ui.RoleSelect[Any]) -> None:
        await interaction.response.send_message(f"chose {select.values[0].name}")


@pytest.fixture
async def general(server: EmbeddedDiscord) -> int:
    return server.channel("general").id


@pytest.fixture
async def mara(server: EmbeddedDiscord) -> int:
    return server.person("Mara").id


async def panel(bot: SmallBot) -> discord.Message:
    return await bot.text_channel("general").send("panel", view=Panel())


async def test_a_slash_command_with_options_is_answered(
    server: EmbeddedDiscord, general: int, mara: int
) -> None:
    async with connected(server, talkative()):
        options = {"topic": "Postgres?", "rounds": "3", "guest": server.person("Jonas").id}
        asked = await server.slash(mara, general, "roundtable start", options)
        answer = await asked.answer()
        assert (answer.kind, answer.ephemeral) == ("message", True)
        assert answer.content == "Postgres? / 3 / Jonas"


async def test_an_ephemeral_answer_is_seen_by_its_reader_only(
    server: EmbeddedDiscord, general: int, mara: int
) -> None:
    async with connected(server, talkative()) as bot:
        changes = server.subscribe()
        asked = await server.slash(mara, general, "roundtable start", {"topic": "x"})
        answer = await asked.answer()
        assert answer.message is not None
        assert server.messages(general) == []
        assert [m async for m in bot.text_channel("general").history()] == []
        while (change := await anext(changes)).name != "MESSAGE_CREATE":
            pass
        assert change.viewers == {mara}
        with pytest.raises(NotPermitted):
            await server.react(server.person("Jonas").id, answer.message.id, "👍")
        changes.close()


async def test_a_deferral_is_replaced_by_the_first_follow_up(
    server: EmbeddedDiscord, general: int, mara: int
) -> None:
    async with connected(server, talkative()):
        asked = await server.slash(mara, general, "roundtable slow")
        assert (await asked.answer()).kind == "deferred"
        assert (await asked.message()).content == "thought about it"
        await server.until(lambda: len(server.messages(general)) == 2)
        assert [m.content for m in server.messages(general)] == ["thought about it", "and more"]


async def test_a_private_deferral_stays_private(
    server: EmbeddedDiscord, general: int, mara: int
) -> None:
    async with connected(server, talkative()):
        asked = await server.slash(mara, general, "roundtable slow", {"private": True})
        assert (await asked.message()).only_for == mara


@pytest.mark.parametrize(
    ("command", "options", "reason"),
    [
        ("roundtable start", {}, "needs the option 'topic'"),
        ("roundtable start", {"topic": "x", "colour": "red"}, "no option 'colour'"),
        ("roundtable dance", {}, "no command /roundtable dance"),
        ("roundtable", {}, "not complete"),
        ("nothing", {}, "no command 'nothing'"),
    ],
)
async def test_a_command_that_does_not_fit_is_refused_in_the_client(
    server: EmbeddedDiscord,
    general: int,
    mara: int,
    command: str,
    options: dict[str, str],
    reason: str,
) -> None:
    async with connected(server, talkative()):
        with pytest.raises(NotPermitted, match=reason):
            await server.slash(mara, general, command, options)


async def test_a_command_for_admins_is_hidden_from_others(
    server: EmbeddedDiscord, general: int, mara: int
) -> None:
    async with connected(server, talkative()):
        assert (await (await server.slash(mara, general, "admin")).answer()).content == "yes, admin"
        with pytest.raises(NotPermitted):
            await server.slash(server.person("Jonas").id, general, "admin")


async def test_a_direct_conversation_has_no_commands(server: EmbeddedDiscord, mara: int) -> None:
    async with connected(server, talkative()):
        with pytest.raises(NotPermitted, match="no command 'roundtable'"):
            await server.slash(mara, server.world.direct(mara).id, "roundtable form")


async def test_commands_keep_their_ids_when_synced_again(server: EmbeddedDiscord) -> None:
    async with connected(server, talkative()) as bot:
        first = {c["name"]: int(c["id"]) for c in server.world.commands}
        second = {c.name: c.id for c in await bot.tree.sync()}
        assert first == second


async def test_autocompletion_offers_choices(
    server: EmbeddedDiscord, general: int, mara: int
) -> None:
    async with connected(server, talkative()):
        asked = await server.slash(
            mara, general, "roundtable start", {"topic": "Post"}, focused="topic"
        )
        answer = await asked.answer()
        assert answer.kind == "autocomplete"
        assert answer.data["choices"] == [{"name": "Post!", "value": "Post"}]


async def test_a_menu_command_shows_the_whole_message(
    server: EmbeddedDiscord, general: int, mara: int
) -> None:
    async with connected(server, talkative()):
        said = await server.say(server.person("Jonas").id, general, "it was me")
        answer = await (await server.menu(mara, said.id, "Who said this?")).answer()
        assert answer.content == "Jonas: it was me"


async def test_a_modal_opens_and_is_submitted(
    server: EmbeddedDiscord, general: int, mara: int
) -> None:
    async with connected(server, talkative()):
        opened = await server.slash(mara, general, "roundtable form")
        form = await opened.answer()
        assert (form.kind, form.data["title"]) == ("modal", "Start a roundtable")
        values = {"topic": "Postgres?", "panel": ["classic"]}
        guest = {"guest": [str(server.person("Ines").id)]}
        submitted = await server.submit(opened, values | guest)
        answer = await submitted.answer()
        assert answer.content == "Postgres?, ['classic'], ['Ines']"


async def test_a_modal_with_a_missing_field_is_refused(
    server: EmbeddedDiscord, general: int, mara: int
) -> None:
    async with connected(server, talkative()):
        opened = await server.slash(mara, general, "roundtable form")
        await opened.answer()
        with pytest.raises(NotPermitted, match="panel"):
            await server.submit(opened, {"topic": "x"})


async def test_a_button_updates_its_message(
    server: EmbeddedDiscord, bot: SmallBot, general: int, mara: int
) -> None:
    sent = await panel(bot)
    answer = await (await server.press(mara, sent.id, "stop")).answer()
    assert answer.kind == "update"
    kept = server.messages(general)[0]
    assert (kept.content, kept.components) == ("stopped", [])


async def test_a_button_may_whisper(server: EmbeddedDiscord, bot: SmallBot, mara: int) -> None:
    answer = await (await server.press(mara, (await panel(bot)).id, "whisper")).answer()
    assert (answer.content, answer.ephemeral) == ("only you", True)


async def test_a_button_may_acknowledge_and_edit_later(
    server: EmbeddedDiscord, bot: SmallBot, general: int, mara: int
) -> None:
    pressed = await server.press(mara, (await panel(bot)).id, "later")
    assert (await pressed.answer()).kind == "acknowledged"
    assert (await pressed.message()).content == "later"
    assert server.messages(general)[0].content == "later"


@pytest.mark.parametrize(
    ("custom_id", "reason"), [("off", "nothing to press"), ("x", "nothing to press")]
)
async def test_what_cannot_be_pressed_is_refused(
    server: EmbeddedDiscord, bot: SmallBot, mara: int, custom_id: str, reason: str
) -> None:
    with pytest.raises(NotPermitted, match=reason):
        await server.press(mara, (await panel(bot)).id, custom_id)


async def test_selects_give_texts_people_channels_and_roles(
    server: EmbeddedDiscord, bot: SmallBot, general: int, mara: int
) -> None:
    sent = await panel(bot)
    role = next(r for r in bot.guilds[0].roles if r.name == "Admin")
    for custom_id, value, expected in (
        ("choose", "b", "chose ['b']"),
        ("person", str(server.person("Jonas").id), "chose Jonas"),
        ("where", str(general), "chose general"),
        ("role", str(role.id), "chose Admin"),
    ):
        pressed = await server.press(mara, sent.id, custom_id, [value])
        assert (await pressed.answer()).content == expected


async def test_a_value_that_was_not_offered_is_refused(
    server: EmbeddedDiscord, bot: SmallBot, mara: int
) -> None:
    with pytest.raises(NotPermitted, match="of what is offered"):
        await server.press(mara, (await panel(bot)).id, "choose", ["c"])


async def test_an_answer_after_the_deadline_is_unknown() -> None:
    """discord.md 1.3: 404 10062 after three seconds."""
    now = [time.time()]
    async with EmbeddedDiscord(clock=lambda: now[0]) as server:
        bot = SmallBot()
        failures: list[discord.NotFound] = []

        @bot.tree.command(name="late", description="Too late")
        async def late(interaction: Client) -> None:
            now[0] += 4
            try:
                await interaction.response.send_message("here")
            except discord.NotFound as error:
                failures.append(error)
                await server.dm(server.person("Mara").id, "done")

        bot.sync = True
        async with connected(server, bot):
            mara, general = server.person("Mara").id, server.channel("general").id
            await server.slash(mara, general, "late")
            await bot.hear("message")
            assert [error.code for error in failures] == [10062]


async def test_an_interaction_is_answered_once(
    server: EmbeddedDiscord, bot: SmallBot, mara: int
) -> None:
    sent = await panel(bot)
    pressed = await server.press(mara, sent.id, "whisper")
    await pressed.answer()
    (interaction,) = await bot.hear("interaction")
    interaction.response._response_type = None
    with pytest.raises(discord.HTTPException) as caught:
        await interaction.response.send_message("again")
    assert caught.value.code == 40060


async def test_the_first_answer_can_be_read_changed_and_removed(
    server: EmbeddedDiscord, bot: SmallBot, mara: int
) -> None:
    await (await server.press(mara, (await panel(bot)).id, "whisper")).answer()
    (interaction,) = await bot.hear("interaction")
    assert (await interaction.original_response()).content == "only you"
    assert (await interaction.edit_original_response(content="still")).content == "still"
    await interaction.delete_original_response()
    with pytest.raises(discord.NotFound):
        await interaction.edit_original_response(content="gone")


async def test_interactions_work_in_threads(
    server: EmbeddedDiscord, bot: SmallBot, mara: int
) -> None:
    thread = await (await bot.text_channel("general").send("a")).create_thread(name="t")
    sent = await thread.send("panel", view=Panel())
    answer = await (await server.press(mara, sent.id, "whisper")).answer()
    (interaction,) = await bot.hear("interaction")
    assert answer.content == "only you"
    assert isinstance(interaction.channel, discord.Thread)
