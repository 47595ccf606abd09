"""The folders of runs in which harnesses work: created when needed, removed after the run."""

import asyncio
import logging
import os
import re
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from bot.files.nofollow import write_below
from bot.files.private import make_folder

_log = logging.getLogger(__name__)

_WORKSPACES: Final = "workspaces"
_NAME: Final = re.compile(r"[^\w-]")


class Workspaces:
    """One folder per run; none is removed while it is in use."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._root = home / _WORKSPACES
        self._used: Counter[str] = Counter()
        self._unwanted: set[str] = set()

    def folder(self, run_id: str) -> Path:
        """The path of the run's folder, whether it exists or not."""
        return self._root / (_NAME.sub("", run_id) or "unnamed")

    @asynccontextmanager
    async def using(self, run_id: str, *, last: bool = False) -> AsyncIterator[None]:
        """Keep the folder for the duration of the block; `last` removes it afterwards."""
        self._used[run_id] += 1
        try:
            yield
        finally:
            self._used[run_id] -= 1
            if last:
                self._unwanted.add(run_id)
            await self._remove_unwanted(run_id)

    async def discard(self, run_id: str) -> None:
        """Remove the run's folder now, or as soon as it is no longer in use."""
        self._unwanted.add(run_id)
        await self._remove_unwanted(run_id)

    async def lay_out(self, run_id: str, files: Mapping[str, str]) -> None:
        """Empty the run's folder and put these files into it."""
        await asyncio.to_thread(_lay_out, self.folder(run_id), files)

    async def known(self) -> tuple[str, ...]:
        """The runs that have a folder."""
        return await asyncio.to_thread(_names, self._root)

    async def _remove_unwanted(self, run_id: str) -> None:
        if self._used[run_id] or run_id not in self._unwanted:
            return
        del self._used[run_id]
        self._unwanted.discard(run_id)
        folder = self.folder(run_id)
        if not await asyncio.to_thread(_gone, folder):
            _log.warning("the workspace of %s could not be removed", run_id)


def _gone(folder: Path) -> bool:
    _remove(folder)
    return not os.path.lexists(folder)


def _remove(folder: Path) -> None:
    """Remove the folder, or the link that a harness put in its place."""
    with suppress(OSError):
        if folder.is_symlink():
            folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)


def _names(root: Path) -> tuple[str, ...]:
    try:
        return tuple(sorted(entry.name for entry in os.scandir(root) if entry.is_dir()))
    except FileNotFoundError:
        return ()


def _lay_out(folder: Path, files: Mapping[str, str]) -> None:
    _remove(folder)
    make_folder(folder)
    for name, text in files.items():
        write_below(folder.parent, f"{folder.name}/{name}", text.encode())
