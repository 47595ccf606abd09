"""Interactions: what a person starts, how the bot answers, and what the person then sees."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bot.playground import messages, wire
from bot.playground.errors import ApiError, unknown
from bot.playground.mentions import USERS_ONLY
from bot.playground.messages import Sender
from bot.playground.model import Channel, Flag, Message, MessageType, Upload, Wire
from bot.playground.permissions import EVERYTHING
from bot.playground.snowflakes import moment_of
from bot.playground.world import Change, World

COMMAND, COMPONENT, AUTOCOMPLETE, MODAL = 2, 3, 4, 5
_KINDS = {
    4: "message",
    5: "deferred",
    6: "acknowledged",
    7: "update",
    8: "autocomplete",
    9: "modal",
}
_TOKEN_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person saw: kind is message, deferred, acknowledged, update, autocomplete or modal."""

    kind: str
    content: str = ""
    ephemeral: bool = False
    message: Message | None = None
    components: list[Wire] = field(default_factory=list)
    custom_id: str = ""
    title: str = ""
    choices: list[Wire] = field(default_factory=list)


@dataclass(slots=True)
class Interaction:
    """One interaction, and the handle on which its person waits."""

    world: World
    type: int
    user_id: int
    channel: Channel
    data: Wire
    source_id: int | None = None
    id: int = 0
    token: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    original_id: int | None = None
    first: Answer | None = None
    shown: list[Message] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, timeout: float = 5.0) -> Answer:  # noqa: ASYNC109
        """The bot's first answer."""
        await self._until(lambda: self.first is not None, timeout)
        return self.first or Answer("")

    async def message(self, timeout: float = 5.0) -> Message:  # noqa: ASYNC109
        """The first message the person could read in answer, even after a deferral."""
        await self._until(lambda: bool(self.shown), timeout)
        return self.shown[0]

    async def _until(self, ready: Callable[[], bool], seconds: float) -> None:
        async with asyncio.timeout(seconds):
            while not ready():
                self._news.clear()
                await self._news.wait()

    def note(self, answer: Answer | None = None, message: Message | None = None) -> None:
        """Record what the person sees and wake who waits."""
        self.first = self.first or answer
        if message is not None and not message.flags & Flag.LOADING:
            self.shown = [m for m in self.shown if m.id != message.id] + [message]
        self._news.set()

    @property
    def source(self) -> Message | None:
        """The message whose component was used."""
        return self.channel.messages.get(self.source_id or 0)

    def sender(self, *, ephemeral: bool) -> Sender:
        """The bot speaking in answer to this interaction."""
        name = self.data.get("name")
        described = {"id": str(self.id), "type": self.type, "authorizing_integration_owners": {}}
        described |= {"user": wire.user(self.world.users[self.user_id])}
        kind = MessageType.DEFAULT
        if name:
            kind = MessageType.COMMAND if self.data["type"] == 1 else MessageType.MENU_COMMAND
        return Sender(
            self.world.bot,
            EVERYTHING,
            USERS_ONLY,
            webhook_id=self.world.bot.id,
            application_id=self.world.bot.id,
            interaction=described,
            only_for=self.user_id if ephemeral else None,
            type=kind,
        )


def start(interaction: Interaction) -> Interaction:
    """Send an interaction to the bot."""
    world, channel = interaction.world, interaction.channel
    interaction.id = world.ids.next()
    world.interactions[interaction.token] = interaction
    guild, user = world.guild_of(channel), world.users[interaction.user_id]
    body: Wire = {
        "id": str(interaction.id),
        "application_id": str(world.bot.id),
        "type": interaction.type,
        "token": interaction.token,
        "version": 1,
        "channel_id": str(channel.id),
        "channel": wire.channel(world, channel),
        "data": interaction.data,
        "app_permissions": str(world.permissions(world.bot.id, channel)),
        "locale": "en-US",
        "entitlements": [],
        "authorizing_integration_owners": {},
        "context": 0 if guild else 1,
        "attachment_size_limit": wire.ATTACHMENT_LIMIT,
    }
    if guild is None:
        body["user"] = wire.user(user)
    else:
        powers = {"permissions": str(world.permissions(user.id, channel))}
        body["guild_id"], body["guild_locale"] = str(guild.id), "en-US"
        body["member"] = wire.member(guild, user) | powers
    if interaction.source:
        body["message"] = wire.message(world, interaction.source)
    world.announce(Change("INTERACTION_CREATE", body, frozenset((world.bot.id,)), channel.id))
    return interaction


