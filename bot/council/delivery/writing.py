"""The effect behind an approved build: its files are written into the operator's workspace."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from bot.council.approvals import Approvals
from bot.council.delivery.effects import WRITE_FILES, files_of, workspace_of
from bot.council.exports import replace_file
from bot.council.tools import Tools
from bot.errors import UnavailableError
from bot.panels.providers import AcpProvider
from bot.store import runs
from bot.store.approvals import Approval
from bot.words import effects as words


class Writing:
    """Makes the effect known to the gate, and does it."""

    def __init__(self, tools: Tools, gate: Approvals) -> None:
        self._tools = tools
        self._gate = gate
        self.register()

    def register(self) -> None:
        """Make the effect known to the gate."""
        self._gate.register(WRITE_FILES, self._carry_out)

    async def _carry_out(self, approval: Approval) -> str:
        """Write what was approved, where it was approved; the same bytes are left as they are."""
        store = self._tools.store
        run = await store.read(lambda conn: runs.require(conn, approval.run_id))
        folder = Path(approval.details["folder"])
        provider = self._tools.config(run.guild_id).providers.get(approval.details["provider"])
        if not isinstance(provider, AcpProvider) or workspace_of(provider) != folder:
            raise UnavailableError(words.WORKSPACE_CHANGED)
        files = await store.read(lambda conn: files_of(conn, run.id, approval.attempt))
        if not files:
            raise UnavailableError(words.NO_FILES)
        try:
            await asyncio.to_thread(_write, folder, files)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise UnavailableError(words.cannot_write(reason)) from error
        return words.written(len(files), folder.name or str(folder))


def _write(folder: Path, files: Sequence[tuple[str, str]]) -> None:
    """Each file whole or not at all; a link that leads out of the folder stops everything."""
    folder.mkdir(parents=True, exist_ok=True)
    real = folder.resolve()
    places = [(folder / name, text) for name, text in files]
    for path, _ in places:
        if not path.resolve().is_relative_to(real):
            raise UnavailableError(words.leads_outside(path.relative_to(folder).as_posix()))
    for path, text in places:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != text.encode():
            replace_file(path, text)
