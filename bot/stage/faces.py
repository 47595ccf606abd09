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

from bot.pictures.portraits import drawn_face
from bot.stage.persistence import PASSING

log = logging.getLogger(__name__)

# Discord keeps 2000 emojis for an application; models may invent any number of roles.
MOST_FACES = 1500


class Faces(Protocol):
    """Where a role's face comes from."""

    async def url(self, role: str) -> str | None:
        """The address of the picture, None where there is none."""
        ...

    def emoji(self, role: str) -> str:
        """The face as it stands in a text; empty while there is none."""
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


class UploadedFaces:
    """Uploads a face when its role speaks for the first time; a failure leaves it without one."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._known: dict[str, discord.Emoji] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._fetching: set[asyncio.Task[str | None]] = set()
        self._out_of_order = False

    async def url(self, role: str) -> str | None:
        """The address of the role's emoji, which is uploaded if nobody has it yet."""
        async with self._one_at_a_time:
            try:
                found = await self._emoji(role)
            except (discord.HTTPException, *PASSING) as error:
                self._complain(error)
                return None
        return found.url if found else None

    def emoji(self, role: str) -> str:
        """The role's emoji; one that nobody has yet is fetched for the next time."""
        known = (self._known or {}).get(emoji_name(role))
        if known is not None:
            return str(known)
        if not self._out_of_order and not self._fetching:
            fetching = asyncio.create_task(self.url(role))
            self._fetching.add(fetching)
            fetching.add_done_callback(self._fetching.discard)
        return ""

    async def _emoji(self, role: str) -> discord.Emoji | None:
        if self._out_of_order:
            return None
        if self._known is None:
            found = await self._client.fetch_application_emojis()
            self._known = {emoji.name: emoji for emoji in found}
        name = emoji_name(role)
        if name not in self._known and len(self._known) < MOST_FACES:
            image = await asyncio.to_thread(drawn_face, role)
            self._known[name] = await self._client.create_application_emoji(name=name, image=image)
        return self._known.get(name)

    def _complain(self, error: Exception) -> None:
        """Once: without faces the panelists still have their names."""
        self._out_of_order = True
        log.warning("faces cannot be uploaded, so panelists appear without one: %s", error)


def emoji_name(role: str) -> str:
    """The name of a role's emoji: the same for the same role, and one that Discord takes."""
    return f"rt_{hashlib.sha256(role.strip().casefold().encode()).hexdigest()[:12]}"
