"""What the doctor looks at outside Discord: models, search, money, database, disk, file."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from bot.admin.findings import Finding
from bot.admin.outlook import search_outlook, seated_models
from bot.money.words import limit_words
from bot.panels import PanelsConfig, Resolution
from bot.panels.providers import AcpProvider
from bot.panels.remedies import remedies
from bot.store import Store
from bot.words import administration as words
from bot.words.harness import harness

LEAST_DISK: Final = 500 * 1024 * 1024
MEGABYTE: Final = 1024 * 1024

Secret = Callable[[str], str | None]


def model_findings(config: PanelsConfig, resolution: Resolution) -> Iterator[Finding]:
    """Which models would sit and by which id, and why those made for a seat are not."""
    if resolution.rehearsal:
        steps = [remedy.step for remedy in remedies(config, resolution)]
        yield Finding(words.NO_MODEL, words.fix_without_models(steps))
        return
    models = seated_models(config, resolution)
    yield Finding(words.models((m.key, m.wire_model, m.provider) for m in models))
    seated = (agent.model for _, panel in config.panels.items() for agent in panel.agents)
    for key in dict.fromkeys(seated):
        if resolution.model(key) is None:
            yield Finding(words.not_usable(key), "; ".join(resolution.why_not(key)))


def harness_findings(config: PanelsConfig) -> Iterator[Finding]:
    """Whether each harness is a guest in a sandbox, or runs as the bot does."""
    for name, provider in config.providers.items():
        if isinstance(provider, AcpProvider):
            from bot.models.adapters.acp.sandbox import standing  # noqa: PLC0415 (for harnesses alone)

            where, advice = standing(provider)
            yield Finding(harness(name, where), advice)


def search_finding(config: PanelsConfig, secret: Secret, resolution: Resolution) -> Finding:
    """Whether facts are looked up, and where."""
    state = search_outlook(config.search, secret, resolution)
    if state.works:
        return Finding(words.search(state.text))
    return Finding(words.SEARCH, state.text)


def budget_finding(config: PanelsConfig) -> Finding:
    """What may be spent."""
    return Finding(words.budgets(limit_words(config.budgets)))


async def store_findings(store: Store, home: Path, database: Path | None) -> list[Finding]:
    """Whether the database answers, and whether the disk has room."""
    try:
        await store.read(lambda conn: conn.exec_driver_sql("SELECT 1"))
    except Exception as error:  # whatever it is, the admin should read it and not a code
        return [Finding(words.DATABASE_SILENT, words.database_fix(type(error).__name__))]
    return [Finding(words.database_answers(_megabytes(database))), disk_finding(home)]


def _megabytes(database: Path | None) -> int | None:
    return None if database is None else database.stat().st_size // MEGABYTE


def disk_finding(home: Path) -> Finding:
    """Whether there is room for what is to be written."""
    free = shutil.disk_usage(home).free
    fix = words.MAKE_ROOM if free < LEAST_DISK else ""
    return Finding(words.disk_free(free // MEGABYTE), fix)
