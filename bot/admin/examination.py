"""What the doctor looks at outside Discord: models, search, money, database, disk, file."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from bot.admin.findings import Finding
from bot.admin.outlook import search_outlook, seated_models
from bot.messages.admin import AdminText
from bot.messages.models import HarnessText
from bot.money.words import limit_words
from bot.panels import PanelsConfig, Resolution
from bot.panels.providers import AcpProvider
from bot.panels.remedies import remedies
from bot.store import Store

LEAST_DISK: Final = 500 * 1024 * 1024
MEGABYTE: Final = 1024 * 1024

Secret = Callable[[str], str | None]


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


def search_finding(config: PanelsConfig, secret: Secret, resolution: Resolution) -> Finding:
    """Whether facts are looked up, and where."""
    state = search_outlook(config.search, secret, resolution)
    if state.works:
        return Finding(AdminText.search(state.text))
    return Finding(AdminText.SEARCH, state.text)


def budget_finding(config: PanelsConfig) -> Finding:
    """What may be spent."""
    return Finding(AdminText.budgets(limit_words(config.budgets)))


async def store_findings(store: Store, home: Path, database: Path | None) -> list[Finding]:
    """Whether the database answers, and whether the disk has room."""
    try:
        await store.read(lambda conn: conn.exec_driver_sql("SELECT 1"))
    except Exception as error:  # whatever it is, the admin should read it and not a code
        return [Finding(AdminText.DATABASE_SILENT, AdminText.database_fix(type(error).__name__))]
    return [Finding(AdminText.database_answers(_megabytes(database))), disk_finding(home)]


def _megabytes(database: Path | None) -> int | None:
    return None if database is None else database.stat().st_size // MEGABYTE


def disk_finding(home: Path) -> Finding:
    """Whether there is room for what is to be written."""
    free = shutil.disk_usage(home).free
    fix = AdminText.MAKE_ROOM if free < LEAST_DISK else ""
    return Finding(AdminText.disk_free(free // MEGABYTE), fix)
