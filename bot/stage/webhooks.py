"""Personas: the one webhook per parent channel that panelists speak through."""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Callable

import aiohttp
import discord

from bot.messages.discord import PostText
from bot.stage.persistence import PASSING, UnknownOutcomeError, is_passing, persist
from bot.store.engine.locks import Holding


def fence(holding: Holding) -> aiohttp.TraceConfig:
    """For every HTTP session to Discord: each request waits before it begins."""

    async def wait(*_: object) -> None:
        await holding.wait()

    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(wait)
    return trace


_log = logging.getLogger(__name__)

_WEBHOOK_NAME = "Roundtable"
_CODE_TOO_MANY_WEBHOOKS = 30007
_REFUSAL_SECONDS = 600.0

_ParentChannel = discord.TextChannel | discord.VoiceChannel | discord.StageChannel
ThreadParent = _ParentChannel | discord.ForumChannel


async def _raise_server_errors(response: aiohttp.ClientResponse) -> None:
    """Keep discord.py from sending a webhook message again after a 5xx: it may already exist."""
    if response.status >= 500:
        raise UnknownOutcomeError(f"Discord answered {response.status}")


class Personas:
    """Finds or makes the webhook of a channel, and remembers where it may not."""

    def __init__(
        self, client: discord.Client, holding: Holding, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client = client
        self._holding = holding
        self._clock = clock
        self._refused: dict[int, tuple[float, int]] = {}
        self._session: aiohttp.ClientSession | None = None
        self._known: dict[int, discord.Webhook] = {}
        self._locks: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def webhook_for(self, channel: ThreadParent) -> discord.Webhook | None:
        """The channel's webhook, or None where the bot may not have one."""
        async with self._locks[channel.id]:
            if channel.id not in self._known and not self._is_refused(channel.id):
                webhook = await self._find_or_make(channel)
                if webhook is not None:
                    self._known[channel.id] = webhook
            return self._known.get(channel.id)

    def has_no_room(self, channel_id: int) -> bool:
        """Whether the channel's webhooks are all taken by others, as Discord said lately."""
        return self._is_refused(channel_id) and self._refused[channel_id][1] == (
            _CODE_TOO_MANY_WEBHOOKS
        )

    def _is_refused(self, channel_id: int) -> bool:
        since = self._refused.get(channel_id)
        return since is not None and self._clock() - since[0] < _REFUSAL_SECONDS

    def forget(self, channel_id: int) -> None:
        """Look the webhook up again next time, because it was deleted."""
        self._known.pop(channel_id, None)

    async def close(self) -> None:
        """Close the connections used for webhooks."""
        if self._session is not None:
            await self._session.close()

    async def _find_or_make(self, channel: ThreadParent) -> discord.Webhook | None:
        if not channel.permissions_for(channel.guild.me).manage_webhooks:
            return None

        async def look() -> discord.Webhook | None:
            return await self._own_webhook(channel)

        async def make() -> discord.Webhook:
            return await look() or await channel.create_webhook(
                name=_WEBHOOK_NAME, reason=PostText.PANELISTS_SPEAK
            )

        try:
            found = await persist(make, look)
        except discord.NotFound:
            return None  # The channel is gone; what is posted there learns that, too.
        except (discord.HTTPException, *PASSING) as error:
            # The bot can still speak itself.
            _log.warning("no webhook for panelists in channel %s: %s", channel.id, error)
            if isinstance(error, discord.HTTPException) and not is_passing(error):
                # Asking again for every post would cost requests and change nothing.
                self._refused[channel.id] = (self._clock(), error.code)
            return None
        return self._through_own_session(found)

    async def _own_webhook(self, channel: ThreadParent) -> discord.Webhook | None:
        for webhook in await channel.webhooks():
            if webhook.token and webhook.user == self._client.user:
                return webhook
        return None

    def _through_own_session(self, webhook: discord.Webhook) -> discord.Webhook:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                raise_for_status=_raise_server_errors, trace_configs=[fence(self._holding)]
            )
        return discord.Webhook.partial(
            webhook.id, webhook.token or "", session=self._session, client=self._client
        )
