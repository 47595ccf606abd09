"""What admins ask for in chat: panels, doctor, set-up, pause; refused to everybody else."""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection

from bot.access.admission import Asker
from bot.admin.outlook import (
    help_lines,
    occupant,
    panel_lines,
    remedies,
    search_outlook,
    seated_models,
)
from bot.admin.setup import changed, state_lines, stored_lines, stored_names, value_of
from bot.errors import ConfigError, NotAllowedError, UsageError
from bot.messages.admin import AdminText, SetupText
from bot.messages.models import HarnessText
from bot.money.estimate import limit_words
from bot.panels import MODES, ModeName, PanelsConfig, Resolution, sitting
from bot.panels.live import LivePanels, refusal
from bot.panels.names import hint, shown
from bot.panels.providers import AcpProvider
from bot.stage.findings import Finding, fitted
from bot.store import Store
from bot.store.repositories.servers import ServerRepository, SettingsRepository, StoredChange
from bot.types import SecretLookup

_LEAST_DISK: Final = 500 * 1024 * 1024
_MEGABYTE: Final = 1024 * 1024


def model_findings(config: PanelsConfig, resolution: Resolution) -> Iterator[Finding]:
    """Which models would sit and by which id, and why those made for a seat are not."""
    if resolution.rehearsal:
        steps = [remedy.step for remedy in remedies(config, resolution)]
        yield Finding(AdminText.NO_MODEL, AdminText.fix_without_models(steps))
        return
    models = seated_models(config, resolution)
    yield Finding(AdminText.models((m.key, m.wire_model, m.provider) for m in models))
    seated = (agent.model for _, panel in config.panels.items() for agent in panel.agents)
    for key in dict.fromkeys(seated):
        if resolution.model(key) is None:
            yield Finding(AdminText.not_usable(key), "; ".join(resolution.why_not(key)))


def harness_findings(config: PanelsConfig) -> Iterator[Finding]:
    """Whether each harness is a guest in a sandbox, or runs as the bot does."""
    for name, provider in config.providers.items():
        if isinstance(provider, AcpProvider):
            from bot.models.adapters.acp.sandbox import standing  # noqa: PLC0415 (for harnesses alone)

            where, advice = standing(provider)
            yield Finding(HarnessText.harness(name, where), advice)


def _search_finding(config: PanelsConfig, secret: SecretLookup, resolution: Resolution) -> Finding:
    """Whether facts are looked up, and where."""
    state = search_outlook(config.search, secret, resolution)
    if state.works:
        return Finding(AdminText.search(state.text))
    return Finding(AdminText.SEARCH, state.text)


def _budget_finding(config: PanelsConfig) -> Finding:
    """What may be spent."""
    return Finding(AdminText.budgets(limit_words(config.budgets)))


async def _store_findings(store: Store, home: Path, database: Path | None) -> list[Finding]:
    """Whether the database answers, and whether the disk has room."""
    try:
        await store.read(lambda conn: conn.exec_driver_sql("SELECT 1"))
    except Exception as error:  # whatever it is, the admin should read it and not a code
        return [Finding(AdminText.DATABASE_SILENT, AdminText.database_fix(type(error).__name__))]
    return [Finding(AdminText.database_answers(_megabytes(database))), _disk_finding(home)]


def _megabytes(database: Path | None) -> int | None:
    return None if database is None else database.stat().st_size // _MEGABYTE


