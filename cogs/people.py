"""Who is asking, in the council's words."""

import discord

from bot.council.admission import Asker


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
