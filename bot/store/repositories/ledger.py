"""Sums over the calls: what was spent since a time, by person, model or panel."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Text,
    bindparam,
    cast,
    exists,
    func,
    or_,
    select,
)

from bot.store.log.events import EventType
from bot.store.repositories.calls import UNPRICED
from bot.store.tables import calls, events, runs

_SUMS: Final = (
    func.count(calls.c.id),
    func.count(calls.c.run_id.distinct()),
    func.coalesce(func.sum(calls.c.input_tokens), 0)
    + func.coalesce(func.sum(calls.c.output_tokens), 0),
    func.coalesce(func.sum(calls.c.cost_usd), 0.0),
    func.count(calls.c.id).filter(UNPRICED),
    func.coalesce(func.sum(calls.c.cached_tokens), 0),
)
_SINCE: Final = calls.c.finished_at >= bindparam("since")
_OF_PERSON: Final = calls.c.person_id == bindparam("owner")
_OF_SERVER: Final = calls.c.guild_id == bindparam("owner")
PERSON: Final = "person"
MODEL: Final = "model"
PANEL: Final = "panel"
_COLUMNS: Final[Mapping[str, ColumnElement[Any]]] = MappingProxyType(
    {PERSON: calls.c.person_id, MODEL: calls.c.model, PANEL: runs.c.mode}
)
_TOTAL_OF_PERSON: Final = select(*_SUMS).where(_OF_PERSON, _SINCE)
_TOTAL_OF_SERVER: Final = select(*_SUMS).where(_OF_SERVER, _SINCE)


@dataclass(frozen=True, slots=True)
class Sum:
    """What was used: the known dollars, and the number of calls with an unknown price."""

    calls: int
    runs: int
    tokens: int
    known_usd: float
    unpriced_calls: int
    cached_tokens: int
    """The part of `tokens` that providers read from their caches."""


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """The sum of one person, model or panel."""

    name: str
    sum: Sum


_REVEALED: Final = or_(
    ~cast(runs.c.request, Text).contains('"masked": true', autoescape=True),
    exists().where(events.c.run_id == runs.c.id, events.c.type == EventType.MASK_LIFTED),
)
"""Runs whose models people may know: a line of a masked panel would name them."""


def _lines(group: str, owner: ColumnElement[bool]) -> Select[Any]:
    column = _COLUMNS[group]
    joined = calls.join(runs, runs.c.id == calls.c.run_id)
    shown = (owner, _SINCE, _REVEALED) if group == MODEL else (owner, _SINCE)
    summed = select(column, *_SUMS).select_from(joined).where(*shown).group_by(column)
    return summed.order_by(_SUMS[3].desc(), column)


_LINES_OF_PERSON: Final = {name: _lines(name, _OF_PERSON) for name in (MODEL, PANEL)}
_LINES_OF_SERVER: Final = {name: _lines(name, _OF_SERVER) for name in (PERSON, MODEL, PANEL)}


class LedgerRepository:
    """Sums over the calls of a person or a server."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def of_person(self, person_id: int, since: float) -> Sum:
        """What a person used, in all servers."""
        return Sum(
            *self._conn.execute(_TOTAL_OF_PERSON, {"owner": person_id, "since": since}).one()
        )

    def of_server(self, guild_id: int, since: float) -> Sum:
        """What a server used."""
        return Sum(*self._conn.execute(_TOTAL_OF_SERVER, {"owner": guild_id, "since": since}).one())

    def person_lines(self, person_id: int, since: float, group: str) -> tuple[LedgerLine, ...]:
        """What a person used by model or panel, most expensive first."""
        return _read(self._conn, _LINES_OF_PERSON[group], person_id, since)

    def server_lines(self, guild_id: int, since: float, group: str) -> tuple[LedgerLine, ...]:
        """What a server used by person, model or panel, most expensive first."""
        return _read(self._conn, _LINES_OF_SERVER[group], guild_id, since)


def _read(conn: Connection, query: Select[Any], owner: int, since: float) -> tuple[LedgerLine, ...]:
    rows = conn.execute(query, {"owner": owner, "since": since})
    return tuple(LedgerLine(str(name), Sum(*sums)) for name, *sums in rows)
