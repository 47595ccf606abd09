"""`roundtable mcp` beside a running bot: forwards standard input and output to it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from bot import VERSION
from bot.agents.endpoint import Endpoint
from bot.messages.discussions import AgentText

_Context = ServerRequestContext[Any]


@asynccontextmanager
async def connected_to(endpoint: Endpoint) -> AsyncIterator[Client]:
    """A client of the running bot; raises when it does not answer."""
    headers = {"Authorization": f"Bearer {endpoint.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=120, trust_env=False) as http:
        transport = streamable_http_client(endpoint.url, http_client=http)
        async with Client(transport, cache=None) as client:
            yield client


async def hand_on(client: Client) -> None:
    """Serve standard input and output by asking the running bot."""
    server = _forwarding(client)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _forwarding(client: Client) -> Server[Any]:
    async def list_tools(_: _Context, __: Any) -> types.ListToolsResult:
        return await client.list_tools()

    async def call_tool(_: _Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        return await client.call_tool(asked.name, asked.arguments)

    async def list_prompts(_: _Context, __: Any) -> types.ListPromptsResult:
        return await client.list_prompts()

    async def get_prompt(_: _Context, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
        return await client.get_prompt(asked.name, asked.arguments)

    async def list_resources(_: _Context, __: Any) -> types.ListResourcesResult:
        return await client.list_resources()

    async def list_templates(_: _Context, __: Any) -> types.ListResourceTemplatesResult:
        return await client.list_resource_templates()

    async def read(_: _Context, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await client.read_resource(asked.uri)

    return Server(
        "roundtable",
        version=VERSION,
        instructions=AgentText.INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read,
    )
