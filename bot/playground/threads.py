"""Threads: opening, waking, joining, changing, archiving."""

from typing import Any

from bot.playground import validate, wire
from bot.playground.errors import ApiError, invalid, no_permission, thread_archived
from bot.playground.model import (
    Channel,
    ChannelType,
    Flag,
    Message,
    MessageType,
    Thread,
    User,
    Wire,
)
from bot.playground.permissions import has
from bot.playground.snowflakes import moment_of
from bot.playground.world import Change, World

_DURATIONS = (60, 1440, 4320, 10080)
_DEFAULT_DURATION = 1440
_OWNER_FIELDS = frozenset(("name", "archived", "auto_archive_duration", "applied_tags"))


def open_thread(
    world: World, parent: Channel, owner: User, body: Wire, *, thread_id: int | None = None
) -> Channel:
    """Open a thread under a channel, its owner being its first member."""
    validate.length(body.get("name"), "name", 1, 100)
    kind = int(body.get("type") or ChannelType.PUBLIC_THREAD)
    now = world.clock()
    state = Thread(owner.id, _duration(body), now, members={owner.id: now})
    channel = Channel(
        thread_id or world.ids.next(), kind, body["name"], parent.guild_id, parent.id, thread=state
    )
    channel.slowmode = int(body.get("rate_limit_per_user") or 0)
    state.tags = _tags(parent, body.get("applied_tags") or ())
    world.channels[channel.id] = channel
    world.announce_channel("THREAD_CREATE", channel, newly_created=True)
    return channel


def from_message(world: World, parent: Channel, start: Message, owner: User, body: Wire) -> Channel:
    """Open a thread on a message; both have the same id."""
    if start.id in world.channels:
        raise ApiError(400, 160004, "A thread has already been created for this message")
    if start.is_system or parent.type not in (ChannelType.TEXT, ChannelType.ANNOUNCEMENT):
        raise ApiError(400, 50024, "Cannot execute action on this channel type")
    body = body | {"type": 10 if parent.type == ChannelType.ANNOUNCEMENT else 11}
    channel = open_thread(world, parent, owner, body, thread_id=start.id)
    start.flags |= Flag.HAS_THREAD
    world.announce_message("MESSAGE_UPDATE", parent, start)
    _system(world, channel, MessageType.THREAD_STARTER, start.author, parent.id, start.id)
    return channel


def standalone(world: World, parent: Channel, owner: User, body: Wire) -> Channel:
    """Open a thread without a message; Discord announces it in the channel."""
    # Discord's own default without a type is a private thread.
    kind = int(body.get("type") or ChannelType.PRIVATE_THREAD)
    channel = open_thread(world, parent, owner, body | {"type": kind})
    if kind != ChannelType.PRIVATE_THREAD:
        _system(world, parent, MessageType.THREAD_CREATED, owner, channel.id, None, body["name"])
    return channel


def _system(
    world: World,
    channel: Channel,
    kind: MessageType,
    author: User,
    refers_to: int,
    message_id: int | None,
    content: str = "",
) -> None:
    reference = {"channel_id": str(refers_to), "guild_id": str(channel.guild_id)}
    if message_id:
        reference["message_id"] = str(message_id)
    message = Message(world.ids.next(), channel.id, author, kind, content, reference=reference)
    channel.messages[message.id] = message
    world.announce_message("MESSAGE_CREATE", channel, message)


def wake(world: World, channel: Channel, may: int) -> None:
    """Un-archive a thread because somebody speaks in it, or refuse when it is locked."""
    thread = channel.thread
    if thread is None:
        return
    if thread.locked and not has(may, "manage_threads"):
        raise thread_archived() if thread.archived else ApiError(400, 160005, "Thread is locked")
    if thread.archived:
        change(world, channel, {"archived": False})


