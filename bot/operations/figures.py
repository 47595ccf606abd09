"""Figures about the bot in the text format that Prometheus reads, all from the store."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from bot.store.tables import calls, posts, runs
from bot.words import health as words

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Figure:
    """One metric: a name, what it means, and its value for each set of labels."""

    name: str
    kind: str
    meaning: str
    values: Sequence[tuple[Mapping[str, str], float]]


def stored_figures(conn: Connection) -> list[Figure]:
    """What the store can count; names of models and phases are the only labels."""
    return [
        Figure("roundtable_runs", "gauge", words.RUNS, _counted(conn, runs.c.phase)),
        Figure(
            "roundtable_calls",
            "counter",
            words.CALLS,
            _counted(conn, calls.c.provider, calls.c.model, calls.c.status),
        ),
        Figure(
            "roundtable_tokens",
            "counter",
            words.TOKENS,
            list(_tokens(conn)),
        ),
        Figure(
            "roundtable_cost_usd",
            "counter",
            words.COST,
            [({}, float(conn.execute(select(func.sum(calls.c.cost_usd))).scalar_one() or 0))],
        ),
        Figure(
            "roundtable_calls_without_price",
            "counter",
            words.WITHOUT_PRICE,
            [({}, float(conn.execute(_WITHOUT_PRICE).scalar_one()))],
        ),
        Figure("roundtable_posts", "gauge", words.POSTS, _counted(conn, posts.c.state)),
    ]


_WITHOUT_PRICE = select(func.count()).select_from(calls).where(calls.c.cost_usd.is_(None))


def _counted(conn: Connection, *columns: Any) -> list[tuple[Mapping[str, str], float]]:
    query = select(*columns, func.count()).group_by(*columns).order_by(*columns)
    names = [column.name for column in columns]
    return [
        (dict(zip(names, map(str, labels), strict=True)), float(count))
        for *labels, count in conn.execute(query)
    ]


def _tokens(conn: Connection) -> Iterator[tuple[Mapping[str, str], float]]:
    sums = select(func.sum(calls.c.input_tokens), func.sum(calls.c.output_tokens))
    for direction, total in zip(("in", "out"), conn.execute(sums).one(), strict=True):
        yield {"direction": direction}, float(total or 0)


def exposition(figures: Iterable[Figure]) -> str:
    """The figures as Prometheus scrapes them."""
    return "".join(line + "\n" for figure in figures for line in _lines(figure))


def _lines(figure: Figure) -> Iterator[str]:
    suffix = "_total" if figure.kind == "counter" else ""
    name = f"{figure.name}{suffix}"
    yield f"# HELP {name} {figure.meaning}"
    yield f"# TYPE {name} {figure.kind}"
    for labels, value in figure.values:
        written = ",".join(f'{key}="{_escaped(label)}"' for key, label in labels.items())
        yield f"{name}{{{written}}} {value:g}" if written else f"{name} {value:g}"


def _escaped(label: str) -> str:
    return label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
