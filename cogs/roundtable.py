"""Starts and stops roundtables: text messages, slash commands and the dedicated channel."""

import re

import discord
from discord import app_commands
from discord.ext import commands

from bot.council.dedup import DUPLICATE
from bot.council.summons import Convened, Summons
from bot.errors import UsageError
from bot.request import (
    Command,
    Flag,
    Mode,
    Request,
    build_request,
    is_addressed,
    parse_command,
    parse_request,
)
from bot.store import InboundKind, inbound
from bot.store.inbound import InboundMessage
from cogs.admin import AdminCommands
from cogs.answering import reply_to, sentence_for, whisper
from cogs.buttons import consent_view, duplicate_view
from cogs.desk import FrontDesk
from cogs.help import HELP
from cogs.people import PERSONS_MESSAGE, asker_of, with_names

IN_PRIVATE = (
    "Roundtables are held in server channels: type `roundtable` and your question in a channel "
    "of a server we share."
)


class RoundtableCog(AdminCommands, commands.GroupCog, group_name="roundtable"):
    """Hold a meeting of language models on a question."""

    def __init__(self, bot: commands.Bot, desk: FrontDesk) -> None:
        self._bot = bot
        self._desk = desk
        super().__init__()

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """React to `roundtable …`, to topics in a dedicated channel and to private messages."""
        if message.author.bot or message.webhook_id or message.type not in PERSONS_MESSAGE:
            return
        text = self._without_own_mention(message.content)
        if message.guild is None:
            await reply_to(message, IN_PRIVATE)
        elif is_addressed(text) or await self._is_topic(message):
            await self._handle(message, text)

    async def _handle(self, message: discord.Message, text: str) -> None:
        try:
            if await self._seen_before(message):
                return
            command = parse_command(text) if is_addressed(text) else None
            if command is not None:
                await reply_to(message, await self._run_command(command, message))
            else:
                await self._start_from(message, text)
        except Exception as error:
            await reply_to(message, sentence_for(error))

    async def _start_from(self, message: discord.Message, text: str) -> None:
        limit = self._desk.config(_guild_id(message)).limits.topic_chars
        request = parse_request(with_names(message, text), limit)
        convened = await self._desk.council.convene(
            Summons(
                guild_id=_guild_id(message),
                channel_id=message.channel.id,
                message_id=message.id,
                asker=asker_of(message.author),
                request=request,
            )
        )
        if convened.reused:
            await reply_to(message, DUPLICATE, duplicate_view(convened))
        elif convened.asks_starter or convened.place.channel_id != message.channel.id:
            await reply_to(message, _where(convened), consent_view(convened))

    async def _run_command(self, command: Command, message: discord.Message) -> str:
        if command.name == "help":
            return HELP
        if command.name == "costs":
            guild_id, asker = _guild_id(message), asker_of(message.author)
            return await self._desk.council.costs(guild_id, asker, private=False)
        if command.name == "stop":
            where = message.channel.id, _guild_id(message)
            return await self._stop(command.run_id, *where, message.author)
        if command.name == "retry":
            return await self._retry(command.run_id, message.channel.id, message.author)
        if command.name == "post" and command.channel_id is not None:
            run_id, here = command.run_id, message.channel.id
            return await self._post(run_id, here, command.channel_id, message.author)
        if command.name == "quiet":
            return await self._desk.talk.quiet(message.channel.id)
        raise UsageError(
            f"`roundtable {command.name}` comes with a later version: "
            "`roundtable help` shows what works today."
        )

    async def _stop(
        self,
        run_id: str | None,
        channel_id: int,
        guild_id: int,
        person: discord.User | discord.Member,
    ) -> str:
        if run_id is None:
            run = await self._desk.council.running_in(channel_id, guild_id)
            if run is None:
                return await self._desk.talk.stop(channel_id, asker_of(person))
            run_id = run.id
        return await self._desk.council.stop(run_id, asker_of(person))

    async def _retry(
        self, run_id: str | None, channel_id: int, person: discord.User | discord.Member
    ) -> str:
        if run_id is None:
            run = await self._desk.council.last_in(channel_id)
            if run is None:
                raise UsageError("No roundtable was held here: retry it in its own thread.")
            run_id = run.id
        return await self._desk.council.retry(run_id, asker_of(person), channel_id)

    async def _post(
        self,
        run_id: str | None,
        here: int,
        channel_id: int,
        person: discord.User | discord.Member,
    ) -> str:
        if run_id is None:
            run = await self._desk.council.last_in(here)
            if run is None:
                raise UsageError("No roundtable was held here: write its id before the channel.")
            run_id = run.id
        return await self._desk.council.post(run_id, channel_id, asker_of(person))

    async def _is_topic(self, message: discord.Message) -> bool:
        """In a dedicated channel everything is a topic but what is said to a panelist there."""
        config = self._desk.config(_guild_id(message))
        if message.channel.id not in config.trigger.channel_ids or not message.content.strip():
            return False
        replied = message.reference.message_id if message.reference else None
        return replied is None or await self._desk.talk.seat_behind(replied) is None

    def _without_own_mention(self, text: str) -> str:
        own = self._bot.user.id if self._bot.user else 0
        return re.sub(rf"^\s*<@!?{own}>\s*", "", text)

    async def _seen_before(self, message: discord.Message) -> bool:
        """Discord may deliver a message twice; only the first time counts."""
        seen = InboundMessage(
            message_id=message.id,
            channel_id=message.channel.id,
            guild_id=_guild_id(message),
            author_id=message.author.id,
            content=message.content,
            created_at=message.created_at.timestamp(),
            kind=InboundKind.TRIGGER,
        )
        now = self._desk.store.now()
        return not await self._desk.store.write(lambda conn: inbound.remember(conn, seen, now))

    @app_commands.command(name="start")
    @app_commands.guild_only()
    @app_commands.describe(
        topic="What the table should discuss",
        mode="What kind of meeting; left out, it is read from your words",
        quick="Three seats, one round",
        panel="Models with commas between, such as opus,grok — or budget",
        validate="Let the panelists check the conclusion",
        no_search="Do not search the web first",
        context_from="The name of an earlier roundtable to build on",
        link="An issue to post the conclusion on, after approval",
    )
    @app_commands.choices(
        mode=[app_commands.Choice(name=mode, value=mode) for mode in Mode if mode != Mode.DEFAULT]
    )
    async def start(
        self,
        interaction: discord.Interaction,
        topic: str,
        mode: app_commands.Choice[str] | None = None,
        quick: bool = False,
        panel: str | None = None,
        validate: bool = False,
        no_search: bool = False,
        context_from: str | None = None,
        link: str | None = None,
    ) -> None:
        """Hold a roundtable on a question."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        flags = [Flag(f"--{mode.value}")] if mode else []
        flags += [Flag("--quick")] * quick + [Flag("--validate")] * validate
        flags += [Flag("--no-search")] * no_search
        flags += [Flag("--panel", panel.lower())] if panel else []
        flags += [Flag("--context-from", context_from)] if context_from else []
        flags += [Flag("--link", link)] if link else []
        limit = self._desk.config(interaction.guild_id).limits.topic_chars
        request = build_request(topic, flags, limit)
        convened = await self._convene(interaction, request)
        view = duplicate_view(convened) if convened.reused else consent_view(convened)
        await whisper(interaction, _where(convened), view)

    async def _convene(self, interaction: discord.Interaction, request: Request) -> Convened:
        summons = Summons(
            guild_id=interaction.guild_id or 0,
            channel_id=interaction.channel_id or 0,
            message_id=None,
            asker=asker_of(interaction.user),
            request=request,
        )
        return await self._desk.council.convene(summons)

    @app_commands.command(name="stop")
    @app_commands.guild_only()
    @app_commands.describe(id="The roundtable's id; left out, the one in this thread")
    async def stop(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Stop a roundtable and keep what was said."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        text = await self._stop(
            id, interaction.channel_id or 0, interaction.guild_id or 0, interaction.user
        )
        await whisper(interaction, text)

    @app_commands.command(name="costs")
    @app_commands.guild_only()
    async def costs(self, interaction: discord.Interaction) -> None:
        """Show what you spent, what is left today, and what a roundtable costs now."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild_id, asker = interaction.guild_id or 0, asker_of(interaction.user)
        await whisper(interaction, await self._desk.council.costs(guild_id, asker, private=True))

    @app_commands.command(name="retry")
    @app_commands.guild_only()
    @app_commands.describe(id="The roundtable's id; left out, the one in this thread")
    async def retry(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Try a failed roundtable again; what was answered is kept."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        text = await self._retry(id, interaction.channel_id or 0, interaction.user)
        await whisper(interaction, text)

    @app_commands.command(name="post")
    @app_commands.guild_only()
    @app_commands.describe(
        channel="Where the conclusion is to be posted",
        id="The roundtable's id; left out, the one in this thread",
    )
    async def post(
        self,
        interaction: discord.Interaction,
        channel: discord.TextChannel,
        id: str | None = None,  # noqa: A002 (the option's name)
    ) -> None:
        """Post a conclusion in another channel, once somebody approved it."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        here = interaction.channel_id or 0
        await whisper(interaction, await self._post(id, here, channel.id, interaction.user))

    @app_commands.command(name="quiet")
    @app_commands.guild_only()
    async def quiet(self, interaction: discord.Interaction) -> None:
        """Silence the panel of this thread until somebody writes."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await whisper(interaction, await self._desk.talk.quiet(interaction.channel_id or 0))

    @app_commands.command(name="help")
    async def help(self, interaction: discord.Interaction) -> None:
        """Show what Roundtable can do."""
        await whisper(interaction, HELP)

    async def cog_app_command_error(
        self, interaction: discord.Interaction, error: app_commands.AppCommandError
    ) -> None:
        """Tell the person what went wrong, and nobody else."""
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        await whisper(interaction, sentence_for(cause))


def _guild_id(message: discord.Message) -> int:
    return message.guild.id if message.guild else 0


def _where(convened: Convened) -> str:
    if convened.reused:
        return DUPLICATE
    return f"The table meets in <#{convened.place.target_id}>. {convened.price}".rstrip()
