"""How slow this machine is at the moment: shared ones are several times slower now and then."""

import re
import time
from typing import Final

_TEXT: Final = "a" * 5_000
_PATTERN: Final = re.compile(r"[ab]{0,8}(?:\([^()]{0,90}\))?[ab]{0,8}c")
_USUAL: Final = 0.004
"""Seconds for this search at the speed that limits of time were set at."""


def slowness() -> float:
    """How many times longer than usual the same work takes now; never less than 1."""
    return max(1.0, min(_work() for _ in range(2)) / _USUAL)


def _work() -> float:
    began = time.thread_time()
    _PATTERN.search(_TEXT)
    return time.thread_time() - began
