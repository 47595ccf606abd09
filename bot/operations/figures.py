"""Figures about the bot in the text format that Prometheus reads, all from the store."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from sqlalchemy import Connection, func, select

from bot.messages.operations import HealthText
from bot.store.tables import calls, posts, runs


def stored_figures(conn: Connection) -> list[Metric]:
    """What the store can count; names of models and phases are the only labels."""
    cost = conn.execute(select(func.sum(calls.c.cost_usd))).scalar_one() or 0
    return [
        _counted(conn, GaugeMetricFamily, "roundtable_runs", HealthText.RUNS, runs.c.phase),
        _counted(
            conn,
            CounterMetricFamily,
            "roundtable_calls",
            HealthText.CALLS,
            calls.c.provider,
            calls.c.model,
            calls.c.status,
        ),
        _tokens(conn),
        CounterMetricFamily("roundtable_cost_usd", HealthText.COST, value=float(cost)),
        CounterMetricFamily(
            "roundtable_calls_without_price",
            HealthText.WITHOUT_PRICE,
            value=conn.execute(_WITHOUT_PRICE).scalar_one(),
        ),
        _counted(conn, GaugeMetricFamily, "roundtable_posts", HealthText.POSTS, posts.c.state),
    ]


_WITHOUT_PRICE = select(func.count()).select_from(calls).where(calls.c.cost_usd.is_(None))


def _counted(
    conn: Connection,
    kind: type[GaugeMetricFamily] | type[CounterMetricFamily],
    name: str,
    meaning: str,
    *columns: Any,
) -> Metric:
    family = kind(name, meaning, labels=[column.name for column in columns])
    query = select(*columns, func.count()).group_by(*columns).order_by(*columns)
    for *labels, count in conn.execute(query):
        family.add_metric(list(map(str, labels)), count)
    return family


def _tokens(conn: Connection) -> Metric:
    family = CounterMetricFamily("roundtable_tokens", HealthText.TOKENS, labels=["direction"])
    sums = select(func.sum(calls.c.input_tokens), func.sum(calls.c.output_tokens))
    for direction, total in zip(("in", "out"), conn.execute(sums).one(), strict=True):
        family.add_metric([direction], total or 0)
    return family


@dataclass(frozen=True, slots=True)
class _Collected:
    figures: Iterable[Metric]

    def collect(self) -> Iterable[Metric]:
        return self.figures


def exposition(figures: Iterable[Metric]) -> bytes:
    """The figures as Prometheus scrapes them."""
    return generate_latest(_Collected(figures))
