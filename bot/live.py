"""Runs the bot on Discord, or on any server that speaks its protocol."""

from contextlib import ExitStack

import discord
import typer

from bot.app import invite_link, open_app
from bot.errors import UnavailableError
from bot.logs import set_up_logging
from bot.settings import Settings

NO_INTENT = (
    "Discord refuses the Message Content intent: switch it on for this bot in the developer "
    "portal under Bot, Privileged Gateway Intents, then start again."
)
REFUSED = "Discord does not accept DISCORD_TOKEN: copy it again from the developer portal."


async def run_on_discord(settings: Settings) -> int:
    """Log in and stay until stopped; returns the exit code."""
    if settings.discord_token is None:
        raise UnavailableError("DISCORD_TOKEN is not set: add it to .env.")
    set_up_logging(settings.log, settings.redactions())
    with ExitStack() as stack:
        if settings.discord_api and settings.discord_gateway:
            from bot.playground.redirect import redirect_discord_py  # noqa: PLC0415 (rarely used)

            stack.enter_context(redirect_discord_py(settings.discord_api, settings.discord_gateway))
        async with open_app(settings) as app:
            token = settings.discord_token.get_secret_value()
            try:
                await app.bot.login(token)
                typer.echo("Invite the bot to a server with this link:")
                typer.echo(invite_link(app.bot.application_id or 0))
                await app.bot.connect()
            except discord.PrivilegedIntentsRequired as error:
                raise UnavailableError(NO_INTENT) from error
            except discord.LoginFailure as error:
                raise UnavailableError(REFUSED) from error
    return 0
