"""A harness for tests, built with the protocol package's own agent side; it does what it is told.

Started as a program: `agent.py <journal>`. Words in the prompt decide what happens: `CRASH`
(`LONG`: after many words), `HANG`, `SLOWLY`, `STUBBORN`, `PERMISSION`, `DISGUISE`, `OUTSIDE`,
`INSIDE`, `WRITE`, `TERMINAL`, `ENVIRONMENT`, `LENGTH`, `PRY` (it tries what the variable PRY names
by itself, asking nobody). Asked to build, it writes `limiter.py` and, told to, makes `MISCHIEF` or
a long `PAUSE`. Everything it is asked is written to the journal, a line of JSON each.
"""

import asyncio
import json
import os
import re
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from acp import (
    PROTOCOL_VERSION,
    Client,
    InitializeResponse,
    NewSessionResponse,
    PromptResponse,
    RequestError,
    run_agent,
    start_tool_call,
    text_block,
    tool_diff_content,
    tool_terminal_ref,
    update_agent_message,
    update_user_message_text,
)
from acp.schema import (
    AgentCapabilities,
    LoadSessionResponse,
    McpCapabilities,
    PermissionOption,
    ToolCallLocation,
    ToolCallUpdate,
    Usage,
)

JOURNAL = Path(sys.argv[1])
SESSIONS = JOURNAL.with_suffix(".sessions")
DIGEST = Path(__file__).with_name("answer.txt").read_text(encoding="utf-8")
BUILDER = "You are the builder of a team."
BUILT = "I wrote limiter.py."
TOLD: dict[str, Any] = {}
"""The assignment of the call."""


def note(what: str, **more: Any) -> None:
    with JOURNAL.open("a", encoding="utf-8") as journal:
        journal.write(json.dumps({"what": what, "pid": os.getpid(), **more}) + "\n")


class HarnessAgent:
    def on_connect(self, conn: Client) -> None:
        self.client = conn

    async def initialize(
        self, protocol_version: int, client_capabilities: Any = None, **_: Any
    ) -> InitializeResponse:
        note("initialize", capabilities=client_capabilities.model_dump(mode="json"))
        can_load = not JOURNAL.with_suffix(".forgetful").exists()
        return InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_capabilities=AgentCapabilities(
                load_session=can_load,
                mcp_capabilities=McpCapabilities(http=not JOURNAL.with_suffix(".deaf").exists()),
            ),
        )

    async def new_session(
        self, cwd: str, mcp_servers: Any = None, **meta: Any
    ) -> NewSessionResponse:
        name = f"session-{os.getpid()}"
        note("new", cwd=cwd, session=name, **meta)
        note_servers(mcp_servers)
        with SESSIONS.open("a", encoding="utf-8") as file:
            file.write(f"{name}\n")
        return NewSessionResponse(session_id=name)

    async def load_session(
        self, cwd: str, session_id: str, mcp_servers: Any = None, **meta: Any
    ) -> LoadSessionResponse:
        note("load", cwd=cwd, session=session_id, **meta)
        note_servers(mcp_servers)
        if not SESSIONS.exists() or session_id not in SESSIONS.read_text(encoding="utf-8").split():
            raise RequestError.resource_not_found(session_id)
        await self.client.session_update(session_id, update_user_message_text("an old question"))
        await self.client.session_update(session_id, update_agent_message(text_block("OLD WORDS")))
        return LoadSessionResponse()

    async def cancel(self, session_id: str, **_: Any) -> None:
        note("cancel", session=session_id)

    async def prompt(self, session_id: str, prompt: list[Any], **meta: Any) -> PromptResponse:
        text = prompt[0].text
        note("prompt", session=session_id, text=text, **meta)
        TOLD.update(meta["roundtable"])
        for word, act in ACTS.items():
            if re.search(rf"\b{word}\b", text):
                await act(self.client, session_id)
        if BUILDER in text:
            await build(self.client, session_id, text, meta["roundtable"])
        answer = BUILT if BUILDER in text else DIGEST
        half = len(answer) // 2
        for piece in (answer[:half], answer[half:]):
            await self.client.session_update(session_id, update_agent_message(text_block(piece)))
            if "CRASH" in text:
                said = "it fell over, @everyone, <@123456>, key sk-secret-123456"
                before = 'File "sk-other-654321", line 1\n' * 200 if "LONG" in text else ""
                print(before + said, file=sys.stderr, flush=True)
                os._exit(3)
        usage = Usage(total_tokens=30, input_tokens=20, output_tokens=10, cached_read_tokens=5)
        reason = "max_tokens" if "LENGTH" in text else "end_turn"
        return PromptResponse(stop_reason=reason, usage=usage)


