"""What people do in their client, and what a test or a front end sees of the world.

Everything a client would refuse raises NotPermitted.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, TypeVar

from bot.playground import _forms as forms
from bot.playground import _messages as messages
from bot.playground import _threads as threads
from bot.playground._basics import Wire
from bot.playground._interactions import COMPLETE, PRESS, RUN, SUBMIT, Interaction
from bot.playground.errors import NotPermitted
from bot.playground.model import FORUM, THREAD, Channel, Message, Upload, User
from bot.playground.world import Change, World

_Found = TypeVar("_Found")


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
        self._world.listeners.remove(self._queue.put_nowait)


class People:
    """The human side of the embedded Discord."""

    def __init__(self, world: World) -> None:
        self.world = world

    async def say(
        self,
        person_id: int,
        channel_id: int,
        text: str,
        *,
        reply_to: int | None = None,
        files: Sequence[Upload] = (),
    ) -> Message:
        body: Wire = {"content": text}
        if reply_to is not None:
            body["message_reference"] = {"message_id": reply_to}
        channel = self.world.channel(channel_id)
        sender = messages.member(self.world.users[person_id], channel)
        return messages.post(channel, sender, body, files)

    async def dm(self, person_id: int, text: str) -> Message:
        return await self.say(person_id, self.world.direct(person_id).id, text)

    async def edit(self, person_id: int, message_id: int, text: str) -> Message:
        message = self._message(person_id, message_id)
        sender = messages.member(self.world.users[person_id], message.channel)
        return messages.edit(message, sender, {"content": text})

    async def delete(self, person_id: int, message_id: int) -> None:
        messages.delete(person_id, self._message(person_id, message_id))

    async def react(self, person_id: int, message_id: int, emoji: str, *, on: bool = True) -> None:
        message = self._message(person_id, message_id)
        messages.react(message, self.world.users[person_id], emoji, on=on)

    async def type(self, person_id: int, channel_id: int) -> None:
        messages.typing(self.world.channel(channel_id), self.world.users[person_id])

    async def open_thread(
        self, person_id: int, channel_id: int, name: str, *, message_id: int | None = None
    ) -> Channel:
        body, owner = {"name": name, "type": THREAD}, self.world.users[person_id]
        if message_id is None:
            return threads.standalone(self.world.channel(channel_id), owner, body)
        return threads.from_message(self._message(person_id, message_id), owner, body)

    async def post(
        self, person_id: int, channel_id: int, title: str, text: str, *, tags: Sequence[str] = ()
    ) -> Channel:
        """Open a post in a forum, with tags by name."""
        forum = self.world.channel(channel_id)
        if forum["type"] != FORUM:
            raise NotPermitted(f"#{forum.name} is not a forum.")
        chosen = [tag["id"] for tag in forum["available_tags"] if tag["name"] in tags]
        opening, sender = {"name": title, "applied_tags": chosen}, self.world.users[person_id]
        body = {"content": text}
        return messages.forum_post(forum, messages.member(sender, forum), opening, body).channel

    async def press(
        self, person_id: int, message_id: int, custom_id: str, values: Sequence[str] = ()
    ) -> Interaction:
        """Press a button, or choose values (texts or ids) in a select."""
        message = self._message(person_id, message_id)
        data = forms.component_data(message, custom_id, values)
        return Interaction(PRESS, person_id, message.channel, data, message.id).start()

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
        channel, kind = self.world.channel(channel_id), COMPLETE if focused else RUN
        data = forms.command_data(channel, person_id, command, options or {}, focused)
        return Interaction(kind, person_id, channel, data).start()

    async def menu(self, person_id: int, message_id: int, command: str) -> Interaction:
        """Use a message menu command."""
        message = self._message(person_id, message_id)
        data = forms.menu_data(message, person_id, command)
        return Interaction(RUN, person_id, message.channel, data).start()

    async def submit(self, opened: Interaction, values: Mapping[str, Any]) -> Interaction:
        """Submit the modal an interaction was answered with, values by custom id."""
        channel, data = opened.channel, forms.modal_data(opened.channel, opened.first, values)
        return Interaction(SUBMIT, opened.user_id, channel, data, opened.source_id).start()

    def person(self, name: str) -> User:
        return next(user for user in self.world.users.values() if user.name == name)

    def channel(self, name: str) -> Channel:
        return next(c for c in self.world.channels.values() if c.name == name)

    def messages(self, channel_id: int, *, system: bool = False) -> list[Message]:
        """What was said in a channel, in order, without ephemeral messages."""
        found = self.world.channel(channel_id).messages.values()
        return [m for m in found if m.counts or (system and m.is_system)]

    def threads(self, parent_id: int | None = None) -> list[Channel]:
        return self.world.threads_of(parent_id)

    async def until(
        self,
        predicate: Callable[[], _Found],
        timeout: float = 10.0,  # noqa: ASYNC109 - the name callers expect
    ) -> _Found:
        """Wait until something is true of the world; looks again after every change."""
        changes = self.subscribe()
        try:
            async with asyncio.timeout(timeout):
                while not (found := predicate()):
                    await anext(changes)
                return found
        except TimeoutError:
            said = [m for c in self.world.channels.values() for m in c.messages.values()]
            last = sorted(said, key=lambda message: message.id)[-12:]
            lines = [f"#{m.channel.name} | {m.author.name}: {m.text[:200]!r}" for m in last]
            raise TimeoutError("\n".join(["Not in time. Last messages:", *lines])) from None
        finally:
            changes.close()

    def subscribe(self) -> Changes:
        """Every change from now on."""
        return Changes(self.world)

    def _message(self, person_id: int, message_id: int) -> Message:
        message = self.world.message(message_id)
        message.channel.require(person_id)
        if message.only_for not in (None, person_id):
            raise NotPermitted("There is no such message for this person.")
        return message
