"""Panelists as Discord shows them: one webhook per parent channel, and their faces."""

import asyncio
import hashlib
import logging
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Protocol

import aiohttp
import discord

from bot.messages.discord import PostText
from bot.stage.persistence import PASSING, RequestPace, UnknownOutcomeError, is_passing, persist
from bot.store.engine.locks import Holding

_log = logging.getLogger(__name__)

# Discord keeps 2000 emojis for an application; models may invent any number of roles.
_MOST_FACES = 1500
# Discord rate-limits uploads for minutes; messages do not wait for a face.
_PATIENCE = 3.0
_WEBHOOK_NAME = "Roundtable"
_CODE_TOO_MANY_WEBHOOKS = 30007
_REFUSAL_SECONDS = 600.0
_ParentChannel = discord.TextChannel | discord.VoiceChannel | discord.StageChannel
ThreadParent = _ParentChannel | discord.ForumChannel


class Faces(Protocol):
    """Where a role's face comes from."""

    async def url(self, role: str) -> str | None:
        """The address of the picture, None where there is none."""
        ...

    def emoji(self, role: str) -> str:
        """The face as it stands in a text; empty while there is none."""
        ...

    def close(self) -> None:
        """Cancel running uploads."""
        ...


class ServedFaces:
    """Faces that a server of our own has under an address made of the name."""

    def __init__(self, address: Callable[[str], str]) -> None:
        self._address = address

    async def url(self, role: str) -> str | None:
        """The address of the picture."""
        return self._address(role)

    def emoji(self, role: str) -> str:  # noqa: ARG002 (nothing was uploaded)
        """Nothing: pictures in a text must be emojis."""
        return ""

    def close(self) -> None:
        """Nothing is under way."""


class UploadedFaces:
    """Uploads an avatar when its role is first seen; until then the panelist has none."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._known: dict[str, discord.Emoji] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._uploads: dict[str, asyncio.Task[discord.Emoji | None]] = {}
        self._out_of_order = False

    async def url(self, role: str) -> str | None:
        """The address of the role's emoji, which is uploaded if nobody has it yet."""
        try:
            async with asyncio.timeout(_PATIENCE):
                found = await asyncio.shield(self._upload(role))
        except TimeoutError:
            return None
        return found.url if found else None

    def emoji(self, role: str) -> str:
        """The role's emoji; one that nobody has yet is fetched for the next time."""
        known = (self._known or {}).get(emoji_name(role))
        if known is None and not self._out_of_order:
            self._upload(role)
        return str(known or "")

    def close(self) -> None:
        """Cancel running uploads."""
        for upload in self._uploads.values():
            upload.cancel()

    def _upload(self, role: str) -> "asyncio.Task[discord.Emoji | None]":
        """The one upload of a role that is under way."""
        name = emoji_name(role)
        if name not in self._uploads:
            upload = self._uploads[name] = asyncio.create_task(self._found_or_made(role))
            upload.add_done_callback(lambda _: self._uploads.pop(name, None))
        return self._uploads[name]

    async def _found_or_made(self, role: str) -> discord.Emoji | None:
        async with self._one_at_a_time:
            try:
                return await self._emoji(role)
            except (discord.DiscordException, *PASSING) as error:
                # Panelists still have their names, so log this once.
                self._out_of_order = True
                _log.warning("avatars cannot be uploaded, so panelists have none: %s", error)
                return None

    async def _emoji(self, role: str) -> discord.Emoji | None:
        if self._known is None and not self._out_of_order:
            found = await self._client.fetch_application_emojis()
            self._known = {emoji.name: emoji for emoji in found}
        if self._known is None:
            return None
        name, room = emoji_name(role), _MOST_FACES - len(self._known)
        if name not in self._known and room > 0 and not self._out_of_order:
            from bot.pictures.faces import drawn_face  # noqa: PLC0415 (Pillow is slow to import)

            image = await asyncio.to_thread(drawn_face, role)
            self._known[name] = await self._made(name, image)
        return self._known.get(name)

    async def _made(self, name: str, image: bytes) -> discord.Emoji:
        """Upload a face, unless another process was faster."""
        try:
            return await self._client.create_application_emoji(name=name, image=image)
        except discord.HTTPException:
            found = await self._client.fetch_application_emojis()
            made = next((emoji for emoji in found if emoji.name == name), None)
            if made is None:
                raise
            return made


def emoji_name(role: str) -> str:
    """The name of a role's emoji: the same for the same role, and one that Discord takes."""
    return f"rt_{hashlib.sha256(role.strip().casefold().encode()).hexdigest()[:12]}"


def fence(holding: Holding, pace: RequestPace | None = None) -> aiohttp.TraceConfig:
    """Makes each request of an HTTP session to Discord wait before it begins.

    The bot's own session has one pace, that of webhooks, which carries no token, another.
    """

    async def begin(_: object, __: object, request: aiohttp.TraceRequestStartParams) -> None:
        await holding.wait()
        if pace is not None:
            await pace.wait(request.url.path)
            await holding.wait()

    async def go(*_: object) -> None:
        await holding.wait()

    async def end(_: object, __: object, request: aiohttp.TraceRequestEndParams) -> None:
        if pace is not None:
            pace.answered(request.response)

    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(end)
    trace.on_request_start.append(begin)
    # Right before the request is written: the process may have been stopped while it connected.
    trace.on_connection_create_end.append(go)
    trace.on_connection_reuseconn.append(go)
    return trace


async def _raise_server_errors(response: aiohttp.ClientResponse) -> None:
    """Keep discord.py from sending a webhook message again after a 5xx: it may already exist."""
    if response.status >= 500:
        raise UnknownOutcomeError(f"Discord answered {response.status}")


class Personas:
    """Finds or creates the webhook of a channel, and remembers where it may not."""

    def __init__(
        self,
        client: discord.Client,
        holding: Holding,
        clock: Callable[[], float] = time.monotonic,
        pace: RequestPace | None = None,
    ) -> None:
        self._client = client
        self._holding, self._pace = holding, pace
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
        """Forget a webhook that was deleted."""
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
                raise_for_status=_raise_server_errors,
                trace_configs=[fence(self._holding, self._pace)],
            )
        return discord.Webhook.partial(
            webhook.id, webhook.token or "", session=self._session, client=self._client
        )