def note_servers(servers: Any) -> None:
    for server in servers or ():
        note("tools", server=server.model_dump(mode="json"))


async def ask_for_tools(client: Client, session: str) -> None:
    """Ask for one of the discussion tools, and for a tool that is none."""
    options = [
        PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
        PermissionOption(option_id="no", name="No", kind="reject_once"),
    ]
    for title in ("mcp__roundtable__roundtable_list", "mcp__mail__send"):
        call = ToolCallUpdate(tool_call_id="t3", kind="other", title=title)
        answer = await client.request_permission(session, call, options)
        note("asked", title=title, option=answer.outcome.model_dump(mode="json")["option_id"])


async def hang(client: Client, session: str) -> None:
    await client.session_update(session, start_tool_call("t1", "Looking around"))
    await asyncio.Event().wait()


async def take_long(client: Client, session: str) -> None:
    """Longer than a hurried floor's lease of a running call."""
    await asyncio.sleep(3)


async def be_stubborn(client: Client, session: str) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = await asyncio.create_subprocess_exec("sleep", "600")
    note("child", child=child.pid)
    await client.session_update(session, start_tool_call("t1", "Being stubborn"))
    while True:
        signal.pause()


async def build(client: Client, session: str, text: str, told: dict[str, Any]) -> None:
    """Write a file as the protocol has it and one as a program does, and look at the inputs."""
    folder, files = Path.cwd(), [path for path in Path.cwd().rglob("*") if path.is_file()]
    had = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in files}
    note("build", had=had, told=told)
    await client.session_update(session, start_tool_call("t9", "Writing limiter.py"))
    if "PAUSE" in text:
        await asyncio.Event().wait()
    known = had.get("limiter.py")
    mended = f"{known}# mended\n" if known else "LIMIT = 10\n"
    path = str(folder / "limiter.py")
    await tried("write", path, client.write_text_file(session, path, mended))
    (folder / ".harness").mkdir(exist_ok=True)
    (folder / ".harness" / "state.json").write_text("{}")
    for place in told.get("inputs", ()):
        wanted = str(Path(place) / "notes.txt")
        await tried("input", wanted, client.read_text_file(session, wanted))
        await tried("input", wanted, client.write_text_file(session, wanted, "mine now"))
    if "MISCHIEF" in text and not known:
        (folder / "link.py").symlink_to("/etc/hostname")
        (folder / "blob.bin").write_bytes(b"\xff\xfe\x00")
        (folder / "docs").mkdir()
        (folder / "docs" / "no name.md").write_text("a blank in its name")


async def ask_permission(client: Client, session: str) -> None:
    options = [
        PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
        PermissionOption(option_id="no", name="No", kind="reject_once"),
    ]
    inside = ToolCallLocation(path=str(Path.cwd() / "notes.txt"))
    for kind, where in (("execute", None), ("edit", [inside])):
        call = ToolCallUpdate(tool_call_id="t2", kind=kind, title="rm -rf /", locations=where)
        answer = await client.request_permission(session, call, options)
        note("permission", kind=kind, outcome=answer.outcome.model_dump(mode="json"))


