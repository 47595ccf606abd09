"""What people do in their client, and what a test or a front end sees of the world.

Everything a client would refuse raises NotPermitted.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from bot.playground import _messages as messages
from bot.playground import _threads as threads
from bot.playground._basics import Wire, walk
from bot.playground._interactions import COMPLETE, PRESS, RUN, SUBMIT, Answer, Interaction
from bot.playground.errors import NotPermitted
from bot.playground.model import FORUM, THREAD, Change, Channel, Message, Upload, User, World

_SLASH, _MENU, _NESTING = 1, 3, (1, 2)
_TEXT, _USER, _CHANNEL, _ROLE, _MENTIONABLE = 3, 6, 7, 8, 9
_CASTS: Mapping[int, Callable[[Any], Any]] = {4: int, 5: bool, 10: float}
# Select types, as the option types whose values they resolve like.
_SELECTS = {3: _TEXT, 5: _USER, 6: _ROLE, 7: _MENTIONABLE, 8: _CHANNEL}
_SEVERAL, _CHECKBOX = (*_SELECTS, 19, 22), 23
_Found = TypeVar("_Found")


def commands_for(channel: Channel, user_id: int) -> list[Wire]:
    """The commands a person may use in a channel; direct conversations have none."""
    found, may = channel.world.commands if channel.guild else [], channel.permissions(user_id)
    return [c for c in found if not int(c.get("default_member_permissions") or 0) & ~may]


def _command(channel: Channel, user_id: int, name: str, kind: int) -> tuple[Wire, Wire]:
    channel.require(user_id, "use_application_commands")
    for command in commands_for(channel, user_id):
        if (command["name"], command["type"]) == (name, kind):
            return command, {key: command[key] for key in ("id", "name", "type")}
    raise NotPermitted(f"There is no command {name!r} for this person here.")


def _command_data(
    channel: Channel, user_id: int, path: str, values: Mapping[str, Any], focused: str
) -> Wire:
    """The data of a slash command, or of an autocompletion when an option is focused."""
    name, *rest = path.lstrip("/").split()
    level, data = _command(channel, user_id, name, _SLASH)
    chain = []
    for part in rest:
        level = next((o for o in level.get("options", ()) if o["name"] == part), {"type": 0})
        if level["type"] not in _NESTING:
            raise NotPermitted(f"There is no command /{path}.")
        chain.append({"name": part, "type": level["type"]})
    options = _options(level.get("options", []), values, focused, path)
    data["resolved"] = _resolved(channel, ((o["type"], o["value"]) for o in options))
    for step in reversed(chain):
        options = [step | {"options": options}]
    return data | {"options": options}


def _options(
    declared: list[Wire], values: Mapping[str, Any], focused: str, path: str
) -> list[Wire]:
    if any(option["type"] in _NESTING for option in declared):
        raise NotPermitted(f"/{path} is not complete.")
    strangers = values.keys() - {option["name"] for option in declared}
    if strangers:
        raise NotPermitted(f"/{path} has no option {min(strangers)!r}.")
    given = []
    for option in declared:
        name, kind = option["name"], option["type"]
        if name in values:
            value = values[name] if focused else _checked(option, values[name])
            mark = {"focused": True} if name == focused else {}
            given.append({"name": name, "type": kind, "value": value} | mark)
        elif option.get("required") and not focused:
            raise NotPermitted(f"/{path} needs the option {name!r}.")
    return given


def _checked(option: Wire, value: Any) -> Any:
    value = _CASTS.get(option["type"], str)(value)
    choices = [choice["value"] for choice in option.get("choices") or ()]
    size, kind = (len(value), "length") if isinstance(value, str) else (value, "value")
    fits = option.get(f"min_{kind}", size) <= size <= option.get(f"max_{kind}", size)
    if not fits or (choices and value not in choices):
        raise NotPermitted(f"{value!r} does not fit the option {option['name']!r}.")
    return value


def _component_data(message: Message, custom_id: str, values: Sequence[str]) -> Wire:
    """The data of a pressed button or a used select."""
    part = next((p for p in walk(message.components) if p.get("custom_id") == custom_id), None)
    if part is None or part.get("disabled"):
        raise NotPermitted(f"There is nothing to press with the id {custom_id!r}.")
    data = {"custom_id": custom_id, "component_type": part["type"], "id": part["id"]}
    if part["type"] not in _SELECTS:
        return data
    low, high = part.get("min_values", 1), part.get("max_values", 1)
    if not low <= len(values) <= high or not _offers(message.channel, part, values):
        raise NotPermitted(f"Choose between {low} and {high} of what is offered.")
    kind, data = _SELECTS[part["type"]], data | {"values": list(values)}
    if kind != _TEXT:
        data["resolved"] = _resolved(message.channel, ((kind, value) for value in values))
    return data


def _offers(channel: Channel, part: Wire, values: Sequence[str]) -> bool:
    """Whether a select lets a person choose these: its options, or what is in the server."""
    kind, guild = _SELECTS[part["type"]], channel.guild
    if kind == _TEXT:
        return {option["value"] for option in part.get("options") or ()}.issuperset(values)
    if kind == _ROLE:
        return guild is not None and all(int(value) in guild.roles for value in values)
    if kind != _CHANNEL:
        return True
    found = [channel.world.channels.get(int(value)) for value in values]
    types = part.get("channel_types")
    return all(c and c.guild is guild and (not types or c["type"] in types) for c in found)


def _modal_data(channel: Channel, form: Answer | None, values: Mapping[str, Any]) -> Wire:
    """The data of a submitted modal, in the shape in which the bot declared it."""
    if form is None or form.kind != "modal":
        raise NotPermitted("There is no form to submit.")
    parts = form.data["components"]
    declared = {part["custom_id"]: part for part in walk(parts) if "custom_id" in part}
    wrong, chosen = [*(values.keys() - declared.keys())], []
    for key, part in declared.items():
        if not values.get(key) and part.get("required", True) and part["type"] != _CHECKBOX:
            wrong.append(key)
        if part["type"] in _SELECTS:
            picked = list(values.get(key) or ())
            chosen += [(_SELECTS[part["type"]], value) for value in picked]
            if len(picked) > part.get("max_values", 1) or not _offers(channel, part, picked):
                wrong.append(key)
    if wrong:
        raise NotPermitted(f"The form does not fit: check {', '.join(wrong)}.")
    data: Wire = {"custom_id": form.data["custom_id"], "resolved": _resolved(channel, chosen)}
    return data | {"components": [_filled(part, values) for part in parts]}


def _filled(part: Wire, values: Mapping[str, Any]) -> Wire:
    kept: Wire = {"type": part["type"], "id": part.get("id", 0)}
    if "components" in part:
        kept["components"] = [_filled(inner, values) for inner in part["components"]]
    if "component" in part:
        kept["component"] = _filled(part["component"], values)
    if "custom_id" in part:
        kept["custom_id"], value = part["custom_id"], values.get(part["custom_id"])
        if part["type"] in _SEVERAL:
            kept["values"] = list(value or ())
        else:
            kept["value"] = value or (False if part["type"] == _CHECKBOX else "")
    return kept


def _resolved(channel: Channel, chosen: Iterable[tuple[int, Any]]) -> Wire:
    found: dict[str, Wire] = {"users": {}, "members": {}, "roles": {}, "channels": {}}
    world, guild = channel.world, channel.guild
    for kind, value in chosen:
        key, powers = str(value), {"permissions": "0"}
        if kind == _CHANNEL:
            found["channels"][key] = world.channel(int(key)) | powers
        elif kind in (_ROLE, _MENTIONABLE) and guild and int(key) in guild.roles:
            found["roles"][key] = guild.roles[int(key)]
        elif kind in (_USER, _MENTIONABLE) and int(key) in world.users:
            user = world.users[int(key)]
            found["users"][key] = user.wire()
            if guild and user.id in guild.members:
                found["members"][key] = guild.member(user) | powers
    return found


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
        data = _component_data(message, custom_id, values)
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
        data = _command_data(channel, person_id, command, options or {}, focused)
        return Interaction(kind, person_id, channel, data).start()

    async def menu(self, person_id: int, message_id: int, command: str) -> Interaction:
        """Use a message menu command, which shows the bot the whole message."""
        message = self._message(person_id, message_id)
        _, data = _command(message.channel, person_id, command, _MENU)
        resolved = {"messages": {message["id"]: message.wire()}}
        data |= {"target_id": message["id"], "resolved": resolved}
        return Interaction(RUN, person_id, message.channel, data).start()

    async def submit(self, opened: Interaction, values: Mapping[str, Any]) -> Interaction:
        """Submit the modal an interaction was answered with, values by custom id."""
        channel, data = opened.channel, _modal_data(opened.channel, opened.first, values)
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
            last = sorted(said, key=lambda m: m.id)[-12:]
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
