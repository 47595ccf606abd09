"""Threads: opening, waking, joining, changing, archiving."""

from bot.playground._basics import Flag, Wire, iso, moment_of
from bot.playground._rules import check_size
from bot.playground.errors import ApiError
from bot.playground.model import (
    TEXT,
    THREAD,
    THREAD_CREATED,
    THREAD_STARTER,
    Channel,
    Message,
    User,
    World,
)

_STATE = {"archived": False, "auto_archive_duration": 1440}
_OWNERS_FIELDS = frozenset(("name", "archived", "auto_archive_duration", "applied_tags"))


def open_thread(parent: Channel, owner: User, body: Wire, number: int | None = None) -> Channel:
    world = parent.world
    thread = Channel(world, THREAD, "", number)
    thread |= {"parent_id": str(parent.id), "owner_id": str(owner.id), "message_count": 0}
    thread |= {"guild_id": parent["guild_id"], "applied_tags": []}
    thread.guild, thread.thread = parent.guild, _STATE
    _apply(thread, {"name": "", "archived": False} | body)
    world.channels[thread.id] = thread
    _join(thread, owner.id)
    world.announce_channel("THREAD_CREATE", thread, newly_created=True)
    return thread


def from_message(start: Message, owner: User, body: Wire) -> Channel:
    parent = start.channel
    parent.require(owner.id, "create_public_threads")
    if start.id in parent.world.channels:
        raise ApiError(400, 160004, "A thread has already been created for this message")
    if start.is_system or parent["type"] != TEXT:
        raise ApiError(400, 50024, "Cannot execute action on this channel type")
    thread = open_thread(parent, owner, body, start.id)
    start |= {"flags": start.flags | Flag.HAS_THREAD, "thread": thread}
    start.announce("MESSAGE_UPDATE")
    pointer = Message(thread, start.author, THREAD_STARTER)
    pointer.replied, origin = start, {"message_id": str(start.id)}
    _note(pointer, parent.where() | origin)
    return thread


def standalone(parent: Channel, owner: User, body: Wire) -> Channel:
    parent.require(owner.id, "create_public_threads")
    if body.get("type") != THREAD:
        raise ApiError(501, 0, "The embedded Discord has no private threads")
    thread = open_thread(parent, owner, body)
    _note(Message(parent, owner, THREAD_CREATED, thread.name), thread.where())
    return thread


def _note(message: Message, reference: Wire) -> None:
    message["message_reference"] = reference
    message.channel.messages[message.id] = message
    message.announce("MESSAGE_CREATE")


def wake(channel: Channel) -> None:
    """Un-archive a thread because somebody speaks in it."""
    if channel.thread and channel.thread["archived"]:
        change(channel, {"archived": False})


def require_awake(channel: Channel) -> None:
    if channel.thread and channel.thread["archived"]:
        raise ApiError(400, 50083, "Thread is archived")


def change(channel: Channel, body: Wire, user_id: int | None = None) -> None:
    """Change a thread and announce it; a user must be allowed to."""
    if channel.thread is None:
        raise ApiError(501, 0, "The embedded Discord changes threads only")
    if user_id:
        mine = str(user_id) == channel["owner_id"] and body.keys() <= _OWNERS_FIELDS
        if not (mine or body == {"archived": False}):
            channel.require(user_id, "manage_threads")
        if body.get("archived", True):
            require_awake(channel)
    _apply(channel, body)
    channel.world.announce_channel("THREAD_UPDATE", channel)


def _apply(channel: Channel, body: Wire) -> None:
    if "name" in body:
        check_size(body["name"], "name", 1, 100)
        channel["name"] = body["name"]
    new = {key: body[key] for key in _STATE if body.get(key) is not None}
    if "archived" in new:
        new["archive_timestamp"] = iso(channel.world.clock())
    channel["thread_metadata"] = channel["thread_metadata"] | new
    if "applied_tags" in body:
        channel["applied_tags"] = [str(tag) for tag in body["applied_tags"]]


def set_member(channel: Channel, user_id: int, *, joined: bool = True) -> None:
    members = channel.thread_members
    if channel.thread is None or joined == (user_id in members):
        return
    if joined:
        what: Wire = {"added_members": [_join(channel, user_id)]}
    else:
        what = {"removed_member_ids": [members.pop(user_id)["user_id"]]}
        channel["member_count"] = len(members)
    what |= {"id": str(channel.id), "member_count": len(members)}
    channel.announce("THREAD_MEMBERS_UPDATE", what)


def _join(channel: Channel, user_id: int) -> Wire:
    member: Wire = {"id": str(channel.id), "user_id": str(user_id), "flags": 0}
    member["join_timestamp"] = iso(channel.world.clock())
    channel.thread_members[user_id] = member
    channel["member_count"] = len(channel.thread_members)
    if user_id == channel.world.bot.id:
        channel["member"] = member
    return member


def archive_idle(world: World) -> None:
    """Archive every thread in which nothing was said for its auto-archive duration."""
    for channel in world.threads_of():
        last = moment_of(next(reversed(channel.messages), channel.id))
        state = channel["thread_metadata"]
        if not state["archived"] and world.clock() - last >= 60 * state["auto_archive_duration"]:
            change(channel, {"archived": True})
