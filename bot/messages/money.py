"""Amounts, prices, limits and what was spent; unknown is never shown as 0."""

from collections.abc import Sequence
from typing import Final

from bot.messages.counting import counted


class MoneyText:
    """Money in words: amounts, prices, limits and what is left; unknown is never shown as 0."""

    _CENT: Final = 0.01
    FREE_OF_CHARGE: Final = "costs nothing"
    YOURS: Final = "Your"
    THE_SERVERS: Final = "This server's"
    UNKNOWN_BUT_ALLOWED: Final = "unknown price, allowed by allowUnpriced"
    FREE: Final = "free: it runs on this machine or its provider is marked as free"
    TOKENS_USED_UP: Final = "the daily token limit for models of unknown price is used up"
    _PRICE_SOURCES: Final = {
        "configured": "panels.json",
        "listed": "price list",
        "reported": "reported by the provider",
        "free": "free",
    }
    """Where a price comes from."""

    @staticmethod
    def dollars(amount: float) -> str:
        """An amount as people write it; small ones keep two digits that say something."""
        if amount >= MoneyText._CENT or amount <= 0:
            return f"${amount:.2f}"
        return f"${amount:.2g}" if amount >= MoneyText._CENT / 100 else "less than $0.0001"

    @staticmethod
    def spent_words(known_usd: float, unpriced_calls: int) -> str:
        """What was spent, with the calls of unknown price beside the sum."""
        if not unpriced_calls:
            return MoneyText.dollars(known_usd)
        calls = f"{counted(unpriced_calls, 'call')} of unknown price"
        return (
            f"{MoneyText.dollars(known_usd)} + {calls}" if known_usd else f"price unknown ({calls})"
        )

    @staticmethod
    def token_words(tokens: int, cached: int) -> str:
        """How many tokens were used, and how many of them came from caches."""
        from_cache = f" ({cached:,} cached)" if cached else ""
        return f"{tokens:,} tokens{from_cache}"

    @staticmethod
    def calls_range(least: int, most: int) -> str:
        """How many calls, as a range."""
        return f"{most} calls" if least == most else f"{least}–{most} calls"

    @staticmethod
    def usd_range(least_usd: float, most_usd: float, unpriced: Sequence[str]) -> str:
        """How many dollars, as a range; models without a price are named."""
        least, most = MoneyText.dollars(least_usd), MoneyText.dollars(most_usd)
        priced = "" if not most_usd else most if least == most else f"{least}–{most}"
        if not unpriced:
            return priced or MoneyText.FREE_OF_CHARGE
        unknown = f"unknown price: {', '.join(unpriced)}"
        return f"{priced} + {unknown}" if priced else unknown

    @staticmethod
    def estimate(calls: str, usd: str) -> str:
        """An estimate in one line."""
        return f"Estimate: {calls} · {usd}"

    @staticmethod
    def price(read: float, written: float, source: str) -> str:
        """A model's price in dollars for a million tokens, and where it comes from."""
        return (
            f"{MoneyText.dollars(read)} per million tokens read, {MoneyText.dollars(written)} "
            f"written ({MoneyText._PRICE_SOURCES[source]})"
        )

    @staticmethod
    def limits(confirm: float, per_run: float, per_person: float, per_server: float) -> str:
        """The limits that hold, in one sentence."""
        return (
            f"the person who starts it confirms above {MoneyText.dollars(confirm)}, an approver "
            f"above {MoneyText.dollars(per_run)}; {MoneyText.dollars(per_person)} a day per "
            f"person, {MoneyText.dollars(per_server)} a day per server"
        )

    @staticmethod
    def limit_of_a_person(usd: float) -> str:
        """What one person may spend."""
        return f"{MoneyText.dollars(usd)} a day per person"

    @staticmethod
    def limit_of_followups(usd: float) -> str:
        """What one person's follow-ups may cost."""
        return f"{MoneyText.dollars(usd)} a day for follow-ups per person"

    @staticmethod
    def no_followups(day_ends: int) -> str:
        """The person's follow-up budget for today is used up."""
        return f"You have used today's budget for follow-up questions: ask again <t:{day_ends}:R>."

    @staticmethod
    def limit_of_a_server(usd: float) -> str:
        """What a server may spend."""
        return f"{MoneyText.dollars(usd)} a day for this server"

    @staticmethod
    def no_money(whose: str, left: float, needed: str, day_ends: int, *, some_is_held: bool) -> str:
        """Why a roundtable cannot start today."""
        sooner = " or when a running roundtable ends" if some_is_held else ""
        return (
            f"{whose} budget has {MoneyText.dollars(left)} left for today and this "
            f"roundtable needs {needed}: "
            f"start it <t:{day_ends}:R>{sooner}, or start a smaller one with `--quick`."
        )

    @staticmethod
    def no_tokens(models: Sequence[str], limit: int, left: int, day_ends: int) -> str:
        """Why a roundtable with models of unknown price cannot start today."""
        return (
            f"{', '.join(models)}: the price is unknown, and {left:,} of {limit:,} daily tokens "
            f"for such models are left: start it <t:{day_ends}:R>."
        )

    @staticmethod
    def run_limit_reached(usd: float) -> str:
        """The run's own limit is reached."""
        return f"the limit of {MoneyText.dollars(usd)} for this roundtable is reached"

    @staticmethod
    def limit_reached(limit: str) -> str:
        """A daily limit is reached."""
        return f"the limit of {limit} is reached"

    @staticmethod
    def odd_usage(calls: int) -> str:
        """Note in META about impossible usage figures from providers."""
        return (
            f"The provider reported impossible usage for {counted(calls, 'call')}: the figures "
            "were capped, and the cost is an estimate."
        )

    @staticmethod
    def no_price(provider: str, wire_model: str, key: str) -> str:
        """Why a model of unknown price is not used, and what an admin can do about it."""
        return (
            f"{provider}: the price of {wire_model} is unknown; set models.{key}.price, or set "
            f"models.{key}.allowUnpriced to use it anyway"
        )


