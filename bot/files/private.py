"""Files that only the user who runs the bot may read, whatever the umask is."""

import logging
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

_log = logging.getLogger(__name__)

FILE: Final = 0o600
FOLDER: Final = 0o700
_OTHERS: Final = 0o077


def make_folder(folder: Path) -> None:
    """Create a folder, and the missing ones above it, for our user alone; others stay as is."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(FOLDER, exist_ok=True)
    folder.mkdir(exist_ok=True)


def make_file(path: Path) -> None:
    """Create an empty file readable by our user only, or restrict an existing one."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE))
    keep_private(path)


def keep_private(*paths: Path) -> None:
    """Restrict existing files to our user, as earlier versions left them readable."""
    for path in paths:
        try:
            mode = path.stat().st_mode
            if mode & _OTHERS:
                path.chmod(mode & 0o777 & ~_OTHERS)
        except FileNotFoundError:
            continue
        except OSError:
            _log.warning("%s is readable by other users: change its mode to 600", path.name)


def replace_file(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all, for our user alone; raises OSError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
