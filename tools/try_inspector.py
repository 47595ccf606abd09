"""Drives a whole discussion with the MCP inspector; prints one line per step, ends with 0 or 1.

    python tools/try_inspector.py [VERSION]

The inspector is taken with npx (Node.js), in the version named or in the newest that suits this
Node.js; where it is missing, one sentence says so and the end is 0. Everything happens in a
temporary folder with stand-ins instead of models:

- `roundtable mcp` alone, over standard input and output;
- the same beside a running bot, to which it hands everything on;
- the running bot itself over HTTP with its token, where the inspector can send headers.

Each time three participants speak in two rounds. Before anybody speaks, the prompt the inspector
gets for that participant must hold every word that the others have said.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "@modelcontextprotocol/inspector"
TOOLS = {f"roundtable_{n}" for n in "init speak read status summarize end list".split()}
PEOPLE = {"architect": "Architect", "operator": "Operator", "critic": "Critic"}
ROUNDS = 2
PATIENCE = 120.0
_PASSED = re.compile(r"(PATH|HOME|TMPDIR|(NPM|NODE|SSL)_\w+|npm_\w+|\w+_PROXY|\w+_proxy)")
_NO_NPX = "npx is not installed (it comes with Node.js): nothing was tried."
_NO_INSPECTOR = "npx cannot get the MCP inspector ({why}): nothing was tried."


class FailedError(Exception):
    """A step did not do what it should; the text says what came instead."""


def main(version: str = "") -> int:
    """Take every step; 1 when one fails."""
    npx = shutil.which("npx")
    if npx is None:
        print(_NO_NPX)
        return 0
    program, why = _inspector(npx, f"{PACKAGE}@{version}" if version else PACKAGE)
    if not program:
        print(_NO_INSPECTOR.format(why=why))
        return 0
    with tempfile.TemporaryDirectory(prefix="roundtable-inspector-") as folder:
        try:
            _try_everything(program, Path(folder))
        except FailedError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


def _inspector(npx: str, package: str) -> tuple[str, str]:
    """The inspector's program, or why there is none."""
    command = [npx, "--yes", "--package", package, "--call", "command -v mcp-inspector"]
    got = subprocess.run(  # noqa: S603 (our own commands)
        command, capture_output=True, text=True, check=False, timeout=600
    )
    found = got.stdout.strip().splitlines()
    why = (got.stderr.strip().splitlines() or ["it said nothing"])[-1]
    return (found[-1], "") if got.returncode == 0 and found else ("", why)


def _try_everything(program: str, home: Path) -> None:
    panels = json.loads((ROOT / "panels.json").read_text(encoding="utf-8"))
    (home / "panels.json").write_text(
        json.dumps(panels | {"toolsets": ["roundtable"]}), encoding="utf-8"
    )
    settings = {"ROUNDTABLE_HOME": str(home), "ROUNDTABLE_PANELS": str(home / "panels.json")}
    settings |= {"ROUNDTABLE_LOCAL": "off", "ROUNDTABLE_LOG": "ERROR"}
    server = (sys.executable, "-m", "bot", "mcp")
    known = Inspector(program, server, settings).help()
    # A busy machine takes longer to start a server than newer inspectors wait.
    waits = ("--connect-timeout", str(int(PATIENCE * 1000)))
    patient = waits if waits[0] in known else ()
    stdio = Inspector(program, server, settings, patient)
    hold_discussion(stdio, home, "alone")
    with _running(home, settings):
        hold_discussion(stdio, home, "beside a running bot")
        if "--header" not in known:
            print("HTTP: left out, this inspector cannot send a token")
            return
        endpoint = json.loads((home / "agents.json").read_text(encoding="utf-8"))
        header = ("--header", f"Authorization: Bearer {endpoint['token']}", *patient)
        hold_discussion(Inspector(program, (endpoint["url"],), {}, header), home, "over HTTP")


@dataclass(frozen=True, slots=True)
class Inspector:
    """The inspector's command line, aimed at one server."""

    program: str
    target: Sequence[str]
    settings: Mapping[str, str]
    options: Sequence[str] = ()

    def help(self) -> str:
        """What options there are."""
        return self._run(["--cli", "--help"]).stdout

    def tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its structured answer."""
        pairs = [f"{key}={_written(value)}" for key, value in arguments.items()]
        answer = self.ask("tools/call", "--tool-name", f"roundtable_{name}", "--tool-arg", *pairs)
        if answer.get("isError") or "structuredContent" not in answer:
            raise FailedError(f"roundtable_{name} answered: {json.dumps(answer)[:500]}")
        return dict(answer["structuredContent"])

    def ask(self, method: str, *options: str) -> dict[str, Any]:
        """Send one request and return its answer."""
        given = [part for pair in self.settings.items() for part in ("-e", "=".join(pair))]
        command = ["--cli", *given, *self.target, "--method", method, *options, *self.options]
        got = self._run(command)
        try:
            return dict(json.loads(got.stdout))
        except ValueError as error:
            said = (got.stderr or got.stdout).strip()[-500:]
            raise FailedError(f"the inspector said to {method}: {said}") from error

    def _run(self, arguments: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(  # noqa: S603 (our own commands)
            [self.program, *arguments],
            cwd=ROOT,
            env=_environment({}),
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Nothing of this shell but what programs need to start; no keys, so that nobody is paid."""
    kept = {name: value for name, value in os.environ.items() if _PASSED.fullmatch(name)}
    return {**kept, "PYTHONPATH": str(ROOT), **settings}