def _disk_finding(home: Path) -> Finding:
    """Whether there is room for what is to be written."""
    free = shutil.disk_usage(home).free
    fix = AdminText.MAKE_ROOM if free < _LEAST_DISK else ""
    return Finding(AdminText.disk_free(free // _MEGABYTE), fix)


def _list_text(config: PanelsConfig, resolution: Resolution) -> str:
    """Every panel in a line, and what would make them better."""
    return fitted(_list_lines(config, resolution), AdminText.REST_OF_PANELS)


def show_text(
    config: PanelsConfig, resolution: Resolution, name: str, more: Sequence[str] = ()
) -> str:
    """One panel: its seats, who would take them now, its settings, and more lines."""
    lines = [*_show_lines(config, resolution, _mode_named(name)), *more]
    return fitted(lines, AdminText.REST_OF_PANELS)


def _mode_named(name: str) -> ModeName:
    """The panel of this name; raises UsageError."""
    for mode in MODES:
        if mode == name.strip().casefold():
            return mode
    near = hint(name, MODES, AdminText.panels_are(MODES))
    raise UsageError(AdminText.no_such_panel(shown(name, 40), near))


def _list_lines(config: PanelsConfig, resolution: Resolution) -> Iterator[str]:
    for mode in MODES:
        now = sitting(config, resolution, mode)
        taken = [(seat.role, seat.model.key if seat.model else None) for seat in now.seats]
        yield AdminText.panel_line(mode, taken, budget=now.budget)
    for name, profile in config.profiles.items():
        if profile.models:
            yield AdminText.profile(name, profile.models)
    yield from panel_lines(config, resolution)
    yield from (f"- {step}" for step in help_lines(config, resolution))


def _show_lines(config: PanelsConfig, resolution: Resolution, mode: ModeName) -> Iterator[str]:
    panel, now = config.panels.of(mode), sitting(config, resolution, mode)
    yield AdminText.panel_heading(mode, budget=now.budget)
    perspectives = {agent.role: agent.perspective for agent in panel.agents}
    for seat in now.seats:
        yield f"- **{seat.role}**: {occupant(seat, config)}"
        if perspectives.get(seat.role):
            yield f"  -# {perspectives[seat.role]}"
    yield from AdminText.panel_settings(
        mode,
        panel.speech_order,
        strict=panel.strict_order,
        ends_early=panel.early_exit,
        second_round=config.second_round,
    )


def require_admin(asker: Asker) -> None:
    """Refuse people who may not manage the server."""
    if not asker.is_admin:
        raise NotAllowedError(AdminText.NOT_AN_ADMIN)


@dataclass(frozen=True, slots=True)
class AdminService:
    """What admins see and do; `database` is the file, None on Postgres."""

    panels: LivePanels
    resolution: Callable[[], Resolution]
    store: Store
    secret: SecretLookup
    home: Path
    database: Path | None

    def list_panels(self, asker: Asker, guild_id: int) -> str:
        """Every panel of a server as it would sit now."""
        require_admin(asker)
        return _list_text(self.panels.for_server(guild_id), self.resolution())

    async def show_panel(self, asker: Asker, guild_id: int, name: str) -> str:
        """One panel of a server, seat by seat, and what is stored for the server."""
        require_admin(asker)
        config, stored = self.panels.for_server(guild_id), await self._stored(guild_id)
        more = [
            *([SetupText.language(config.language)] if config.language else []),
            *([SetupText.panel(config.panel)] if config.panel else []),
            *stored_lines(stored),
        ]
        return show_text(config, self.resolution(), name, more)

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
            _search_finding(config, self.secret, resolution),
            _budget_finding(config),
            *await _store_findings(self.store, self.home, self.database),
            await self._pause_finding(guild_id),
            *await self._setting_findings(guild_id),
        ]

    async def set_up(
        self, asker: Asker, guild_id: int, channel_id: int, wanted: Mapping[str, Any]
    ) -> str:
        """Remember where the admins are, store what is wanted, and show what holds.

        None gives a setting back to panels.json; raises UsageError for what that could not hold.
        """
        require_admin(asker)
        if wanted:
            await self._save(asker, guild_id, wanted)
        await self.store.write(
            lambda conn: ServerRepository(conn).set_admin_channel(guild_id, channel_id)
        )
        lines = state_lines(self.panels.for_server(guild_id), await self._stored(guild_id))
        return fitted([*([SetupText.SAVED] if wanted else []), *lines, SetupText.HOW_TO_CHANGE])

    async def stored_settings(self, asker: Asker, guild_id: int) -> dict[str, Any]:
        """By name, the settings that a server has above panels.json."""
        require_admin(asker)
        settings = (await self._stored(guild_id)).settings
        return {name: value_of(settings, name) for name in stored_names(settings)}

    def profiles(self, guild_id: int) -> tuple[str, ...]:
        """The panels that can be chosen by name."""
        config = self.panels.for_server(guild_id)
        return tuple(name for name in config.profiles if config.seats_of(name))

    async def _save(self, asker: Asker, guild_id: int, wanted: Mapping[str, Any]) -> None:
        settings = changed((await self._stored(guild_id)).settings, wanted)
        problems = (await self.panels.setting_problems({guild_id: settings})).get(guild_id)
        if problems:
            raise UsageError(SetupText.refused(problems[0].rstrip(".")))
        now = self.store.now()

        def work(conn: Connection) -> None:
            # Read again: another admin may have changed something else meanwhile.
            rows = SettingsRepository(conn)
            rows.put(guild_id, asker.id, changed(rows.get(guild_id).settings, wanted), now)

        await self.store.write(work)
        await self.use_stored_settings()

    async def use_stored_settings(self) -> None:
        """Let every server have what its admins stored."""
        stored = await self.store.read(lambda conn: SettingsRepository(conn).all())
        await self.panels.use_settings({guild: row.settings for guild, row in stored.items()})

    async def use_stored_settings_of(self, guild_id: int) -> None:
        """Look again at one server, whose admins may have told another process something."""
        stored = await self._stored(guild_id)
        if self.panels.stored_for(guild_id) != stored.settings:
            await self.use_stored_settings()

    async def _stored(self, guild_id: int) -> StoredChange:
        return await self.store.read(lambda conn: SettingsRepository(conn).get(guild_id))

    async def pause(self, asker: Asker, guild_id: int) -> str:
        """Accept no new topics in a server; running meetings continue."""
        require_admin(asker)
        now = self.store.now()
        await self.store.write(lambda conn: ServerRepository(conn).pause(guild_id, asker.id, now))
        return AdminText.PAUSED

    async def resume(self, asker: Asker, guild_id: int) -> str:
        """Take new work again."""
        require_admin(asker)
        if not await self.store.write(lambda conn: ServerRepository(conn).resume(guild_id)):
            raise UsageError(AdminText.NOT_PAUSED)
        return AdminText.RESUMED

    async def _pause_finding(self, guild_id: int) -> Finding:
        server = await self.store.read(lambda conn: ServerRepository(conn).get(guild_id))
        if server.paused_at is not None:
            what = AdminText.paused_by(server.paused_by or 0, server.paused_at)
            return Finding(what, AdminText.RESUME_FIX)
        if not self.panels.for_server(guild_id).trigger.enabled:
            return Finding(AdminText.SWITCHED_OFF, AdminText.SWITCH_ON_FIX)
        return Finding(AdminText.TAKES_NEW)

    async def _setting_findings(self, guild_id: int) -> list[Finding]:
        """Stored settings that do not fit panels.json any more."""
        problems = (await self.panels.setting_problems()).get(guild_id, ())
        return [Finding(AdminText.SETTINGS_IGNORED, problem) for problem in problems]
