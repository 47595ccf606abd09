"""The panelists' faces on Discord: drawn by us, uploaded once as emojis of the application.

An emoji's address never expires, so it serves as the avatar of a webhook message, and the emoji
itself stands in front of the seat's row on the card.
"""

import asyncio
import hashlib
import logging
from collections.abc import Callable
from typing import Protocol

import discord

from bot.pictures.faces import drawn_face
from bot.stage.persistence import PASSING

_log = logging.getLogger(__name__)

# Discord keeps 2000 emojis for an application; models may invent any number of roles.
_MOST_FACES = 1500
# Discord makes uploads wait for minutes when there are many; nobody's words wait for a face.
_PATIENCE = 3.0


class Faces(Protocol):
    """Where a role's face comes from."""

    async def url(self, role: str) -> str | None:
        """The address of the picture, None where there is none."""
        ...

    def emoji(self, role: str) -> str:
        """The face as it stands in a text; empty while there is none."""
        ...

    def close(self) -> None:
        """Let go of what is under way."""
        ...


class ServedFaces:
    """Faces that a server of our own has under an address made of the name."""

    def __init__(self, address: Callable[[str], str]) -> None:
        self._address = address

    async def url(self, role: str) -> str | None:
        """The address of the picture."""
        return self._address(role)

    def emoji(self, role: str) -> str:  # noqa: ARG002 (nothing was uploaded)
        """Nothing: pictures in a text must be emojis."""
        return ""

    def close(self) -> None:
        """Nothing is under way."""


class UploadedFaces:
    """Uploads an avatar when its role is first seen; until then the panelist has none."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._known: dict[str, discord.Emoji] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._uploads: dict[str, asyncio.Task[discord.Emoji | None]] = {}
        self._out_of_order = False

    async def url(self, role: str) -> str | None:
        """The address of the role's emoji, which is uploaded if nobody has it yet."""
        try:
            async with asyncio.timeout(_PATIENCE):
                found = await asyncio.shield(self._upload(role))
        except TimeoutError:
            return None
        return found.url if found else None

    def emoji(self, role: str) -> str:
        """The role's emoji; one that nobody has yet is fetched for the next time."""
        known = (self._known or {}).get(emoji_name(role))
        if known is None and not self._out_of_order:
            self._upload(role)
        return str(known or "")

    def close(self) -> None:
        """Give up what is being uploaded."""
        for upload in self._uploads.values():
            upload.cancel()

    def _upload(self, role: str) -> "asyncio.Task[discord.Emoji | None]":
        """The one upload of a role that is under way."""
        name = emoji_name(role)
        if name not in self._uploads:
            upload = self._uploads[name] = asyncio.create_task(self._found_or_made(role))
            upload.add_done_callback(lambda _: self._uploads.pop(name, None))
        return self._uploads[name]

    async def _found_or_made(self, role: str) -> discord.Emoji | None:
        async with self._one_at_a_time:
            try:
                return await self._emoji(role)
            except (discord.DiscordException, *PASSING) as error:
                # Without faces the panelists still have their names, so this is said once.
                self._out_of_order = True
                _log.warning("avatars cannot be uploaded, so panelists have none: %s", error)
                return None

    async def _emoji(self, role: str) -> discord.Emoji | None:
        if self._known is None and not self._out_of_order:
            found = await self._client.fetch_application_emojis()
            self._known = {emoji.name: emoji for emoji in found}
        if self._known is None:
            return None
        name, room = emoji_name(role), _MOST_FACES - len(self._known)
        if name not in self._known and room > 0 and not self._out_of_order:
            image = await asyncio.to_thread(drawn_face, role)
            self._known[name] = await self._client.create_application_emoji(name=name, image=image)
        return self._known.get(name)


def emoji_name(role: str) -> str:
    """The name of a role's emoji: the same for the same role, and one that Discord takes."""
    return f"rt_{hashlib.sha256(role.strip().casefold().encode()).hexdigest()[:12]}"
