"""Joins characters that a server cut in two, half in one chunk and half in the next."""

from typing import Any


class SurrogateJoiner:
    """Holds back the first half of a surrogate pair until its second half comes."""

    def __init__(self) -> None:
        self._held = ""

    def join(self, piece: str) -> str:
        """The text that is whole by now."""
        if not piece:
            return ""
        joined = self._held + piece
        self._held = joined[-1] if "\ud800" <= joined[-1] <= "\udbff" else ""
        return sendable(joined[: len(joined) - len(self._held)])

    def rest(self) -> str:
        """What is left at the end, with a replacement character for the missing half."""
        held, self._held = self._held, ""
        return sendable(held)


def sendable(text: str) -> str:
    """The text with halves of surrogate pairs joined or replaced, so that it is valid UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def sendable_body(body: Any) -> Any:
    """The same for every text of a JSON document."""
    if isinstance(body, str):
        return sendable(body)
    if isinstance(body, list | tuple):
        return [sendable_body(item) for item in body]
    if isinstance(body, dict):
        return {sendable(str(name)): sendable_body(item) for name, item in body.items()}
    return body
