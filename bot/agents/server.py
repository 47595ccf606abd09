"""The MCP server: seven tools, two prompts and two kinds of resources over one service."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Annotated, Any, ParamSpec, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from bot.discussions.ports import DiscussionRequest
from bot.discussions.service import Discussions
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
from bot.version import VERSION

_P = ParamSpec("_P")
_R = TypeVar("_R")

_READS = ToolAnnotations(readOnlyHint=True, openWorldHint=False)
_WRITES = ToolAnnotations(readOnlyHint=False, destructiveHint=False, openWorldHint=False)
_ENDS = ToolAnnotations(readOnlyHint=False, destructiveHint=True, openWorldHint=False)

_DiscussionId = Annotated[str, Field(description=AgentText.DISCUSSION_ID)]


def build_server(service: Discussions) -> MCPServer[Any]:
    """Everything an agent can use, over any transport."""
    server: MCPServer[Any] = MCPServer(
        "roundtable", title=AgentText.TITLE, instructions=AgentText.INSTRUCTIONS, version=VERSION
    )
    _add_opening_tool(server, service)
    _add_changing_tools(server, service)
    _add_looking_tools(server, service)
    _add_prompts(server, service)
    _add_resources(server, service)
    return server


def _refusing(
    refusal: type[Exception],
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


def _add_opening_tool(server: MCPServer[Any], service: Discussions) -> None:
    @_refusing(ToolError)
    async def roundtable_init(
        topic: Annotated[str, Field(description=AgentText.TOPIC)],
        participants: Annotated[list[ParticipantIn], Field(description=AgentText.PARTICIPANTS)],
        context: Annotated[str, Field(description=AgentText.CONTEXT)] = "",
        max_rounds: Annotated[int, Field(description=AgentText.MAX_ROUNDS)] = 2,
        speech_order: Annotated[Order, Field(description=AgentText.SPEECH_ORDER)] = "fixed",
        output_path: Annotated[str | None, Field(description=AgentText.OUTPUT_PATH)] = None,
        channel: Annotated[str | None, Field(description=AgentText.CHANNEL)] = None,
        link: Annotated[str | None, Field(description=AgentText.LINK)] = None,
        created_by: Annotated[str, Field(description=AgentText.CREATED_BY)] = "agent",
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

    server.add_tool(roundtable_init, description=AgentText.INIT, annotations=_WRITES)


def _add_changing_tools(server: MCPServer[Any], service: Discussions) -> None:
    @_refusing(ToolError)
    async def roundtable_speak(
        discussion_id: _DiscussionId,
        participant: Annotated[str, Field(description=AgentText.SPEAKER)],
        content: Annotated[str, Field(description=AgentText.CONTENT)],
        reply_to: Annotated[int | None, Field(description=AgentText.REPLY_TO)] = None,
        findings: Annotated[
            FindingsIn | None, Field(description=AgentText.FINDINGS_OF_SPEECH)
        ] = None,
    ) -> Spoken:
        return await service.speak(discussion_id, participant, content, reply_to, findings)

    @_refusing(ToolError)
    async def roundtable_end(
        discussion_id: _DiscussionId,
        by: Annotated[str, Field(description=AgentText.ENDED_BY)] = "coordinator",
        conclusion: Annotated[str | None, Field(description=AgentText.CONCLUSION)] = None,
        findings: Annotated[FindingsIn | None, Field(description=AgentText.FINDINGS_OF_END)] = None,
        cancel: Annotated[bool, Field(description=AgentText.CANCEL)] = False,
    ) -> Ended:
        return await service.end(discussion_id, by, conclusion, findings, cancel=cancel)

    server.add_tool(roundtable_speak, description=AgentText.SPEAK, annotations=_WRITES)
    server.add_tool(roundtable_end, description=AgentText.END, annotations=_ENDS)


def _add_looking_tools(server: MCPServer[Any], service: Discussions) -> None:
    @_refusing(ToolError)
    async def roundtable_read(
        discussion_id: _DiscussionId,
        since_round: Annotated[int | None, Field(description=AgentText.SINCE_ROUND)] = None,
        participant: Annotated[str | None, Field(description=AgentText.ONLY_PARTICIPANT)] = None,
        after: Annotated[int, Field(description=AgentText.AFTER)] = 0,
        limit: Annotated[int, Field(description=AgentText.LIMIT)] = 50,
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
        limit: Annotated[int, Field(description=AgentText.LIMIT)] = 50,
    ) -> Listing:
        return await service.look.list(status, limit)

    server.add_tool(roundtable_read, description=AgentText.READ, annotations=_READS)
    server.add_tool(roundtable_status, description=AgentText.STATUS, annotations=_READS)
    server.add_tool(roundtable_summarize, description=AgentText.SUMMARIZE, annotations=_READS)
    server.add_tool(roundtable_list, description=AgentText.LIST, annotations=_READS)


def _add_prompts(server: MCPServer[Any], service: Discussions) -> None:
    @server.prompt(name="coordinator", description=AgentText.COORDINATOR_PROMPT)
    @_refusing(ToolError)
    async def coordinator(discussion_id: str) -> str:
        prompt = await service.prompts.coordinator(discussion_id)
        return "\n\n".join(message.text for message in prompt.messages)

    @server.prompt(name="participant", description=AgentText.PARTICIPANT_PROMPT)
    @_refusing(ToolError)
    async def participant(discussion_id: str, profile: str) -> str:
        prompt = await service.prompts.participant(discussion_id, profile)
        return "\n\n".join(message.text for message in prompt.messages)


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
