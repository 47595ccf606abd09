"""Refusals: what a client tells a person, and what the API answers a bot."""

from typing import Any

_UNKNOWN = {"Channel": 10003, "Guild": 10004, "Member": 10007, "Message": 10008, "User": 10013}
_UNKNOWN |= {"Emoji": 10014, "Webhook": 10015, "Interaction": 10062}


class NotPermitted(PermissionError):  # noqa: N818 - reads as what happened to a person
    """A person tried something their client would refuse; the text says what."""


class ApiError(NotPermitted):
    """A refusal with Discord's own code; `path` names the field that was rejected."""

    def __init__(self, status: int, code: int, text: str, path: str = "") -> None:
        super().__init__(text)
        self.status = status
        self.wire: dict[str, Any] = {"message": text, "code": code}
        if path:
            details = {"_errors": [{"code": "INVALID", "message": text}]}
            self.wire |= {"message": "Invalid Form Body", "errors": {path: details}}


def unknown(thing: str) -> ApiError:
    """The 404 for something that does not exist."""
    return ApiError(404, _UNKNOWN[thing], f"Unknown {thing}")


def invalid(path: str, text: str) -> ApiError:
    """The 400 for a field that Discord rejects."""
    return ApiError(400, 50035, text, path)
