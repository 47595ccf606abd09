"""The budget of one piece of work: every call asks it first and settles with it afterwards.

The reserved sum is in the store. Everything that works on the same row shares one budget, which
knows the calls under way: one process makes them all. After a kill the budget is what the store
says.
"""

import asyncio
import math
from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection

from bot.money import budget_rules
from bot.money.estimate import (
    NO_BILL,
    NOTHING,
    Amount,
    Bill,
    CallGrant,
    OutputLimits,
    output_limits,
    size_of,
    tokens_of,
)
from bot.money.prices import PriceBook, Tokens
from bot.panels import Budgets, ResolvedModel
from bot.store import Store
from bot.store.repositories.budgets import RUN, Budget, BudgetRepository
from bot.types.model_port import ErrorKind, Message, Usage

_UNSEEN = frozenset({ErrorKind.TIMEOUT, ErrorKind.NETWORK, ErrorKind.BAD_OUTPUT})
_AMPLE: Final = 8
"""A call gets its full output limit while so many of its kind could still be paid."""


class CallBudget:
    """Money for the calls of one run, or of one person's follow-ups to it."""

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
        self._held = NOTHING
        self._late = NOTHING
        """Held for calls nobody waits for any more, which may still cost what they write."""
        self._kept = NOTHING
        self._excess = NOTHING
        """How far a call cost more than was held for it, at most; later calls hold that as well."""
        self._one_at_a_time = asyncio.Lock()
        self._freed = asyncio.Event()
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

    def price(self, model: ResolvedModel, purpose: str) -> Amount:
        """What a call costs at most when money is short, its prompt of the usual size."""
        read, limits = size_of(purpose).most_read, self._output(model, purpose)
        return self._charge(model, Tokens(read, limits.tight)) + self._excess

    async def reserve(
        self,
        model: ResolvedModel,
        purpose: str,
        read: int,
        *,
        charged: Amount = NOTHING,
        held: Amount = NOTHING,
        written: int | None = None,
        essential: bool = False,
        patience: float = 0.0,
    ) -> CallGrant | None:
        """Hold what a call can cost before it is made; None when the budget does not allow it.

        `charged` and `held` are of earlier tries of the same question, and `written` is the output
        limit that a repeated one was sent with. `patience` is how long a
        call may wait for money that others under way hold and will hardly use up.
        """
        limits = self._output(model, purpose) if written is None else (written,)
        for most in limits:
            price, last = self._charge(model, Tokens(read, most)), most == limits[-1]
            if not last and not await self._is_ample(price):
                continue
            more = (charged + price + self._excess).beyond(held)
            # A holder of a reservation never waits for others, who may wait for it.
            waits = patience if last and not held else 0.0
            if await self.take(more, essential=essential and last, patience=waits):
                return CallGrant(more, most)
        return None

    async def take(self, amount: Amount, *, essential: bool = False, patience: float = 0.0) -> bool:
        """Hold an amount for a call that begins now; False when the budget does not allow it.

        Something essential may go beyond the limit once: by this one call.
        """
        if not amount:
            return True
        ends = asyncio.get_running_loop().time() + patience
        while True:
            async with self._one_at_a_time:
                exceeded = await self._exceeded_now(amount, essential=essential)
                if exceeded is None or (essential and self._within_cap(exceeded)):
                    self._held += amount
                    return True
                if not (patience and await self._fits_alone(amount, essential=essential)):
                    return False
            try:
                async with asyncio.timeout_at(ends):
                    await self._freed.wait()
            except TimeoutError:
                return False

    async def affords(self, amount: Amount) -> bool:
        """Whether an amount could be taken now beside what is kept; sets more aside if it must."""
        if not amount:
            return True
        async with self._one_at_a_time:
            return await self._exceeded_now(amount, essential=False) is None

    def bill(
        self,
        model: ResolvedModel,
        usage: Usage | None,
        error: ErrorKind | None,
        *,
        read: int,
        written: int = 0,
    ) -> Bill:
        """What a try cost: as reported, else by its price; a lost one by what went to and fro.

        `read` and `written` are the tokens of prompt and answer, as far as they can be counted.
        """
        guess = Tokens(read, written)
        if usage is not None:
            used = Tokens(
                usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.kept_tokens
            )
            tariff = self._prices.tariff(model)
            cost = usage.cost_usd
            if cost is None and tariff is not None:
                cost = tariff.cost(used)
            charged = Amount(tokens=used.all) if cost is None else Amount(cost)
            if usage.odd:
                charged = charged.or_more(self._charge(model, guess))
            return Bill(cost, charged)
        if error is None:
            return Bill(self._free_cost(model), self._charge(model, guess))
        if error in _UNSEEN:
            return Bill(None, self._charge(model, guess))
        return NO_BILL

    def settle_in(self, conn: Connection, charged: Amount) -> None:
        """Count what a call used, in the transaction of its answer."""
        if charged:
            name = self._empty.name
            BudgetRepository(conn).settle(self._empty.run_id, name, charged.usd, charged.tokens)

    def settled(self, held: Amount, charged: Amount, *, lingers: bool = False) -> None:
        """Let go of what was held, once what it became is stored, unless the call goes on unheard.

        What a call cost beyond what was held for it is expected of the next ones, too.
        """
        self._held -= held
        if lingers:
            self._late += held
        self._excess = self._excess.or_more(charged.beyond(held))
        self._freed.set()

    def heard_out(self, held: Amount) -> None:
        """Let go of what was held for a call that nobody waited for."""
        self._late -= held
        self._freed.set()

    async def close(self) -> None:
        """Give back what was set aside and not used, when no run's end does it.

        The last user closes it: others may still work on the same row.
        """
        if self._held:
            return
        name, now = self._empty.name, self._store.now()
        await self._store.write(
            lambda conn: BudgetRepository(conn).close(self._empty.run_id, name, now)
        )

    @property
    def _under_way(self) -> Amount:
        return self._held + self._late

    async def _is_ample(self, price: Amount) -> bool:
        budget = await self._load()
        cap = budget.cap_usd or self._limits().per_run_usd
        under_way = self._under_way + self._kept_now(essential=False)
        usd = cap - budget.spent_usd - under_way.usd
        tokens = budget.reserved_tokens - budget.spent_tokens - under_way.tokens
        return price.usd * _AMPLE <= usd and price.tokens * _AMPLE <= max(0, tokens)

    async def _fits_alone(self, amount: Amount, *, essential: bool) -> bool:
        """Whether it would fit if what is under way cost nothing; the obstacle stays as told."""
        if not self._under_way:
            return False
        told = self.obstacle
        fits = await self._exceeded(amount, essential=essential) is None
        self.obstacle = told
        return fits

    async def _exceeded_now(self, amount: Amount, *, essential: bool) -> Budget | None:
        """The same beside what is under way; looks again when money was freed meanwhile."""
        while True:
            self._freed.clear()
            exceeded = await self._exceeded(amount + self._under_way, essential=essential)
            if exceeded is None or not self._freed.is_set():
                return exceeded

    async def _exceeded(self, amount: Amount, *, essential: bool) -> Budget | None:
        """None when an amount fits beside what is kept, else the budget that it exceeds."""
        needed = amount + self._kept_now(essential=essential)
        if _covers(await self._load(), needed):
            return None
        now, limits = self._store.now(), self._limits()

        def widen(conn: Connection) -> tuple[Budget, str]:
            # Read again, because another call may have been settled meanwhile.
            spent = budget_rules.stored(conn, self._empty)
            usd, tokens = spent.spent_usd + needed.usd, spent.spent_tokens + needed.tokens
            return budget_rules.widen(conn, self._empty, usd, tokens, limits, now)

        wider, self.obstacle = await self._store.write(widen)
        return None if _covers(wider, needed) else wider

    def _within_cap(self, budget: Budget) -> bool:
        """Whether nothing has gone beyond the limit yet."""
        cap = budget.cap_usd or self._limits().per_run_usd
        return budget.spent_usd + self._under_way.usd <= cap

    def _kept_now(self, *, essential: bool) -> Amount:
        if essential or not self._kept:
            return NOTHING
        return self._kept + self._excess

    async def _load(self) -> Budget:
        """The row as it stands: a run's end, a retry or a person's consent may have changed it."""
        return await self._store.read(lambda conn: budget_rules.stored(conn, self._empty))

    def _output(self, model: ResolvedModel, purpose: str) -> OutputLimits:
        return output_limits(purpose, self._prices.reasoning_tokens(model))

    def _charge(self, model: ResolvedModel, tokens: Tokens) -> Amount:
        tariff = self._prices.tariff(model)
        return Amount(tokens=tokens.all) if tariff is None else Amount(tariff.cost(tokens))

    def _free_cost(self, model: ResolvedModel) -> float | None:
        """A model that costs nothing has a known cost even when it counts no tokens."""
        tariff = self._prices.tariff(model)
        free = tariff is not None and not tariff.read_per_million and not tariff.written_per_million
        return 0.0 if free else None


def prompt_tokens(messages: tuple[Message, ...]) -> int:
    """About how many tokens a prompt has."""
    return sum([tokens_of(message.text) for message in messages])


def _covers(budget: Budget, needed: Amount) -> bool:
    left = budget.reserved_usd - budget.spent_usd
    enough = needed.usd <= left or math.isclose(needed.usd, left, abs_tol=1e-9)
    return enough and needed.tokens <= budget.reserved_tokens - budget.spent_tokens
