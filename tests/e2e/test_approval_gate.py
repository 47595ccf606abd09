"""A run that waits for an approval: its phases, its evidence, and restarts in between."""

import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection

from bot.app import App, Options, connected, open_app
from bot.council.admission import Asker
from bot.council.approvals import Asked
from bot.errors import UnavailableError, UsageError
from bot.front.session import for_the_playground
from bot.playground.model import Channel, Message
from bot.playground.server import EmbeddedDiscord
from bot.request import Mode
from bot.settings import SHIPPED_PANELS, load_settings
from bot.store import (
    Actor,
    ApprovalStatus,
    EventType,
    Phase,
    SideEffect,
    Status,
    approvals,
    attempts,
    events,
    move,
    runs,
    specs,
)
from bot.store.approvals import Approval, NewApproval
from bot.store.runs import NewRun, Run, TopicPlace
from tests.e2e.table import Table

BOSS = Actor.ORCHESTRATOR
TO_THE_GATE = (
    Phase.SPEC_DRAFT,
    Phase.SPEC_REVIEW,
    Phase.EXECUTION_READY,
    Phase.EXECUTING,
    Phase.SPEC_GATE,
    Phase.QUALITY_GATE,
)


async def run_at_the_gate(table: Table) -> Run:
    """A run whose work is done and whose effect is not, living in #general."""
    channel = table.discord.channel("general")
    place = TopicPlace(channel.guild_id or 0, channel.id, Mode.BUILD, "key")
    new = NewRun(place, channel.id, None, table.discord.person("Jonas").id, "build it", 7, {})

    def work(conn: Connection) -> Run:
        run = runs.start(conn, new, BOSS, 1.0).run
        spec = specs.record(conn, run.id, "**GOAL:** it", "panel", "start", 1.0)
        specs.accept(conn, run.id, spec, specs.BY_RULE, 1.0)
        for before, after in itertools.pairwise(TO_THE_GATE):
            move(conn, run.id, before, after, BOSS, "on", 1.0)
            if after is Phase.EXECUTION_READY:
                attempts.start(conn, run.id, "local", BOSS, 1.0)
        return runs.require(conn, run.id)

    run: Run = await table.session.app.store.write(work)
    return run


async def asked_at_the_gate(table: Table, done: list[str]) -> tuple[Run, Asked]:
    async def write_it(approval: Approval) -> str:
        if approval.details["broken"] and not done:
            done.append("tried")
            raise UnavailableError("The workspace cannot be written.")
        done.append(approval.idempotency_key)
        return "workspace/file.txt"

    run = await run_at_the_gate(table)
    gate = table.session.app.council.approvals
    gate.register("write", write_it)
    wanted = NewApproval(
        run.id,
        "write file.txt",
        SideEffect.WRITE_EXTERNAL,
        f"write:{run.id}",
        "council",
        effect="write",
        details={"broken": False},
        attempt=1,
        gates=True,
    )
    return run, await gate.request(wanted)


async def phase_of(table: Table, run: Run) -> Phase:
    found: Run = await table.stored(lambda conn: runs.require(conn, run.id))
    return found.phase


async def test_an_approved_effect_is_resumed_and_completes_the_run(table: Table) -> None:
    """B15 B23 B24 B32: the orchestrator moves, the approver leaves evidence."""
    done: list[str] = []
    run, asked = await asked_at_the_gate(table, done)
    assert await phase_of(table, run) is Phase.AWAITING_APPROVAL
    gate, mara = table.session.app.council.approvals, Asker(1, may_manage=True)
    assert "workspace/file.txt" in await gate.decide(
        asked.approval.id, ApprovalStatus.APPROVED, mara
    )
    assert done == [f"write:{run.id}"]
    log = await table.stored(lambda conn: events.history(conn, run.id))
    moved = [(e.payload["to"], e.actor) for e in log if e.type is EventType.TASK_TRANSITIONED]
    assert moved[-3:] == [
        ("awaiting_approval", Actor.ORCHESTRATOR),
        ("ready_to_resume", Actor.ORCHESTRATOR),
        ("completed", Actor.ORCHESTRATOR),
    ]
    evidence = [e.actor for e in log if e.payload.get("checkpoint") == "resume_granted"]
    assert evidence == [Actor.APPROVER]
    with pytest.raises(UsageError, match="ended meanwhile"):
        await gate.decide(asked.approval.id, ApprovalStatus.APPROVED, mara)
    assert len(done) == 1


