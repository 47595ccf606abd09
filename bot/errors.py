"""Errors whose text is shown to people; every other exception is a bug or an outage."""


class UserError(Exception):
    """Something a person can fix: the text is one sentence that says what to do next."""

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


class InUseError(UnavailableError):
    """Another process holds the database."""


class ConfigError(UserError):
    """The configuration cannot be used; the text lists every problem, one a line."""
