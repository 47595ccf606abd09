"""Holds garbage collection back: nothing made while the bot is built ever becomes garbage."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

YOUNG: Final = 20_000


@contextmanager
def collection_held_back() -> Iterator[None]:
    """Collect nothing inside; afterwards what was built is never looked at again.

    From then on the young are looked at in larger lots: a meeting makes many small things that
    live as long as it, and every look at them is in vain.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(YOUNG, 10, 10)
        gc.enable()
