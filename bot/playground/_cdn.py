"""The files of the embedded Discord: attachments and drawn faces; nothing is fetched."""

import asyncio
from urllib.parse import quote

from aiohttp import web

from bot.playground.model import World

# What a bot or a person uploaded must never run as a page of this origin.
_SAFE = {"X-Content-Type-Options": "nosniff"}
_SAFE |= {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")


class Cdn:
    """Serves `/cdn`."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def face(self, request: web.Request) -> web.Response:
        """The face of `/faces/NAME`, or of a user's avatar."""
        name = request.match_info["name"]
        if name.isdigit() and int(name) in self._world.users:
            name = self._world.users[int(name)].name
        from bot.pictures.faces import drawn_face  # noqa: PLC0415 (Pillow is slow to import)

        drawn = await asyncio.to_thread(drawn_face, name)
        return web.Response(body=drawn, content_type="image/png", headers=_SAFE)

    async def attachment(self, request: web.Request) -> web.Response:
        """An uploaded file."""
        found = self._world.files.get(int(request.match_info["file"].removesuffix(".png")))
        if found is None:
            raise web.HTTPNotFound
        kind = found.type if found.type in _PICTURES else "application/octet-stream"
        how = "inline" if kind in _PICTURES else "attachment"
        name = {"Content-Disposition": f"{how}; filename*=UTF-8''{quote(found.name)}"}
        return web.Response(body=found.content, content_type=kind, headers=_SAFE | name)
