"""Parts of `roundtable check`: the probe of models, the database, the layout."""

import asyncio
import errno
import os
import sqlite3
import textwrap
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.messages.operations import CheckText
from bot.messages.store import StoreText
from bot.models.collect import collect
from bot.models.registry import ModelRegistry
from bot.money.prices import PriceBook, Tokens
from bot.panels import MODES, PanelsConfig, ResolvedModel
from bot.settings import Settings
from bot.store import DATABASE
from bot.store.engine.migrations import STEPS, too_new
from bot.store.engine.sqlite import ELSEWHERE, damaged, explain
from bot.types.model_port import Message, ModelError, ModelRequest, Prompt

_WIDTH = 80
_LABEL = 20
_SECONDS: Final = 60.0
_MOST_TOKENS: Final = 1000
"""Leaves room for hidden reasoning before the answer."""
_READ: Final = 30
_PROMPT: Final = Prompt(
    "probe",
    {},
    (
        Message("system", CheckText.PROBE_SYSTEM),
        Message("user", CheckText.PROBE),
    ),
)
_UNTOLD = """
SELECT runs.id, runs.status_reason FROM runs JOIN events ON events.run_id = runs.id
WHERE events.type = 'run.notice' AND events.key LIKE 'untold:%' AND runs.phase = 'failed'
GROUP BY runs.id ORDER BY max(events.id)
"""


def row(label: str, text: str) -> Iterator[str]:
    """A label and its text in two columns."""
    if len(label) > _LABEL:
        yield f"  {label}"
        label = ""
    first = f"  {label:<{_LABEL}}  "
    yield from textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )


def wrapped(bullet: str, text: str) -> list[str]:
    """A paragraph, behind a bullet if there is one."""
    indent = "  " if bullet else ""
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=indent + bullet,
        subsequent_indent=" " * len(indent + bullet),
        break_long_words=False,
        break_on_hyphens=False,
    )


@dataclass(frozen=True, slots=True)
class _Probed:
    """One model: how long it took to answer, or why it did not."""

    model: ResolvedModel
    seconds: float = 0.0
    failure: str = ""


def most_it_costs(models: Sequence[ResolvedModel], prices: PriceBook) -> float:
    """Dollars at most, as far as prices are known."""
    tariffs = (prices.tariff(model) for model in models)
    return sum(tariff.cost(Tokens(_READ, _MOST_TOKENS)) for tariff in tariffs if tariff)


async def probe_models(
    registry: ModelRegistry, models: Sequence[ResolvedModel]
) -> AsyncIterator[_Probed]:
    """Ask all at once; yields them in order."""
    asking = [asyncio.create_task(_probed(registry, model)) for model in models]
    try:
        for task in asking:
            yield await task
    finally:
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)


async def _probed(registry: ModelRegistry, model: ResolvedModel) -> _Probed:
    request = ModelRequest(
        model=model.wire_model,
        prompt=_PROMPT,
        label="probe",
        deadline_seconds=_SECONDS,
        max_output_tokens=_MOST_TOKENS,
    )
    try:
        answer = await collect(registry.port(model.provider), request)
    except ModelError as error:
        return _Probed(model, failure=str(error))
    return _Probed(model, answer.seconds)


def store_faults(settings: Settings) -> tuple[str, ...]:
    """Why the bot could not keep anything."""
    alone = settings.database_url is None
    return *_home_faults(settings.home), *(
        database_faults(settings.home) if alone else _missing_driver()
    )


def _missing_driver() -> tuple[str, ...]:
    try:
        import asyncpg  # noqa: F401, PLC0415 (an extra, and slow)
    except ImportError:
        return (CheckText.NO_DRIVER,)
    return ()


def _home_faults(home: Path) -> tuple[str, ...]:
    """Why the bot could not write its files here; nothing is created to find out."""
    # Path.exists would raise where a folder may not be searched.
    there = next(path for path in (home, *home.parents) if os.path.exists(path))  # noqa: PTH110
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return ()
    why = os.strerror(errno.EACCES if there.is_dir() else errno.ENOTDIR)
    if there == home:
        return (StoreText.lock_not_writable(str(home), why),)
    return (StoreText.no_folder(str(home), why),)


def database_faults(home: Path) -> tuple[str, ...]:
    """Why the database cannot be used, if there is one and it cannot."""
    path = home / DATABASE
    if not path.is_file():
        return ()
    try:
        with _looking_at(path) as file:
            sound = file.execute("PRAGMA quick_check(1)").fetchone()
            (version,) = file.execute("SELECT max(version) FROM schema_version").fetchone()
    except sqlite3.Error as error:
        return (str(explain(error, str(path))),)
    if sound != ("ok",):
        return (damaged(path).text,)
    return (too_new(version, STEPS, ELSEWHERE).text,) if version > STEPS[-1].number else ()


def untold_lines(home: Path) -> Iterator[str]:
    """Runs that failed without anybody being reached."""
    path = home / DATABASE
    if not path.is_file() or database_faults(home):
        return
    with _looking_at(path) as file:
        found = file.execute(_UNTOLD).fetchall()
    for run_id, reason in found:
        yield CheckText.unreported(run_id, reason)


def _looking_at(path: Path) -> "closing[sqlite3.Connection]":
    return closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5))


def undercut_hops(config: PanelsConfig) -> tuple[str, ...]:
    """Where model calls run out before panelists have reacted as often as they may (D16)."""
    views = [("", config)]
    views += [(f"servers.{server}: ", config.for_server(int(server))) for server in config.servers]
    found: dict[tuple[int, int], str] = {}
    for where, view in views:
        calls = view.followups.max_calls_per_epoch
        for arbiter in map(view.arbiter_for, MODES):
            if arbiter.enabled and calls < arbiter.max_bot_hops:
                found.setdefault((calls, arbiter.max_bot_hops), where)
    return tuple(CheckText.calls_undercut(where, *limits) for limits, where in found.items())
