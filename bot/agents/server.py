"""The MCP server: seven tools, two prompts and two kinds of resources over one service."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Annotated, Any, ParamSpec, TypeVar

from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.tools import Tool
from mcp.types import INVALID_PARAMS, ToolAnnotations
from pydantic import Field, ValidationError

from bot import VERSION
from bot.discussions.ports import DiscussionRequest
from bot.discussions.queries import MOST_LISTED
from bot.discussions.service import BOUNDS, Discussions
from bot.discussions.views import (
    Ended,
    FindingsIn,
    History,
    Listing,
    Opened,
    Order,
    ParticipantIn,
    RawSummary,
    Spoken,
    State,
    Status,
)
from bot.errors import UserError
from bot.messages.discussions import AgentText

_P = ParamSpec("_P")
_R = TypeVar("_R")

_READS = ToolAnnotations(readOnlyHint=True, openWorldHint=False)
_WRITES = ToolAnnotations(readOnlyHint=False, destructiveHint=False, openWorldHint=False)
_ENDS = ToolAnnotations(readOnlyHint=False, destructiveHint=True, openWorldHint=False)

_LARGEST = 2**53 - 1
"""The largest number that all programs write alike."""
_DiscussionId = Annotated[str, Field(description=AgentText.DISCUSSION_ID, max_length=40)]
_Limit = Annotated[int, Field(description=AgentText.LIMIT, ge=1, le=MOST_LISTED)]


def build_server(service: Discussions) -> MCPServer[Any]:
    """Everything an agent can use, over any transport."""
    server: MCPServer[Any] = MCPServer(
        "roundtable",
        title=AgentText.TITLE,
        instructions=AgentText.INSTRUCTIONS,
        version=VERSION,
        tools=[*_opening_tool(service), *_changing_tools(service), *_looking_tools(service)],
    )
    _add_prompts(server, service)
    _add_resources(server, service)
    return server


class _StrictTool(Tool):
    """A tool that names what is wrong with its arguments in one sentence."""

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> Any:
        """Refuse unknown and wrong arguments, else do the work."""
        known = self.parameters.get("properties", {})
        if unknown := [name for name in arguments if name not in known]:
            raise ToolError(AgentText.unknown_arguments(self.name, unknown, known))
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            faults = [
                (".".join(map(str, fault["loc"])), fault["msg"])
                for fault in error.__cause__.errors(include_input=False, include_url=False)
            ]
            raise ToolError(AgentText.wrong_arguments(self.name, faults)) from error


class _StrictPrompt(Prompt):
    """A prompt that says in one sentence why it cannot be given."""

    async def render(self, arguments: dict[str, Any] | None, context: Context[Any, Any]) -> Any:
        """Refuse unknown and missing arguments, else render it."""
        known, given = self.arguments or [], arguments or {}
        names = [argument.name for argument in known]
        if unknown := [name for name in given if name not in names]:
            raise _wrong_prompt(AgentText.unknown_arguments(self.name, unknown, names))
        if missing := [a.name for a in known if a.required and a.name not in given]:
            faults = [(name, AgentText.REQUIRED) for name in missing]
            raise _wrong_prompt(AgentText.wrong_arguments(self.name, faults))
        return await super().render(arguments, context)


def _wrong_prompt(text: str) -> MCPError:
    return MCPError(INVALID_PARAMS, text)


def _tool(
    work: Callable[..., Awaitable[Any]], description: str, annotations: ToolAnnotations
) -> Tool:
    made = _StrictTool.from_function(work, description=description, annotations=annotations)
    made.parameters["additionalProperties"] = False
    return made


def _refusing(
    refusal: Callable[[str], Exception],
) -> Callable[[Callable[_P, Awaitable[_R]]], Callable[_P, Awaitable[_R]]]:
    """Errors for people become errors of the tool."""

    def decorate(work: Callable[_P, Awaitable[_R]]) -> Callable[_P, Awaitable[_R]]:
        @wraps(work)
        async def safe(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            try:
                return await work(*args, **kwargs)
            except UserError as error:
                raise refusal(error.text) from error

        return safe

    return decorate


def _opening_tool(service: Discussions) -> list[Tool]:
    @_refusing(ToolError)
    async def roundtable_init(
        topic: Annotated[
            str, Field(description=AgentText.TOPIC, json_schema_extra=BOUNDS["topic"])
        ],
        participants: Annotated[
            list[ParticipantIn],
            Field(description=AgentText.PARTICIPANTS, json_schema_extra=BOUNDS["participants"]),
        ],
        context: Annotated[
            str, Field(description=AgentText.CONTEXT, json_schema_extra=BOUNDS["context"])
        ] = "",
        max_rounds: Annotated[
            int, Field(description=AgentText.MAX_ROUNDS, json_schema_extra=BOUNDS["max_rounds"])
        ] = 2,
        speech_order: Annotated[Order, Field(description=AgentText.SPEECH_ORDER)] = "fixed",
        output_path: Annotated[
            str | None,
            Field(description=AgentText.OUTPUT_PATH, json_schema_extra=BOUNDS["output_path"]),
        ] = None,
        channel: Annotated[
            str | None, Field(description=AgentText.CHANNEL, json_schema_extra=BOUNDS["channel"])
        ] = None,
        link: Annotated[
            str | None, Field(description=AgentText.LINK, json_schema_extra=BOUNDS["link"])
        ] = None,
        created_by: Annotated[
            str, Field(description=AgentText.CREATED_BY, json_schema_extra=BOUNDS["created_by"])
        ] = "agent",
    ) -> Opened:
        return await service.init(
            DiscussionRequest(
                topic=topic,
                participants=participants,
                context=context,
                max_rounds=max_rounds,
                speech_order=speech_order,
                output_path=output_path,
                channel=channel or "",
                link=link or "",
                created_by=created_by,
            )
        )

    return [_tool(roundtable_init, AgentText.INIT, _WRITES)]


def _changing_tools(service: Discussions) -> list[Tool]:
    @_refusing(ToolError)
    async def roundtable_speak(
        discussion_id: _DiscussionId,
        participant: Annotated[
            str, Field(description=AgentText.SPEAKER, json_schema_extra=BOUNDS["speaker"])
        ],
        content: Annotated[
            str, Field(description=AgentText.CONTENT, json_schema_extra=BOUNDS["speech"])
        ],
        reply_to: Annotated[
            int | None, Field(description=AgentText.REPLY_TO, ge=1, le=_LARGEST)
        ] = None,
        findings: Annotated[
            FindingsIn | None, Field(description=AgentText.FINDINGS_OF_SPEECH)
        ] = None,
    ) -> Spoken:
        return await service.speak(discussion_id, participant, content, reply_to, findings)

    @_refusing(ToolError)
    async def roundtable_end(
        discussion_id: _DiscussionId,
        by: Annotated[
            str, Field(description=AgentText.ENDED_BY, json_schema_extra=BOUNDS["speaker"])
        ] = "coordinator",
        conclusion: Annotated[
            str | None,
            Field(description=AgentText.CONCLUSION, json_schema_extra=BOUNDS["conclusion"]),
        ] = None,
        findings: Annotated[FindingsIn | None, Field(description=AgentText.FINDINGS_OF_END)] = None,
        cancel: Annotated[bool, Field(description=AgentText.CANCEL)] = False,
    ) -> Ended:
        return await service.end(discussion_id, by, conclusion, findings, cancel=cancel)

    return [
        _tool(roundtable_speak, AgentText.SPEAK, _WRITES),
        _tool(roundtable_end, AgentText.END, _ENDS),
    ]


def _looking_tools(service: Discussions) -> list[Tool]:
    @_refusing(ToolError)
    async def roundtable_read(
        discussion_id: _DiscussionId,
        since_round: Annotated[
            int | None, Field(description=AgentText.SINCE_ROUND, ge=0, le=_LARGEST)
        ] = None,
        participant: Annotated[
            str | None,
            Field(description=AgentText.ONLY_PARTICIPANT, json_schema_extra=BOUNDS["speaker"]),
        ] = None,
        after: Annotated[int, Field(description=AgentText.AFTER, ge=0, le=_LARGEST)] = 0,
        limit: _Limit = 50,
    ) -> History:
        return await service.look.read(discussion_id, since_round, participant, after, limit)

    @_refusing(ToolError)
    async def roundtable_status(discussion_id: _DiscussionId) -> State:
        return await service.look.status(discussion_id)

    @_refusing(ToolError)
    async def roundtable_summarize(
        discussion_id: _DiscussionId,
        compact: Annotated[bool, Field(description=AgentText.COMPACT)] = True,
    ) -> RawSummary:
        return await service.look.summarize(discussion_id, compact=compact)

    @_refusing(ToolError)
    async def roundtable_list(
        status: Annotated[Status | None, Field(description=AgentText.ONLY_STATUS)] = None,
        limit: _Limit = 50,
    ) -> Listing:
        return await service.look.list(status, limit)

    return [
        _tool(roundtable_read, AgentText.READ, _READS),
        _tool(roundtable_status, AgentText.STATUS, _READS),
        _tool(roundtable_summarize, AgentText.SUMMARIZE, _READS),
        _tool(roundtable_list, AgentText.LIST, _READS),
    ]


def _add_prompts(server: MCPServer[Any], service: Discussions) -> None:
    @_refusing(_wrong_prompt)
    async def coordinator(discussion_id: _DiscussionId) -> str:
        prompt = await service.prompts.coordinator(discussion_id)
        return "\n\n".join(message.text for message in prompt.messages)

    @_refusing(_wrong_prompt)
    async def participant(
        discussion_id: _DiscussionId,
        profile: Annotated[str, Field(description=AgentText.PROFILE)],
    ) -> str:
        prompt = await service.prompts.participant(discussion_id, profile)
        return "\n\n".join(message.text for message in prompt.messages)

    made = _StrictPrompt.from_function
    server.add_prompt(made(coordinator, description=AgentText.COORDINATOR_PROMPT))
    server.add_prompt(made(participant, description=AgentText.PARTICIPANT_PROMPT))


def _add_resources(server: MCPServer[Any], service: Discussions) -> None:
    @server.resource(
        "roundtable://discussions/{discussion_id}",
        description=AgentText.DISCUSSION_RESOURCE,
        mime_type="application/json",
    )
    @_refusing(ResourceError)
    async def discussion(discussion_id: str) -> str:
        return (await service.look.summarize(discussion_id, compact=False)).model_dump_json()

    @server.resource(
        "roundtable://minutes/{discussion_id}",
        description=AgentText.MINUTES_RESOURCE,
        mime_type="text/markdown",
    )
    @_refusing(ResourceError)
    async def minutes(discussion_id: str) -> str:
        return await service.look.minutes(discussion_id)
