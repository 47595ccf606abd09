"""The effect behind an approved build: its files are written into the operator's workspace."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from bot.council.approvals import Approvals
from bot.council.delivery.effects import WRITE_FILES, files_of, workspace_of
from bot.council.tools import Tools
from bot.errors import UnavailableError
from bot.files.nofollow import LinkError, read_below, write_below
from bot.messages.delivery import EffectText
from bot.panels.providers import AcpProvider
from bot.store import runs
from bot.store.approvals import Approval
from bot.store.bundles import REPLACED


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
            raise UnavailableError(EffectText.WORKSPACE_CHANGED)
        files = await store.read(lambda conn: files_of(conn, run.id, approval.attempt))
        if not files:
            raise UnavailableError(EffectText.NO_FILES)
        try:
            await asyncio.to_thread(_write, folder, files, approval.details.get(REPLACED))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise UnavailableError(EffectText.cannot_write(reason)) from error
        return EffectText.written(len(files), folder.name or str(folder))


def _write(folder: Path, files: Sequence[tuple[str, str]], replaced: Sequence[str] | None) -> None:
    """Each file whole or not at all; what nobody approved to be replaced stops everything.

    `replaced` are the files that existed when it was asked for; None if nobody looked.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [(name, text.encode()) for name, text in files]
    changed = [(name, content) for name, content in wanted if not _holds(folder, name, content)]
    for name, _ in changed:
        if replaced is not None and name not in replaced and os.path.lexists(folder / name):
            raise UnavailableError(EffectText.added_meanwhile(name))
    for name, content in changed:
        try:
            write_below(folder, name, content)
        except LinkError as error:
            raise UnavailableError(EffectText.leads_outside(name)) from error


def _holds(folder: Path, name: str, content: bytes) -> bool:
    """Whether a file is there with the same bytes; a link at its path is not ours."""
    try:
        return read_below(folder, name, len(content)) == content
    except LinkError as error:
        raise UnavailableError(EffectText.leads_outside(name)) from error
    except OSError:
        return False