def by_token(world: World, token: str) -> Interaction:
    """The interaction a token belongs to, while the token lives."""
    found = world.interactions.get(token)
    if found is None or world.clock() - moment_of(found.id) > _TOKEN_SECONDS:
        raise ApiError(401, 50027, "Invalid Webhook Token")
    return found


def respond(interaction: Interaction, body: Wire, files: Sequence[Upload], deadline: float) -> Wire:
    """Take the bot's first answer."""
    world, kind, data = interaction.world, int(body["type"]), body.get("data") or {}
    if world.clock() - moment_of(interaction.id) > deadline:
        raise unknown("interaction")
    if interaction.first is not None:
        raise ApiError(400, 40060, "Interaction has already been acknowledged.")
    message = _apply(interaction, kind, data, files)
    answer = Answer(
        _KINDS[kind],
        message.content if message else "",
        bool(message and message.only_for),
        message,
        message.components if message else data.get("components") or [],
        data.get("custom_id", ""),
        data.get("title", ""),
        data.get("choices") or [],
    )
    interaction.note(answer, message if kind in (4, 7) else None)
    _announce(interaction, answer)
    return _described(interaction, kind, message)


def _apply(
    interaction: Interaction, kind: int, data: Wire, files: Sequence[Upload]
) -> Message | None:
    if kind in (4, 5):
        loading = Flag.LOADING if kind == 5 else 0
        ephemeral = int(data.get("flags") or 0) & Flag.EPHEMERAL != 0
        body = data | {"flags": int(data.get("flags") or 0) | loading}
        sender = interaction.sender(ephemeral=ephemeral)
        message = messages.post(interaction.world, interaction.channel, sender, body, files)
        interaction.original_id = message.id
        return message
    source = interaction.source
    if kind in (6, 7) and source is not None:
        interaction.original_id = source.id
        return edit(interaction, source, data, files) if kind == 7 else source
    if kind in (6, 7):
        raise ApiError(400, 50035, "There is no message to update")
    return None


def edit(
    interaction: Interaction, message: Message, body: Wire, files: Sequence[Upload]
) -> Message:
    """Change a message through the interaction's token."""
    sender = interaction.sender(ephemeral=False)
    changed = messages.edit(interaction.world, interaction.channel, message, sender, body, files)
    interaction.note(message=changed)
    return changed


def follow_up(interaction: Interaction, body: Wire, files: Sequence[Upload]) -> Message:
    """Say something more; the first follow-up after a deferral takes the place of the dots."""
    if interaction.first is None:
        raise unknown("webhook")
    original = interaction.channel.messages.get(interaction.original_id or 0)
    if original is not None and original.flags & Flag.LOADING:
        return edit(interaction, original, body, files)
    ephemeral = int(body.get("flags") or 0) & Flag.EPHEMERAL != 0
    sender = replace(interaction.sender(ephemeral=ephemeral), type=MessageType.DEFAULT)
    message = messages.post(interaction.world, interaction.channel, sender, body, files)
    interaction.note(message=message)
    return message


def _announce(interaction: Interaction, answer: Answer) -> None:
    body: Wire = {
        "interaction_id": str(interaction.id),
        "channel_id": str(interaction.channel.id),
        "kind": answer.kind,
        "message_id": str(answer.message.id) if answer.message else None,
        "custom_id": answer.custom_id,
        "title": answer.title,
        "components": answer.components if answer.kind == "modal" else [],
        "choices": answer.choices,
    }
    reader = frozenset((interaction.user_id,))
    interaction.world.announce(Change("INTERACTION_ANSWER", body, reader, interaction.channel.id))


def _described(interaction: Interaction, kind: int, message: Message | None) -> Wire:
    described: Wire = {"id": str(interaction.id), "type": interaction.type}
    if message is None:
        return {"interaction": described}
    described |= {
        "response_message_id": str(message.id),
        "response_message_loading": bool(message.flags & Flag.LOADING),
        "response_message_ephemeral": message.only_for is not None,
    }
    resource: Wire = {"type": kind}
    if kind != 6:
        resource["message"] = wire.message(interaction.world, message)
    return {"interaction": described, "resource": resource}
