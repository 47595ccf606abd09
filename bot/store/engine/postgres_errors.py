"""Errors of Postgres: which mean that the server is away, and what people are told of them."""

from typing import Final

from sqlalchemy import ExceptionContext
from sqlalchemy.exc import DBAPIError

from bot.errors import AwayError, UnavailableError
from bot.messages.store import StoreText
from bot.store.engine.backend import SharedFateError
from bot.store.engine.postgres_lock import FENCED

_DETAIL: Final = "\nDETAIL:"
_GONE: Final = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03"})
_SENTENCES: Final = {
    "28": StoreText.login_refused,
    "3D000": StoreText.no_database,
    "3F000": StoreText.no_schema,
    "42501": StoreText.right_refused,
    "25006": StoreText.server_read_only,
    "53100": StoreText.disk_full,
    "53300": StoreText.too_many_connections,
    "53": StoreText.short_of_resources,
    "55P03": StoreText.database_locked,
    FENCED: lambda _: StoreText.FENCED,
    "57014": StoreText.too_slow,
    "58": StoreText.server_disk_error,
    "XX001": StoreText.server_damaged,
    "XX002": StoreText.server_damaged,
}


def hide_row(context: ExceptionContext) -> None:
    """Remove the server's DETAIL, which quotes the refused row."""
    driver = context.original_exception
    for error in (context.sqlalchemy_exception, driver, driver.__cause__):
        if error is not None and error.args:
            error.args = (str(error.args[0]).partition(_DETAIL)[0], *error.args[1:])
    vars(driver.__cause__ or driver).pop("detail", None)


def is_lost(error: Exception) -> bool:
    """Whether the connection is gone or could not be made, so that a retry may succeed."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    state = state_of(error)
    return isinstance(error, OSError) or state[:2] == "08" or state in _GONE


def is_cut_off(error: Exception) -> bool:
    """Whether a connection beside the store lost the server, so that a retry may succeed."""
    import asyncpg  # noqa: PLC0415 (an extra, and slow)

    # The last one is how asyncpg says that a connection was cut between question and answer.
    ended = (asyncpg.InterfaceError, asyncpg.InternalClientError)
    return isinstance(error, (AwayError, *ended)) or is_lost(error)


def explain(error: Exception, name: str) -> Exception:
    """The error to show people when the server is the cause, else the error itself."""
    cause = error.cause if isinstance(error, SharedFateError) else error
    state = state_of(cause)
    said = _SENTENCES.get(state) or _SENTENCES.get(state[:2])
    if is_lost(cause):
        sentence: UnavailableError = AwayError(StoreText.unreachable(name))
    elif said is None:
        return cause
    else:
        sentence = UnavailableError(said(name))
    sentence.__cause__ = cause
    return sentence


def state_of(error: Exception) -> str:
    """The server's code for an error; empty where it did not come from the server."""
    original = error.orig if isinstance(error, DBAPIError) else error
    return getattr(original, "sqlstate", None) or ""
