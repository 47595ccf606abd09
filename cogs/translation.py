"""Discord's people and messages as the domain knows them."""

import re

import discord

from bot.access.admission import Asker
from bot.access.readers import Reader
from bot.request import without_mention
from bot.talk.incoming import IncomingMessage, pings

_MENTION = re.compile(r"<(?:@[!&]?|#)\d{1,20}>")
_PERSONS_MESSAGE = (discord.MessageType.default, discord.MessageType.reply)


def is_ordinary(message: discord.Message) -> bool:
    """Whether somebody wrote a message, as opposed to notices such as "… pinned a message"."""
    return message.type in _PERSONS_MESSAGE


def heard_message(message: discord.Message, own_id: int) -> IncomingMessage:
    """A message with all that decides whom it is for."""
    reference, asker = message.reference, asker_of(message.author)
    senders = (message.author.id, message.webhook_id, message.application_id)
    return IncomingMessage(
        message_id=message.id,
        channel_id=message.channel.id,
        guild_id=message.guild.id if message.guild else 0,
        author_id=message.author.id,
        author=message.author.display_name,
        text=with_names(message, without_mention(message.content, own_id)),
        created_at=message.created_at.timestamp(),
        reply_to=reference.message_id if reference else None,
        replies_to_bot=reference is not None and _is_from(reference.resolved, own_id),
        mentions_bot=pings(message.content, own_id),
        role_ids=asker.role_ids,
        proxied=message.author.bot or message.webhook_id is not None,
        content=message.content,
        bot_id=own_id,
        sender_ids=frozenset(filter(None, senders)),
        may_manage=asker.may_manage,
        in_channel=isinstance(message.channel, discord.abc.GuildChannel),
    )


def heard_form(interaction: discord.Interaction, text: str) -> IncomingMessage:
    """What a person typed into a form."""
    return IncomingMessage(
        message_id=interaction.id,
        channel_id=interaction.channel_id or 0,
        guild_id=interaction.guild_id or 0,
        author_id=interaction.user.id,
        author=interaction.user.display_name,
        text=text,
        created_at=interaction.created_at.timestamp(),
        role_ids=asker_of(interaction.user).role_ids,
    )


def with_names(message: discord.Message, text: str) -> str:
    """The text with people, roles and channels written as names, so that nothing pings later."""
    names = {f"<@{user.id}>": f"@{user.display_name}" for user in message.mentions}
    names |= {f"<@&{role.id}>": f"@{role.name}" for role in message.role_mentions}
    names |= {f"<#{channel.id}>": f"#{channel.name}" for channel in message.channel_mentions}
    # In one pass and by a function: a name is neither a template nor searched for mentions.
    return _MENTION.sub(lambda found: names.get(found[0].replace("!", ""), found[0]), text)


def asker_of(person: discord.User | discord.Member) -> Asker:
    """A person's id, roles and rights."""
    if not isinstance(person, discord.Member):
        return Asker(person.id)
    may = person.guild_permissions
    return Asker(
        id=person.id,
        role_ids=frozenset(role.id for role in person.roles),
        may_manage=may.manage_messages or may.manage_threads or may.administrator,
        is_admin=may.manage_guild,
    )


def reader_of(interaction: discord.Interaction) -> Reader:
    """The person behind an interaction, who alone sees its answer."""
    asker = asker_of(interaction.user)
    return Reader(asker, interaction.guild_id or 0, interaction.channel_id or 0)


def _is_from(
    message: discord.Message | discord.DeletedReferencedMessage | None, own_id: int
) -> bool:
    if not isinstance(message, discord.Message):
        return False
    return own_id in (message.author.id, message.application_id)
