"""Reads and writes files below a folder without following links.

Every folder on the way is held open while the next name is looked up in it, so a link put in its
place meanwhile has no effect. Windows cannot hold folders like that; there links are looked for
first.
"""

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Final

from bot.files.private import FILE, FOLDER

_NEW: Final = os.O_CREAT | os.O_EXCL | os.O_WRONLY


class LinkError(OSError):
    """A link stands where a file or a folder should be."""


class TooLargeError(OSError):
    """A file is larger than its reader wants it."""

    def __init__(self, size: int) -> None:
        super().__init__(errno.EFBIG, os.strerror(errno.EFBIG))
        self.size = size


def read_below(root: Path, name: str, most: int) -> bytes:
    """The content of a plain file of at most so many bytes; raises OSError."""
    with _holding(root, name) as (folder, last):
        descriptor = _open(folder, last, os.O_RDONLY | _PLAINLY)
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
            # It may grow while it is read.
            content = file.read(most + 1)
            if len(content) > most:
                raise TooLargeError(max(found.st_size, len(content)))
            return content


def write_below(root: Path, name: str, content: bytes) -> None:
    """Write a file whole or not at all, and the folders above it; raises OSError."""
    with _holding(root, name, make=True) as (folder, last):
        mode = _mode_of(folder, last)
        draft = f".{last[:200]}.{secrets.token_hex(4)}"
        descriptor = _open(folder, draft, _NEW, FILE)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                if mode is not None and sys.platform != "win32":
                    os.fchmod(descriptor, mode)
            _rename(folder, draft, last)
        except BaseException:
            with suppress(OSError):
                _unlink(folder, draft)
            raise


def _names(name: str) -> tuple[str, ...]:
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or ".." in path.parts:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    return path.parts


def _mode_of(folder: "_Folder", name: str) -> int | None:
    """The rights of a file that is there; raises LinkError."""
    try:
        mode = _lstat(folder, name).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(mode):
        raise LinkError(errno.ELOOP, os.strerror(errno.ELOOP))
    return mode & 0o777


if sys.platform == "win32":
    _PLAINLY = os.O_BINARY
    _Folder = Path

    @contextmanager
    def _holding(root: Path, name: str, *, make: bool = False) -> Iterator[tuple[Path, str]]:
        *above, last = _names(name)
        for part in above:
            root /= part
            if make:
                root.mkdir(exist_ok=True)
            _mode_of(root.parent, part)
        _mode_of(root, last)
        yield root, last

    def _open(folder: Path, name: str, flags: int, mode: int = FILE) -> int:
        return os.open(folder / name, flags | os.O_BINARY, mode)

    def _lstat(folder: Path, name: str) -> os.stat_result:
        return (folder / name).lstat()

    def _rename(folder: Path, name: str, to: str) -> None:
        (folder / name).replace(folder / to)

    def _unlink(folder: Path, name: str) -> None:
        (folder / name).unlink()

else:
    # A pipe in the place of a file must not keep its reader waiting.
    _PLAINLY = os.O_NOFOLLOW | os.O_NONBLOCK
    _Folder = int

    @contextmanager
    def _holding(root: Path, name: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        *above, last = _names(name)
        held = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for part in above:
                inner = _enter(held, part, make=make)
                os.close(held)
                held = inner
            yield held, last
        finally:
            os.close(held)

    def _enter(held: int, part: str, *, make: bool) -> int:
        if make:
            with suppress(FileExistsError):
                os.mkdir(part, FOLDER, dir_fd=held)
        try:
            return os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=held)
        except NotADirectoryError:
            _mode_of(held, part)
            raise

    def _open(folder: int, name: str, flags: int, mode: int = FILE) -> int:
        try:
            return os.open(name, flags | os.O_NOFOLLOW, mode, dir_fd=folder)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise LinkError(error.errno, error.strerror) from error
            raise

    def _lstat(folder: int, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def _rename(folder: int, name: str, to: str) -> None:
        os.rename(name, to, src_dir_fd=folder, dst_dir_fd=folder)

    def _unlink(folder: int, name: str) -> None:
        os.unlink(name, dir_fd=folder)
