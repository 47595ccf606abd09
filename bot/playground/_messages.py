"""Messages: storing, editing, deleting, reacting; used by the bot, webhooks and people alike."""

import copy
import mimetypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.playground import _threads as threads
from bot.playground._basics import Flag, Wire, bits, iso, moment_of, walk
from bot.playground._rules import check_message, find_pings
from bot.playground.errors import ApiError, invalid, unknown
from bot.playground.model import DEFAULT, FORUM, REPLY, Channel, Message, Upload, User

ATTACHMENT_LIMIT = 10 * 1024 * 1024
_PING_ALL: Wire = {"parse": ("users", "roles", "everyone"), "replied_user": True}
PING_USERS: Wire = {"parse": ("users",), "replied_user": True}
_NONCE_SECONDS = 300
_EDITABLE = Flag.SUPPRESS_EMBEDS | Flag.COMPONENTS_V2
_SENDABLE = _EDITABLE | Flag.SILENT | Flag.EPHEMERAL | Flag.LOADING


@dataclass(frozen=True, slots=True)
class Sender:
    """Who speaks, with what powers, and what JSON marks their messages."""

    user: User
    may: int
    pings: Wire = field(default_factory=lambda: _PING_ALL)
    marks: Wire = field(default_factory=dict)
    avatar_url: str = ""
    only_for: int | None = None


def member(user: User, channel: Channel) -> Sender:
    return Sender(user, channel.permissions(user.id))


def post(
    channel: Channel, sender: Sender, body: Wire, files: Sequence[Upload] = (), number: int = 0
) -> Message:
    """Store a message and announce it; a repeated enforced nonce gives the first one again."""
    if not sender.marks and not number:
        channel.require(sender.user.id, channel.speech)
    if channel["type"] == FORUM:
        raise ApiError(400, 50008, "Cannot send messages in a non-text channel")
    message = Message(channel, sender.user, DEFAULT, number=number)
    message |= sender.marks | {"nonce": body.get("nonce")}
    if body.get("enforce_nonce") and (before := _sent_before(message)):
        return before
    message["flags"] = int(body.get("flags") or 0) & _SENDABLE
    message.only_for, message.avatar_url = sender.only_for, sender.avatar_url
    _refer(message, sender, body.get("message_reference"))
    _fill(message, sender, body, files)
    threads.wake(channel)
    channel.messages[message.id] = message
    channel["last_message_id"] = message["id"]
    if message.only_for is None and channel.thread:
        channel["message_count"] += 1
        if sender.user.id in channel.world.users:
            threads.set_member(channel, sender.user.id)
    message.announce("MESSAGE_CREATE")
    return message


def forum_post(
    forum: Channel, sender: Sender, opening: Wire, body: Wire, files: Sequence[Upload] = ()
) -> Message:
    """Open a post of a forum: a thread together with its first message, both of one id."""
    forum.require(sender.user.id, "send_messages")
    number = forum.world.ids.next()
    thread = threads.open_thread(forum, sender.user, opening, number)
    try:
        return post(thread, sender, body, files, number)
    except ApiError:
        forum.world.announce_channel("THREAD_DELETE", thread)
        del forum.world.channels[thread.id]
        raise


def _sent_before(message: Message) -> Message | None:
    since = message.channel.world.clock() - _NONCE_SECONDS
    for earlier in reversed(message.channel.messages.values()):
        if moment_of(earlier.id) < since:
            break
        if (earlier.get("nonce"), earlier.author) == (message["nonce"], message.author):
            return earlier
    return None


def _refer(message: Message, sender: Sender, reference: Wire | None) -> None:
    if not reference:
        return
    if not sender.may & bits("read_message_history"):
        raise ApiError(400, 160002, "Cannot reply without permission to read message history")
    message.replied = message.channel.messages.get(int(reference["message_id"]))
    if message.replied:
        origin = message.channel.where() | {"message_id": message.replied["id"]}
        message |= {"type": REPLY, "message_reference": origin}
    elif reference.get("fail_if_not_exists", True):
        raise invalid("message_reference", "Unknown message")


def _fill(message: Message, sender: Sender, body: Wire, files: Sequence[Upload]) -> None:
    if "content" in body:
        message["content"] = (body["content"] or "").strip()
    if "embeds" in body:
        message["embeds"] = (body["embeds"] or []) if sender.may & bits("embed_links") else []
    if "components" in body:
        message["components"] = copy.deepcopy(body["components"] or [])
        for number, part in enumerate(walk(message.components), start=1):
            part.setdefault("id", number)
    channel, allowed = message.channel, body.get("allowed_mentions")
    allowed = sender.pings if allowed is None else allowed
    pings = find_pings(message, allowed, channel.guild, sender.may)
    users = [channel.world.users[user].wire() for user in pings.users]
    message |= {"mentions": users, "mention_everyone": pings.everyone}
    message["mention_roles"] = [str(role) for role in pings.roles]
    message.pings |= pings
    if files and not sender.may & bits("attach_files"):
        channel.require(sender.user.id, "attach_files")
    _attach(message, body.get("attachments"), files)
    check_message(message)


