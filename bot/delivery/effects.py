"""Effects of a build outside the run: declared first, carried out once after an approval.

A harness builds in a folder of the run. If panels.json gives it a workspace, which lies outside our
folder, the files that passed both gates are written there when an approver agrees; the run waits
for that in `awaiting_approval` and continues when it is done (B15, B20, B30-B33).
"""

import asyncio
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from bot.approvals.gate import Approvals, free_key
from bot.delivery.files import BuildFiles, built_in, plain_name
from bot.delivery.team import builder_of
from bot.delivery.workshop import may_write
from bot.errors import UnavailableError
from bot.files.nofollow import LinkError, read_below, write_below
from bot.meeting.context import RunContext
from bot.meeting.dependencies import Dependencies
from bot.messages.approvals import EffectText
from bot.panels import ResolvedModel
from bot.panels.providers import AcpProvider
from bot.store import ApprovalStatus, EventType, SideEffect
from bot.store.log import events
from bot.store.repositories.approvals import Approval, ApprovalRepository, NewApproval
from bot.store.repositories.artifacts import FILES, REPLACED, Artifact
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.runs import RunRepository
from bot.store.vocabulary import Actor

_WRITE_FILES: Final = "write_files"
_PLANNED: Final = "planned@{attempt}"


@dataclass(frozen=True, slots=True)
class _Target:
    """A folder outside ours: whose workspace it is, and its path."""

    provider: str
    folder: Path

    @property
    def name(self) -> str:
        """The folder's name for people; only the operator may see its path."""
        return self.folder.name or str(self.folder)


def planned_effects(ctx: RunContext) -> tuple[str, ...]:
    """The effects a build will ask for, in sentences for people."""
    design = ctx.designed
    writers = {name for name, model in design.models.items() if may_write(ctx, model)}
    first = design.models_of(builder_of(design, writers))[:1]
    targets = [target for model in first if (target := _target_of(ctx, model))]
    link = str(ctx.run.request.get("link") or "")
    return (
        *(EffectText.plans_to_write(target.provider, target.name) for target in targets),
        *((EffectText.plans_to_comment(link),) if link else ()),
    )


async def declare_effects(ctx: RunContext) -> None:
    """Record what is planned before the attempt's first step, and show it on the card (B20)."""
    store, run, planned = ctx.deps.store, ctx.run, planned_effects(ctx)
    kinds = [SideEffect.WRITE_EXTERNAL.value for _ in planned]
    key = _PLANNED.format(attempt=run.attempt)
    await store.write(
        lambda conn: AttemptRepository(conn).checkpoint(
            run.id, key, {"planned": kinds}, Actor.ORCHESTRATOR, store.now()
        )
    )
    for text in planned:
        ctx.notice(text)


async def effects_settled(ctx: RunContext, work: BuildFiles) -> bool:
    """Whether all effects are done; False while an approval is pending."""
    target = _target_of(ctx, ctx.designed.models.get(work.builder))
    if target is None:
        return True
    store, run = ctx.deps.store, ctx.run
    name = _key_of(run.id, target, work.files)
    if await store.read(lambda conn: _is_done(conn, run.id, name)):
        return True
    key = await store.read(lambda conn: free_key(conn, run.id, name))
    known = await store.read(lambda conn: ApprovalRepository(conn).find(key))
    ctx.show(EffectText.waits(run.attempt))
    if known is None:
        names = [plain_name(file) for file in work.files]
        replaced = await asyncio.to_thread(_already_there, target.folder, names)
        await ctx.gate.request(_approval(ctx, target, key, names, replaced))
    return False


def wished_changes(conn: Connection, run_id: str, attempt: int) -> tuple[str, ...]:
    """What approvers asked to have changed in the files of an attempt."""
    return tuple(
        " ".join(one.note.split()) or EffectText.CHANGES_WANTED
        for one in ApprovalRepository(conn).of_run(run_id)
        if one.gates and one.attempt == attempt and one.status is ApprovalStatus.REQUEST_CHANGES
    )