async def disguise(client: Client, session: str) -> None:
    """Ask for tools that are more than the request for permission says by itself."""
    path = str(Path.cwd() / "notes.txt")
    inside = [ToolCallLocation(path=path)]
    diff, terminal = tool_diff_content(path, "mine now"), tool_terminal_ref("t")
    wishes: dict[str, tuple[Any, dict[str, Any]]] = {
        "a change": (None, {"kind": "read", "locations": inside, "content": [diff]}),
        "a terminal": (None, {"kind": "read", "locations": inside, "content": [terminal]}),
        "announced": ({"kind": "execute"}, {"kind": "read", "locations": inside}),
        "announced change": ({"content": [diff]}, {"kind": "read", "locations": inside}),
        "our name": ({"kind": "execute"}, {"title": "roundtable_list"}),
        "our change": (None, {"title": "roundtable_list", "content": [diff]}),
        "our prefix": (None, {"kind": "other", "title": "rm -rf roundtable_old"}),
        "our name in a command": (None, {"title": "roundtable_list; rm -rf ."}),
    }
    options = [
        PermissionOption(option_id="always", name="Always", kind="allow_always"),
        PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
        PermissionOption(option_id="no", name="No", kind="reject_once"),
    ]
    for number, (name, (announced, wish)) in enumerate(wishes.items()):
        call_id = f"d{number}"
        if announced:
            update = start_tool_call(call_id, "roundtable_list", **announced)
            await client.session_update(session, update)
        call = ToolCallUpdate(tool_call_id=call_id, **wish)
        answer = await client.request_permission(session, call, options)
        note("disguise", wish=name, option=answer.outcome.model_dump(mode="json")["option_id"])


async def look_outside(client: Client, session: str) -> None:
    link = Path.cwd() / "link.txt"
    link.symlink_to("/etc/hostname")
    dotted = str(Path.cwd() / ".." / "secret.txt")
    for path in ("/etc/hostname", dotted, str(link), "relative.txt"):
        await tried("read", path, client.read_text_file(session, path))
    await tried("write", "/tmp", client.write_text_file(session, "/tmp/roundtable-no.txt", "x"))


async def look_inside(client: Client, session: str) -> None:
    (folder,) = TOLD.get("inputs", [TOLD["workspace"]])
    path = str(Path(folder) / "notes.txt")
    await tried("read", path, client.read_text_file(session, path, line=2, limit=1))


async def write_inside(client: Client, session: str) -> None:
    path = str(Path.cwd() / "made" / "report.txt")
    await tried("write", path, client.write_text_file(session, path, "a finding"))


async def open_terminal(client: Client, session: str) -> None:
    await tried("terminal", "", client.create_terminal(session, "id"))


async def tell_environment(client: Client, session: str) -> None:
    note("environment", variables=dict(os.environ), cwd=str(Path.cwd()))


async def pry(client: Client, session: str) -> None:
    wanted = json.loads(os.environ["PRY"])
    note(
        "pry",
        read={path: managed(lambda p=path: Path(p).read_text("utf-8")) for path in wanted["read"]},
        written={path: managed(lambda p=path: Path(p).write_text("x")) for path in wanted["write"]},
        reached=managed(lambda: socket.create_connection(("127.0.0.1", wanted["port"]), 2).close()),
        others=processes(),
    )


def processes() -> list[str]:
    return [entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def managed(act: Any) -> bool:
    try:
        act()
    except OSError:
        return False
    return True


async def tried(what: str, path: str, asking: Any) -> None:
    try:
        answer = await asking
    except RequestError as error:
        note(what, path=path, denied=str(error), code=error.code)
    else:
        note(what, path=path, got=getattr(answer, "content", ""))


ACTS = {
    "HANG": hang,
    "SLOWLY": take_long,
    "STUBBORN": be_stubborn,
    "INSIDE": look_inside,
    "WRITE": write_inside,
    "OUTSIDE": look_outside,
    "TERMINAL": open_terminal,
    "PERMISSION": ask_permission,
    "DISGUISE": disguise,
    "ENVIRONMENT": tell_environment,
    "PRY": pry,
    "TOOLS": ask_for_tools,
}

if __name__ == "__main__":
    harness: Any = HarnessAgent()
    asyncio.run(run_agent(harness))