def note_speech(world: World, channel: Channel, user_id: int) -> None:
    """Count a message, and make its author a member of the thread."""
    if channel.thread is None:
        return
    channel.thread.messages_sent += 1
    if user_id in world.users:
        add_member(world, channel, user_id)


def require_awake(channel: Channel) -> None:
    """Refuse to touch what is in an archived thread."""
    if channel.thread and channel.thread.archived:
        raise thread_archived()


def check_change(world: World, channel: Channel, user_id: int, body: Wire) -> None:
    """Refuse a change of a thread that this user may not make."""
    thread = channel.thread
    if thread is None:
        return
    if not world.may(user_id, channel, "manage_threads"):
        mine = user_id == thread.owner_id and not thread.locked and body.keys() <= _OWNER_FIELDS
        reopening = body == {"archived": False} and not thread.locked
        if not (mine or reopening):
            raise no_permission()
    if thread.archived and body.get("archived", True):
        raise thread_archived()


def change(world: World, channel: Channel, body: Wire) -> None:
    """Apply a change to a thread and announce it."""
    thread = channel.thread
    if thread is None:
        return
    if "name" in body:
        validate.length(body["name"], "name", 1, 100)
        channel.name = body["name"]
    thread.archived = bool(body.get("archived", thread.archived))
    thread.locked = bool(body.get("locked", thread.locked))
    thread.archived_at = world.clock() if "archived" in body else thread.archived_at
    channel.slowmode = int(body.get("rate_limit_per_user", channel.slowmode) or 0)
    if "auto_archive_duration" in body:
        thread.auto_archive_minutes = _duration(body)
    if "applied_tags" in body:
        thread.tags = _tags(world.channel(channel.parent_id or 0), body["applied_tags"])
    world.announce_channel("THREAD_UPDATE", channel)


def add_member(world: World, channel: Channel, user_id: int) -> None:
    """Let a user join a thread."""
    if channel.thread and user_id not in channel.thread.members:
        channel.thread.members[user_id] = world.clock()
        joined = [wire.thread_member(channel, user_id)]
        _announce_members(world, channel, {"added_members": joined})


def remove_member(world: World, channel: Channel, user_id: int) -> None:
    """Let a user leave a thread."""
    if channel.thread and channel.thread.members.pop(user_id, None):
        _announce_members(world, channel, {"removed_member_ids": [str(user_id)]})


def archive_idle(world: World) -> None:
    """Archive every thread in which nothing was said for its auto-archive duration."""
    for channel in world.threads_of():
        thread = channel.thread
        if (
            thread
            and not thread.archived
            and _idle_minutes(world, channel) >= (thread.auto_archive_minutes)
        ):
            change(world, channel, {"archived": True})


def _idle_minutes(world: World, channel: Channel) -> float:
    last = next(reversed(channel.messages), channel.id)
    since = max(moment_of(last), channel.thread.archived_at if channel.thread else 0)
    return (world.clock() - since) / 60


def _announce_members(world: World, channel: Channel, what: Wire) -> None:
    count = len(channel.thread.members) if channel.thread else 0
    ids = {"id": str(channel.id), "guild_id": str(channel.guild_id), "member_count": count}
    seen_by = world.viewers(channel)
    world.announce(Change("THREAD_MEMBERS_UPDATE", ids | what, seen_by, channel.id))


def _duration(body: Wire) -> int:
    minutes = int(body.get("auto_archive_duration") or _DEFAULT_DURATION)
    if minutes not in _DURATIONS:
        raise invalid("auto_archive_duration", f"Value must be one of {_DURATIONS}.")
    return minutes


def _tags(parent: Channel, wanted: Any) -> list[int]:
    tags = [int(tag) for tag in wanted]
    if len(tags) > 5 or not {tag.id for tag in parent.tags}.issuperset(tags):
        raise invalid("applied_tags", "Must be at most 5 tags of this channel.")
    if parent.require_tag and not tags:
        raise ApiError(400, 40067, "A tag is required to create a forum post in this channel")
    return tags
