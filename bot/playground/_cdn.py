"""The files of the embedded Discord: attachments and drawn faces; nothing is fetched."""

import html
import zlib
from urllib.parse import quote

from aiohttp import web

from bot.playground.world import World

# What a bot or a person uploaded must never run as a page of this origin.
_SAFE = {"X-Content-Type-Options": "nosniff"}
_SAFE |= {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def draw_face(name: str) -> str:
    """A small portrait for a name, always the same one."""
    seed = zlib.crc32(name.encode())
    hue, tilt, smile = seed % 360, seed // 360 % 30 - 15, 40 + seed // 9999 % 8
    letter = html.escape(name[:1].upper())
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
<rect width="64" height="64" fill="hsl({hue},45%,38%)"/>
<g transform="rotate({tilt} 32 32)" fill="#fff" stroke="#fff" font-family="sans-serif">
<circle cx="24" cy="26" r="3"/><circle cx="40" cy="26" r="3"/>
<path d="M22 36 Q32 {smile} 42 36" stroke-width="3" fill="none"/>
<text x="48" y="60" font-size="14" stroke="none">{letter}</text></g></svg>"""


class Cdn:
    """Serves `/cdn`."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def face(self, request: web.Request) -> web.Response:
        """The face of `/faces/NAME.svg`, or of a user's avatar."""
        name = request.match_info["name"].removesuffix(".svg")
        if name.isdigit() and int(name) in self._world.users:
            name = self._world.users[int(name)].name
        return web.Response(text=draw_face(name), content_type="image/svg+xml", headers=_SAFE)

    async def attachment(self, request: web.Request) -> web.Response:
        """An uploaded file."""
        found = self._world.files.get(int(request.match_info["file"]))
        if found is None:
            raise web.HTTPNotFound
        kind = found.type if found.type in _PICTURES else "application/octet-stream"
        how = "inline" if kind in _PICTURES else "attachment"
        name = {"Content-Disposition": f"{how}; filename*=UTF-8''{quote(found.name)}"}
        return web.Response(body=found.content, content_type=kind, headers=_SAFE | name)
