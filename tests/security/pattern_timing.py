"""Times regular expressions on long attack strings: `python -m tests.security.pattern_timing`.

It runs as a process of its own, which may be killed: whoever starts it hands in patterns as JSON
lines, or `--all` for those of bot/ and cogs/, and reads a line per pattern. Short strings tell the
many that are quick from the few that are worth the long one.
"""

import functools
import itertools
import json
import math
import re
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType

from tests.security.pattern_attacks import LENGTH, Recipe, recipes
from tests.security.pattern_finder import Found, find_all
from tests.support.machine import slowness

LIMIT = 0.1
"""Seconds of processor time for a string of 20,000 characters, at the machine's usual speed."""
PROBES = ((500, 0.000025), (2_000, 0.0004))
"""Short lengths; a quadratic pattern that needs a tenth of a second for the long string needs more
than so many seconds for each of them."""
PATIENCE = 0.25
"""What takes longer is not waited for."""
TRIES = 4


class _TooLongError(Exception):
    pass


def slowest(found: Found, alive: Callable[[], None]) -> tuple[float, str]:
    """The longest time a pattern needs, and what it needs it for; `alive` before what takes long.

    Times are those of the machine's usual speed.
    """
    compiled = re.compile(found.pattern, found.flags)
    worst = (0.0, "")
    slow = slowness()
    for recipe, use in itertools.product(recipes(found.pattern, found.flags), found.uses):
        taken = _taken(_run(compiled, use), recipe, slow, alive)
        worst = max(worst, (taken, f"{use} in {recipe}" if taken else ""))
        if taken > LIMIT:
            break
    return worst


def _taken(
    run: Callable[[str], object], recipe: Recipe, slow: float, alive: Callable[[], None]
) -> float:
    """The seconds that the long string takes; nothing where short ones tell that they are few."""
    for length, few in PROBES:
        once = _seconds(run, recipe.text(length), slow)
        if once < few:
            return 0.0
        if once >= PATIENCE:
            return once
    alive()
    twice = _seconds(run, recipe.text(2 * length), slow)
    growth = max(1.0, math.log2(max(twice, once) / once))
    if twice * math.pow(LENGTH / (2 * length), growth) < LIMIT / 2:
        return 0.0
    text = recipe.text(LENGTH)
    taken = _seconds(run, text, slow)
    for _ in range(TRIES):
        if taken <= LIMIT:
            break
        taken = min(taken, _seconds(run, text, slowness()))
    return taken


def _run(compiled: "re.Pattern[str]", use: str) -> Callable[[str], object]:
    if use in {"search", "match", "fullmatch"}:
        found: Callable[[str], object] = getattr(compiled, use)
        return found
    return lambda text: sum(1 for _ in compiled.finditer(text))


def _seconds(run: Callable[[str], object], text: str, slow: float) -> float:
    """How long it takes; a pattern that never ends is interrupted and took its whole time."""
    began = time.thread_time()
    _until.append(began + PATIENCE * slow)
    try:
        run(text)
        return (time.thread_time() - began) / slow
    except _TooLongError:
        return PATIENCE
    finally:
        _until.clear()


_until: list[float] = []


def _look_at_the_clock(_: int, __: FrameType | None) -> None:
    if _until and time.thread_time() > _until[0]:
        raise _TooLongError


def main() -> None:
    """Judge what is handed in."""
    signal.signal(signal.SIGALRM, _look_at_the_clock)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE / 4, PATIENCE / 4)
    if "--all" in sys.argv:
        wanted, unseen = find_all()
        print(json.dumps({"unseen": unseen}), flush=True)
    else:
        wanted = [Found(**json.loads(line)) for line in sys.stdin]
    for found in wanted:
        where = f"{found.file}:{found.line} {found.pattern}"
        trying = functools.partial(print, json.dumps({"trying": where}), flush=True)
        trying()
        seconds, text = slowest(found, trying)
        print(json.dumps({"tried": where, "seconds": seconds, "text": text}), flush=True)
    signal.setitimer(signal.ITIMER_REAL, 0)


if __name__ == "__main__":
    main()
