"""`roundtable costs`: what was spent and what is left, and what meetings cost now.

Everybody sees their own; what the server and others spent is for moderators and approvers, and
only where nobody else reads it.
"""

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection

from bot.access.admission import Asker
from bot.approvals.gate import may_approve
from bot.meeting.dependencies import Dependencies
from bot.meeting.design.pricing import RunPricing
from bot.messages.money import CostText, MoneyText
from bot.money.budget_rules import Day
from bot.panels import Budgets
from bot.store.repositories.ledger import MODEL, PANEL, PERSON, LedgerLine, LedgerRepository, Sum

_SHOWN_LINES = 8
_LIMIT = 2000


async def costs_text(deps: Dependencies, guild_id: int, asker: Asker, *, private: bool) -> str:
    """The reply to one person; `private` means that only they can see it."""
    config = deps.config(guild_id)
    limits = config.budgets
    await deps.prices.load()
    day = Day.of(deps.store.now(), limits.time_zone)
    may_see = asker.may_manage or may_approve(asker, config.trigger.approver_role_ids)

    def read(conn: Connection) -> list[str]:
        lines = list(_own(conn, asker.id, limits, day))
        if may_see and private:
            lines += ["", *_server(conn, guild_id, limits, day)]
        return lines

    lines = await deps.store.scan(read)
    if may_see and not private:
        lines.append(CostText.FOR_MODERATORS)
    return _fitting([*lines, "", *_prices(RunPricing.now(deps, guild_id))])


def _own(conn: Connection, person_id: int, limits: Budgets, day: Day) -> Iterator[str]:
    today = LedgerRepository(conn).of_person(person_id, day.began)
    month = LedgerRepository(conn).of_person(person_id, day.month_began)
    yield CostText.YOU
    yield from _totals(today, month, limits.per_person_per_day_usd, day)
    for name, group in ((CostText.MODEL, MODEL), (CostText.PANEL, PANEL)):
        yield from _by(
            name, _pairs(LedgerRepository(conn).person_lines(person_id, day.month_began, group))
        )


def _server(conn: Connection, guild_id: int, limits: Budgets, day: Day) -> Iterator[str]:
    today = LedgerRepository(conn).of_server(guild_id, day.began)
    month = LedgerRepository(conn).of_server(guild_id, day.month_began)
    yield CostText.THIS_SERVER
    yield from _totals(today, month, limits.per_server_per_day_usd, day)
    people = LedgerRepository(conn).server_lines(guild_id, day.month_began, PERSON)
    yield from _by(CostText.PERSON, [(CostText.person(line.name), line.sum) for line in people])
    for name, group in ((CostText.MODEL, MODEL), (CostText.PANEL, PANEL)):
        yield from _by(
            name, _pairs(LedgerRepository(conn).server_lines(guild_id, day.month_began, group))
        )


def _pairs(lines: Sequence[LedgerLine]) -> list[tuple[str, Sum]]:
    return [(line.name, line.sum) for line in lines]


def _totals(today: Sum, month: Sum, limit: float, day: Day) -> Iterator[str]:
    yield CostText.today(
        _spent(today), MoneyText.dollars(limit), today.runs, today.calls, int(day.ends)
    )
    tokens = MoneyText.token_words(month.tokens, month.cached_tokens)
    yield CostText.this_month(_spent(month), month.runs, tokens)


def _by(name: str, found: Sequence[tuple[str, Sum]]) -> Iterator[str]:
    if not found:
        return
    shown = [(label, _spent(summed)) for label, summed in found[:_SHOWN_LINES]]
    yield CostText.by_group(name, shown, len(found) - len(shown))


def _prices(rates: RunPricing) -> Iterator[str]:
    yield CostText.PRICES
    if rates.resolution.rehearsal:
        yield CostText.REHEARSAL
        return
    yield from (CostText.price_row(name, price) for name, price in rates.table())


def _spent(summed: Sum) -> str:
    return MoneyText.spent_words(summed.known_usd, summed.unpriced_calls)


def _fitting(lines: Sequence[str]) -> str:
    """As many whole lines as one message holds."""
    kept: list[str] = []
    for line in lines:
        if sum(map(len, kept)) + len(kept) + len(line) > _LIMIT:
            break
        kept.append(line)
    return "\n".join(kept).strip()
