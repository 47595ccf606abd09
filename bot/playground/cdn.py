"""The files of the embedded Discord: attachments and drawn faces; nothing is fetched."""

import hashlib
import html
from urllib.parse import quote

from aiohttp import web

from bot.playground.world import World

# What a bot or a person uploaded must never run as a page of this origin.
_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
}
_SHOWN = ("image/png", "image/jpeg", "image/gif", "image/webp")


def draw_face(name: str) -> str:
    """A small portrait for a name, always the same one."""
    seed = hashlib.sha256(name.encode()).digest()
    hue, tilt, smile = seed[0] * 360 // 256, seed[1] % 30 - 15, 40 + seed[2] % 8
    letter = html.escape(name.strip()[:1].upper() or "?")
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="128" height="128">'
        f'<rect width="64" height="64" fill="hsl({hue},45%,38%)"/>'
        f'<g transform="rotate({tilt} 32 32)" fill="#fff">'
        f'<circle cx="24" cy="26" r="3"/><circle cx="40" cy="26" r="3"/>'
        f'<path d="M22 36 Q32 {smile} 42 36" stroke="#fff" stroke-width="3" fill="none"/></g>'
        f'<text x="56" y="60" font-size="16" fill="#fff" text-anchor="end" '
        f'font-family="sans-serif">{letter}</text></svg>'
    )


class Cdn:
    """Serves `/cdn`."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def face(self, request: web.Request) -> web.Response:
        """The face of `/faces/NAME.svg`, or of a user's or default avatar."""
        name = request.match_info.get("name", "?").removesuffix(".svg")
        account = request.match_info.get("user", "")
        if account.isdigit() and int(account) in self._world.users:
            name = self._world.users[int(account)].name
        svg = draw_face(name)
        return web.Response(text=svg, content_type="image/svg+xml", headers=_SAFE)

    async def attachment(self, request: web.Request) -> web.Response:
        """An uploaded file."""
        found = self._world.files.get(int(request.match_info["file"]))
        if found is None:
            raise web.HTTPNotFound
        kind = found.type if found.type in _SHOWN else "application/octet-stream"
        how = "inline" if kind in _SHOWN else "attachment"
        disposition = {"Content-Disposition": f"{how}; filename*=UTF-8''{quote(found.name)}"}
        return web.Response(body=found.content, content_type=kind, headers=_SAFE | disposition)
