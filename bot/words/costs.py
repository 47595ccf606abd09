"""`roundtable costs`: what was spent, and what meetings cost now."""

from collections.abc import Sequence
from typing import Final

from bot.words.counting import counted

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


def today(spent: str, limit: str, runs: int, calls: int, next_day: int) -> str:
    """The sum of a day."""
    return (
        f"Today {spent} of {limit} · {counted(runs, 'roundtable')}, {calls} calls · "
        f"next day <t:{next_day}:R>"
    )


def this_month(spent: str, runs: int, tokens: int) -> str:
    """The sum of a month."""
    return f"This month {spent} · {counted(runs, 'roundtable')}, {tokens:,} tokens"


def by_group(group: str, found: Sequence[tuple[str, str]], more: int) -> str:
    """The largest sums of a month by model, panel or person, and how many are not shown."""
    shown = [f"{name} {spent}" for name, spent in found]
    rest = [f"{more} more"] if more > 0 else []
    return f"-# By {group} this month: {' · '.join([*shown, *rest])}"


def person(person_id: str) -> str:
    """A person whose sum is shown."""
    return f"<@{person_id}>"


def price_row(name: str, price: str) -> str:
    """What one kind of meeting costs."""
    return f"- {name}: {price}"


def price_and_calls(price: str, calls: str) -> str:
    """What a meeting costs and how many calls it takes."""
    return f"{price} · {calls}"


def seat_of(model: str) -> str:
    """One more seat of a model, as a row of the prices."""
    return f"a seat of {model}"
