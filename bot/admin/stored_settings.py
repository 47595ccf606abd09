"""`roundtable settings`: what admins stored for their servers, as a file and from one."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection

from bot.admin.setup import SETTINGS
from bot.errors import UsageError
from bot.messages.admin import SetupText
from bot.panels.load import read_panels, setting_problems
from bot.store import Store
from bot.store.engine.backend import Where
from bot.store.repositories.servers import SettingsRepository

_SERVERS: Final = "servers"
_OPERATOR: Final = 0


async def settings_json(database: Where) -> str:
    """Everything stored, in the shape of `servers` in panels.json."""
    store = await Store.open(database)
    try:
        stored = await store.read(lambda conn: SettingsRepository(conn).all())
    finally:
        await store.close()
    found = {str(guild): row.settings for guild, row in stored.items() if row.settings}
    return json.dumps({_SERVERS: found}, ensure_ascii=False, indent=2)


async def load_settings_file(database: Where, panels: Path, file: Path) -> int:
    """Store what a file says, all of it or nothing; returns for how many servers."""
    wanted = _read(file)
    for guild_id, problems in setting_problems(read_panels(panels), wanted).items():
        raise UsageError(SetupText.refused(f"{_SERVERS}.{guild_id}.{problems[0]}".rstrip(".")))
    store = await Store.open(database)
    now = store.now()

    def work(conn: Connection) -> None:
        for guild_id, settings in wanted.items():
            SettingsRepository(conn).put(guild_id, _OPERATOR, settings, now)

    try:
        await store.write(work)
    finally:
        await store.close()
    return len(wanted)


def _read(file: Path) -> dict[int, dict[str, Any]]:
    """The servers of a file; raises UsageError where it has another shape."""
    try:
        data = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        raise UsageError(SetupText.NO_SETTINGS_FILE) from None
    servers = data.get(_SERVERS) if isinstance(data, dict) else None
    if not isinstance(servers, dict):
        raise UsageError(SetupText.NO_SETTINGS_FILE)
    return {_server(name): _known(name, settings) for name, settings in servers.items()}


def _server(name: str) -> int:
    if not (name.isascii() and name.isdigit() and int(name) < 2**63):
        raise UsageError(SetupText.unknown_server(name[:40]))
    return int(name)


def _known(name: str, settings: Any) -> dict[str, Any]:
    """Settings that `/roundtable setup` can change and clear as well."""
    if not isinstance(settings, dict):
        raise UsageError(SetupText.NO_SETTINGS_FILE)
    strange = [".".join(path) for path in _paths(settings) if path not in SETTINGS.values()]
    if strange:
        raise UsageError(SetupText.unknown_setting(_server(name), strange))
    return settings


def _paths(settings: Mapping[str, Any]) -> list[tuple[str, ...]]:
    return [
        (key, *rest)
        for key, value in settings.items()
        for rest in (_paths(value) if isinstance(value, Mapping) else [()])
    ]
