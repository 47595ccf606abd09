"""Builds the wheel and tries it as a stranger would; prints one line per step, ends with 0 or 1.

    python tools/try_wheel.py

- The wheel holds bot/ and cogs/ with all their files, the prompts and the panels, nothing else.
- A clean environment with the packages of requirements.lock alone holds a roundtable in an empty
  directory; `roundtable init` writes the panels there, and those are used then.
- The `pipx` and `uvx` lines of README.md make a program that holds a roundtable, too. They name
  Roundtable's folder as `.`; here they run elsewhere, so that nothing is found there by chance.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
LOCK = ROOT / "requirements.lock"
SHIPPED = (".env.example", "panels.json", "panels.local.json", "panels.schema.json")
SHIPPED += ("requirements-weights.lock",)
TOPIC = "roundtable --quick --vote tabs or spaces?"
HOLD = ("play", "--port", "0", "--say", TOPIC, "--exit-when-done")
_PASSED = re.compile(r"(PATH|HOME|TMPDIR|(PIP|UV|SSL|REQUESTS)_\w+|\w+_PROXY|\w+_proxy)")


class FailedError(Exception):
    """A step did not do what it should; the text says what came instead."""


def main() -> int:
    """Take every step; 1 when one fails."""
    with tempfile.TemporaryDirectory(prefix="roundtable-wheel-") as folder:
        try:
            _try_everything(Path(folder))
        except FailedError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


def _try_everything(work: Path) -> None:
    pins = work / "pins.txt"
    pins.write_text("\n".join(_pins(LOCK.read_text(encoding="utf-8"))), encoding="utf-8")
    with _step("the wheel is built and holds everything"):
        wheel = _built(work)
        if wrong := _difference(wheel):
            raise FailedError(f"missing in the wheel, or too much: {', '.join(sorted(wrong))}")
    with _step("a clean environment with the lock's packages"):
        program = _installed(work, wheel)
    steps = {
        "a roundtable in an empty directory": partial(_hold, [str(program)], work / "empty"),
        "roundtable check and init": partial(_own_panels, program, work / "own"),
    }
    at_once = {"ROUNDTABLE_PANELS": str(_hasty_panels(work / "panels.json"))}
    for number, line in enumerate(_readme_lines()):
        steps[f"README: {line}"] = partial(
            _try_line, line, work / f"readme-{number}", pins, at_once
        )
    with ThreadPoolExecutor(2) as pool:
        for finished in [pool.submit(_timed, name, step) for name, step in steps.items()]:
            finished.result()


def _timed(name: str, step: Callable[[], None]) -> None:
    with _step(name):
        step()


@contextmanager
def _step(name: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)


def _pins(lock: str) -> list[str]:
    """The versions of a lock file without their hashes."""
    return [
        line.removesuffix("\\") for line in lock.splitlines() if re.match(r"[a-z0-9].*==", line)
    ]


def _built(work: Path) -> Path:
    options = ("--no-deps", "--no-build-isolation", "--wheel-dir", str(work))
    _run([sys.executable, "-m", "pip", "-q", "-q", "wheel", *options, str(ROOT)], work)
    (wheel,) = work.glob("*.whl")
    return wheel


def _difference(wheel: Path) -> set[str]:
    """Names that are in the repository or in the wheel alone."""
    wanted = {f"bot/shipped/{name}" for name in SHIPPED}
    wanted |= {f"bot/shipped/prompts/{path.name}" for path in (ROOT / "prompts").glob("*.md")}
    for package in ("bot", "cogs"):
        files = [path for path in (ROOT / package).rglob("*") if path.is_file()]
        wanted |= {str(p.relative_to(ROOT)) for p in files if "__pycache__" not in p.parts}
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    return wanted ^ held


def _installed(work: Path, wheel: Path) -> Path:
    """The program in an environment that has nothing but the lock's packages and the wheel."""
    place, uv = work / "venv", str(BIN / "uv")
    _run([uv, "venv", "-q", "--python", sys.executable, str(place)], work)
    into = [uv, "pip", "install", "-q", "--python", str(place)]
    _run([*into, "--require-hashes", "-r", str(LOCK)], work)
    _run([*into, "--no-deps", str(wheel)], work)
    return place / "bin" / "roundtable"


def _hold(program: Sequence[str], folder: Path, extra: Mapping[str, str] | None = None) -> None:
    """Hold a roundtable in a folder that is empty before."""
    folder.mkdir()
    out = _run([*program, *HOLD], folder, extra)
    files = [*(folder / "memory" / "roundtables").glob("*-tabs-or-spaces.json")]
    if not files or "Strategist" not in out:
        raise FailedError(f"no roundtable was held:\n{out}")


def _own_panels(program: Path, folder: Path) -> None:
    """The packaged panels are used until there are own ones."""
    folder.mkdir()
    _expect(_run([str(program), "check"], folder), "shipped/panels.json")
    _run([str(program), "init"], folder)
    _expect(_run([str(program), "check"], folder), f"Panels file: {folder / 'panels.json'}")
    _expect(_run([str(program), "init"], folder), "left as it is")


def _expect(said: str, words: str) -> None:
    if words not in said:
        raise FailedError(f"{words!r} was expected, but this was said:\n{said}")


def _readme_lines() -> list[str]:
    """Every command of README that begins with pipx or uvx."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^((?:pipx|uvx) [^#\n]*?)\s*(?:#.*)?$", text, re.MULTILINE)
    if {line.split()[0] for line in lines} != {"pipx", "uvx"}:
        raise FailedError("README has no line for pipx, or none for uvx")
    return lines


def _try_line(line: str, folder: Path, pins: Path, at_once: Mapping[str, str]) -> None:
    """Run a line of README elsewhere, with the lock's versions, and hold a roundtable with it."""
    command = [re.sub(r"^\.(?=$|\[)", str(ROOT), word) for word in shlex.split(line)]
    places = {"PIPX_HOME": f"{folder}-pipx", "PIPX_BIN_DIR": f"{folder}-bin"}
    pinned = dict.fromkeys(("PIP_CONSTRAINT", "UV_CONSTRAINT"), str(pins))
    command[0] = str(BIN / command[0])
    if command[-1] == "play":
        _hold(command[:-1], folder, {**pinned, **at_once})
        return
    _run(command, folder.parent, places | pinned)
    _hold([f"{folder}-bin/roundtable"], folder, at_once)


def _hasty_panels(file: Path) -> Path:
    """The shipped panels with stand-ins that answer at once instead of at the pace of models."""
    panels = json.loads((ROOT / "panels.json").read_text(encoding="utf-8"))
    panels["providers"]["rehearsal"]["secondsPerAnswer"] = 0
    file.write_text(json.dumps(panels), encoding="utf-8")
    return file


def _run(command: Sequence[str], folder: Path, extra: Mapping[str, str] | None = None) -> str:
    """What a command prints; raises FailedError when it fails."""
    kept = {name: value for name, value in os.environ.items() if _PASSED.fullmatch(name)}
    kept |= {"ROUNDTABLE_LOCAL": "off"} | dict(extra or {})
    done = subprocess.run(  # noqa: S603 (our own commands)
        command, cwd=folder, env=kept, capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode:
        raise FailedError(
            f"{shlex.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
