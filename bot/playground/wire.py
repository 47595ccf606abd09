"""How the embedded Discord writes its state as Discord's JSON."""

import hashlib
from typing import TYPE_CHECKING

from bot.playground.model import Channel, ChannelType, Guild, Message, Role, User, Webhook, Wire
from bot.playground.snowflakes import iso, moment_of

if TYPE_CHECKING:
    from bot.playground.world import World

ATTACHMENT_LIMIT = 10 * 1024 * 1024


def face_hash(name: str) -> str:
    """The name of somebody's drawn face."""
    return hashlib.sha256(name.encode()).hexdigest()[:32]


def user(account: User) -> Wire:
    """A user object."""
    return {
        "id": str(account.id),
        "username": account.name,
        "global_name": None if account.bot else account.name,
        "discriminator": "0000" if account.bot else "0",
        "avatar": face_hash(account.name),
        "bot": account.bot,
        "public_flags": 0,
    }


def member_part(guild: Guild, user_id: int) -> Wire:
    """A member object without its user."""
    return {
        "roles": [str(role) for role in sorted(guild.members.get(user_id, ()))],
        "nick": None,
        "avatar": None,
        "joined_at": iso(moment_of(guild.id)),
        "premium_since": None,
        "deaf": False,
        "mute": False,
        "pending": False,
        "flags": 0,
    }


def member(guild: Guild, account: User) -> Wire:
    """A member object."""
    return {"user": user(account)} | member_part(guild, account.id)


def role(entry: Role) -> Wire:
    """A role object."""
    return {
        "id": str(entry.id),
        "name": entry.name,
        "permissions": str(entry.permissions),
        "position": entry.position,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "managed": entry.bot_id is not None,
        "mentionable": entry.mentionable,
        "flags": 0,
        "tags": {"bot_id": str(entry.bot_id)} if entry.bot_id else {},
    }


def channel(world: "World", place: Channel) -> Wire:
    """A channel or thread object."""
    if place.guild_id is None:
        people = [world.users[u] for u in place.recipients if u != world.bot.id]
        recipients = [user(person) for person in people]
        return {"id": str(place.id), "type": place.type, "recipients": recipients}
    last = next(reversed(place.messages), None)
    body: Wire = {
        "id": str(place.id),
        "type": place.type,
        "guild_id": str(place.guild_id),
        "name": place.name,
        "parent_id": str(place.parent_id) if place.parent_id else None,
        "last_message_id": str(last) if last else None,
        "rate_limit_per_user": place.slowmode,
        "flags": 16 if place.require_tag else 0,
    }
    return body | (_thread_part(world, place) if place.thread else _channel_part(place))


def _channel_part(place: Channel) -> Wire:
    plain = {"moderated": False, "emoji_id": None, "emoji_name": None}
    tags = [{"id": str(t.id), "name": t.name} | plain for t in place.tags]
    forum = {"available_tags": tags, "default_reaction_emoji": None, "default_sort_order": None}
    return {
        "topic": place.topic or None,
        "position": place.position,
        "nsfw": False,
        "permission_overwrites": [
            {
                "id": str(o.target_id),
                "type": int(o.is_member),
                "allow": str(o.allow),
                "deny": str(o.deny),
            }
            for o in place.overwrites
        ],
    } | (forum if place.type == ChannelType.FORUM else {})


def _thread_part(world: "World", place: Channel) -> Wire:
    thread = place.thread
    if thread is None:
        return {}
    body: Wire = {
        "owner_id": str(thread.owner_id),
        "message_count": sum(m.counts for m in place.messages.values()),
        "total_message_sent": thread.messages_sent,
        "member_count": len(thread.members),
        "applied_tags": [str(tag) for tag in thread.tags],
        "thread_metadata": {
            "archived": thread.archived,
            "locked": thread.locked,
            "auto_archive_duration": thread.auto_archive_minutes,
            "archive_timestamp": iso(thread.archived_at),
            "create_timestamp": iso(moment_of(place.id)),
        },
    }
    if world.bot.id in thread.members:
        body["member"] = thread_member(place, world.bot.id)
    return body


def thread_member(place: Channel, user_id: int) -> Wire:
    """A thread member object."""
    joined = place.thread.members[user_id] if place.thread else 0
    stamp = iso(joined)
    return {"id": str(place.id), "user_id": str(user_id), "join_timestamp": stamp, "flags": 0}


def guild(server: Guild) -> Wire:
    """A server object without channels and members."""
    return {
        "id": str(server.id),
        "name": server.name,
        "icon": None,
        "owner_id": str(server.owner_id),
        "roles": [role(entry) for entry in server.roles.values()],
        "emojis": [],
        "stickers": [],
        "features": [],
        "verification_level": 0,
        "default_message_notifications": 1,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw_level": 0,
        "premium_tier": 0,
        "premium_progress_bar_enabled": False,
        "afk_timeout": 300,
        "system_channel_flags": 0,
        "preferred_locale": "en-US",
        "member_count": len(server.members),
    }


