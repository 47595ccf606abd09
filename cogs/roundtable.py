"""Starts and stops roundtables: text messages, slash commands and the dedicated channel."""

import re
from dataclasses import replace

import discord
from discord import app_commands
from discord.ext import commands

from bot.council.readers import Reader
from bot.council.summons import Summons
from bot.errors import UsageError
from bot.request import (
    Command,
    is_addressed,
    parse_command,
    parse_request,
)
from bot.store import InboundKind, inbound
from bot.store.inbound import InboundMessage
from bot.store.runs import Run
from bot.words import reading as words
from bot.words.admission import DUPLICATE
from bot.words.help import help_text
from bot.words.starting import IN_PRIVATE, ROUNDTABLE
from cogs.admin import AdminCommands
from cogs.answering import reply_to, sentence_for, tell_aloud, tell_failure, whisper
from cogs.buttons import consent_view, duplicate_view, where_it_meets
from cogs.completing import broken, concluded, running
from cogs.desk import FrontDesk
from cogs.people import PERSONS_MESSAGE, asker_of, reader_of, with_names
from cogs.privacy import PrivacyCommands, offer_to_forget
from cogs.reading import READING, ReadingCommands, answer
from cogs.run_option import run_command
from cogs.starting import StartCommand


class RoundtableCog(
    StartCommand,
    ReadingCommands,
    AdminCommands,
    PrivacyCommands,
    commands.GroupCog,
    group_name="roundtable",
    group_description=ROUNDTABLE,
):
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
            if command is not None and command.name in READING:
                await tell_aloud(message, await answer(self._desk, command, _aloud(message)))
            elif command is not None and command.name == "forget":
                await reply_to(message, *await offer_to_forget(self._desk, message.author.id))
            elif command is not None:
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
            await reply_to(message, where_it_meets(convened), consent_view(convened))

    async def _run_command(self, command: Command, message: discord.Message) -> str:
        reader = replace(_aloud(message), private=True)
        if command.name == "help":
            return self._help
        if command.name == "costs":
            guild_id, asker = _guild_id(message), asker_of(message.author)
            return await self._desk.council.costs(guild_id, asker, private=False)
        if command.name == "stop":
            return await self._stop(command.run_id, reader)
        if command.name == "retry":
            return await self._retry(command.run_id, reader)
        if command.name == "post" and command.channel_id is not None:
            return await self._post(command.run_id, command.channel_id, reader)
        if command.name == "quiet":
            return await self._desk.talk.quiet(message.channel.id)
        raise UsageError(words.not_yet(command.name))

    async def _stop(self, run_id: str | None, reader: Reader) -> str:
        if run_id is None:
            run = await self._desk.council.running_in(reader.channel_id, reader.guild_id)
            if run is None:
                return await self._desk.talk.stop(reader.channel_id, reader.asker)
        else:
            run = await self._desk.council.library.readers.reach(reader, run_id)
        return await self._desk.council.stop(run.id, reader.asker)

    async def _retry(self, run_id: str | None, reader: Reader) -> str:
        run = await self._meant(run_id, reader, words.NONE_TO_RETRY)
        return await self._desk.council.retry(run.id, reader.asker, reader.channel_id)

    async def _post(self, run_id: str | None, channel_id: int, reader: Reader) -> str:
        run = await self._meant(run_id, reader, words.NONE_TO_POST)
        return await self._desk.council.post(run.id, channel_id, reader.asker)

    async def _meant(self, run_id: str | None, reader: Reader, advice: str) -> Run:
        if run_id is not None:
            return await self._desk.council.library.readers.reach(reader, run_id)
        run = await self._desk.council.last_in(reader.channel_id)
        if run is None:
            raise UsageError(advice)
        return run

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

    @run_command("stop", words.STOP, running)
    async def stop(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Stop a roundtable and keep what was said."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await whisper(interaction, await self._stop(id, reader_of(interaction)))

    @app_commands.command(name="costs", description=words.COSTS)
    @app_commands.guild_only()
    async def costs(self, interaction: discord.Interaction) -> None:
        """Show what you spent, what is left today, and what a roundtable costs now."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild_id, asker = interaction.guild_id or 0, asker_of(interaction.user)
        await whisper(interaction, await self._desk.council.costs(guild_id, asker, private=True))

    @run_command("retry", words.RETRY, broken)
    async def retry(self, interaction: discord.Interaction, id: str | None = None) -> None:  # noqa: A002 (the option's name)
        """Try a failed roundtable again; what was answered is kept."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await whisper(interaction, await self._retry(id, reader_of(interaction)))

    @app_commands.command(name="post", description=words.POST)
    @app_commands.guild_only()
    @app_commands.describe(channel=words.WHERE_TO_POST, id=words.WHICH)
    @app_commands.autocomplete(id=concluded)
    async def post(
        self,
        interaction: discord.Interaction,
        channel: discord.TextChannel,
        id: str | None = None,  # noqa: A002 (the option's name)
    ) -> None:
        """Post a conclusion in another channel, once somebody approved it."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await whisper(interaction, await self._post(id, channel.id, reader_of(interaction)))

    @app_commands.command(name="quiet", description=words.QUIET)
    @app_commands.guild_only()
    async def quiet(self, interaction: discord.Interaction) -> None:
        """Silence the panel of this thread until somebody writes."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await whisper(interaction, await self._desk.talk.quiet(interaction.channel_id or 0))

    @app_commands.command(name="help", description=words.HELP)
    async def help(self, interaction: discord.Interaction) -> None:
        """Show what Roundtable can do."""
        await whisper(interaction, self._help)

    @property
    def _help(self) -> str:
        return help_text(reads_messages=self._bot.intents.message_content)

    async def cog_app_command_error(
        self, interaction: discord.Interaction, error: app_commands.AppCommandError
    ) -> None:
        """Tell the person what went wrong, and nobody else."""
        await tell_failure(interaction, error)


def _aloud(message: discord.Message) -> Reader:
    """The person behind a message, whose answer everybody there reads."""
    asker = asker_of(message.author)
    return Reader(asker, _guild_id(message), message.channel.id, private=False)


def _guild_id(message: discord.Message) -> int:
    return message.guild.id if message.guild else 0
