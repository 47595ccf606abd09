"""Keeps the tests away from whatever else runs on the machine."""

import sys

from tests.guard import sitecustomize as _here

_started_with = sys.modules.get("sitecustomize")
refused: list[str] = getattr(_started_with, "refused", _here.refused)
"""Every connection that was refused in this process, also when its error was swallowed."""


def stand_guard() -> None:
    """Refuse from now on, unless this process was started with a guard already."""
    if refused is _here.refused:
        _here.install()
