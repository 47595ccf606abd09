"""What goes wrong on the embedded Discord: answers to the bot and refusals to people."""

from typing import Any


class ApiError(Exception):
    """An error answer of the REST API, with Discord's own code."""

    def __init__(
        self, status: int, code: int, message: str, errors: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.errors = status, code, message, errors

    def wire(self) -> dict[str, Any]:
        """The answer's JSON body."""
        body: dict[str, Any] = {"message": self.message, "code": self.code}
        return body | {"errors": self.errors} if self.errors else body

    @property
    def sentence(self) -> str:
        """The message and its details as one line."""
        found = [text for text in _details(self.errors or {}, "") if text]
        return f"{self.message}: {'; '.join(found)}" if found else self.message


class NotPermitted(PermissionError):  # noqa: N818 - reads as what happened to a person
    """A person tried something their client would refuse; the text says what."""


_UNKNOWN = {
    "channel": 10003,
    "guild": 10004,
    "member": 10007,
    "message": 10008,
    "user": 10013,
    "webhook": 10015,
    "interaction": 10062,
    "command": 10063,
}


def unknown(thing: str) -> ApiError:
    """The 404 for something that does not exist."""
    code = _UNKNOWN.get(thing, 0)
    return ApiError(404, code, f"Unknown {thing.capitalize()}")


def invalid(path: str, message: str, code: str = "BASE_TYPE_BAD_VALUE") -> ApiError:
    """The 400 for a field that Discord rejects; `path` is dotted."""
    errors: dict[str, Any] = {"_errors": [{"code": code, "message": message}]}
    for part in reversed(path.split(".")):
        errors = {part: errors}
    return ApiError(400, 50035, "Invalid Form Body", errors)


def no_access() -> ApiError:
    """The 403 for a channel the bot cannot see."""
    return ApiError(403, 50001, "Missing Access")


def no_permission() -> ApiError:
    """The 403 for something the bot may not do there."""
    return ApiError(403, 50013, "Missing Permissions")


def thread_archived() -> ApiError:
    """The 400 for touching an archived thread."""
    return ApiError(400, 50083, "Thread is archived")


def _details(errors: dict[str, Any], path: str) -> list[str]:
    found = [f"{path}: {entry['message']}" for entry in errors.get("_errors", ())]
    for key, inner in errors.items():
        if isinstance(inner, dict):
            found += _details(inner, f"{path}.{key}" if path else key)
    return found
