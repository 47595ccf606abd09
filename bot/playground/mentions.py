"""Who a message pings, under Discord's allowed-mentions rules."""

import re
from collections.abc import Set as AbstractSet

from bot.playground.errors import invalid
from bot.playground.model import Guild, Message, Pings, Wire
from bot.playground.permissions import has

EVERYTHING = frozenset(("users", "roles", "everyone"))
USERS_ONLY = frozenset(("users",))

_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_USER = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_EVERYONE = re.compile(r"@(everyone|here)\b")


def find_pings(
    text: str, allowed: Wire | None, default: AbstractSet[str], replied: Message | None
) -> Pings:
    """What a text would ping when its author may ping anything."""
    spoken = _CODE.sub("", text)
    users = _permitted("users", set(map(int, _USER.findall(spoken))), allowed, default)
    roles = _permitted("roles", set(map(int, _ROLE.findall(spoken))), allowed, default)
    parse = default if allowed is None else set(allowed.get("parse") or ())
    everyone = "everyone" in parse and _EVERYONE.search(spoken) is not None
    to_author = True if allowed is None else bool(allowed.get("replied_user"))
    if replied and to_author and replied.webhook_id is None:
        users |= {replied.author.id}
    return Pings(frozenset(users), frozenset(roles), everyone)


def _permitted(
    kind: str, named: set[int], allowed: Wire | None, default: AbstractSet[str]
) -> set[int]:
    if allowed is None:
        return named if kind in default else set()
    listed = {int(entry) for entry in allowed.get(kind) or ()}
    parsed = kind in (allowed.get("parse") or ())
    if listed and parsed:
        text = f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.'
        raise invalid("allowed_mentions", text, "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE")
    return named if parsed else named & listed


def within_power(pings: Pings, guild: Guild | None, may: int, author_id: int) -> Pings:
    """What remains when the author's own permissions are considered."""
    loud = has(may, "mention_everyone")
    users = pings.users - {author_id}
    if guild is None:
        return Pings(users)
    roles = {r for r in pings.roles if r in guild.roles and (loud or guild.roles[r].mentionable)}
    return Pings(users & guild.members.keys(), frozenset(roles), pings.everyone and loud)
