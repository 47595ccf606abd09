"""Forgetting: the command with its button, deleted messages, and servers that come and go."""

import discord
from discord import app_commands
from discord.ext import commands

from bot.messages.discord import ButtonText
from bot.messages.library import ReadText
from bot.stage.cards import button_view
from bot.stage.port import PostButton, Tone
from bot.types.reply import ForgetOffer, ReplyText
from cogs.components import PersistentButton
from cogs.replies import reply_ephemeral
from cogs.services import CogServices, services_of
from cogs.translation import asker_of


class ForgetButton(PersistentButton, about="forget", action=r"(?P<person>\d{1,20})"):
    """Confirms that a person wants to be forgotten; only that person's press counts."""

    async def press(self, interaction: discord.Interaction) -> str:
        """Forget, if the right person pressed."""
        person_id, asker = int(self.said["person"]), asker_of(interaction.user)
        return await services_of(interaction).commands.forget(person_id, asker)


def forget_reply(offer: ForgetOffer | ReplyText) -> tuple[str, discord.ui.View | None]:
    """What would be forgotten, and the button that does it."""
    if isinstance(offer, ReplyText):
        return offer.text, None
    custom_id = f"rt:forget:{offer.person_id}"
    return offer.text, button_view([PostButton(ButtonText.FORGET_ME, custom_id, Tone.BAD)])


class PrivacyCommands(commands.Cog):
    """The part of `/roundtable` about one's own words; the cog of that name brings the services."""

    _services: CogServices

    @app_commands.command(name="forget", description=ReadText.FORGET)
    async def forget(self, interaction: discord.Interaction) -> None:
        """Remove everything you wrote from the bot's store, files and later prompts."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        offer = await self._services.commands.offer_to_forget(interaction.user.id)
        await reply_ephemeral(interaction, *forget_reply(offer))


class PrivacyCog(commands.Cog):
    """Hears of messages that are deleted and of servers that are left."""

    def __init__(self, bot: commands.Bot, services: CogServices) -> None:
        self._bot = bot
        self._services = services

    @commands.Cog.listener()
    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """Forget what a deleted message said."""
        await self._services.forgetting.message_deleted(payload.message_id)

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """The same for many at once, as after a ban."""
        for message_id in payload.message_ids:
            await self._services.forgetting.message_deleted(message_id)

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Note that a server was left."""
        await self._services.forgetting.left(guild.id)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Note that the bot is back."""
        await self._services.forgetting.joined(guild.id)

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Note what happened while the bot was away; gateways note it for workers."""
        if self._services.held.only is not None:
            return
        present = frozenset(guild.id for guild in self._bot.guilds)
        await self._services.forgetting.compare(present)
