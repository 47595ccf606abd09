"""One conversation with a harness: initialize, resume or open a session, prompt, read."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final

from acp import PROTOCOL_VERSION, RequestError, connect_to_agent, text_block
from acp.schema import (
    AgentMessageChunk,
    AllowedOutcome,
    ClientCapabilities,
    CreateTerminalResponse,
    DeniedOutcome,
    FileEditToolCallContent,
    FileSystemCapabilities,
    HttpHeader,
    HttpMcpServer,
    Implementation,
    InitializeResponse,
    PermissionOption,
    PromptResponse,
    ReadTextFileResponse,
    RequestPermissionResponse,
    TerminalToolCallContent,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
    WriteTextFileResponse,
)
from pydantic import ValidationError

from bot import VERSION
from bot.messages.models import HarnessText
from bot.models.adapters.acp.guard import DeniedError, Guard
from bot.models.adapters.acp.harness import Harness
from bot.models.adapters.acp.process import HarnessProcess
from bot.models.answer_reader import reported_usage
from bot.models.conversation import conversation
from bot.models.redaction import excerpt, last_words
from bot.types.model_port import (
    Activity,
    Delta,
    ErrorKind,
    Finished,
    ModelError,
    ModelEvent,
    ModelRequest,
    Remark,
    SessionKept,
)

_DENIED: Final = -32001
_LONGEST_DOING: Final = 60
_OUR_TOOL: Final = re.compile(
    r"(?:(?:mcp|tool|server|roundtable)(?:__|[\s:/.()-]{1,4}))*"
    r"roundtable_(?:init|speak|read|status|summarize|end|list)"
    r"(?:[\s:/.()-]{1,4}(?:mcp|tool|server|roundtable))*[\s)]?",
    re.IGNORECASE,
)
"""How harnesses call one of the discussion tools, such as `mcp__roundtable__roundtable_list`."""

_Tell = Callable[[ModelEvent], None]
_AUTH_REQUIRED: Final = -32000
_LONGEST_SESSION: Final = 400
_CANCEL_SECONDS: Final = 2.0


class _SeatClient:
    """The client of one call; updates before `listening`, as of a replayed session, are ignored."""

    def __init__(self, guard: Guard, tell: _Tell) -> None:
        self._guard = guard
        self._tell = tell
        self._announced: defaultdict[str, list[Any]] = defaultdict(list)
        self.listening = False
        self.has_tools = False

    async def session_update(self, update: Any, **_: Any) -> None:
        """Pass on text of the answer and the current activity; thoughts are dropped."""
        if isinstance(update, ToolCallStart | ToolCallProgress):
            self._announced[update.tool_call_id].append(update)
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
        """Allow a tool once where the operator allowed its kind; reject everything else.

        The request may leave out what was announced before, so both count.
        """
        told = [*self._announced[tool_call.tool_call_id], tool_call]
        shown = [part for one in told for part in one.content or ()]
        changes = [part.path for part in shown if isinstance(part, FileEditToolCallContent)]
        runs = any(isinstance(part, TerminalToolCallContent) for part in shown)
        paths = {where.path for one in told for where in one.locations or ()} | {*changes}
        kinds = {one.kind for one in told if one.kind}
        kinds |= {"edit"} if changes else set()
        kinds |= {"execute"} if runs else set()
        ours = self.has_tools and kinds <= {"other"} and not paths and _names_our_tool(told)
        wanted = "allow_once" if ours or self._guard.permits(kinds, paths) else "reject_once"
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
        """Always refused."""
        raise _refusal(self._guard.refuse(HarnessText.OPEN_A_TERMINAL))


def _names_our_tool(told: Sequence[Any]) -> bool:
    """Whether every title is the name of a discussion tool; some harnesses put a command there."""
    titles = [one.title for one in told if one.title]
    return bool(titles) and all(map(_OUR_TOOL.fullmatch, titles))


async def _answered(ask: Callable[..., Any], *arguments: Any) -> Any:
    """The guard's answer, computed in a thread because files may be slow."""
    try:
        return await asyncio.to_thread(ask, *arguments)
    except DeniedError as error:
        raise _refusal(error) from None
    except OSError:
        raise RequestError.resource_not_found() from None


def _refusal(error: DeniedError) -> RequestError:
    return RequestError(_DENIED, HarnessText.REFUSAL, {"details": str(error)})


