"""The sandbox of a harness: bubblewrap shows it a read-only system and the folders it was given."""

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
"""All of it is seen; what else is installed somewhere is seen where the command names it."""
_SETTINGS: Final = (
    "alternatives ca-certificates ca-certificates.conf crypto-policies group host.conf hosts "
    "ld.so.cache ld.so.conf ld.so.conf.d localtime mime.types nsswitch.conf os-release passwd pki "
    "protocols resolv.conf services ssl terminfo timezone"
).split()
"""What programs need of /etc; its other files may hold the secrets of services, ours too."""
_APART: Final = (
    *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
    *("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"),  # noqa: S108 (its own, in memory)
)
_TOOLS: Final = "bin"


class Shelter(enum.Enum):
    """Whether a harness can be put into a sandbox on this machine."""

    READY = enum.auto()
    NOT_INSTALLED = enum.auto()
    CANNOT = enum.auto()
    """It is installed, but may not make a sandbox here, as in many containers."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one call of a harness finds in its sandbox, beside the system."""

    folder: Path
    writable: bool
    home: Path
    """The person's home, which is empty inside."""
    hidden: Path
    """Where the bot keeps its own files."""
    inputs: tuple[Path, ...] = ()
    shared: tuple[Path, ...] = ()
    network: bool = False


@functools.cache
def shelter() -> Shelter:
    """Try it once for the life of this process; takes some milliseconds."""
    if shutil.which(_PROGRAM) is None:
        return Shelter.NOT_INSTALLED
    command = [_PROGRAM, *_APART, *_system(), "true"]
    try:
        tried = subprocess.run(command, capture_output=True, timeout=_TRIAL_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return Shelter.CANNOT
    return Shelter.CANNOT if tried.returncode else Shelter.READY


def inside(command: Sequence[str], program: Path, bounds: Bounds) -> list[str]:
    """The command that starts another one in its sandbox; the environment is passed on as it is.

    Later mounts cover earlier ones, so what is given stands behind what is taken away.
    """
    given = [*_seen(program, command[1:], bounds), *bounds.inputs]
    folder = "--bind" if bounds.writable else "--ro-bind"
    return [
        _PROGRAM,
        *_APART,
        *(["--share-net"] if bounds.network else []),
        # The root, which some services have as their home, is empty anyway.
        *([] if bounds.home == bounds.home.parent else _option("--tmpfs", bounds.home)),
        *_system(),
        *_option("--tmpfs", bounds.hidden),
        *(part for place in given for part in _option("--ro-bind-try", place, place)),
        *(part for place in bounds.shared for part in _option("--bind-try", place, place)),
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
    """Where the program and the files that its command names are installed."""
    named = [Path(text) for text in arguments if text.startswith("/")]
    for file in (program, program.resolve(), *(path for path in named if path.exists())):
        folder = file if file.is_dir() else file.parent
        whole = (
            folder.parent if folder.name == _TOOLS and folder.parent.name != ".local" else folder
        )
        # A folder that holds a home, the bot's files or its .env would show them: the file alone.
        yield next((one for one in (whole, folder) if not _holds_ours(one, bounds)), file)


def _holds_ours(place: Path, bounds: Bounds) -> bool:
    return any(ours.is_relative_to(place) for ours in (bounds.home, bounds.hidden, Path.cwd()))


def standing(provider: AcpProvider) -> tuple[str, str]:
    """Where it runs, and what to do about that; the second is empty when nothing is to be done."""
    if not provider.sandbox:
        return HarnessText.SANDBOX_OFF, ""
    match shelter():
        case Shelter.READY:
            return HarnessText.in_sandbox(network=provider.network), ""
        case Shelter.NOT_INSTALLED:
            return HarnessText.NO_BWRAP, HarnessText.INSTALL_BWRAP
        case Shelter.CANNOT:
            return HarnessText.BWRAP_CANNOT, HarnessText.LET_BWRAP
