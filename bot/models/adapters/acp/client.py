"""Our side of the protocol: hears what the harness says, and answers what it asks for."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from acp import RequestError
from acp.schema import (
    AgentMessageChunk,
    AllowedOutcome,
    CreateTerminalResponse,
    DeniedOutcome,
    PermissionOption,
    ReadTextFileResponse,
    RequestPermissionResponse,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
    WriteTextFileResponse,
)

from bot.messages.models import HarnessText
from bot.models.adapters.acp.guard import DeniedError, Guard
from bot.models.redaction import excerpt
from bot.types.model_port import Activity, Delta, ModelEvent

_DENIED: Final = -32001
_LONGEST_DOING: Final = 60

Tell = Callable[[ModelEvent], None]


class SeatClient:
    """One call's client; what is said before `listening`, such as a replayed session, is old."""

    def __init__(self, guard: Guard, tell: Tell) -> None:
        self._guard = guard
        self._tell = tell
        self.listening = False

    async def session_update(self, update: Any, **_: Any) -> None:
        """Pass on words of the answer and what the harness is doing; thoughts stay its own."""
        if not self.listening:
            return
        match update:
            case AgentMessageChunk(content=TextContentBlock(text=text)):
                self._tell(Delta(text))
            case ToolCallStart() | ToolCallProgress() if update.title:
                self._tell(Activity(excerpt(update.title)[:_LONGEST_DOING]))
            case _:
                return

    async def request_permission(
        self, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        """Allow a tool once where the operator allowed its kind; reject everything else."""
        paths = [location.path for location in tool_call.locations or ()]
        wanted = "allow_once" if self._guard.permits(tool_call.kind, paths) else "reject_once"
        for option in options:
            if option.kind == wanted:
                outcome = AllowedOutcome(outcome="selected", option_id=option.option_id)
                return RequestPermissionResponse(outcome=outcome)
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))

    async def read_text_file(
        self,
        path: str,
        line: int | None = None,
        limit: int | None = None,
        **_: Any,
    ) -> ReadTextFileResponse:
        """A file of the folder, if reading was allowed."""
        text = await _answered(self._guard.read, path, line, limit)
        return ReadTextFileResponse(content=text)

    async def write_text_file(
        self, path: str, content: str, **_: Any
    ) -> WriteTextFileResponse | None:
        """Write a file of the folder, if writing was allowed."""
        await _answered(self._guard.write, path, content)
        return WriteTextFileResponse()

    async def create_terminal(self, **_: Any) -> CreateTerminalResponse:
        """Nobody gets a terminal."""
        raise _refusal(self._guard.refuse(HarnessText.OPEN_A_TERMINAL))


async def _answered(ask: Callable[..., Any], *arguments: Any) -> Any:
    """What the guard says, asked in a thread, for files may be slow."""
    try:
        return await asyncio.to_thread(ask, *arguments)
    except DeniedError as error:
        raise _refusal(error) from None
    except OSError:
        raise RequestError.resource_not_found() from None


def _refusal(error: DeniedError) -> RequestError:
    return RequestError(_DENIED, HarnessText.REFUSAL, {"details": str(error)})
