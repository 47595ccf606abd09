"""Estimates, prices and limits in the catalogue's words."""

from bot.messages.money import MoneyText
from bot.money.estimate import Estimate
from bot.money.prices import Source, Tariff
from bot.panels import Budgets


def calls_words(estimate: Estimate) -> str:
    """How many calls, as a range."""
    return MoneyText.calls_range(estimate.least_calls, estimate.most_calls)


def usd_words(estimate: Estimate) -> str:
    """How many dollars, as a range; models without a price are named."""
    return MoneyText.usd_range(estimate.least_usd, estimate.most_usd, estimate.unpriced)


def estimate_words(estimate: Estimate) -> str:
    """The estimate in one line."""
    return MoneyText.estimate(calls_words(estimate), usd_words(estimate))


def price_words(tariff: Tariff | None) -> str:
    """A model's price and where it comes from."""
    if tariff is None:
        return MoneyText.UNKNOWN_BUT_ALLOWED
    if tariff.source is Source.FREE:
        return MoneyText.FREE
    return MoneyText.price(tariff.read_per_million, tariff.written_per_million, tariff.source)


def limit_words(limits: Budgets) -> str:
    """The limits that hold, in one sentence."""
    return MoneyText.limits(
        limits.confirm_above_usd,
        limits.per_run_usd,
        limits.per_person_per_day_usd,
        limits.per_server_per_day_usd,
    )
