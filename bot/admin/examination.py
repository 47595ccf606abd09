"""What the doctor looks at outside Discord: models, search, money, database, disk, file."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from bot.admin.findings import Finding
from bot.admin.fitting import some
from bot.outlook import search_outlook
from bot.panels import PanelsConfig, Resolution
from bot.panels.remedies import remedies
from bot.store import Store

LEAST_DISK: Final = 500 * 1024 * 1024
MEGABYTE: Final = 1024 * 1024

Secret = Callable[[str], str | None]


def model_findings(config: PanelsConfig, resolution: Resolution) -> Iterator[Finding]:
    """Which models are usable, and why the others are not."""
    if resolution.rehearsal:
        steps = [remedy.step for remedy in remedies(config, resolution)]
        fix = f"{steps[0]}, or start Ollama" if steps else "start Ollama"
        yield Finding("No model is usable, so labelled stand-ins play every seat", fix)
        return
    usable = [f"{m.key} through {m.provider}" for m in resolution.models.values()]
    yield Finding(f"Models: {some(usable)}")
    for key in resolution.routed:
        if key not in resolution.models:
            yield Finding(f"{key} is not usable", "; ".join(resolution.why_not(key)))


def search_finding(config: PanelsConfig, secret: Secret, resolution: Resolution) -> Finding:
    """Whether facts are looked up, and where."""
    state = search_outlook(config.search, secret, resolution)
    return Finding(f"Search: {state.text}") if state.works else Finding("Search", state.text)


def budget_finding(config: PanelsConfig) -> Finding:
    """What may be spent."""
    from bot.money.words import limit_words  # noqa: PLC0415 (with the first question about money)

    return Finding(f"Budgets: {limit_words(config.budgets)}")


async def store_findings(store: Store, home: Path, database: Path | None) -> list[Finding]:
    """Whether the database answers, and whether the disk has room."""
    try:
        await store.read(lambda conn: conn.exec_driver_sql("SELECT 1"))
    except Exception as error:  # whatever it is, the admin should read it and not a code
        name = type(error).__name__
        fix = f"look into the log ({name}), then docs/operations.md, When something is wrong"
        return [Finding("The database does not answer", fix)]
    return [Finding(f"The database answers{_size(database)}"), disk_finding(home)]


def _size(database: Path | None) -> str:
    return " (Postgres)" if database is None else f", {database.stat().st_size // MEGABYTE} MB"


def disk_finding(home: Path) -> Finding:
    """Whether there is room for what is to be written."""
    free = shutil.disk_usage(home).free
    room = f"{free // MEGABYTE} MB are free on the disk"
    return Finding(room, "make room before it is full" if free < LEAST_DISK else "")
