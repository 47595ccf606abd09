"""Logging without secrets: they are replaced before anything is written."""

import json
import logging
import re
import time
from collections.abc import Iterable

from bot.errors import UserError

_HIDDEN = "[hidden]"
_TOKEN_SHAPES = re.compile(
    r"(?<=/webhooks/)\d+/[\w-]+|\bsk-[\w-]{8,}|\b[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}"
)
_CHATTY = ("discord.http", "discord.webhook", "discord.gateway", "httpx")
# It warns at every start that voice is not supported, which is irrelevant here.
_VERY_CHATTY = "discord.client"


class Redactor(logging.Filter):
    """Removes secrets, and everything shaped like one, from a record's text.

    An error that is a sentence for people, such as a missing database, needs no traceback: the
    sentence is put after the message, in one line.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__()
        self._secrets: list[str] = []
        self.hide(secrets)

    def hide(self, secrets: Iterable[str]) -> None:
        """Remove these from now on, too."""
        known = {*self._secrets, *filter(None, secrets)}
        self._secrets = sorted(known, key=len, reverse=True)

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record; never drops it."""
        message = record.getMessage()
        if record.exc_info and isinstance(record.exc_info[1], UserError):
            message = f"{message}: {record.exc_info[1].text}"
            record.exc_info = record.exc_text = None
        record.msg = self.clean(message)
        record.args = ()
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = self.clean(record.exc_text)
        return True

    def clean(self, text: str) -> str:
        """The text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return _TOKEN_SHAPES.sub(_HIDDEN, text)


class JsonLines(logging.Formatter):
    """One JSON object per record, for a log collector."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line."""
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        entry = {
            "time": f"{moment}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_text is None and record.exc_info:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            entry["error"] = record.exc_text
        return json.dumps(entry, ensure_ascii=False)


def set_up_logging(level: str, secrets: Iterable[str], form: str = "text") -> None:
    """Log to standard error; libraries that log addresses with tokens are kept quiet."""
    handler = logging.StreamHandler()
    plain = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler.setFormatter(JsonLines() if form == "json" else plain)
    handler.addFilter(Redactor(secrets))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger(_VERY_CHATTY).setLevel(logging.ERROR)


def hide_in_logs(secrets: Iterable[str]) -> None:
    """Keep more secrets out of the log than were known when it was set up."""
    found = [each for handler in logging.getLogger().handlers for each in handler.filters]
    for redactor in found:
        if isinstance(redactor, Redactor):
            redactor.hide(secrets)
