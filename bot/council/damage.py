"""A run with a damaged record is reported by name and does not block other runs."""

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from bot.errors import UnavailableError
from bot.messages.library import LibraryText

log = logging.getLogger(__name__)

_READING: Final = (LookupError, TypeError, ValueError, AttributeError)
"""What reading raises where a field is missing or has another form than it should."""


class DamagedRunError(UnavailableError):
    """The record of one run cannot be read."""

    def __init__(self, run_id: str, why: str) -> None:
        super().__init__(LibraryText.unreadable(run_id, why))
        self.run_id = run_id


@contextmanager
def named_if_damaged(run_id: str) -> Iterator[None]:
    """Read a run's record inside; what goes wrong there names the run."""
    try:
        yield
    except _READING as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        kind = type(error).__name__
        log.warning("%s cannot be read: %s at %s:%s", run_id, kind, place.name, place.lineno)
        why = LibraryText.missing_field(str(error.args[0])) if isinstance(error, KeyError) else kind
        raise DamagedRunError(run_id, why) from error
