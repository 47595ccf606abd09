"""Reserving money: how much a piece of work may have, or why it gets nothing.

Everything here runs inside one transaction of the store's single writer, so concurrent starts are
decided one after the other.
"""

from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from sqlalchemy import Connection

from bot.errors import NotAllowedError
from bot.messages.money import MoneyText
from bot.money.estimate import NO_ESTIMATE, Estimate, usd_words
from bot.panels import Budgets
from bot.panels.section import zone_of
from bot.store.repositories import budgets
from bot.store.repositories.budgets import RUN, Budget, BudgetRepository, Used
from bot.store.repositories.runs import Run

_SMALLEST = 0.0001


@dataclass(frozen=True, slots=True)
class Day:
    """The start and end of a day, and the start of its month."""

    began: float
    ends: float
    month_began: float

    @classmethod
    def of(cls, now: float, time_zone: str) -> "Day":
        """The day of a moment in a time zone; one with a clock change has 23 or 25 hours."""
        zone = zone_of(time_zone)
        today = datetime.fromtimestamp(now, zone).date()
        starts = [today, today + timedelta(days=1), today.replace(day=1)]
        moments = [datetime.combine(day, time(), zone).timestamp() for day in starts]
        return cls(*moments)


@dataclass(frozen=True, slots=True)
class _Room:
    """What is left today under the tighter of the limits, and whose that is."""

    usd: float
    tokens: int
    whose: str
    limit: str
    held: float


def open_budget(
    conn: Connection, wanted: Budget, estimate: Estimate, limits: Budgets, now: float
) -> Budget | None:
    """Reserve the estimate, or what is left if at least the cheapest outcome fits; else refuse.

    Work that costs nothing needs no budget. Reopened work keeps what it has spent.
    """
    if estimate.is_free:
        return None
    day = Day.of(now, limits.time_zone)
    known = stored(conn, wanted)
    room = _room(known, BudgetRepository(conn).used(known, day.began), limits)
    if estimate.most_usd and room.usd < max(estimate.least_usd, _SMALLEST):
        raise NotAllowedError(_no_money(room, estimate, day))
    if estimate.most_tokens > room.tokens:
        raise NotAllowedError(_no_tokens(room, estimate, limits, day))
    opened = replace(
        known,
        reserved_usd=known.spent_usd + min(estimate.most_usd, room.usd),
        reserved_tokens=known.spent_tokens + estimate.most_tokens,
        cap_usd=max(known.cap_usd, limits.per_run_usd),
        closed_at=None,
    )
    BudgetRepository(conn).put(opened)
    return opened


def widen(
    conn: Connection, budget: Budget, usd: float, tokens: int, limits: Budgets, now: float
) -> tuple[Budget, str]:
    """Reserve more, up to the run's cap and what is left today; returns what limited it."""
    day = Day.of(now, limits.time_zone)
    known = stored(conn, budget)
    room = _room(known, BudgetRepository(conn).used(known, day.began), limits)
    top = known.spent_usd + max(0.0, room.usd)
    granted = min(usd, known.cap_usd or limits.per_run_usd, top)
    granted_tokens = min(tokens, known.spent_tokens + max(0, room.tokens))
    wider = replace(
        known,
        reserved_usd=max(known.reserved_usd, granted),
        reserved_tokens=max(known.reserved_tokens, granted_tokens),
        cap_usd=known.cap_usd or limits.per_run_usd,
        closed_at=None,
    )
    BudgetRepository(conn).put(wider)
    return wider, _obstacle(wider, usd, tokens, top, room)


def raise_cap(conn: Connection, budget: Budget, cap_usd: float) -> None:
    """Let a run spend what a person agreed to."""
    known = stored(conn, budget)
    BudgetRepository(conn).put(replace(known, cap_usd=max(known.cap_usd, cap_usd)))


def stored(conn: Connection, budget: Budget) -> Budget:
    """The stored budget; a closed one reserves nothing, an unknown one is as given."""
    found = BudgetRepository(conn).get(budget.run_id, budget.name) or budget
    if found.closed_at is None:
        return found
    return replace(found, reserved_usd=found.spent_usd, reserved_tokens=found.spent_tokens)