class Talk:
    """One conversation; `tell` receives every event of the port."""

    def __init__(
        self, harness: Harness, request: ModelRequest, process: HarnessProcess, tell: _Tell
    ) -> None:
        self._harness = harness
        self._request = request
        self._process = process
        self._tell = tell
        self._folder = harness.folder(request.origin).resolve()
        self._allow = harness.allowed(request.origin)
        self._inputs = tuple(folder.resolve() for folder in harness.inputs(request.origin))
        guard = Guard(self._folder, self._allow, self._inputs, lambda text: tell(Remark(text)))
        self._client = _SeatClient(guard, tell)
        client: Any = self._client
        self._connection: Any = connect_to_agent(client, process.stdin, process.stdout)
        self._session = ""
        self._answered = False

    async def hold(self) -> None:
        """Prompt and read until the answer is complete; raises ModelError."""
        try:
            known = await self._introduce()
            self._session = await self._open(known)
            if len(self._session) <= _LONGEST_SESSION and self._session.isprintable():
                self._tell(SessionKept(self._session))
            self._client.listening = True
            prompt = [text_block(self._prompt_text())]
            answer = await self._connection.prompt(
                session_id=self._session, prompt=prompt, roundtable=self._assignment()
            )
        except RequestError as error:
            raise self._refused(error) from None
        except (ConnectionError, OSError, ValidationError):
            raise self.broken() from None
        self._answered = True
        self._finish(answer)

    async def abandon(self) -> None:
        """Cancel the prompt if it is still running."""
        if self._session and not self._answered:
            try:
                async with asyncio.timeout(_CANCEL_SECONDS):
                    await self._connection.cancel(session_id=self._session)
            except (TimeoutError, ConnectionError, OSError):
                return

    async def close(self) -> None:
        """Close the connection after the process has ended."""
        try:
            async with asyncio.timeout(_CANCEL_SECONDS):
                await self._connection.close()
        except (TimeoutError, ConnectionError, OSError):
            return

    async def _introduce(self) -> InitializeResponse:
        allow = self._allow
        files = FileSystemCapabilities(
            read_text_file="read" in allow, write_text_file="write" in allow
        )
        answer: InitializeResponse = await self._connection.initialize(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(fs=files, terminal=False),
            client_info=Implementation(name="roundtable", version=VERSION),
        )
        if answer.protocol_version != PROTOCOL_VERSION:
            raise ModelError(ErrorKind.NOT_AUTHORISED, HarnessText.OTHER_VERSION)
        return answer

    async def _open(self, known: InitializeResponse) -> str:
        """Resume the seat's session where the harness supports that, else open a new one."""
        earlier = self._request.origin.session if self._request.origin else ""
        can_load = known.agent_capabilities and known.agent_capabilities.load_session
        servers = self._tool_servers(known)
        if earlier and can_load:
            try:
                await self._connection.load_session(
                    session_id=earlier,
                    cwd=str(self._folder),
                    mcp_servers=servers,
                    roundtable=self._assignment(),
                )
            except RequestError:
                self._tell(Remark(HarnessText.NEW_SESSION))
            else:
                return earlier
        opened = await self._connection.new_session(
            cwd=str(self._folder), mcp_servers=servers, roundtable=self._assignment()
        )
        return str(opened.session_id)

    def _tool_servers(self, known: InitializeResponse) -> list[HttpMcpServer]:
        """The discussion tools, if its seat is given them and both sides can (C2)."""
        if not self._harness.tools(self._request.origin):
            return []
        served = self._harness.served_at()
        able = known.agent_capabilities and known.agent_capabilities.mcp_capabilities
        if served is None or not (able and able.http):
            why = HarnessText.TOOLS_OFF if served is None else HarnessText.NO_TOOLS_OVER_HTTP
            self._tell(Remark(why))
            return []
        self._client.has_tools = True
        url, token = served
        header = HttpHeader(name="Authorization", value=f"Bearer {token}")
        return [HttpMcpServer(type="http", name="roundtable", url=url, headers=[header])]

    def _assignment(self) -> dict[str, object]:
        """The instructions: for which seat the harness works, where, and with what rights (B35)."""
        origin = self._request.origin
        inputs = {"inputs": [str(folder) for folder in self._inputs]} if self._inputs else {}
        return {
            "task_id": origin.run_id if origin else "",
            "attempt_id": origin.attempt_id if origin else "",
            "seat": origin.seat if origin else "",
            "label": origin.label if origin else "",
            "workspace": str(self._folder),
            "capabilities": sorted(self._allow),
            **inputs,
        }

    def _prompt_text(self) -> str:
        """The prompt, and which other folders it may read: few harnesses read the assignment."""
        spoken = conversation(self._request.prompt.messages)
        shown = self._inputs if "read" in self._allow else ()
        others = [HarnessText.may_read(str(folder)) for folder in shown]
        parts = (spoken.system, *others, *(turn.text for turn in spoken.turns))
        return "\n\n".join(part for part in parts if part)

    def _finish(self, answer: PromptResponse) -> None:
        if answer.usage is not None:
            used = answer.usage
            cached = used.cached_read_tokens
            self._tell(reported_usage((used.input_tokens,), (used.output_tokens,), cached))
        match answer.stop_reason:
            case "refusal":
                raise ModelError(ErrorKind.REFUSED, HarnessText.DECLINED)
            case "cancelled":
                raise ModelError(ErrorKind.NETWORK, HarnessText.GAVE_UP)
            case "end_turn":
                self._tell(Finished("stop"))
            case _:
                self._tell(Finished("length"))

    def _refused(self, error: RequestError) -> ModelError:
        if error.code == _AUTH_REQUIRED:
            return ModelError(ErrorKind.NOT_AUTHORISED, HarnessText.NOT_LOGGED_IN)
        said = excerpt(str(error), self._harness.environment.values())
        return ModelError(ErrorKind.BAD_OUTPUT, HarnessText.reported(said))

    def broken(self) -> ModelError:
        """The error for a harness that ended or will not end, with its last standard error."""
        if self._process.stdout.too_long:
            return ModelError(ErrorKind.BAD_OUTPUT, HarnessText.WOULD_NOT_STOP)
        said = last_words(self._process.complaints, self._harness.environment.values())
        return ModelError(ErrorKind.NETWORK, HarnessText.ended_early(said))
