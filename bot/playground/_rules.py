"""What Discord accepts, and whom a text pings."""

import re
from typing import Any

from bot.playground._basics import Flag, Pings, Wire, bits, walk
from bot.playground.errors import ApiError, invalid
from bot.playground.model import Guild, Message

_ROW, _BUTTON, _STRING_SELECT, _TEXT = 1, 2, 3, 10
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_NAMED = {"users": re.compile(r"<@!?(\d+)>"), "roles": re.compile(r"<@&(\d+)>")}
_EVERYONE = re.compile(r"@(everyone|here)\b")


def check_size(value: Any, path: str, low: int, high: int) -> None:
    if not low <= len(value or ()) <= high:
        raise invalid(path, f"Must be between {low} and {high} in length.")


def webhook_name(name: str | None) -> str:
    text = (name or "").strip()
    check_size(text, "username", 1, 80)
    forbidden = [word for word in ("discord", "clyde", "```") if word in text.lower()]
    if forbidden or text.lower() in ("everyone", "here"):
        raise invalid("username", f'Username cannot contain "{(forbidden or [text])[0]}"')
    return text


def check_message(message: Message) -> None:
    check_size(message.content, "content", 0, 2000)
    _check_embeds(message.embeds)
    parts, ids = list(walk(message.components)), message.custom_ids
    if len(ids) != len(set(ids)):
        raise invalid("components", "Component custom id cannot be duplicated")
    for part in parts:
        _check_component(part)
    if message.flags & Flag.COMPONENTS_V2:
        _check_version_two(message, parts)
    elif any(part["type"] != _ROW for part in message.components):
        raise invalid("components", "This component needs the flag IS_COMPONENTS_V2.")
    else:
        check_size(message.components, "components", 0, 5)
    shown = [message[key] for key in ("content", "embeds", "components", "attachments")]
    if not any(shown) and not message.flags & Flag.LOADING:
        raise ApiError(400, 50006, "Cannot send an empty message")


def _check_embeds(embeds: list[Wire]) -> None:
    texts = [embed.get("description", "") for embed in embeds]
    check_size("".join(texts), "embeds", 0, 6000)
    for text in texts:
        check_size(text, "embeds", 0, 4096)


def _check_component(part: Wire) -> None:
    if "custom_id" in part:
        check_size(part["custom_id"], "components", 1, 100)
    key, low, high = {_BUTTON: ("label", 0, 80), _ROW: ("components", 1, 5)}.get(
        part["type"], ("options", int(part["type"] == _STRING_SELECT), 25)
    )
    check_size(part.get(key), "components", low, high)


def _check_version_two(message: Message, parts: list[Wire]) -> None:
    if message.content or message.embeds:
        raise invalid("content", "Cannot be used with the flag IS_COMPONENTS_V2.")
    check_size(parts, "components", 0, 40)
    texts = [part["content"] for part in parts if part["type"] == _TEXT]
    check_size("".join(texts), "components", 0, 4000)
    # Undocumented: people observed a server error above this many bytes.
    if sum(len(text.encode()) + 12 for text in texts) > 10_170:
        raise ApiError(500, 0, "500: Internal Server Error")


def find_pings(message: Message, allowed: Wire, guild: Guild | None, may: int) -> Pings:
    """Whom a message pings under allowed mentions, its author having these permissions."""
    spoken, parse = _CODE.sub("", message.text), allowed.get("parse") or ()
    found: dict[str, set[int]] = {}
    for kind, pattern in _NAMED.items():
        listed = {int(entry) for entry in allowed.get(kind) or ()}
        if listed and kind in parse:
            raise invalid("allowed_mentions", f"parse and {kind} are mutually exclusive")
        named = set(map(int, pattern.findall(spoken)))
        found[kind] = named if kind in parse else named & listed
    replied = message.replied
    if replied and allowed.get("replied_user") and "webhook_id" not in replied:
        found["users"].add(replied.author.id)
    users = frozenset(found["users"] - {message.author.id})
    if guild is None:
        return Pings(users)
    loud = may & bits("mention_everyone") != 0
    roles = frozenset(found["roles"] & guild.roles.keys() if loud else ())
    everyone = loud and "everyone" in parse and _EVERYONE.search(spoken) is not None
    return Pings(users & guild.members.keys(), roles, everyone)
