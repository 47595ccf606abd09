"""Reaches a person when something is broken: in the thread, a channel or in private."""

import logging
from collections.abc import Sequence
from dataclasses import replace

import discord

from bot.errors import UserError
from bot.stage.opening import find_channel
from bot.stage.outbox import Outbox
from bot.stage.persistence import PASSING
from bot.stage.port import Place, Post
from bot.store import Store
from bot.store.repositories.servers import ServerRepository

_log = logging.getLogger(__name__)
_UNREACHABLE = (UserError, discord.DiscordException, *PASSING)


async def tell_admins(
    client: discord.Client, store: Store, text: str, guild_id: int | None = None
) -> None:
    """Say it where `/roundtable setup` was used last, in a server or in all; raises nothing."""
    for channel_id in await store.read(
        lambda conn: ServerRepository(conn).admin_channels(guild_id)
    ):
        try:
            channel = await find_channel(client, channel_id)
            if not isinstance(channel, discord.abc.Messageable):
                continue
            await channel.send(text[:2000], allowed_mentions=discord.AllowedMentions.none())
        except (discord.DiscordException, *PASSING) as error:
            _log.warning("could not notify admins in channel %s: %s", channel_id, error)


async def tell(
    client: discord.Client,
    outbox: Outbox,
    run_id: str,
    post: Post,
    places: Sequence[Place],
    elsewhere: Post,
) -> bool:
    """Say it in the first place that takes it, at last in private; False when none does."""
    refusals: list[str] = []
    told = await _told_somewhere(client, outbox, run_id, post, places, elsewhere, refusals)
    if refusals:
        # One line for all places: a deleted channel takes every place of a run with it.
        why = ", ".join(dict.fromkeys(refusals))
        _log.warning("%s of %s could not be posted in its thread: %s", post.key, run_id, why)
    return told


async def _told_somewhere(
    client: discord.Client,
    outbox: Outbox,
    run_id: str,
    post: Post,
    places: Sequence[Place],
    elsewhere: Post,
    refusals: list[str],
) -> bool:
    for number, place in enumerate(places):
        said = replace(elsewhere, key=f"{post.key}>{place.target_id}") if number else post
        if await _said(outbox, run_id, place, said, refusals):
            return True
    try:
        private = await client.create_dm(discord.Object(elsewhere.ping_user_id or 0))
    except _UNREACHABLE:
        return False
    said = replace(elsewhere, key=f"{post.key}>private", ping_user_id=None)
    return await _said(outbox, run_id, Place(0, private.id), said, refusals)


async def _said(outbox: Outbox, run_id: str, place: Place, post: Post, refusals: list[str]) -> bool:
    try:
        await outbox.deliver(run_id, place, post)
    except Exception as error:
        refusals.append(str(error) or type(error).__name__)
        return await _said_unrecorded(outbox, run_id, place, post)
    return True


async def _said_unrecorded(outbox: Outbox, run_id: str, place: Place, post: Post) -> bool:
    """When the store fails, Discord may still work."""
    try:
        await outbox.send_unrecorded(run_id, place, post)
    except _UNREACHABLE:
        return False
    return True
