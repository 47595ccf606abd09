"""Messages: storing, editing, deleting, reacting; used by the bot, webhooks and people alike."""

import copy
import mimetypes
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from bot.playground import threads, validate, wire
from bot.playground.errors import ApiError, invalid, no_permission
from bot.playground.mentions import EVERYTHING, find_pings, within_power
from bot.playground.model import (
    Channel,
    ChannelType,
    Flag,
    Message,
    MessageType,
    Upload,
    User,
    Wire,
    walk,
)
from bot.playground.permissions import has
from bot.playground.snowflakes import moment_of
from bot.playground.world import Change, World

_NONCE_SECONDS = 300
_EDITABLE_FLAGS = Flag.SUPPRESS_EMBEDS | Flag.COMPONENTS_V2
_SENDABLE_FLAGS = _EDITABLE_FLAGS | Flag.SILENT | Flag.EPHEMERAL | Flag.LOADING


@dataclass(frozen=True, slots=True)
class Sender:
    """Who speaks, with what powers, and what marks their messages carry."""

    user: User
    may: int
    pings: AbstractSet[str] = EVERYTHING
    webhook_id: int | None = None
    application_id: int | None = None
    avatar_url: str = ""
    interaction: Wire | None = None
    only_for: int | None = None
    type: int = MessageType.DEFAULT


def post(
    world: World,
    channel: Channel,
    sender: Sender,
    body: Wire,
    files: Sequence[Upload] = (),
    *,
    message_id: int | None = None,
) -> Message:
    """Store a message and announce it; a repeated enforced nonce gives the first one again."""
    if channel.type in (ChannelType.FORUM, ChannelType.CATEGORY):
        raise ApiError(400, 50008, "Cannot send messages in a non-text channel")
    before = _sent_before(world, channel, sender, body)
    if before is not None:
        return before
    message = _draft(world, channel, sender, body, message_id or world.ids.next())
    _attach(world, message, body, files, sender)
    validate.message(message)
    threads.wake(world, channel, sender.may)
    channel.messages[message.id] = message
    if message.only_for is None:
        threads.note_speech(world, channel, sender.user.id)
    world.announce_message("MESSAGE_CREATE", channel, message)
    return message


def forum_post(
    world: World,
    forum: Channel,
    sender: Sender,
    opening: Wire,
    body: Wire,
    files: Sequence[Upload] = (),
) -> tuple[Channel, Message]:
    """Open a post of a forum: a thread together with its first message."""
    opening = {key: value for key, value in opening.items() if key != "type"}
    post_id = world.ids.next()
    thread = threads.open_thread(world, forum, sender.user, opening, thread_id=post_id)
    try:
        return thread, post(world, thread, sender, body, files, message_id=post_id)
    except ApiError:
        world.remove_channel(thread)
        raise


def _sent_before(world: World, channel: Channel, sender: Sender, body: Wire) -> Message | None:
    if not body.get("enforce_nonce") or body.get("nonce") is None:
        return None
    since = world.clock() - _NONCE_SECONDS
    for message in reversed(channel.messages.values()):
        if moment_of(message.id) < since:
            return None
        if message.nonce == str(body["nonce"]) and message.author.id == sender.user.id:
            return message
    return None


def _draft(world: World, channel: Channel, sender: Sender, body: Wire, number: int) -> Message:
    nonce = body.get("nonce")
    message = Message(
        number,
        channel.id,
        sender.user,
        sender.type,
        flags=int(body.get("flags") or 0) & _SENDABLE_FLAGS,
        webhook_id=sender.webhook_id,
        application_id=sender.application_id,
        avatar_url=sender.avatar_url,
        interaction=sender.interaction,
        nonce=None if nonce is None else str(nonce),
        only_for=sender.only_for,
    )
    replied = _reply_target(channel, sender, body)
    if replied is not None:
        message.type, message.reference = MessageType.REPLY, _reference(channel, replied)
    _fill(world, channel, message, sender, body)
    return message


def _reply_target(channel: Channel, sender: Sender, body: Wire) -> Message | None:
    reference = body.get("message_reference")
    if not reference:
        return None
    if not has(sender.may, "read_message_history"):
        text = "Cannot reply without permission to read message history"
        raise ApiError(400, 160002, text)
    found = channel.messages.get(int(reference["message_id"]))
    if found is None and reference.get("fail_if_not_exists", True):
        raise invalid("message_reference", "Unknown message", "REPLIES_UNKNOWN_MESSAGE")
    return found


