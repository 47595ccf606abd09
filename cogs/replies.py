"""How people are answered: what an error becomes, and how a text reaches its reader."""

import io
import logging
import secrets
from collections.abc import Sequence

import discord
from discord import app_commands

from bot.errors import UserError
from bot.messages.discord import ButtonText
from bot.stage.message_text import message_parts
from bot.types.reply import ReplyText

log = logging.getLogger(__name__)

NO_MENTIONS = discord.AllowedMentions.none()
_UNKNOWN_INTERACTION = 10062


def error_text(error: Exception) -> str:
    """The sentence a person reads; an unknown error gets a code that is also in the log."""
    if isinstance(error, UserError):
        return error.text
    if _is_over(error):
        return ButtonText.TOO_LATE
    code = secrets.token_hex(3)
    log.error("unexpected error (code %s)", code, exc_info=error)
    return ButtonText.broke(code)


async def reply_to(
    message: discord.Message,
    text: str,
    view: discord.ui.View | None = None,
    files: Sequence[discord.File] = (),
) -> None:
    """Answer a message where it stands, or by direct message where the bot may not write."""
    shown = view or discord.ui.View(timeout=0)
    try:
        await message.reply(
            text[:2000], mention_author=False, allowed_mentions=NO_MENTIONS, view=shown, files=files
        )
    except discord.Forbidden:
        await _direct(message.author, text)


async def reply_text(message: discord.Message, told: ReplyText) -> None:
    """Answer a message with a text of any length and its files, the files last."""
    (*parts, last), files = _parts(told)
    for part in parts:
        await reply_to(message, part)
    await reply_to(message, last, files=files)


async def reply_text_ephemeral(interaction: discord.Interaction, told: ReplyText) -> None:
    """Answer an interaction in the same way, so that only its person sees it."""
    (*parts, last), files = _parts(told)
    for part in parts:
        await reply_ephemeral(interaction, part)
    await reply_ephemeral(interaction, last, files=files)


def _parts(told: ReplyText) -> tuple[list[str], list[discord.File]]:
    """The messages, and the files of the last one."""
    parts, more = message_parts(told.text, code_aside=False, by_a_seat=False)
    named = [*((f.name, f.content) for f in told.files), *((f.name, f.text) for f in more)]
    files = [discord.File(io.BytesIO(text.encode()), filename=name) for name, text in named]
    drawn = (
        discord.File(io.BytesIO(picture.png), picture.name, description=picture.alt)
        for picture in told.pictures
    )
    return parts, [*files, *drawn]


async def _direct(person: discord.User | discord.Member, text: str) -> None:
    try:
        await person.send(text[:2000], allowed_mentions=NO_MENTIONS)
    except discord.HTTPException:
        log.warning("person %s could not be notified: no channel and no direct message", person.id)


async def reply_ephemeral(
    interaction: discord.Interaction,
    text: str,
    view: discord.ui.View | None = None,
    files: Sequence[discord.File] = (),
) -> None:
    """Answer an interaction so that only its person sees it."""
    shown = view or discord.utils.MISSING
    send = (
        interaction.followup.send
        if interaction.response.is_done()
        else interaction.response.send_message
    )
    try:
        await send(
            text[:2000], ephemeral=True, allowed_mentions=NO_MENTIONS, view=shown, files=files
        )
    except discord.NotFound as error:
        if not _is_over(error):
            raise
        # Discord has told the person that the bot did not respond.
        log.info("an interaction was over before it could be answered")


def _is_over(error: Exception) -> bool:
    """Whether Discord has ended an interaction that waited too long for its first answer."""
    return isinstance(error, discord.NotFound) and error.code == _UNKNOWN_INTERACTION


async def reply_error(
    interaction: discord.Interaction, error: app_commands.AppCommandError
) -> None:
    """Tell the person whose command went wrong, and nobody else, what to do about it."""
    cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
    await reply_ephemeral(interaction, error_text(cause))