async def test_a_rejected_effect_fails_the_run_and_nothing_happens(table: Table) -> None:
    """B16 2.2#31."""
    done: list[str] = []
    run, asked = await asked_at_the_gate(table, done)
    gate = table.session.app.council.approvals
    await gate.decide(asked.approval.id, ApprovalStatus.REJECTED, Asker(1, may_manage=True), "no")
    assert (await phase_of(table, run), done) == (Phase.FAILED, [])
    last = await table.stored(lambda conn: attempts.last(conn, run.id))
    assert last.status == "failed"


async def test_wished_changes_send_the_run_back_to_work(table: Table) -> None:
    """2.2#31: request_changes leads to execution_ready with an attempt of its own."""
    done: list[str] = []
    run, asked = await asked_at_the_gate(table, done)
    gate = table.session.app.council.approvals
    taken_up: list[Phase] = []
    gate._take_up = lambda found: taken_up.append(found.phase)
    decision = ApprovalStatus.REQUEST_CHANGES
    await gate.decide(asked.approval.id, decision, Asker(1, may_manage=True), "smaller")
    assert (taken_up, done) == ([Phase.EXECUTION_READY], [])
    last = await table.stored(lambda conn: attempts.last(conn, run.id))
    assert (last.ordinal, last.status) == (2, "running")


@asynccontextmanager
async def bot_on(discord: EmbeddedDiscord, home: Path) -> AsyncIterator[App]:
    """The bot for a while, as between two restarts."""
    panels = json.loads(SHIPPED_PANELS.read_text(encoding="utf-8"))
    panels["providers"]["rehearsal"]["secondsPerAnswer"] = 0
    file = home / "panels.json"
    file.write_text(json.dumps(panels), encoding="utf-8")
    settings = load_settings(None, {"ROUNDTABLE_HOME": str(home), "ROUNDTABLE_PANELS": str(file)})
    options = Options(
        guild_ready_timeout=0.05,
        card_pace=0.02,
        adjust=lambda config: for_the_playground(config, discord),
    )
    with discord.redirected():
        async with open_app(settings, options) as app, connected(app, discord.token):
            yield app


def said(discord: EmbeddedDiscord, place: Channel, words: str) -> Message | None:
    return next((m for m in discord.messages(place.id) if words in m.content), None)


async def test_buttons_and_forms_work_after_a_restart_and_a_granted_effect_is_resumed(
    tmp_path: Path,
) -> None:
    """B31 B33: what was asked, and what was granted, outlives the process."""
    async with EmbeddedDiscord() as discord:
        jonas, mara = discord.person("Jonas").id, discord.person("Mara").id
        general, decisions = discord.channel("general"), discord.channel("decisions")
        async with bot_on(discord, tmp_path) as app:
            await discord.say(jonas, general.id, "roundtable --quick --debate tea")
            (thread,) = await discord.until(discord.threads)
            await app.council.idle()
            await discord.say(jonas, thread.id, f"roundtable post <#{decisions.id}>")
            card = await discord.until(lambda: said(discord, thread, "🔐 Approval needed"))
            assert card
            form = await discord.press(mara, card.id, card.custom_ids[1])
            await form.answer()
        async with bot_on(discord, tmp_path) as app:
            sent = await discord.submit(form, {"reason": "later"})
            assert "Noted." in (await sent.message()).content
            await discord.say(jonas, thread.id, f"roundtable post <#{decisions.id}>")
            await discord.until(lambda: said(discord, thread, "Approval needed"))
            (waiting,) = await app.store.read(approvals.pending)
            run = await app.council.last_in(thread.id)
            assert run
            assert run.status is Status.CONCLUDED
            grant = ApprovalStatus.APPROVED
            await app.store.write(
                lambda conn: approvals.resolve(
                    conn, waiting.id, grant, str(mara), "", Actor.HUMAN, 1.0
                )
            )
        assert discord.messages(decisions.id) == []
        async with bot_on(discord, tmp_path):
            await discord.until(lambda: said(discord, decisions, "🔧 META"))
            await discord.until(lambda: said(discord, thread, "✅ Approved by"))
        count = len(discord.messages(decisions.id))
        async with bot_on(discord, tmp_path) as app:
            assert await app.store.read(approvals.unfinished) == ()
        assert len(discord.messages(decisions.id)) == count
