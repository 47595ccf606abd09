"""Money in words: ranges, unknown prices and what is left; unknown is never shown as 0."""

from bot.money.estimate import Estimate
from bot.money.prices import Source, Tariff
from bot.panels import Budgets

CENT = 0.01
FREE_OF_CHARGE = "costs nothing"


def dollars(amount: float) -> str:
    """An amount as people write it; small ones keep two digits that say something."""
    if amount >= CENT or amount <= 0:
        return f"${amount:.2f}"
    return f"${amount:.2g}" if amount >= CENT / 100 else "less than $0.0001"


def spent_words(known_usd: float, unpriced_calls: int) -> str:
    """What was spent, with the calls of unknown price beside the sum."""
    if not unpriced_calls:
        return dollars(known_usd)
    calls = f"{unpriced_calls} {'call' if unpriced_calls == 1 else 'calls'} of unknown price"
    return f"{dollars(known_usd)} + {calls}" if known_usd else f"price unknown ({calls})"


def calls_words(estimate: Estimate) -> str:
    """How many calls, as a range."""
    least, most = estimate.least_calls, estimate.most_calls
    return f"{most} calls" if least == most else f"{least}–{most} calls"


def usd_words(estimate: Estimate) -> str:
    """How many dollars, as a range; models without a price are named."""
    least, most = dollars(estimate.least_usd), dollars(estimate.most_usd)
    priced = "" if not estimate.most_usd else most if least == most else f"{least}–{most}"
    if not estimate.unpriced:
        return priced or FREE_OF_CHARGE
    unknown = f"unknown price: {', '.join(estimate.unpriced)}"
    return f"{priced} + {unknown}" if priced else unknown


def estimate_words(estimate: Estimate) -> str:
    """The estimate in one line."""
    return f"Estimate: {calls_words(estimate)} · {usd_words(estimate)}"


def price_words(tariff: Tariff | None) -> str:
    """A model's price and where it comes from."""
    if tariff is None:
        return "unknown price, allowed by allowUnpriced"
    if tariff.source is Source.FREE:
        return "free: it runs on this machine or its provider is marked so"
    read, written = dollars(tariff.read_per_million), dollars(tariff.written_per_million)
    return f"{read} per million tokens read, {written} written ({tariff.source})"


def limit_words(limits: Budgets) -> str:
    """The limits that hold, in one sentence."""
    return (
        f"the starter confirms above {dollars(limits.confirm_above_usd)}, an approver above "
        f"{dollars(limits.per_run_usd)}; {dollars(limits.per_person_per_day_usd)} a day for one "
        f"person, {dollars(limits.per_server_per_day_usd)} for a server"
    )
