"""`roundtable costs`: what was spent and what is left, and what meetings cost now.

Everybody sees their own; what the server and others spent is for moderators and approvers, and
only where nobody else reads it.
"""

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection

from bot.council.admission import Asker
from bot.council.approvals import may_approve
from bot.council.pricing import Rates
from bot.council.tools import Tools
from bot.money.days import Day, day_of
from bot.panels import Budgets
from bot.store import ledger
from bot.store.ledger import MODEL, PANEL, PERSON, Line, Sum
from bot.words.money import dollars, spent_words

SHOWN_LINES = 8
LIMIT = 2000
FOR_MODERATORS = "-# The server's costs are shown by `/roundtable costs`, where only you read them."
REHEARSAL = "Stand-ins play every seat: nothing costs anything."


async def costs_text(tools: Tools, guild_id: int, asker: Asker, *, private: bool) -> str:
    """The answer to one person; `private` says that nobody else reads it."""
    config = tools.config(guild_id)
    limits = config.budgets
    await tools.prices.load()
    day = day_of(tools.store.now(), limits.time_zone)
    may_see = asker.may_manage or may_approve(asker, config.trigger.approver_role_ids)

    def read(conn: Connection) -> list[str]:
        lines = list(_own(conn, asker.id, limits, day))
        if may_see and private:
            lines += ["", *_server(conn, guild_id, limits, day)]
        return lines

    lines = await tools.store.read(read)
    if may_see and not private:
        lines.append(FOR_MODERATORS)
    return _fitting([*lines, "", *_prices(tools.rates(guild_id))])


def _own(conn: Connection, person_id: int, limits: Budgets, day: Day) -> Iterator[str]:
    today = ledger.of_person(conn, person_id, day.began)
    month = ledger.of_person(conn, person_id, day.month_began)
    yield "**💰 You**"
    yield from _totals(today, month, limits.per_person_per_day_usd, day)
    for name, group in (("model", MODEL), ("panel", PANEL)):
        yield from _by(name, _pairs(ledger.person_lines(conn, person_id, day.month_began, group)))


def _server(conn: Connection, guild_id: int, limits: Budgets, day: Day) -> Iterator[str]:
    today = ledger.of_server(conn, guild_id, day.began)
    month = ledger.of_server(conn, guild_id, day.month_began)
    yield "**This server**"
    yield from _totals(today, month, limits.per_server_per_day_usd, day)
    people = ledger.server_lines(conn, guild_id, day.month_began, PERSON)
    yield from _by("person", [(f"<@{line.name}>", line.sum) for line in people])
    for name, group in (("model", MODEL), ("panel", PANEL)):
        yield from _by(name, _pairs(ledger.server_lines(conn, guild_id, day.month_began, group)))


def _pairs(lines: Sequence[Line]) -> list[tuple[str, Sum]]:
    return [(line.name, line.sum) for line in lines]


def _totals(today: Sum, month: Sum, limit: float, day: Day) -> Iterator[str]:
    yield (
        f"Today {_spent(today)} of {dollars(limit)} · {_roundtables(today)}, {today.calls} calls · "
        f"next day <t:{int(day.ends)}:R>"
    )
    yield f"This month {_spent(month)} · {_roundtables(month)}, {month.tokens:,} tokens"


def _by(name: str, found: Sequence[tuple[str, Sum]]) -> Iterator[str]:
    if not found:
        return
    shown = [f"{label} {_spent(summed)}" for label, summed in found[:SHOWN_LINES]]
    rest = [f"{len(found) - SHOWN_LINES} more"] if len(found) > SHOWN_LINES else []
    yield f"-# By {name} this month: {' · '.join([*shown, *rest])}"


def _prices(rates: Rates) -> Iterator[str]:
    yield "**What a roundtable costs now**"
    if rates.resolution.rehearsal:
        yield REHEARSAL
        return
    yield from (f"- {name}: {price}" for name, price in rates.table())


def _spent(summed: Sum) -> str:
    return spent_words(summed.known_usd, summed.unpriced_calls)


def _roundtables(summed: Sum) -> str:
    return "1 roundtable" if summed.runs == 1 else f"{summed.runs} roundtables"


def _fitting(lines: Sequence[str]) -> str:
    """As many whole lines as one message holds."""
    kept: list[str] = []
    for line in lines:
        if sum(map(len, kept)) + len(kept) + len(line) > LIMIT:
            break
        kept.append(line)
    return "\n".join(kept).strip()
