"""Errors whose text is shown to people; every other exception is a bug or an outage."""

from typing import ClassVar


class UserError(Exception):
    """Something a person can fix: the text is one sentence that says what to do next."""

    exit_code: ClassVar[int] = 1
    """What the command line ends with."""

    @property
    def text(self) -> str:
        """The sentence to show."""
        return str(self)


class UsageError(UserError):
    """The request itself cannot be understood or carried out as written."""


class NotAllowedError(UserError):
    """The person may not do this here."""


class UnavailableError(UserError):
    """Something outside the request is missing: a permission, a model, the disk."""


class RefusedError(UnavailableError):
    """Refused for good: trying again changes nothing until a person has changed something."""

    exit_code = 78  # EX_CONFIG; deploy/roundtable.service does not restart after it


class AwayError(UnavailableError):
    """The database cannot be reached for now: what was under way goes on when it is back."""


class InUseError(UnavailableError):
    """Another process holds the database."""


class ConfigError(UserError):
    """The configuration cannot be used; the text lists every problem, one a line."""