def _reference(channel: Channel, replied: Message) -> Wire:
    place = {"guild_id": str(channel.guild_id)} if channel.guild_id else {}
    return {"type": 0, "message_id": str(replied.id), "channel_id": str(channel.id)} | place


def _fill(world: World, channel: Channel, message: Message, sender: Sender, body: Wire) -> None:
    if body.get("poll"):
        raise ApiError(501, 0, "The embedded Discord has no polls")
    if "content" in body:
        message.content = str(body["content"] or "").strip()
    if "embeds" in body:
        allowed = has(sender.may, "embed_links")
        embeds = body["embeds"] or [] if allowed else []
        message.embeds = [{"type": "rich"} | embed for embed in embeds]
    if "components" in body:
        message.components = _numbered(body["components"] or [])
    replied = channel.messages.get(message.reply_to or 0)
    named = find_pings(message.text, body.get("allowed_mentions"), sender.pings, replied)
    guild = world.guild_of(channel)
    message.mentions = within_power(named, guild, sender.may, sender.user.id)
    message.pings |= message.mentions


def _numbered(components: list[Wire]) -> list[Wire]:
    copied = copy.deepcopy(components)
    for number, part in enumerate(walk(copied), start=1):
        part.setdefault("id", number)
    return copied


def edit(
    world: World,
    channel: Channel,
    message: Message,
    sender: Sender,
    body: Wire,
    files: Sequence[Upload] = (),
) -> Message:
    """Change a message; what the body does not name stays, mentions are parsed anew."""
    threads.require_awake(channel)
    changed = copy.copy(message)
    changed.flags |= int(body.get("flags") or 0) & _EDITABLE_FLAGS
    changed.flags &= ~Flag.LOADING
    _fill(world, channel, changed, sender, body)
    _attach(world, changed, body, files, sender)
    validate.message(changed)
    changed.edited_at = None if message.flags & Flag.LOADING else world.clock()
    channel.messages[message.id] = changed
    world.announce_message("MESSAGE_UPDATE", channel, changed)
    return changed


def delete(world: World, channel: Channel, messages: Sequence[Message]) -> None:
    """Remove messages; two or more are announced as one bulk deletion."""
    seen_by = world.viewers(channel)
    place = {"channel_id": str(channel.id)}
    if channel.guild_id:
        place["guild_id"] = str(channel.guild_id)
    for message in messages:
        del channel.messages[message.id]
        seen_by = frozenset((message.only_for,)) if message.only_for else seen_by
    ids: list[str] = [str(message.id) for message in messages]
    name, what = (
        ("MESSAGE_DELETE", {"id": ids[0]})
        if len(ids) == 1
        else (
            "MESSAGE_DELETE_BULK",
            {"ids": ids},
        )
    )
    world.announce(Change(name, place | what, seen_by, channel.id))


def react(world: World, channel: Channel, message: Message, user_id: int, emoji: str) -> None:
    """Add somebody's reaction."""
    threads.require_awake(channel)
    may = world.permissions(user_id, channel)
    if not has(may, "read_message_history"):
        raise no_permission()
    if emoji not in message.reactions and not has(may, "add_reactions"):
        raise no_permission()
    who = message.reactions.setdefault(emoji, [])
    if user_id not in who:
        who.append(user_id)
        _announce_reaction(world, "MESSAGE_REACTION_ADD", channel, message, user_id, emoji)


def unreact(world: World, channel: Channel, message: Message, user_id: int, emoji: str) -> None:
    """Take somebody's reaction away."""
    threads.require_awake(channel)
    who = message.reactions.get(emoji, [])
    if user_id not in who:
        raise ApiError(404, 10014, "Unknown Emoji")
    who.remove(user_id)
    if not who:
        del message.reactions[emoji]
    _announce_reaction(world, "MESSAGE_REACTION_REMOVE", channel, message, user_id, emoji)


