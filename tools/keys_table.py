"""Writes into docs/panels.md who sits with which keys, from the recorded lists of the providers.

`python -m tools.keys_table` writes it anew; `--check` says whether it is up to date.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.panels import MODES, Sitting
from tests.keys.matrix import BLOCKRUN, OPENROUTER, PAIRS, VENDOR_KEYS, Around, look_around
from tests.keys.record import DATE
from tests.keys.vendor_servers import Vendors
from tests.panels.panels_data import loaded, shipped

DOCUMENT = Path(__file__).parents[1] / "docs" / "panels.md"
BEGIN = "<!-- made by python -m tools.keys_table -->"
END = "<!-- end of what python -m tools.keys_table made -->"
SEEDS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY")
NAMES = {"XAI": "xAI", "OPENAI": "OpenAI", "DEEPSEEK": "DeepSeek", "OPENROUTER": "OpenRouter"}
ROWS = ((OPENROUTER,), (BLOCKRUN,), *((key,) for key in VENDOR_KEYS), *PAIRS, SEEDS, ())


def named(keys: Sequence[str]) -> str:
    """Keys as people call them."""
    plain = (key.removesuffix("_API_KEY") for key in keys)
    return ", ".join(NAMES.get(name, name.capitalize()) for name in plain) or "nothing"


def families(now: Sitting) -> str:
    """The families of a panel with their seats."""
    if all(seat.standing == "rehearsal" for seat in now.seats):
        return "stand-ins"
    seats = Counter(seat.model.family for seat in now.seats if seat.model)
    return ", ".join(f"{family} {count}" for family, count in seats.most_common())


def models(found: Around) -> str:
    """The models of the debate with the ids that are meant."""
    seats = [seat.model for seat in found.sitting("debate").seats if seat.model]
    return ", ".join(f"`{model.wire_model}`" for model in dict.fromkeys(seats))


def lines(around: Sequence[tuple[Sequence[str], Around]]) -> Iterator[str]:
    """Both tables."""
    yield f"Seats by family with these keys, on the lists of {DATE} (`tests/keys/catalogues`):"
    yield ""
    yield f"| keys | {' | '.join(MODES)} |"
    yield f"|---|{'---|' * len(MODES)}"
    for keys, found in around:
        yield f"| {named(keys)} | {' | '.join(families(found.sitting(m)) for m in MODES)} |"
    yield ""
    yield "Who then speaks in a debate, in the order of the seats:"
    yield ""
    yield "| keys | ids |"
    yield "|---|---|"
    for keys, found in around:
        if keys and len(keys) != 2:
            yield f"| {named(keys)} | {models(found)} |"


async def table() -> str:
    """What stands between the marks."""
    config = loaded(shipped())
    async with Vendors() as vendors:
        around = [(keys, await look_around(vendors, config, keys)) for keys in ROWS]
    return "\n".join([BEGIN, "", *lines(around), "", END])


def with_table(text: str, made: str) -> str:
    """The document with this table."""
    before, _, rest = text.partition(BEGIN)
    return before + made + rest.partition(END)[2]


def main() -> int:
    """Write the document, or say whether it is up to date."""
    old = DOCUMENT.read_text(encoding="utf-8")
    new = with_table(old, asyncio.run(table()))
    if "--check" in sys.argv:
        return int(new != old)
    DOCUMENT.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
