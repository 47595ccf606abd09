"""Interactions: what a person starts, how the bot answers, and what the person then sees."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bot.playground import _messages as messages
from bot.playground._basics import ALL_PERMISSIONS, Flag, Wire, moment_of
from bot.playground.errors import ApiError, unknown
from bot.playground.model import Channel, Message, Upload, World

RUN, PRESS, COMPLETE, SUBMIT = 2, 3, 4, 5
_SAY, _DEFER, _ACKNOWLEDGE, _UPDATE, _OPEN_FORM = 4, 5, 6, 7, 9
_KINDS = ("message", "deferred", "acknowledged", "update", "autocomplete", "modal")
_ANSWER_SECONDS, _TOKEN_SECONDS = 3, 900


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person saw, and the bot's own words for it.

    `kind` is message, deferred, acknowledged, update, autocomplete or modal.
    """

    kind: str
    message: Message | None
    data: Wire

    @property
    def content(self) -> str:
        """The text of the message."""
        return self.message.content if self.message else ""

    @property
    def ephemeral(self) -> bool:
        """Whether nobody else sees the message."""
        return self.message is not None and self.message.only_for is not None


@dataclass(slots=True, eq=False)
class Interaction:
    """One interaction, and the handle on which its person waits."""

    type: int
    user_id: int
    channel: Channel
    data: Wire
    source_id: int = 0
    id: int = 0
    token: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    original_id: int = 0
    first: Answer | None = None
    shown: dict[int, Message] = field(default_factory=dict)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, timeout: float = 5.0) -> Answer:  # noqa: ASYNC109
        """The bot's first answer."""
        await self._until(lambda: self.first is not None, timeout)
        return self.first or Answer("", None, {})

    async def message(self, timeout: float = 5.0) -> Message:  # noqa: ASYNC109
        """The first message the person could read in answer, even after a deferral."""
        await self._until(lambda: bool(self.shown), timeout)
        return next(iter(self.shown.values()))

    async def _until(self, ready: Callable[[], bool], seconds: float) -> None:
        async with asyncio.timeout(seconds):
            while not ready():
                self._news.clear()
                await self._news.wait()

    def start(self) -> "Interaction":
        channel, world = self.channel, self.channel.world
        guild, user = channel.guild, world.users[self.user_id]
        self.id = world.ids.next()
        world.interactions[self.token] = self
        body: Wire = {"id": str(self.id), "application_id": str(world.bot.id), "version": 1}
        body |= {"type": self.type, "token": self.token, "data": self.data, "channel": channel}
        body |= {"attachment_size_limit": messages.ATTACHMENT_LIMIT, "context": int(not guild)}
        body["app_permissions"] = str(channel.permissions(world.bot.id))
        if guild:
            powers = {"permissions": str(channel.permissions(user.id))}
            body["member"] = guild.member(user) | powers
        else:
            body["user"] = user.wire()
        if self.source_id in channel.messages:
            body["message"] = channel.messages[self.source_id].wire()
        channel.announce("INTERACTION_CREATE", body, world.bot.id)
        return self

    def respond(self, body: Wire, files: Sequence[Upload]) -> Wire:
        """Take the bot's first answer."""
        kind, data = int(body["type"]), body.get("data") or {}
        if self.channel.world.clock() - moment_of(self.id) > _ANSWER_SECONDS:
            raise unknown("Interaction")
        if self.first is not None:
            raise ApiError(400, 40060, "Interaction has already been acknowledged.")
        said = self._apply(kind, data, files)
        self.first = Answer(_KINDS[kind - _SAY], said, data)
        self._show(said if kind in (_SAY, _UPDATE) else None)
        event: Wire = {"interaction_id": str(self.id), "kind": self.first.kind}
        event |= {"message_id": said and said["id"]} | (data if kind == _OPEN_FORM else {})
        self.channel.announce("INTERACTION_ANSWER", event, self.user_id)
        taken: Wire = {"interaction": {"id": str(self.id), "type": self.type}}
        if said:
            taken["resource"] = {"type": kind, "message": said.wire()}
        return taken

    def _apply(self, kind: int, data: Wire, files: Sequence[Upload]) -> Message | None:
        if kind in (_SAY, _DEFER):
            flags = int(data.get("flags") or 0) | (Flag.LOADING if kind == _DEFER else 0)
            message = self._post(data | {"flags": flags}, files)
            self.original_id = message.id
            return message
        if kind not in (_ACKNOWLEDGE, _UPDATE):
            return None
        source = self.channel.world.message(self.source_id, self.channel)
        self.original_id = source.id
        return self.edit(source, data, files) if kind == _UPDATE else source

    def _post(self, body: Wire, files: Sequence[Upload]) -> Message:
        hidden = int(body.get("flags") or 0) & Flag.EPHEMERAL
        sender = self._sender(self.user_id if hidden else None)
        return messages.post(self.channel, sender, body, files)

    def _sender(self, reader: int | None = None) -> messages.Sender:
        world, bot = self.channel.world, self.channel.world.bot
        marks: Wire = {"webhook_id": str(bot.id), "application_id": str(bot.id)}
        cause = {"id": str(self.id), "type": self.type, "user": world.users[self.user_id].wire()}
        marks["interaction_metadata"] = cause
        return messages.Sender(bot, ALL_PERMISSIONS, messages.PING_USERS, marks, "", reader)

    def edit(self, message: Message, body: Wire, files: Sequence[Upload]) -> Message:
        changed = messages.edit(message, self._sender(), body, files)
        self._show(changed)
        return changed

    def follow_up(self, body: Wire, files: Sequence[Upload]) -> Message:
        """Say something more; the first time after a deferral it takes the place of the dots."""
        if self.first is None:
            raise unknown("Webhook")
        original = self.channel.messages.get(self.original_id)
        if original and original.flags & Flag.LOADING:
            return self.edit(original, body, files)
        message = self._post(body, files)
        self._show(message)
        return message

    def _show(self, message: Message | None) -> None:
        if message:
            self.shown[message.id] = message
        self._news.set()


def alive(world: World, token: str) -> Interaction:
    """The interaction of a token that still lives."""
    found: Interaction | None = world.interactions.get(token)
    if found is None or world.clock() - moment_of(found.id) > _TOKEN_SECONDS:
        raise ApiError(401, 50027, "Invalid Webhook Token")
    return found
