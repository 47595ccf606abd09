"""Money in words: amounts, ranges, prices, limits and what is left; unknown is never shown as 0."""

from collections.abc import Sequence
from typing import Final

from bot.words.counting import counted

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


def dollars(amount: float) -> str:
    """An amount as people write it; small ones keep two digits that say something."""
    if amount >= _CENT or amount <= 0:
        return f"${amount:.2f}"
    return f"${amount:.2g}" if amount >= _CENT / 100 else "less than $0.0001"


def spent_words(known_usd: float, unpriced_calls: int) -> str:
    """What was spent, with the calls of unknown price beside the sum."""
    if not unpriced_calls:
        return dollars(known_usd)
    calls = f"{counted(unpriced_calls, 'call')} of unknown price"
    return f"{dollars(known_usd)} + {calls}" if known_usd else f"price unknown ({calls})"


def calls_range(least: int, most: int) -> str:
    """How many calls, as a range."""
    return f"{most} calls" if least == most else f"{least}–{most} calls"


def usd_range(least_usd: float, most_usd: float, unpriced: Sequence[str]) -> str:
    """How many dollars, as a range; models without a price are named."""
    least, most = dollars(least_usd), dollars(most_usd)
    priced = "" if not most_usd else most if least == most else f"{least}–{most}"
    if not unpriced:
        return priced or FREE_OF_CHARGE
    unknown = f"unknown price: {', '.join(unpriced)}"
    return f"{priced} + {unknown}" if priced else unknown


def estimate(calls: str, usd: str) -> str:
    """An estimate in one line."""
    return f"Estimate: {calls} · {usd}"


def price(read: float, written: float, source: str) -> str:
    """A model's price in dollars for a million tokens, and where it comes from."""
    return (
        f"{dollars(read)} per million tokens read, {dollars(written)} written "
        f"({_PRICE_SOURCES[source]})"
    )


def limits(confirm: float, per_run: float, per_person: float, per_server: float) -> str:
    """The limits that hold, in one sentence."""
    return (
        f"the person who starts it confirms above {dollars(confirm)}, an approver above "
        f"{dollars(per_run)}; {dollars(per_person)} a day per person, {dollars(per_server)} a day "
        "per server"
    )


def limit_of_a_person(usd: float) -> str:
    """What one person may spend."""
    return f"{dollars(usd)} a day per person"


def limit_of_followups(usd: float) -> str:
    """What one person's follow-ups may cost."""
    return f"{dollars(usd)} a day for follow-ups per person"


def no_followups(day_ends: int) -> str:
    """The person's follow-up budget for today is used up."""
    return f"You have used today's budget for follow-up questions: ask again <t:{day_ends}:R>."


def limit_of_a_server(usd: float) -> str:
    """What a server may spend."""
    return f"{dollars(usd)} a day for this server"


def no_money(whose: str, left: float, needed: str, day_ends: int, *, some_is_held: bool) -> str:
    """Why a roundtable cannot start today."""
    sooner = " or when a running roundtable ends" if some_is_held else ""
    return (
        f"{whose} budget has {dollars(left)} left for today and this roundtable needs {needed}: "
        f"start it <t:{day_ends}:R>{sooner}, or start a smaller one with `--quick`."
    )


def no_tokens(models: Sequence[str], limit: int, left: int, day_ends: int) -> str:
    """Why a roundtable with models of unknown price cannot start today."""
    return (
        f"{', '.join(models)}: the price is unknown, and {left:,} of {limit:,} daily tokens for "
        f"such models are left: start it <t:{day_ends}:R>."
    )


def run_limit_reached(usd: float) -> str:
    """The run's own limit is reached."""
    return f"the limit of {dollars(usd)} for this roundtable is reached"


def limit_reached(limit: str) -> str:
    """A daily limit is reached."""
    return f"the limit of {limit} is reached"


def odd_usage(calls: int) -> str:
    """Note in META about impossible usage figures from providers."""
    return (
        f"The provider reported impossible usage for {counted(calls, 'call')}: the figures were "
        "capped, and the cost is an estimate."
    )


def no_price(provider: str, wire_model: str, key: str) -> str:
    """Why a model of unknown price is not used, and what an admin can do about it."""
    return (
        f"{provider}: the price of {wire_model} is unknown; set models.{key}.price, or set "
        f"models.{key}.allowUnpriced to use it anyway"
    )