def _target_of(ctx: RunContext, model: ResolvedModel | None) -> _Target | None:
    """The workspace of the harness that built, if it lies outside our folder."""
    provider = may_write(ctx, model) if model else None
    folder = _workspace_of(provider) if provider else None
    return _Target(model.provider, folder) if model and folder else None


def _workspace_of(provider: AcpProvider) -> Path | None:
    """The operator's folder for a harness."""
    return Path(provider.workspace).expanduser() if provider.workspace else None


def _already_there(folder: Path, names: Sequence[str]) -> list[str]:
    return [name for name in names if os.path.lexists(folder / name)]


def _approval(
    ctx: RunContext, target: _Target, key: str, names: list[str], replaced: list[str]
) -> NewApproval:
    return NewApproval(
        run_id=ctx.run.id,
        requested_action=EffectText.write_files(
            len(names), len(replaced), target.provider, target.name
        ),
        side_effect_kind=SideEffect.DESTRUCTIVE_EDIT if replaced else SideEffect.WRITE_EXTERNAL,
        idempotency_key=key,
        requested_by=str(ctx.run.starter_id),
        effect=_WRITE_FILES,
        details={
            "provider": target.provider,
            "folder": str(target.folder),
            FILES: names,
            REPLACED: replaced,
        },
        rollback_hint=EffectText.UNDO_REPLACED if replaced else EffectText.UNDO_NEW,
        attempt=ctx.run.attempt,
        gates=True,
    )


def _key_of(run_id: str, target: _Target, files: Sequence[Artifact]) -> str:
    """A key that depends on the files and the folder, not on the attempt."""
    parts = [str(target.folder), *(f"{file.name}:{file.sha256}" for file in files)]
    return f"write:{run_id}:{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:12]}"


def _is_done(conn: Connection, run_id: str, name: str) -> bool:
    asked = ApprovalRepository(conn).of_key(run_id, name)
    done = EventType.EFFECT_DONE
    return any(events.find(conn, run_id, done, one.idempotency_key) for one in asked)


def _files_of(conn: Connection, run_id: str, attempt: int) -> tuple[tuple[str, str], ...]:
    """Name and content of what was approved."""
    return tuple((plain_name(file), file.content) for file in built_in(conn, run_id, attempt))


class WorkspaceFiles:
    """The effect that writes approved files into a workspace."""

    def __init__(self, deps: Dependencies, gate: Approvals) -> None:
        self._deps = deps
        self._gate = gate
        self.register()

    def register(self) -> None:
        """Make the effect known to the gate."""
        self._gate.register(_WRITE_FILES, self._carry_out)

    async def _carry_out(self, approval: Approval) -> str:
        """Write the approved files; those with the same bytes are left alone."""
        store = self._deps.store
        run = await store.read(lambda conn: RunRepository(conn).require(approval.run_id))
        folder = Path(approval.details["folder"])
        provider = self._deps.config(run.guild_id).providers.get(approval.details["provider"])
        if not isinstance(provider, AcpProvider) or _workspace_of(provider) != folder:
            raise UnavailableError(EffectText.WORKSPACE_CHANGED)
        files = await store.read(lambda conn: _files_of(conn, run.id, approval.attempt))
        if not files:
            raise UnavailableError(EffectText.NO_FILES)
        try:
            await asyncio.to_thread(_write, folder, files, approval.details.get(REPLACED))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise UnavailableError(EffectText.cannot_write(reason)) from error
        return EffectText.written(len(files), folder.name or str(folder))


def _write(folder: Path, files: Sequence[tuple[str, str]], replaced: Sequence[str] | None) -> None:
    """Write each file atomically; an unapproved replacement stops everything.

    `replaced` are the files that existed at the time of the request; None if unknown.
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
    """Whether the file exists with the same bytes; a link at its path is refused."""
    try:
        return read_below(folder, name, len(content)) == content
    except LinkError as error:
        raise UnavailableError(EffectText.leads_outside(name)) from error
    except OSError:
        return False