def require_followup_money(
    conn: Connection, person_id: int, guild_id: int, limits: Budgets, now: float
) -> None:
    """Refuse a question when the person's share for follow-ups is used up today."""
    day, name = Day.of(now, limits.time_zone), f"{budgets.FOLLOWUPS}{person_id}"
    used = BudgetRepository(conn).used(Budget("", name, person_id, guild_id), day.began)
    share, tokens = _share_of_followups(used, limits)
    spends = used.followups_spent + used.followups_held
    spends_tokens = used.followup_tokens_spent + used.followup_tokens_held
    if (spends and share < _SMALLEST) or (spends_tokens and tokens <= 0):
        raise NotAllowedError(MoneyText.no_followups(int(day.ends)))


def _share_of_followups(used: Used, limits: Budgets) -> tuple[float, int]:
    """What is left today of the part of a person's budget that is for follow-ups."""
    usd = limits.followup_share * limits.per_person_per_day_usd
    tokens = int(limits.followup_share * limits.unpriced_tokens_per_day)
    return (
        usd - used.followups_spent - used.followups_held,
        tokens - used.followup_tokens_spent - used.followup_tokens_held,
    )


def _room(budget: Budget, used: Used, limits: Budgets) -> _Room:
    person = limits.per_person_per_day_usd - used.person_spent - used.person_held
    server = limits.per_server_per_day_usd - used.server_spent - used.server_held
    tokens = limits.unpriced_tokens_per_day - used.tokens_spent - used.tokens_held
    if budget.name.startswith(budgets.FOLLOWUPS):
        share, share_tokens = _share_of_followups(used, limits)
        tokens = min(tokens, share_tokens)
        if share <= min(person, server):
            whole = limits.followup_share * limits.per_person_per_day_usd
            told = MoneyText.limit_of_followups(whole)
            return _Room(share, tokens, MoneyText.YOURS, told, used.followups_held)
    if person <= server:
        limit = MoneyText.limit_of_a_person(limits.per_person_per_day_usd)
        return _Room(person, tokens, MoneyText.YOURS, limit, used.person_held)
    limit = MoneyText.limit_of_a_server(limits.per_server_per_day_usd)
    return _Room(server, tokens, MoneyText.THE_SERVERS, limit, used.server_held)


def _no_money(room: _Room, estimate: Estimate, day: Day) -> str:
    left, needed = max(0.0, room.usd), usd_words(estimate)
    return MoneyText.no_money(room.whose, left, needed, int(day.ends), some_is_held=bool(room.held))


def _no_tokens(room: _Room, estimate: Estimate, limits: Budgets, day: Day) -> str:
    limit, left = limits.unpriced_tokens_per_day, max(0, room.tokens)
    return MoneyText.no_tokens(estimate.unpriced, limit, left, int(day.ends))


def _obstacle(wider: Budget, usd: float, tokens: int, top: float, room: _Room) -> str:
    if tokens > wider.reserved_tokens:
        return MoneyText.TOKENS_USED_UP
    if usd <= wider.reserved_usd:
        return ""
    if wider.cap_usd <= top:
        return MoneyText.run_limit_reached(wider.cap_usd)
    return MoneyText.limit_reached(room.limit)


def reserve(conn: Connection, run: Run, estimate: Estimate, limits: Budgets, now: float) -> None:
    """Reserve what the run may cost, or refuse it with one sentence."""
    wanted = Budget(run.id, RUN, run.starter_id, run.guild_id)
    open_budget(conn, wanted, estimate, limits, now)


def reserve_rest(
    conn: Connection, run: Run, estimate: Estimate, limits: Budgets, now: float
) -> None:
    """Reserve the remaining budget of a resumed run, unless a reservation exists."""
    known = BudgetRepository(conn).get(run.id) or Budget(run.id, RUN, run.starter_id, run.guild_id)
    if known.closed_at is None and known.reserved_usd > known.spent_usd:
        return
    reserve(conn, run, estimate.after(known.spent_usd, known.spent_tokens), limits, now)


def release(conn: Connection, run: Run, now: float) -> None:
    """Release a run's reservation while it waits for a person."""
    BudgetRepository(conn).close(run.id, RUN, now)


def stored_estimate(run: Run) -> Estimate:
    """The estimate stored with the run."""
    stored = run.request.get("estimate")
    return Estimate.from_dict(stored) if stored else NO_ESTIMATE
