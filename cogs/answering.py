"""One way to answer people: what an error becomes, and how a sentence reaches its reader."""

import logging
import secrets

import discord

from bot.errors import UserError

log = logging.getLogger(__name__)

NOBODY = discord.AllowedMentions.none()


def sentence_for(error: Exception) -> str:
    """The sentence a person reads; an unknown error gets a code that is also in the log."""
    if isinstance(error, UserError):
        return error.text
    code = secrets.token_hex(3)
    log.error("unexpected error (code %s)", code, exc_info=error)
    return f"Something broke in the bot: tell an admin the code `{code}` and try again."


async def reply_to(
    message: discord.Message, text: str, view: discord.ui.View | None = None
) -> None:
    """Answer a message where it stands, or by direct message where the bot may not write."""
    shown = view or discord.ui.View(timeout=0)
    try:
        await message.reply(text[:2000], mention_author=False, allowed_mentions=NOBODY, view=shown)
    except discord.Forbidden:
        await _direct(message.author, text)


async def _direct(person: discord.User | discord.Member, text: str) -> None:
    try:
        await person.send(text[:2000], allowed_mentions=NOBODY)
    except discord.HTTPException:
        log.warning(
            "person %s could not be told anything: no channel, no direct message", person.id
        )


async def whisper(
    interaction: discord.Interaction, text: str, view: discord.ui.View | None = None
) -> None:
    """Answer an interaction so that only its person sees it."""
    shown = view or discord.utils.MISSING
    if interaction.response.is_done():
        await interaction.followup.send(
            text[:2000], ephemeral=True, allowed_mentions=NOBODY, view=shown
        )
    else:
        await interaction.response.send_message(
            text[:2000], ephemeral=True, allowed_mentions=NOBODY, view=shown
        )
