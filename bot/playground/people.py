"""What people do in their client, and what a test or a front end sees of the world."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, TypeVar

from bot.playground import forms, interactions, messages, threads
from bot.playground.errors import ApiError, NotPermitted
from bot.playground.interactions import Interaction
from bot.playground.messages import Sender
from bot.playground.model import Channel, ChannelType, Message, Upload, User, Wire
from bot.playground.world import Change, World

Found = TypeVar("Found")


class Changes:
    """An async iterator over changes; closing it ends the listening."""

    def __init__(self, world: World) -> None:
        self._world, self._queue = world, asyncio.Queue[Change]()
        world.listeners.append(self._queue.put_nowait)

    def __aiter__(self) -> AsyncIterator[Change]:
        return self

    async def __anext__(self) -> Change:
        return await self._queue.get()

    def close(self) -> None:
        """Stop listening."""
        self._world.listeners.remove(self._queue.put_nowait)


class People:
    """The human side of the embedded Discord; refuses with NotPermitted what a client refuses."""

    def __init__(self, world: World) -> None:
        self.world = world

    # -- acting

    async def say(
        self,
        person_id: int,
        channel_id: int,
        text: str,
        *,
        reply_to: int | None = None,
        files: Sequence[Upload] = (),
    ) -> Message:
        """Send a message."""
        channel = self._may(person_id, channel_id, self.world.speech(self._channel(channel_id)))
        body: Wire = {"content": text}
        if reply_to is not None:
            body["message_reference"] = {"message_id": str(reply_to)}
        sender = self._sender(person_id, channel)
        return _tried(lambda: messages.post(self.world, channel, sender, body, files))

    async def dm(self, person_id: int, text: str) -> Message:
        """Write to the bot in private."""
        return await self.say(person_id, self.world.direct(person_id).id, text)

    async def edit(self, person_id: int, message_id: int, text: str) -> Message:
        """Edit a message of one's own."""
        channel, message = self._found(person_id, message_id)
        if message.author.id != person_id:
            raise NotPermitted("Only its author can edit a message.")
        sender, body = self._sender(person_id, channel), {"content": text}
        return _tried(lambda: messages.edit(self.world, channel, message, sender, body))

    async def delete(self, person_id: int, message_id: int) -> None:
        """Delete one's own message, or another's with Manage Messages."""
        channel, message = self._found(person_id, message_id)
        if person_id not in (message.author.id, message.only_for):
            self._may(person_id, channel.id, "manage_messages")
        messages.delete(self.world, channel, [message])

    async def react(self, person_id: int, message_id: int, emoji: str, *, on: bool = True) -> None:
        """Add a reaction, or take it away."""
        channel, message = self._found(person_id, message_id)
        act = messages.react if on else messages.unreact
        _tried(lambda: act(self.world, channel, message, person_id, emoji))

    async def open_thread(
        self, person_id: int, channel_id: int, name: str, *, message_id: int | None = None
    ) -> Channel:
        """Open a thread, on a message if one is named."""
        channel, user = self._may(person_id, channel_id, "create_public_threads"), self.world.users
        body, owner = {"name": name, "type": 11}, user[person_id]
        if message_id is None:
            return _tried(lambda: threads.standalone(self.world, channel, owner, body))
        start = self._found(person_id, message_id)[1]
        return _tried(lambda: threads.from_message(self.world, channel, start, owner, body))

    async def post(
        self, person_id: int, channel_id: int, title: str, text: str, *, tags: Sequence[str] = ()
    ) -> Channel:
        """Open a post in a forum, with tags by name."""
        forum = self._may(person_id, channel_id, "send_messages")
        if forum.type != ChannelType.FORUM:
            raise NotPermitted(f"#{forum.name} is not a forum.")
        chosen = [str(tag.id) for tag in forum.tags if tag.name in tags]
        opening, sender = {"name": title, "applied_tags": chosen}, self._sender(person_id, forum)
        body = {"content": text}
        return _tried(lambda: messages.forum_post(self.world, forum, sender, opening, body))[0]

    async def type(self, person_id: int, channel_id: int) -> None:
        """Let others see that one is writing."""
        channel = self._may(person_id, channel_id, self.world.speech(self._channel(channel_id)))
        messages.typing(self.world, channel, person_id)

    async def press(
        self, person_id: int, message_id: int, custom_id: str, values: Sequence[str] = ()
    ) -> Interaction:
        """Press a button, or choose values (texts or ids) in a select."""
        channel, message = self._found(person_id, message_id)
        data = forms.component_data(self.world, channel, message, custom_id, values)
        return self._start(interactions.COMPONENT, person_id, channel, data, message.id)

    async def slash(
        self,
        person_id: int,
        channel_id: int,
        command: str,
        options: Mapping[str, Any] | None = None,
        *,
        focused: str = "",
    ) -> Interaction:
        """Run a slash command such as `roundtable start`; `focused` asks for autocompletion."""
        channel = self._may(person_id, channel_id, "use_application_commands")
        data = forms.command_data(
            self.world, channel, person_id, command, dict(options or {}), focused
        )
        kind = interactions.AUTOCOMPLETE if focused else interactions.COMMAND
        return self._start(kind, person_id, channel, data)

    async def menu(self, person_id: int, message_id: int, command: str) -> Interaction:
        """Use a message menu command."""
        channel, message = self._found(person_id, message_id)
        self._may(person_id, channel.id, "use_application_commands")
        data = forms.menu_data(self.world, channel, person_id, message, command)
        return self._start(interactions.COMMAND, person_id, channel, data)

    async def submit(self, opened: Interaction, values: Mapping[str, Any]) -> Interaction:
        """Submit the modal an interaction was answered with, values by custom id."""
        if opened.first is None or opened.first.kind != "modal":
            raise NotPermitted("There is no form to submit.")
        data = forms.modal_data(self.world, opened.channel, opened.first, values)
        kind, source = interactions.MODAL, opened.source_id
        return self._start(kind, opened.user_id, opened.channel, data, source)

    # -- looking

    def person(self, name: str) -> User:
        """Somebody by name."""
        return next(user for user in self.world.users.values() if user.name == name)

    def channel(self, name: str) -> Channel:
        """A channel or thread by name."""
        return next(c for c in self.world.channels.values() if c.name == name)

    def messages(self, channel_id: int, *, system: bool = False) -> list[Message]:
        """What was said in a channel, in order, without ephemeral messages."""
        found = self._channel(channel_id).messages.values()
        return [m for m in found if m.counts or (system and m.is_system)]

    def threads(self, parent_id: int | None = None) -> list[Channel]:
        """The threads of a channel, or all of them."""
        return self.world.threads_of(parent_id)

    async def until(
        self,
        predicate: Callable[[], Found],
        timeout: float = 10.0,  # noqa: ASYNC109 - the name callers expect
    ) -> Found:
        """Wait until something is true of the world; looks again after every change."""
        changed = asyncio.Event()
        hear = _setter(changed)
        self.world.listeners.append(hear)
        try:
            async with asyncio.timeout(timeout):
                while not (found := predicate()):
                    changed.clear()
                    await changed.wait()
                return found
        except TimeoutError:
            raise TimeoutError(f"Not within {timeout} s. Last messages:\n{self._tail()}") from None
        finally:
            self.world.listeners.remove(hear)

    def subscribe(self) -> "Changes":
        """Every change from now on, as an async iterator."""
        return Changes(self.world)

    def _tail(self) -> str:
        everything = [m for c in self.world.channels.values() for m in c.messages.values()]
        last = sorted(everything, key=lambda m: m.id)[-12:]
        places = self.world.channels
        return "\n".join(
            f"#{places[m.channel_id].name} | {m.author.name}: {m.text[:200]!r}" for m in last
        )

    # -- helpers

    def _channel(self, channel_id: int) -> Channel:
        return _tried(lambda: self.world.channel(channel_id))

    def _may(self, person_id: int, channel_id: int, permission: str) -> Channel:
        channel = self._channel(channel_id)
        if not self.world.may(person_id, channel, "view_channel"):
            raise NotPermitted("There is no such channel for this person.")
        if not self.world.may(person_id, channel, permission):
            name = permission.replace("_", " ").title()
            raise NotPermitted(f"This needs the permission {name} in #{channel.name}.")
        return channel

    def _found(self, person_id: int, message_id: int) -> tuple[Channel, Message]:
        channel, message = _tried(lambda: self.world.find_message(message_id))
        self._may(person_id, channel.id, "view_channel")
        if message.only_for not in (None, person_id):
            raise NotPermitted("There is no such message for this person.")
        return channel, message

    def _sender(self, person_id: int, channel: Channel) -> Sender:
        return Sender(self.world.users[person_id], self.world.permissions(person_id, channel))

    def _start(
        self, kind: int, person_id: int, channel: Channel, data: Wire, source: int | None = None
    ) -> Interaction:
        return interactions.start(Interaction(self.world, kind, person_id, channel, data, source))


def _tried(action: Callable[[], Found]) -> Found:
    try:
        return action()
    except ApiError as error:
        raise NotPermitted(error.sentence) from error


def _setter(event: asyncio.Event) -> Callable[[Change], None]:
    return lambda _: event.set()
