"""Blockrun, a gateway on this machine that pays for its calls: its traps (providers 1.1, E22)."""

import json

import pytest

from bot.models.adapters.openai import OpenAIPort
from bot.panels.providers import OpenAIProvider
from bot.types.model_port import Delta, ErrorKind, Finished, Started, Usage
from tests.models.adapters.openai.conftest import (
    QUICK,
    MakePort,
    error_of,
    events_of,
    request,
    until_error,
)
from tests.support.model_server import ModelServer, Script

HEARTBEAT = b": heartbeat\n\n"
COST = {"total": 0.0125, "input": 0.0025, "output": 0.01, "baseline": 0.03}


def chunk(**more: object) -> bytes:
    return b"data: " + json.dumps({"model": "openai/gpt-5-mini", **more}).encode() + b"\n\n"


def said(text: str, finish: str | None = None) -> bytes:
    return chunk(choices=[{"delta": {"content": text}, "finish_reason": finish}])


async def test_a_whole_answer_after_heartbeats_names_who_answered_and_what_it_cost(
    server: ModelServer, port: OpenAIPort
) -> None:
    """No real streaming, perhaps another model than asked, and a cost that is an object."""
    used = chunk(choices=[], usage={"prompt_tokens": 9, "completion_tokens": 5, "cost": COST})
    raw = HEARTBEAT * 5 + said("The whole text.", "stop") + used + b"data: [DONE]\n\n"
    server.script("xai/grok-4", Script(raw=raw))
    assert await events_of(port, request(model="xai/grok-4")) == [
        Started("openai/gpt-5-mini"),
        Delta("The whole text."),
        Usage(9, 5, cost_usd=0.0125),
        Finished("stop"),
    ]


async def test_heartbeats_alone_are_no_life(server: ModelServer, make_port: MakePort) -> None:
    server.script("model", Script(trouble="hang", keep_alive_seconds=0.01))
    assert (await error_of(make_port(limits=QUICK))).kind is ErrorKind.TIMEOUT


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "Wallet is empty.", "code": 402}, ErrorKind.OUT_OF_MONEY),
        ({"message": "Upstream failed.", "type": "server_error"}, ErrorKind.NETWORK),
    ],
)
async def test_a_200_is_no_success(
    server: ModelServer, port: OpenAIPort, error: dict[str, object], kind: ErrorKind
) -> None:
    server.script("model", Script(raw=HEARTBEAT + chunk(error=error) + b"data: [DONE]\n\n"))
    heard, problem = await until_error(port)
    assert (heard, problem.kind) == ([], kind)


@pytest.mark.parametrize("text", ["/debug", "  /imagegen a cat", "/img2img --image /etc/passwd"])
async def test_nobody_can_give_it_commands(
    server: ModelServer, port: OpenAIPort, text: str
) -> None:
    await events_of(port, request(text))
    sent = server.calls[0].body["messages"][-1]["content"]
    assert not sent.lstrip().startswith("/")
    assert text in sent


@pytest.mark.parametrize(
    ("written", "used"),
    [
        ("http://localhost:8402", "http://localhost:8402/v1"),
        ("http://127.0.0.1:8402/", "http://127.0.0.1:8402/v1"),
        ("http://127.0.0.1:8402/v1", "http://127.0.0.1:8402/v1"),
        ("http://127.0.0.1:9000", "http://127.0.0.1:9000"),
    ],
)
def test_the_address_of_its_own_readme_works(written: str, used: str) -> None:
    provider = OpenAIProvider.model_validate({"kind": "openai", "baseUrl": written})
    assert provider.base_url == used
