"""Prints the files that one roundtable runs through, and how large the code is.

    python tools/walk.py 'roundtable --vote tabs or spaces?'

Holds one roundtable in the playground, with the rehearsal panel and without network, and prints
the files of bot/ and cogs/ in which a function ran between the message and the export, in order of
first appearance. The stand-ins for Discord and for the models do not count. Exits with 1 when a
limit is missed or the roundtable does not conclude.
"""

import argparse
import ast
import asyncio
import json
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import CO_OPTIMIZED
from pathlib import Path, PurePosixPath
from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
MAX_FILES = 150
MAX_MODULES = 420
MAX_NAMES = 30
# The chores of a start run beside the first seconds; they are no part of a roundtable.
SETTLE_SECONDS = 2.0
RUN_SECONDS = 300.0

_COUNTED = ("bot/", "cogs/")
_STAND_INS = ("bot/playground/", "bot/front/", "bot/rehearsal/")
_IMPORT_SYSTEM = "<frozen importlib._bootstrap>"


@dataclass(slots=True)
class Walk:
    """The files in order of first appearance, and how often a call led into another package."""

    files: dict[str, None] = field(default_factory=dict)
    package_changes: int = 0
    _package: str | None = None

    def enter(self, file: str) -> None:
        """A function of this file begins or goes on."""
        self.files[file] = None
        package = str(PurePosixPath(file).parent)
        self.package_changes += self._package not in {None, package}
        self._package = package


class Tracer:
    """Follows the functions of all threads that start while it is installed."""

    def __init__(self, root: Path = ROOT) -> None:
        self.walk = Walk()
        self._prefix = f"{root}/"
        self._recording = False

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Watch this thread and those it starts; nothing is recorded yet."""
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record what runs meanwhile."""
        self._recording = True
        try:
            yield
        finally:
            self._recording = False

    def _profile(self, frame: FrameType, event: str, _: object) -> None:
        if not self._recording or event != "call":
            return
        name = frame.f_code.co_filename
        if not name.startswith(self._prefix) or not frame.f_code.co_flags & CO_OPTIMIZED:
            return  # bodies of modules and classes are not optimized
        file = name.removeprefix(self._prefix)
        if is_counted(file) and (file in self.walk.files or not _is_importing(frame)):
            self.walk.enter(file)


def _is_importing(frame: FrameType) -> bool:
    """Whether the function was called by the body of a module that is being imported."""
    caller = frame.f_back
    while caller is not None and caller.f_code.co_filename != _IMPORT_SYSTEM:
        caller = caller.f_back
    return caller is not None


def is_counted(file: str) -> bool:
    """Whether a file belongs to the bot and is no stand-in for Discord, models or people."""
    return file.startswith(_COUNTED) and not file.startswith(_STAND_INS)


def public_names(source: str) -> set[str]:
    """The functions, classes and variables a module defines at top level without underscore."""
    found: set[str] = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found.update(
                name.id
                for target in targets
                for name in ast.walk(target)
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
            )
    return {name for name in found if not name.startswith("_")}


def lines_of(files: Iterable[Path]) -> int:
    """The lines of all these files together."""
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def names_per_1000_lines(files: Sequence[Path]) -> float:
    """How many public names the modules have for each thousand lines."""
    names = sum(len(public_names(file.read_text(encoding="utf-8"))) for file in files)
    return 1000 * names / max(1, lines_of(files))


@dataclass(frozen=True, slots=True)
class Limited:
    """A figure that must not be larger than its limit."""

    name: str
    value: float
    limit: int

    @property
    def missed(self) -> bool:
        """Whether the figure as it is printed is too large."""
        return round(self.value) > self.limit

    def __str__(self) -> str:
        return f"{self.name}: {self.value:.0f} (limit {self.limit})"


def figures(walk: Walk, root: Path = ROOT) -> list[Limited]:
    """The figures that have a limit."""
    modules = sorted((root / "bot").rglob("*.py"))
    return [
        Limited("files", len(walk.files), MAX_FILES),
        Limited("modules", len(modules), MAX_MODULES),
        Limited("public names per 1,000 lines", names_per_1000_lines(modules), MAX_NAMES),
    ]


async def hold(line: str, home: Path, tracer: Tracer) -> bool:
    """Say the line in a playground of its own; True when its roundtable concluded."""
    from bot.front.session import open_playground  # noqa: PLC0415 (after the tracer is installed)
    from bot.settings import load_settings  # noqa: PLC0415

    variables = {
        "ROUNDTABLE_HOME": str(home),
        "ROUNDTABLE_LOCAL": "off",
        "ROUNDTABLE_PANELS": str(_hurried_panels(home)),
    }
    settings = load_settings(None, variables)
    async with open_playground(settings) as session:
        await asyncio.sleep(SETTLE_SECONDS)
        with tracer.recording():
            discord = session.discord
            await discord.say(discord.person("Mara").id, discord.channel("general").id, line)
            return await _exported(home)


def _hurried_panels(home: Path) -> Path:
    """The shipped panels.json with a rehearsal that answers at once."""
    panels = json.loads((ROOT / "panels.json").read_bytes())
    panels["providers"]["rehearsal"]["secondsPerAnswer"] = 0
    file = home / "panels.json"
    file.write_text(json.dumps(panels), encoding="utf-8")
    return file


async def _exported(home: Path) -> bool:
    """Wait for the files of the run; True when they hold a conclusion."""
    folder = home / "memory" / "roundtables"
    async with asyncio.timeout(RUN_SECONDS):
        while not list(folder.glob("*.md")):  # noqa: ASYNC110 (a file sets no event)
            await asyncio.sleep(0.1)
    return any(json.loads(file.read_bytes())["synthesis"] for file in folder.glob("*.json"))


def main() -> int:
    """Hold the roundtable of the command line and print where it went."""
    parser = argparse.ArgumentParser(description="The files one roundtable runs through.")
    parser.add_argument("line", help="what a person types, such as 'roundtable --vote …'")
    line = parser.parse_args().line
    tracer = Tracer()
    with tempfile.TemporaryDirectory() as home, tracer.installed():
        concluded = asyncio.run(hold(line, Path(home), tracer))
    walk, limited = tracer.walk, figures(tracer.walk)
    print(*walk.files, "", *limited, sep="\n")
    print(f"changes of package: {walk.package_changes:,}")
    print(f"lines in these files: {lines_of(ROOT / file for file in walk.files):,}")
    if not concluded:
        print("The roundtable did not conclude.", file=sys.stderr)
    return 0 if concluded and not any(figure.missed for figure in limited) else 1


if __name__ == "__main__":
    sys.exit(main())
