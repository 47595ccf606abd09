"""Effects outside a run: declared before the build, asked for once, and done only as approved."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sqlalchemy import Connection

from bot.access.admission import Asker
from bot.approvals.gate import Approvals
from bot.delivery.effects import (
    WorkspaceFiles,
    declare_effects,
    effects_settled,
    planned_effects,
    wished_changes,
)
from bot.delivery.files import BuildFiles, built_in
from bot.errors import UnavailableError
from bot.meeting.context import RunContext
from bot.messages.approvals import EffectText
from bot.panels import PanelsConfig, ResolvedModel
from bot.stage.port import Place, Post
from bot.store import ApprovalStatus, ArtifactKind, EventType, Phase, SideEffect, Store, move
from bot.store.log import events
from bot.store.repositories.approvals import Approval, ApprovalRepository
from bot.store.repositories.artifacts import BUILT, ArtifactRepository
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.vocabulary import Actor
from tests.delivery.test_team import design_of
from tests.panels.panels_data import alone, loaded
from tests.store.conftest import start_run
from tests.support.sqlite_store import NOW

MODERATOR = Asker(7, may_manage=True)
CODEX = ResolvedModel("codex", "forge", "acp", "codex", "codex", cast("Any", "premium"))
GPT = ResolvedModel("gpt", "openai", "openai", "gpt", "gpt", cast("Any", "premium"))
BEFORE_THE_GATES = (
    Phase.SPEC_REVIEW,
    Phase.EXECUTION_READY,
    Phase.EXECUTING,
    Phase.SPEC_GATE,
    Phase.QUALITY_GATE,
)


class SilentStage:
    """A stage that takes cards and shows nothing."""

    async def say(self, run_id: str, place: Place, post: Post) -> None:
        """Nobody looks."""

    async def revise(self, run_id: str, place: Place, post: Post) -> None:
        """Nobody looks."""


def with_workspace(folder: Path | None) -> PanelsConfig:
    panels = alone()
    harness = {"kind": "acp", "command": ["codex"], "allow": ["read", "write"]}
    panels["providers"]["forge"] = harness | ({"workspace": str(folder)} if folder else {})
    return loaded(panels)


def at_quality_gate(conn: Connection, run: Run) -> Run:
    actor = Actor.ORCHESTRATOR
    for phase in BEFORE_THE_GATES:
        run = move(conn, run.id, run.phase, phase, actor, "", NOW)
        if phase is Phase.EXECUTION_READY:
            AttemptRepository(conn).start(run.id, "models", actor, NOW)
    return RunRepository(conn).require(run.id)


@dataclass
class EffectHarness:
    """A run at its quality gate whose harness has built one file, and the real gate."""

    store: Store
    run: Run
    folder: Path
    config: PanelsConfig
    resumed: list[Run] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        deps: Any = SimpleNamespace(
            store=self.store, config=lambda _: self.config, stage=SilentStage()
        )
        self.gate = Approvals(deps, self.resumed.append)
        WorkspaceFiles(deps, self.gate)
        models = {"codex": CODEX, "gpt": GPT}
        self.design = replace(design_of(("Implementer", "codex")), models=models)
        self._deps = deps

    @property
    def ctx(self) -> RunContext:
        return cast(
            "RunContext",
            SimpleNamespace(
                deps=self._deps,
                run=self.run,
                config=self.config,
                designed=self.design,
                gate=self.gate,
                show=self.shown.append,
                notice=self.shown.append,
            ),
        )

    async def build(self, **files: str) -> BuildFiles:
        """Store files of the attempt, as names without their suffix."""

        def work(conn: Connection) -> BuildFiles:
            for name, content in files.items():
                ArtifactRepository(conn).record(
                    self.run.id,
                    self.run.attempt,
                    ArtifactKind.PRIMARY_OUTPUT,
                    f"{BUILT}{name}.py",
                    content,
                    Actor.EXECUTOR,
                    NOW,
                )
            built = built_in(conn, self.run.id, self.run.attempt)
            return BuildFiles(1, "spec", (), "codex", built)

        return await self.store.write(work)

    async def asked(self) -> list[Approval]:
        return list(
            await self.store.read(lambda conn: ApprovalRepository(conn).of_run(self.run.id))
        )

    async def decide(self, decision: ApprovalStatus, note: str = "") -> str:
        return await self.gate.decide((await self.asked())[-1].id, decision, MODERATOR, note)


@pytest.fixture
async def harness(store: Store, tmp_path: Path) -> EffectHarness:
    run = await start_run(store)
    run = await store.write(lambda conn: at_quality_gate(conn, run))
    folder = tmp_path / "site"
    return EffectHarness(store, run, folder, with_workspace(folder))


def test_a_workspace_of_the_builder_and_a_link_are_announced(harness: EffectHarness) -> None:
    """B20: both effects are planned before anything is built."""
    harness.run = replace(harness.run, request={"link": "https://git.example/issues/1"})
    assert planned_effects(harness.ctx) == (
        EffectText.plans_to_write("forge", "site"),
        EffectText.plans_to_comment("https://git.example/issues/1"),
    )


def test_a_harness_without_a_workspace_of_the_operator_plans_nothing(
    harness: EffectHarness,
) -> None:
    harness.config = with_workspace(None)
    assert planned_effects(harness.ctx) == ()


async def test_what_is_planned_is_recorded_before_the_first_step(harness: EffectHarness) -> None:
    """B20."""
    await declare_effects(harness.ctx)
    kind, key = EventType.ATTEMPT_CHECKPOINT, f"planned@{harness.run.attempt}"
    found = await harness.store.read(lambda conn: events.find(conn, harness.run.id, kind, key))
    assert found == {"planned": [SideEffect.WRITE_EXTERNAL]}
    assert harness.shown == [EffectText.plans_to_write("forge", "site")]


async def test_files_are_written_once_and_only_after_an_approval(harness: EffectHarness) -> None:
    """B30 B33: nothing is written before, and what was written is not asked for again."""
    work = await harness.build(limiter="LIMIT = 3\n")
    assert not await effects_settled(harness.ctx, work)
    assert not await effects_settled(harness.ctx, work)
    (asked,) = await harness.asked()
    assert asked.side_effect_kind is SideEffect.WRITE_EXTERNAL
    assert not harness.folder.exists()
    await harness.decide(ApprovalStatus.APPROVED)
    assert (harness.folder / "limiter.py").read_text() == "LIMIT = 3\n"
    assert [run.phase for run in harness.resumed] == [Phase.READY_TO_RESUME]
    assert await effects_settled(harness.ctx, work)


async def test_replacing_a_file_is_asked_for_as_such(harness: EffectHarness) -> None:
    harness.folder.mkdir()
    (harness.folder / "limiter.py").write_text("LIMIT = 1\n")
    work = await harness.build(limiter="LIMIT = 3\n", notes="# Notes\n")
    assert not await effects_settled(harness.ctx, work)
    (asked,) = await harness.asked()
    assert asked.side_effect_kind is SideEffect.DESTRUCTIVE_EDIT
    assert asked.rollback_hint == EffectText.UNDO_REPLACED
    await harness.decide(ApprovalStatus.APPROVED)
    assert (harness.folder / "limiter.py").read_text() == "LIMIT = 3\n"


async def test_a_file_that_appeared_after_the_request_is_never_overwritten(
    harness: EffectHarness,
) -> None:
    """Nobody approved to replace it, so nothing at all is written."""
    work = await harness.build(limiter="LIMIT = 3\n", notes="# Notes\n")
    await effects_settled(harness.ctx, work)
    harness.folder.mkdir()
    (harness.folder / "notes.py").write_text("mine")
    with pytest.raises(UnavailableError) as refused:
        await harness.decide(ApprovalStatus.APPROVED)
    assert refused.value.text == EffectText.added_meanwhile("notes.py")
    assert [path.name for path in harness.folder.iterdir()] == ["notes.py"]
    assert (harness.folder / "notes.py").read_text() == "mine"


async def test_an_approval_for_a_folder_that_is_no_longer_configured_writes_nothing(
    harness: EffectHarness, tmp_path: Path
) -> None:
    work = await harness.build(limiter="LIMIT = 3\n")
    await effects_settled(harness.ctx, work)
    harness.config = with_workspace(tmp_path / "elsewhere")
    with pytest.raises(UnavailableError) as refused:
        await harness.decide(ApprovalStatus.APPROVED)
    assert refused.value.text == EffectText.WORKSPACE_CHANGED
    assert not harness.folder.exists()
    assert not (tmp_path / "elsewhere").exists()


async def test_wished_changes_go_to_the_attempt_they_were_asked_for(
    harness: EffectHarness,
) -> None:
    attempt = harness.run.attempt
    await effects_settled(harness.ctx, await harness.build(limiter="LIMIT = 3\n"))
    await harness.decide(ApprovalStatus.REQUEST_CHANGES, "  Use a\nconstant. ")

    def wishes(conn: Connection) -> list[tuple[str, ...]]:
        return [wished_changes(conn, harness.run.id, one) for one in (attempt, attempt + 1)]

    assert await harness.store.read(wishes) == [("Use a constant.",), ()]
    assert not harness.folder.exists()


async def test_a_model_without_a_workspace_has_nothing_to_settle(harness: EffectHarness) -> None:
    work = replace(await harness.build(limiter="LIMIT = 3\n"), builder="gpt")
    assert await effects_settled(harness.ctx, work)
    assert await harness.asked() == []