@contextmanager
def _running(home: Path, settings: Mapping[str, str]) -> Iterator[None]:
    """A bot in the playground, which serves the tools while it runs."""
    command = [sys.executable, "-m", "bot", "play", "--port", "0", "--no-browser"]
    quiet = subprocess.DEVNULL
    bot = subprocess.Popen(  # noqa: S603 (our own commands)
        command, cwd=home, env=_environment(settings), stdout=quiet, stderr=quiet
    )
    try:
        deadline = time.monotonic() + PATIENCE
        while not (home / "agents.json").exists():
            if bot.poll() is not None or time.monotonic() > deadline:
                raise FailedError("the bot did not start: is the extra mcp installed?")
            time.sleep(0.1)
        yield
    finally:
        bot.terminate()
        bot.wait(PATIENCE)


def hold_discussion(inspector: Inspector, home: Path, how: str) -> None:
    """Hold a discussion and check everything that comes back."""
    begun = time.monotonic()
    names = {tool["name"] for tool in inspector.ask("tools/list")["tools"]}
    _require(names == TOOLS, f"the tools are {sorted(names)}")
    people = [{"profile": profile, "role": role} for profile, role in PEOPLE.items()]
    opened = inspector.tool(
        "init", topic=f"Split the service, {how}?", participants=people, max_rounds=ROUNDS
    )
    run_id, said = opened["discussion_id"], dict[str, list[str]]()
    for number in range(1, ROUNDS + 1):
        _moderate(inspector, run_id, number, said)
        for profile in PEOPLE:
            _speak(inspector, run_id, profile, number, said)
    state = inspector.tool("status", discussion_id=run_id)
    _require(state["status"] == "concluded", f"after the last round it is {state['status']}")
    ended = inspector.tool("end", discussion_id=run_id, conclusion="Keep it whole for a year.")
    minutes = _minutes(inspector, run_id)
    for words in (*(word for each in said.values() for word in each), "Keep it whole for a year."):
        _require(words in minutes, f"the minutes lack “{words}”")
    _require(Path(ended["output_path"]).is_file(), f"{ended['output_path']} was not written")
    listed = inspector.tool("list", status="concluded")["discussions"]
    _require(run_id in [entry["discussion_id"] for entry in listed], "it is not listed")
    _require(Path(ended["output_path"]).is_relative_to(home), "its file lies elsewhere")
    print(f"a discussion {how}: {time.monotonic() - begun:.0f} s")


def _speak(
    inspector: Inspector, run_id: str, profile: str, number: int, said: dict[str, list[str]]
) -> None:
    """Read a participant's prompt, then speak, in answer to the one before."""
    prompt = inspector.ask(
        *("prompts/get", "--prompt-name", "participant"),
        *("--prompt-args", f"discussion_id={run_id}", f"profile={profile}"),
    )
    missing = missing_words(json.dumps(prompt, ensure_ascii=False), said, profile)
    _require(not missing, f"{profile}'s prompt of round {number} lacks {missing}")
    words = f"The {profile} says in round {number}: {profile * number} matters = most."
    heard = inspector.tool("read", discussion_id=run_id)["speeches"]
    answered = heard[-1]["speech_id"]
    inspector.tool(
        "speak", discussion_id=run_id, participant=profile, content=words, reply_to=answered
    )
    said.setdefault(profile, []).append(words)


def _moderate(inspector: Inspector, run_id: str, number: int, said: dict[str, list[str]]) -> None:
    """Open a round as the coordinator, with what the round before showed."""
    prompt = inspector.ask(
        *("prompts/get", "--prompt-name", "coordinator"),
        *("--prompt-args", f"discussion_id={run_id}"),
    )
    missing = missing_words(json.dumps(prompt, ensure_ascii=False), said, "")
    _require(not missing, f"the coordinator's prompt before round {number} lacks {missing}")
    words, more = f"Welcome to round {number}, all of you.", dict[str, Any]()
    if number > 1:
        shared = {"text": "Something matters most", "made_by": list(PEOPLE)}
        more["findings"] = {"consensus": [shared]}
    inspector.tool("speak", discussion_id=run_id, participant="coordinator", content=words, **more)
    said.setdefault("coordinator", []).append(words)


def missing_words(prompt: str, said: Mapping[str, Sequence[str]], reader: str) -> list[str]:
    """What others have said and this prompt does not hold."""
    others = [words for profile, each in said.items() if profile != reader for words in each]
    return [words for words in others if words not in prompt]


def _minutes(inspector: Inspector, run_id: str) -> str:
    answer = inspector.ask("resources/read", "--uri", f"roundtable://minutes/{run_id}")
    return "\n".join(part["text"] for part in answer["contents"])


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise FailedError(otherwise)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