def _announce_reaction(
    world: World, name: str, channel: Channel, message: Message, user_id: int, emoji: str
) -> None:
    payload: Wire = {
        "user_id": str(user_id),
        "channel_id": str(channel.id),
        "message_id": str(message.id),
        "message_author_id": str(message.author.id),
        "emoji": wire.emoji_part(emoji),
        "burst": False,
        "type": 0,
    }
    guild = world.guild_of(channel)
    if guild is not None:
        payload["guild_id"] = str(guild.id)
        payload["member"] = wire.member(guild, world.users[user_id])
    world.announce(Change(name, payload, world.viewers(channel), channel.id))


def typing(world: World, channel: Channel, user_id: int) -> None:
    """Show that somebody is writing."""
    payload: Wire = {"channel_id": str(channel.id), "user_id": str(user_id)}
    payload["timestamp"] = int(world.clock())
    guild = world.guild_of(channel)
    if guild is not None:
        payload["guild_id"] = str(guild.id)
        payload["member"] = wire.member(guild, world.users[user_id])
    world.announce(Change("TYPING_START", payload, world.viewers(channel), channel.id))


def history(channel: Channel, query: dict[str, str]) -> list[Message]:
    """A page of a channel's messages, newest first, as Discord pages them."""
    limit = int(query.get("limit", 50))
    if not 1 <= limit <= 100:
        raise invalid("limit", "int value should be between 1 and 100.")
    found = [m for m in channel.messages.values() if m.only_for is None]
    if "around" in query:
        middle, half = int(query["around"]), limit // 2
        older = [m for m in found if m.id < middle][-half:] if half else []
        found = older + [m for m in found if m.id >= middle][: limit - len(older)]
    elif "after" in query:
        found = [m for m in found if m.id > int(query["after"])][:limit]
    elif "before" in query:
        found = [m for m in found if m.id < int(query["before"])]
    return sorted(found, key=lambda m: m.id, reverse=True)[:limit]


# -- attachments


def _attach(
    world: World, message: Message, body: Wire, files: Sequence[Upload], sender: Sender
) -> None:
    if files and not has(sender.may, "attach_files"):
        raise no_permission()
    if any(len(upload.content) > wire.ATTACHMENT_LIMIT for upload in files):
        raise ApiError(413, 40005, "Request entity too large")
    listed: list[Wire] | None = body.get("attachments")
    kept = message.attachments
    if listed is not None:
        wanted = {str(entry.get("id")) for entry in listed}
        kept = [entry for entry in kept if entry["id"] in wanted]
    added = [_store(world, message, upload, _details(listed, n)) for n, upload in enumerate(files)]
    message.attachments = [*kept, *added]
    if len(message.attachments) > 10:
        text = "Maximum number of attachments in a message reached (10)"
        raise ApiError(400, 30015, text)
    _resolve(message)


def _details(listed: list[Wire] | None, index: int) -> Wire:
    return next((e for e in listed or () if str(e.get("id")) == str(index)), {})


def _store(world: World, message: Message, upload: Upload, details: Wire) -> Wire:
    number = world.ids.next()
    world.files[number] = upload
    name = upload.name.replace("/", "_").replace(" ", "_") or "file"
    url = f"{world.cdn_url}/attachments/{message.channel_id}/{number}/{name}"
    body: dict[str, Any] = {
        "id": str(number),
        "filename": name,
        "size": len(upload.content),
        "url": url,
        "proxy_url": url,
        "content_type": mimetypes.guess_type(name)[0] or upload.type,
    }
    return body | ({"description": details["description"]} if details.get("description") else {})


def _resolve(message: Message) -> None:
    files = {entry["filename"]: entry for entry in message.attachments}
    for part in walk(message.components):
        media = [part.get("file"), part.get("media")]
        media += [item.get("media") for item in part.get("items", ())]
        for item in media:
            if item and str(item.get("url", "")).startswith("attachment://"):
                _show(item, files.get(item["url"].removeprefix("attachment://")), part)


def _show(item: Wire, found: Wire | None, part: Wire) -> None:
    if found is None:
        code = "UNFURL_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"
        raise invalid("components", f"The referenced attachment {item['url']} was not found", code)
    item |= {key: found[key] for key in ("url", "proxy_url", "content_type")}
    item |= {"attachment_id": found["id"], "width": None, "height": None, "loading_state": 2}
    if part.get("type") == 13:
        part |= {"name": found["filename"], "size": found["size"]}
