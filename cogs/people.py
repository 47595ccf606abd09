"""Who is asking, in the council's words."""

import re
from collections.abc import Collection

import discord

from bot.council.admission import Asker
from bot.council.readers import Reader
from bot.errors import NotAllowedError
from bot.words.administration import NOT_AN_ADMIN

_MENTION = re.compile(r"<(?:@[!&]?|#)\d{1,20}>")
PERSONS_MESSAGE = (discord.MessageType.default, discord.MessageType.reply)


def speaks_for_a_person(
    message: discord.Message, own_id: int, proxy_ids: Collection[int] = ()
) -> bool:
    """Whether a person is behind a message; bots and webhooks only if they are allowed to be."""
    if not message.author.bot and not message.webhook_id:
        return True
    senders = {message.author.id, message.webhook_id, message.application_id}
    return own_id not in senders and not senders.isdisjoint(proxy_ids)


def with_names(message: discord.Message, text: str) -> str:
    """The text with people, roles and channels written as names, so that nothing pings later."""
    names = {f"<@{user.id}>": f"@{user.display_name}" for user in message.mentions}
    names |= {f"<@&{role.id}>": f"@{role.name}" for role in message.role_mentions}
    names |= {f"<#{channel.id}>": f"#{channel.name}" for channel in message.channel_mentions}
    # In one pass and by a function: a name is neither a template nor searched for mentions.
    return _MENTION.sub(lambda found: names.get(found[0].replace("!", ""), found[0]), text)


def require_admin(interaction: discord.Interaction) -> int:
    """Reject people without Manage Server; returns the server's id."""
    person = interaction.user
    if not isinstance(person, discord.Member) or not person.guild_permissions.manage_guild:
        raise NotAllowedError(NOT_AN_ADMIN)
    return person.guild.id


def asker_of(person: discord.User | discord.Member) -> Asker:
    """A person's id, roles and moderating rights."""
    if not isinstance(person, discord.Member):
        return Asker(person.id)
    may = person.guild_permissions
    return Asker(
        id=person.id,
        role_ids=frozenset(role.id for role in person.roles),
        may_manage=may.manage_messages or may.manage_threads or may.administrator,
    )


def reader_of(interaction: discord.Interaction) -> Reader:
    """The person behind an interaction, who alone sees its answer."""
    asker = asker_of(interaction.user)
    return Reader(asker, interaction.guild_id or 0, interaction.channel_id or 0)
