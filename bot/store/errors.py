"""Errors of the store that are bugs or races of the caller, never shown to people."""

from bot.store.vocabulary import Phase


class StoreRefusedError(Exception):
    """The store refused a write and kept nothing of it."""


class NotPermittedError(StoreRefusedError):
    """The actor has no right to this write (3.3)."""


class ForbiddenTransitionError(StoreRefusedError):
    """A run may never move between these two phases."""


class StalePhaseError(StoreRefusedError):
    """The run is not in the phase that the caller expected."""

    def __init__(self, run_id: str, expected: Phase, actual: Phase) -> None:
        super().__init__(f"{run_id} is in phase {actual}, not {expected}")
        self.actual = actual


class DuplicateRunError(StoreRefusedError):
    """An open run on the same topic, mode, place and generation exists (2.2#13)."""

    def __init__(self, existing_id: str) -> None:
        super().__init__(f"{existing_id} is already open on this topic")
        self.existing_id = existing_id


class MissingRowError(StoreRefusedError):
    """The row that was to be read or changed does not exist."""


class ConflictError(StoreRefusedError):
    """The write contradicts what is already stored."""