def guild_create(world: "World", server: Guild, *, everybody: bool) -> Wire:
    """The GUILD_CREATE event: all channels, the threads the bot sees, the bot or everybody."""
    people = [u for u in server.members if everybody or u == world.bot.id]
    places = [c for c in world.channels.values() if c.guild_id == server.id]
    threads = [c for c in places if c.thread and not c.thread.archived]
    return guild(server) | {
        "joined_at": iso(moment_of(server.id)),
        "large": False,
        "unavailable": False,
        "channels": [channel(world, c) for c in places if not c.thread],
        "threads": [
            channel(world, c) for c in threads if world.may(world.bot.id, c, "view_channel")
        ],
        "members": [member(server, world.users[u]) for u in people],
        "presences": [],
        "voice_states": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def application(world: "World", owner: User, *, flags: int) -> Wire:
    """The application object."""
    return {
        "id": str(world.bot.id),
        "name": world.bot.name,
        "icon": None,
        "description": "",
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "",
        "owner": user(owner),
        "flags": flags,
    }


def message(world: "World", entry: Message, *, nested: bool = False) -> Wire:
    """A message object."""
    known = [world.users[u] for u in sorted(entry.mentions.users) if u in world.users]
    body: Wire = {
        "id": str(entry.id),
        "channel_id": str(entry.channel_id),
        "type": entry.type,
        "author": user(entry.author),
        "content": entry.content,
        "timestamp": iso(moment_of(entry.id)),
        "edited_timestamp": iso(entry.edited_at) if entry.edited_at else None,
        "tts": False,
        "mention_everyone": entry.mentions.everyone,
        "mentions": [user(account) for account in known],
        "mention_roles": [str(r) for r in sorted(entry.mentions.roles)],
        "attachments": entry.attachments,
        "embeds": entry.embeds,
        "components": entry.components,
        "pinned": False,
        "flags": int(entry.flags),
        "reactions": [_reaction(world, emoji, who) for emoji, who in entry.reactions.items()],
    }
    optional = {
        "webhook_id": entry.webhook_id and str(entry.webhook_id),
        "application_id": entry.application_id and str(entry.application_id),
        "nonce": entry.nonce,
        "interaction_metadata": entry.interaction,
        "message_reference": entry.reference,
    }
    body |= {key: value for key, value in optional.items() if value is not None}
    if entry.id in world.channels and entry.id != entry.channel_id:
        body["thread"] = channel(world, world.channels[entry.id])
    if entry.reference and entry.reply_to and not nested:
        body["referenced_message"] = _referenced(world, entry.reference)
    return body


def _reaction(world: "World", emoji: str, who: list[int]) -> Wire:
    details = {"normal": len(who), "burst": 0}
    return {
        "emoji": emoji_part(emoji),
        "count": len(who),
        "count_details": details,
        "me": world.bot.id in who,
        "me_burst": False,
        "burst_colors": [],
    }


def emoji_part(emoji: str) -> Wire:
    """An emoji as it stands in a path (`name:id` when custom) as an object."""
    name, _, number = emoji.partition(":")
    return {"id": number or None, "name": name}


def _referenced(world: "World", reference: Wire) -> Wire | None:
    place = world.channels.get(int(reference["channel_id"]))
    found = place.messages.get(int(reference["message_id"])) if place else None
    return message(world, found, nested=True) if found else None


def message_event(world: "World", place: Channel, entry: Message) -> Wire:
    """A message as the gateway sends it: with the server and the author's membership."""
    body = message(world, entry)
    server = world.guild_of(place)
    if server is None:
        return body
    body["guild_id"] = str(server.id)
    if entry.author.id in server.members:
        body["member"] = member_part(server, entry.author.id)
    return body


def censored(world: "World", body: Wire) -> Wire:
    """A message as a bot without the message content intent receives it."""
    own = str(world.bot.id)
    open_to_bot = (
        body["author"]["id"] == own
        or any(mentioned["id"] == own for mentioned in body["mentions"])
        or world.channels[int(body["channel_id"])].guild_id is None
    )
    hidden: Wire = {} if open_to_bot else {"content": "", "embeds": []}
    hidden |= {} if open_to_bot else {"components": [], "attachments": []}
    if body.get("referenced_message"):
        hidden |= {"referenced_message": censored(world, body["referenced_message"])}
    return body | hidden


def webhook(world: "World", hook: Webhook) -> Wire:
    """A webhook object."""
    return {
        "id": str(hook.id),
        "type": 1,
        "token": hook.token,
        "name": hook.name,
        "avatar": None,
        "channel_id": str(hook.channel_id),
        "guild_id": str(hook.guild_id),
        "application_id": str(world.bot.id),
        "user": user(world.bot),
    }
