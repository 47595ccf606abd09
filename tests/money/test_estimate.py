"""The estimate follows the formula of the contract and grows with what is asked for."""

import pytest

from bot.meeting.design.pricing import RunPricing
from bot.messages.money import MoneyText
from bot.money.estimate import Estimate, estimate_words, usd_words
from bot.request import Request
from bot.types.mode import Mode
from tests.money.test_prices import opened
from tests.panels.panels_data import bent, shipped


@pytest.fixture(scope="module")
def rates() -> RunPricing:
    book, config, resolution = opened(shipped(), "OPENROUTER_API_KEY")
    return RunPricing(config, resolution, book)


def test_the_number_of_calls_follows_the_formula(rates: RunPricing) -> None:
    """Digest 1 + 4 analysts + 4 seats and a summary per round + dissent + synthesis.

    The synthesis may be rewritten once for its form (B22), and once for its validators (E80).
    A proposition is asked for where the topic states none and no analyst gives one, and options
    of a vote where nobody names any.
    """
    full = rates.of_request(Request("tea?", Mode.DEBATE))
    assert (full.least_calls, full.most_calls) == (4 + 4 + 1 + 1, 1 + 4 + 1 + 8 + 2 + 1 + 2)
    stated = rates.of_request(Request("Should we drink tea?", Mode.DEBATE))
    assert stated.most_calls == full.most_calls - 1
    searchless = rates.of_request(Request("tea?", Mode.DEBATE, search=False))
    assert searchless.most_calls == full.most_calls - 1
    checked = rates.of_request(Request("tea?", Mode.DEBATE, validate=True))
    assert checked.most_calls == full.most_calls + 4 + 1
    vote = rates.of_request(Request("tea or coffee?", Mode.VOTE))
    assert (vote.least_calls, vote.most_calls) == (4 + 4 + 1 + 1, 1 + 4 + 8 + 2 + 3 + 2)
    asked = rates.of_request(Request("tea or coffee?", Mode.VOTE, rounds=2))
    assert (asked.least_calls, asked.most_calls) == (4 + 8 + 2 + 1, vote.most_calls)
    unnamed = rates.of_request(Request("our drinks", Mode.VOTE))
    assert unnamed.most_calls == vote.most_calls + 1
    named = rates.of_request(Request("our drinks", Mode.VOTE, options=("tea", "coffee")))
    assert named.most_calls == vote.most_calls


@pytest.mark.parametrize("rule", ["auto", "thrifty", "always"])
@pytest.mark.parametrize("mode", [Mode.DEBATE, Mode.VOTE, Mode.REDTEAM])
def test_the_price_seen_beforehand_holds_every_planned_round(rule: str, mode: Mode) -> None:
    """Issue 24, 4: whatever may be skipped, the upper bound stays; the lower one is one round."""
    data = bent(lambda data: data.update(secondRound=rule))
    book, config, resolution = opened(data, "OPENROUTER_API_KEY")
    rates = RunPricing(config, resolution, book)
    found = rates.of_request(Request("tea or coffee?", mode, search=False))
    asked = rates.of_request(Request("tea or coffee?", mode, search=False, rounds=2))
    assert (asked.most_calls, asked.most_usd) == (found.most_calls, found.most_usd)
    skips = mode is Mode.DEBATE or (mode is Mode.VOTE and rule != "always")
    assert asked.least_calls - found.least_calls == (4 + 1 if skips else 0)


def test_quick_costs_at_most_half(rates: RunPricing) -> None:
    """E20: `--quick` halves it."""
    full = rates.of_request(Request("tea?", Mode.DEBATE))
    quick = rates.of_request(Request("tea?", Mode.DEBATE, quick=True))
    assert 0 < quick.most_usd <= full.most_usd / 2
    assert full.least_usd < full.most_usd


def test_a_long_topic_costs_more(rates: RunPricing) -> None:
    short = rates.of_request(Request("tea?", Mode.DEBATE))
    long = rates.of_request(Request("tea? " * 700, Mode.DEBATE))
    assert long.most_usd > short.most_usd * 1.05


def test_an_estimate_survives_the_store(rates: RunPricing) -> None:
    full = rates.of_request(Request("tea?", Mode.DEBATE))
    assert Estimate.from_dict(full.to_dict()) == full


def test_unknown_is_never_shown_as_nothing() -> None:
    unknown = Estimate(1, 2, 0.0, 0.0, 5000, ("odd",))
    assert usd_words(unknown) == "unknown price: odd"
    assert usd_words(Estimate(1, 2, 0.1, 0.2, 5000, ("odd",))) == "$0.10–$0.20 + unknown price: odd"
    assert estimate_words(Estimate(3, 4)) == "Estimate: 3–4 calls · costs nothing"
    assert MoneyText.spent_words(0.0, 2) == "price unknown (2 calls of unknown price)"
    assert MoneyText.dollars(0.0012) == "$0.0012"
    assert MoneyText.dollars(0.0000001) == "less than $0.0001"
