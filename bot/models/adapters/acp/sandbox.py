"""The sandbox of a harness: bubblewrap with a read-only system and the given folders."""

import enum
import functools
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.messages.models import HarnessText
from bot.panels.providers import AcpProvider

_PROGRAM: Final = "bwrap"
_TRIAL_SECONDS: Final = 10.0
_SYSTEM: Final = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store".split()
"""System folders, mounted whole; other programs are mounted where the command names them."""
_SETTINGS: Final = (
    "alternatives ca-certificates ca-certificates.conf crypto-policies group host.conf hosts "
    "ld.so.cache ld.so.conf ld.so.conf.d localtime mime.types nsswitch.conf os-release passwd pki "
    "protocols resolv.conf services ssl terminfo timezone"
).split()
"""Files of /etc that programs need; others may hold secrets."""
_APART: Final = (
    *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
    *("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"),  # noqa: S108 (its own, in memory)
)
_TOOLS: Final = "bin"


class Shelter(enum.Enum):
    """Whether this machine can sandbox a harness."""

    READY = enum.auto()
    NOT_INSTALLED = enum.auto()
    CANNOT = enum.auto()
    """It is installed but cannot create a sandbox here, as in many containers."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one call of a harness gets mounted in addition to the system."""

    folder: Path
    writable: bool
    home: Path
    """The home folder, which is empty inside."""
    hidden: Path
    """The folder of the bot's own files."""
    inputs: tuple[Path, ...] = ()
    shared: tuple[Path, ...] = ()
    network: bool = False


@functools.cache
def shelter() -> Shelter:
    """Try it once per process; takes some milliseconds."""
    if shutil.which(_PROGRAM) is None:
        return Shelter.NOT_INSTALLED
    command = [_PROGRAM, *_APART, *_system(), "true"]
    try:
        tried = subprocess.run(command, capture_output=True, timeout=_TRIAL_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return Shelter.CANNOT
    return Shelter.CANNOT if tried.returncode else Shelter.READY


def inside(command: Sequence[str], program: Path, bounds: Bounds) -> list[str]:
    """The command line that runs another one in the sandbox; the environment is passed on.

    Later mounts cover earlier ones, so folders are hidden first and given ones mounted after that.
    """
    given = _seen(program, command[1:], bounds)
    folder = "--bind" if bounds.writable else "--ro-bind"
    return [
        _PROGRAM,
        *_APART,
        *(["--share-net"] if bounds.network else []),
        # The root folder, the home of some services, is empty anyway.
        *([] if bounds.home == bounds.home.parent else _option("--tmpfs", bounds.home)),
        *_system(),
        *_option("--tmpfs", bounds.hidden),
        *(part for place in given for part in _option("--ro-bind-try", place, place)),
        *(part for place in bounds.shared for part in _option("--bind-try", place, place)),
        *(part for place in bounds.inputs for part in _option("--ro-bind-try", place, place)),
        *_option(folder, bounds.folder, bounds.folder),
        *_option("--chdir", bounds.folder),
        "--",
        str(program),
        *command[1:],
    ]


def _system() -> list[str]:
    places = [*_SYSTEM, *(f"/etc/{name}" for name in _SETTINGS)]
    return [part for place in places for part in ("--ro-bind-try", place, place)]


def _option(name: str, *places: Path) -> list[str]:
    return [name, *map(str, places)]


def _seen(program: Path, arguments: Iterable[str], bounds: Bounds) -> Iterator[Path]:
    """Where the program and the files named in its command are installed."""
    named = [Path(text) for text in arguments if text.startswith("/")]
    for file in (program, program.resolve(), *(path for path in named if path.exists())):
        folder = file if file.is_dir() else file.parent
        whole = (
            folder.parent if folder.name == _TOOLS and folder.parent.name != ".local" else folder
        )
        # Mount the file alone if its folder would expose a home, the bot's files or its .env.
        yield next((one for one in (whole, folder) if not _holds_ours(one, bounds)), file)


def _holds_ours(place: Path, bounds: Bounds) -> bool:
    return any(ours.is_relative_to(place) for ours in (bounds.home, bounds.hidden, Path.cwd()))


def standing(provider: AcpProvider) -> tuple[str, str]:
    """How the harness is confined, and what to do about it, or "" if nothing."""
    if not provider.sandbox:
        return HarnessText.SANDBOX_OFF, ""
    match shelter():
        case Shelter.READY:
            return HarnessText.in_sandbox(network=provider.network), ""
        case Shelter.NOT_INSTALLED:
            return HarnessText.NO_BWRAP, HarnessText.INSTALL_BWRAP
        case Shelter.CANNOT:
            return HarnessText.BWRAP_CANNOT, HarnessText.LET_BWRAP
