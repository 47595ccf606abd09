"""The purse of one piece of work: every call asks it first and settles with it afterwards.

What is set aside lies in the store; what is under way this moment is known here alone, because one
process makes all calls of a run. After a kill the calls under way are gone, and the purse is what
the store says.
"""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from bot.models.port import ErrorKind, Message, Usage
from bot.money import leases
from bot.money.estimate import size_of, tokens_in
from bot.money.prices import PriceBook, Tokens
from bot.panels import Budgets, ResolvedModel
from bot.store import Store, budgets
from bot.store.budgets import RUN, Budget

_UNSEEN = frozenset({ErrorKind.TIMEOUT, ErrorKind.NETWORK, ErrorKind.BAD_OUTPUT})


@dataclass(frozen=True, slots=True)
class Amount:
    """Dollars of priced models, tokens of the others."""

    usd: float = 0.0
    tokens: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        """Both together."""
        return Amount(self.usd + other.usd, self.tokens + other.tokens)

    def beyond(self, other: "Amount") -> "Amount":
        """What is missing if the other is there already."""
        return Amount(max(0.0, self.usd - other.usd), max(0, self.tokens - other.tokens))

    def __bool__(self) -> bool:
        """Whether it is anything at all."""
        return bool(self.usd or self.tokens)


NOTHING = Amount()


@dataclass(frozen=True, slots=True)
class Bill:
    """What a try cost, None when nobody knows, and what it counts against the budget."""

    cost_usd: float | None = None
    charged: Amount = NOTHING


NO_BILL = Bill()


class Purse:
    """Money for the calls of one run, or of one follow-up to it."""

    def __init__(
        self,
        store: Store,
        prices: PriceBook,
        limits: Callable[[], Budgets],
        run_id: str,
        person_id: int,
        guild_id: int,
        name: str = RUN,
    ) -> None:
        self._store = store
        self._prices = prices
        self._limits = limits
        self._empty = Budget(run_id, name, person_id, guild_id)
        self._budget: Budget | None = None
        self._held = NOTHING
        self._kept = NOTHING
        self._one_at_a_time = asyncio.Lock()
        self.obstacle = ""
        """Why the last call was refused, in words that fit after "because"."""

    @property
    def person_id(self) -> int:
        """Who pays."""
        return self._empty.person_id

    @property
    def guild_id(self) -> int:
        """In which server."""
        return self._empty.guild_id

    def keep(self, amount: Amount) -> None:
        """Leave so much untouched until something essential needs it."""
        self._kept = amount

    def price(self, model: ResolvedModel, purpose: str, chars: int | None = None) -> Amount:
        """What a call will cost at most; without a prompt its usual size is taken."""
        size = size_of(purpose)
        read = size.most_read if chars is None else tokens_in(chars)
        return self._charge(model, Tokens(read, size.most_written))

    async def take(self, amount: Amount, *, essential: bool = False) -> bool:
        """Hold an amount for a call that begins now; False when the budget does not allow it.

        Something essential is never refused: what was kept for it is there.
        """
        if not amount:
            return True
        async with self._one_at_a_time:
            fits = await self._fits(amount, essential=essential)
            if fits or essential:
                self._held += amount
            return fits or essential

    async def affords(self, amount: Amount) -> bool:
        """Whether an amount could be taken now beside what is kept; sets more aside if it must."""
        if not amount:
            return True
        async with self._one_at_a_time:
            return await self._fits(amount, essential=False)

    def bill(
        self,
        model: ResolvedModel,
        usage: Usage | None,
        error: ErrorKind | None,
        *,
        chars_read: int,
        chars_written: int = 0,
    ) -> Bill:
        """What a try cost: as reported, else by its price.

        A lost one is charged for its prompt and for what had been written until then.
        """
        if usage is not None:
            used = Tokens(usage.input_tokens, usage.output_tokens, usage.cached_tokens)
            tariff = self._prices.tariff(model)
            cost = usage.cost_usd
            if cost is None and tariff is not None:
                cost = tariff.cost(used)
            return Bill(cost, Amount(tokens=used.all) if cost is None else Amount(cost))
        if error is None:
            guess = Tokens(tokens_in(chars_read), tokens_in(chars_written))
            return Bill(self._free_cost(model), self._charge(model, guess))
        if error in _UNSEEN:
            guess = Tokens(tokens_in(chars_read), tokens_in(chars_written))
            return Bill(None, self._charge(model, guess))
        return NO_BILL

    def settle_in(self, conn: Connection, charged: Amount) -> None:
        """Count what a call used, in the transaction of its answer."""
        if charged:
            name = self._empty.name
            budgets.settle(conn, self._empty.run_id, name, charged.usd, charged.tokens)

    def settled(self, held: Amount, charged: Amount) -> None:
        """Let go of what was held, once what it became is stored."""
        self._held += Amount(-held.usd, -held.tokens)
        if self._budget is not None:
            self._budget = _with_spent(self._budget, charged)

    async def close(self) -> None:
        """Give back what was set aside and not used, when no run's end does it."""
        if self._budget is None:
            return
        name, now = self._empty.name, self._store.now()
        await self._store.jot(lambda conn: budgets.close(conn, self._empty.run_id, name, now))

    async def _fits(self, amount: Amount, *, essential: bool) -> bool:
        kept = NOTHING if essential else self._kept
        needed = self._held + amount + kept
        budget = self._budget or await self._load()
        if _covers(budget, needed):
            return True
        usd = budget.spent_usd + needed.usd
        tokens = budget.spent_tokens + needed.tokens
        now, limits = self._store.now(), self._limits()
        wider, self.obstacle = await self._store.jot(
            lambda conn: leases.widen(conn, budget, usd, tokens, limits, now)
        )
        self._budget = wider
        return _covers(wider, needed)

    async def _load(self) -> Budget:
        self._budget = await self._store.glance(lambda conn: leases.stored(conn, self._empty))
        return self._budget

    def _charge(self, model: ResolvedModel, tokens: Tokens) -> Amount:
        tariff = self._prices.tariff(model)
        return Amount(tokens=tokens.all) if tariff is None else Amount(tariff.cost(tokens))

    def _free_cost(self, model: ResolvedModel) -> float | None:
        """A model that costs nothing has a known cost even when it counts no tokens."""
        tariff = self._prices.tariff(model)
        free = tariff is not None and not tariff.read_per_million and not tariff.written_per_million
        return 0.0 if free else None


def prompt_chars(messages: tuple[Message, ...]) -> int:
    """How long a prompt is."""
    return sum([len(message.text) for message in messages])


def _covers(budget: Budget, needed: Amount) -> bool:
    left = budget.reserved_usd - budget.spent_usd
    enough = needed.usd <= left or math.isclose(needed.usd, left, abs_tol=1e-9)
    return enough and needed.tokens <= budget.reserved_tokens - budget.spent_tokens


def _with_spent(budget: Budget, charged: Amount) -> Budget:
    return replace(
        budget,
        spent_usd=budget.spent_usd + charged.usd,
        spent_tokens=budget.spent_tokens + charged.tokens,
    )
