"""What admins ask for in chat: panels, doctor, set-up, pause; refused to everybody else."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.admin.examination import (
    budget_finding,
    harness_findings,
    model_findings,
    search_finding,
    store_findings,
)
from bot.admin.findings import Finding
from bot.admin.panel_texts import list_text, show_text
from bot.admin.setting_up import Wanted, setup_text
from bot.council.admission import Asker
from bot.errors import ConfigError, NotAllowedError, UsageError
from bot.messages.admin import AdminText
from bot.panels import Resolution
from bot.panels.live import LivePanels
from bot.panels.watching import refusal
from bot.store import Store, servers


def require_admin(asker: Asker) -> None:
    """Refuse whoever may not manage the server."""
    if not asker.is_admin:
        raise NotAllowedError(AdminText.NOT_AN_ADMIN)


@dataclass(frozen=True, slots=True)
class Steward:
    """What admins see and do; `database` is the file, None on Postgres."""

    panels: LivePanels
    resolution: Callable[[], Resolution]
    store: Store
    secret: Callable[[str], str | None]
    home: Path
    database: Path | None

    def list_panels(self, asker: Asker, guild_id: int) -> str:
        """Every panel of a server as it would sit now."""
        require_admin(asker)
        return list_text(self.panels.for_server(guild_id), self.resolution())

    def show_panel(self, asker: Asker, guild_id: int, name: str) -> str:
        """One panel of a server, seat by seat."""
        require_admin(asker)
        return show_text(self.panels.for_server(guild_id), self.resolution(), name)

    async def reload(self, asker: Asker) -> str:
        """Read panels.json now; returns what to tell the admin, the problems of the file too."""
        require_admin(asker)
        try:
            changed = await self.panels.reload()
        except ConfigError as error:
            raise UsageError(refusal(error.text)) from error
        if not changed:
            return AdminText.FILE_UNCHANGED
        usable, named = len(self.resolution().models), len(self.panels.current.models)
        rehearsal = self.resolution().rehearsal
        models = AdminText.STAND_INS if rehearsal else AdminText.models_usable(usable, named)
        return AdminText.file_was_read(models)

    async def examine(self, asker: Asker, guild_id: int) -> list[Finding]:
        """What the doctor finds outside Discord."""
        require_admin(asker)
        config, resolution = self.panels.for_server(guild_id), self.resolution()
        return [
            *model_findings(config, resolution),
            *await asyncio.to_thread(lambda: [*harness_findings(config)]),
            search_finding(config, self.secret, resolution),
            budget_finding(config),
            *await store_findings(self.store, self.home, self.database),
            await self._pause_finding(guild_id),
        ]

    async def set_up(self, asker: Asker, guild_id: int, channel_id: int, wanted: Wanted) -> str:
        """Remember where the admins are, and show how the server is set up or can be."""
        require_admin(asker)
        await self.store.write(lambda conn: servers.set_admin_channel(conn, guild_id, channel_id))
        config = self.panels.for_server(guild_id)
        return setup_text(config, guild_id, self.panels.path, wanted)

    async def pause(self, asker: Asker, guild_id: int) -> str:
        """Take nothing new in a server; what runs goes on."""
        require_admin(asker)
        now = self.store.now()
        await self.store.write(lambda conn: servers.pause(conn, guild_id, asker.id, now))
        return AdminText.PAUSED

    async def resume(self, asker: Asker, guild_id: int) -> str:
        """Take new work again."""
        require_admin(asker)
        if not await self.store.write(lambda conn: servers.resume(conn, guild_id)):
            raise UsageError(AdminText.NOT_PAUSED)
        return AdminText.RESUMED

    async def _pause_finding(self, guild_id: int) -> Finding:
        server = await self.store.read(lambda conn: servers.get(conn, guild_id))
        if server.paused_at is not None:
            what = AdminText.paused_by(server.paused_by or 0, server.paused_at)
            return Finding(what, AdminText.RESUME_FIX)
        if not self.panels.for_server(guild_id).trigger.enabled:
            return Finding(AdminText.SWITCHED_OFF, AdminText.SWITCH_ON_FIX)
        return Finding(AdminText.TAKES_NEW)