def edit(message: Message, sender: Sender, body: Wire, files: Sequence[Upload] = ()) -> Message:
    """Change a message; fields missing in the body stay, mentions are parsed again."""
    if message.author.id != sender.user.id:
        raise ApiError(403, 50005, "Cannot edit a message authored by another user")
    threads.require_awake(message.channel)
    changed, flags = copy.copy(message), message.flags
    changed["flags"] = (flags | int(body.get("flags") or 0) & _EDITABLE) & ~Flag.LOADING
    _fill(changed, sender, body, files)
    if not flags & Flag.LOADING:
        changed["edited_timestamp"] = iso(message.channel.world.clock())
    message.channel.messages[message.id] = changed
    changed.announce("MESSAGE_UPDATE")
    return changed


def delete(user_id: int, message: Message) -> None:
    """Remove a message."""
    channel, reader = message.channel, message.only_for
    if user_id not in (message.author.id, reader):
        channel.require(user_id, "manage_messages")
    del channel.messages[message.id]
    channel.announce("MESSAGE_DELETE", {"id": message["id"]}, reader)


def react(message: Message, user: User, emoji: str, *, on: bool = True) -> None:
    """Add somebody's reaction, or take it away."""
    channel, who = message.channel, message.reactions.get(emoji, [])
    threads.require_awake(channel)
    if on:
        channel.require(user.id, "read_message_history", *(() if who else ("add_reactions",)))
    elif user.id not in who:
        raise unknown("Emoji")
    if on and user.id in who:
        return
    message.reactions[emoji] = [other for other in who if other != user.id] + [user.id] * on
    message.reactions = {key: users for key, users in message.reactions.items() if users}
    bot = channel.world.bot.id
    message["reactions"] = [
        {"emoji": {"id": None, "name": key}, "count": len(users), "me": bot in users}
        for key, users in message.reactions.items()
    ]
    what = _doing(channel, user) | {"message_id": message["id"], "type": 0}
    name = "MESSAGE_REACTION_ADD" if on else "MESSAGE_REACTION_REMOVE"
    channel.announce(name, what | {"emoji": {"id": None, "name": emoji}})


def typing(channel: Channel, user: User) -> None:
    channel.require(user.id, channel.speech)
    now = {"timestamp": int(channel.world.clock())}
    channel.announce("TYPING_START", _doing(channel, user) | now)


def _doing(channel: Channel, user: User) -> Wire:
    member = {"member": channel.guild.member(user)} if channel.guild else {}
    return {"user_id": str(user.id)} | member


def history(channel: Channel, query: Mapping[str, str]) -> list[Message]:
    """A page of a channel's messages, newest first, as Discord pages them."""
    limit = int(query.get("limit", 50))
    found = [m for m in channel.messages.values() if m.only_for is None]
    if "after" in query:
        found = [m for m in found if m.id > int(query["after"])][:limit]
    if "before" in query:
        found = [m for m in found if m.id < int(query["before"])]
    return found[: -limit - 1 : -1]


def _attach(message: Message, listed: list[Wire] | None, files: Sequence[Upload]) -> None:
    if any(len(upload.content) > ATTACHMENT_LIMIT for upload in files):
        raise ApiError(413, 40005, "Request entity too large")
    details = {str(entry.get("id")): entry for entry in listed or ()}
    kept = [a for a in message.attachments if listed is None or a["id"] in details]
    added = [_store(message, file, details.get(str(n), {})) for n, file in enumerate(files)]
    message["attachments"] = kept + added
    by_name = {entry["filename"]: entry for entry in kept + added}
    for part in walk(message.components):
        shown = [part.get("file"), part.get("media")]
        for item in [*shown, *(entry.get("media") for entry in part.get("items", ()))]:
            if item and item.get("url", "").startswith("attachment://"):
                _show(part, item, by_name)


def _store(message: Message, upload: Upload, details: Wire) -> Wire:
    world, number = message.channel.world, message.channel.world.ids.next()
    world.files[number] = upload
    name = upload.name.replace("/", "_").replace(" ", "_") or "file"
    url = f"{world.cdn_url}/attachments/{message.channel.id}/{number}/{name}"
    body: Wire = {"id": str(number), "filename": name, "size": len(upload.content), "url": url}
    body |= {"proxy_url": url, "content_type": mimetypes.guess_type(name)[0] or upload.type}
    return body | {"description": details.get("description")}


def _show(part: Wire, item: Wire, files: Mapping[str, Wire]) -> None:
    found = files.get(item["url"].removeprefix("attachment://"))
    if found is None:
        raise invalid("components", f"The referenced {item['url']} was not found")
    item |= {key: found[key] for key in ("url", "proxy_url", "content_type")}
    if "file" in part:
        part |= {"name": found["filename"], "size": found["size"]}