class CostText:
    """`roundtable costs`: what was spent, and what meetings cost now."""

    FOR_MODERATORS: Final = (
        "-# Use `/roundtable costs` to see the server's costs; only you can see the reply."
    )
    REHEARSAL: Final = "Every seat is a stand-in, so everything is free."
    YOU: Final = "**💰 You**"
    THIS_SERVER: Final = "**This server**"
    PRICES: Final = "**What a roundtable costs now**"
    MODEL: Final = "model"
    PANEL: Final = "panel"
    PERSON: Final = "person"
    FULL_DEBATE: Final = "a full debate"
    VALIDATED: Final = "with `--validate`"
    QUICK: Final = "with `--quick`"
    BUDGET_PANEL: Final = "with `--panel budget`"

    @staticmethod
    def today(spent: str, limit: str, runs: int, calls: int, next_day: int) -> str:
        """The sum of a day."""
        return (
            f"Today {spent} of {limit} · {counted(runs, 'roundtable')}, {calls} calls · "
            f"next day <t:{next_day}:R>"
        )

    @staticmethod
    def this_month(spent: str, runs: int, tokens: str) -> str:
        """The sum of a month."""
        return f"This month {spent} · {counted(runs, 'roundtable')}, {tokens}"

    @staticmethod
    def by_group(group: str, found: Sequence[tuple[str, str]], more: int) -> str:
        """The largest sums of a month by model, panel or person, and how many are not shown."""
        shown = [f"{name} {spent}" for name, spent in found]
        rest = [f"{more} more"] if more > 0 else []
        return f"-# By {group} this month: {' · '.join([*shown, *rest])}"

    @staticmethod
    def person(person_id: str) -> str:
        """A person whose sum is shown."""
        return f"<@{person_id}>"

    @staticmethod
    def price_row(name: str, price: str) -> str:
        """What one kind of meeting costs."""
        return f"- {name}: {price}"

    @staticmethod
    def price_and_calls(price: str, calls: str) -> str:
        """What a meeting costs and how many calls it takes."""
        return f"{price} · {calls}"

    @staticmethod
    def seat_of(model: str) -> str:
        """One more seat of a model, as a row of the prices."""
        return f"a seat of {model}"
