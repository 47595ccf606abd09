"""A harness that writes without end: `flooding_harness.py line|words|thoughts`."""

import json
import sys
from typing import Any

MODE = sys.argv[1]
BLOCK = "more and more words " * 2000
TIMES = 8000


def tell(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(kind: str) -> None:
    said = {"sessionUpdate": kind, "content": {"type": "text", "text": BLOCK}}
    tell({"method": "session/update", "params": {"sessionId": "s", "update": said}})


def flood() -> None:
    for _ in range(TIMES):
        match MODE:
            case "line":
                sys.stdout.write(BLOCK)
            case "words":
                update("agent_message_chunk")
            case _:
                update("agent_thought_chunk")


for line in sys.stdin:
    asked = json.loads(line)
    match asked.get("method"):
        case "initialize":
            tell({"id": asked["id"], "result": {"protocolVersion": 1, "agentCapabilities": {}}})
        case "session/new":
            tell({"id": asked["id"], "result": {"sessionId": "s"}})
        case "session/prompt":
            flood()
