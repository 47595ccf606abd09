"""An external harness takes a seat: it speaks, is denied things, is stopped, is taken up again."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from bot.access.admission import Asker
from bot.stage.port import button_id
from bot.store.log import events
from bot.store.log.events import EventType
from bot.store.repositories.approvals import ApprovalRepository
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.seats import SeatRepository
from tests.e2e.playground_harness import EditPanels, PlaygroundHarness, open_harness
from tests.e2e.talk_steps import answered
from tests.models.adapters.acp.agent_port import AgentHarness, alive, command, journal_of

pytestmark = pytest.mark.heavy

ASKED = "roundtable --panel harness,mid,cheap --debate {}"


def harnessed(home: Path) -> EditPanels:
    """One model is the harness, two are stand-ins that answer at once."""

    def edit(panels: dict[str, Any]) -> None:
        rehearsed = [{"provider": "rehearsal", "model": "stand-in"}]
        for model in panels["models"].values():
            model["routes"] = rehearsed
        started = {"command": list(command(journal_of(home))), "sandbox": False}
        panels["providers"]["harness"] = {"kind": "acp", **started}
        routes = [{"provider": "harness", "model": "codex"}]
        unpriced = {"price": None, "allowUnpriced": True}
        panels["models"]["harness"] = panels["models"]["grok"] | {"routes": routes} | unpriced
        panels["panels"]["debate"]["earlyExit"] = False
        panels["search"]["provider"] = "off"
        panels["model_aliases"] |= {"mid": "claude-sonnet", "cheap": "gpt"}

    return edit


async def test_a_harness_sits_at_the_table_and_its_session_goes_on_in_the_next_round(
    tmp_path: Path,
) -> None:
    """B34 B35 B36 B19 E60: it learns run, attempt and seat; denials are on the card; the session
    that is stored with the seat is taken up by the next round's process.
    """
    journal = AgentHarness.watching(tmp_path)
    async with open_harness(tmp_path, edit_panels=harnessed(tmp_path)) as table:
        held = await table.hold(ASKED.format("TERMINAL or not?"))
        run_id = held.export["id"]
        (sat,) = [
            seat
            for seat in await table.stored(lambda conn: SeatRepository(conn).of_run(run_id))
            if seat.model == "harness"
        ]
        (attempt,) = await table.stored(lambda conn: AttemptRepository(conn).of_run(run_id))
        done = await table.stored(lambda conn: _call(conn, run_id, f"r1:{sat.slug}"))
    (new,), loads = journal.notes("new"), journal.notes("load")
    assert {load["session"] for load in loads} == {new["session"]}
    assert journal.notes("prompt")[-1]["pid"] == loads[-1]["pid"] != new["pid"]
    assert sat.external_session_ref == f"harness:{new['session']}"
    assert attempt.runtime == "acp"
    assert new["roundtable"] == {
        "task_id": run_id,
        "attempt_id": attempt.id,
        "seat": sat.slug,
        "label": f"rt-{sat.slug}",
        "workspace": str(tmp_path / "workspaces" / run_id),
        "capabilities": [],
    }
    denial = "wanted to open a terminal, which was denied"
    assert done["remarks"] == [denial]
    assert f"{sat.role}: {denial}" in held.card
    assert sat.role in held.voices
    assert held.export["ending"] == "concluded"
    call, *_ = [call for call in held.calls if call.provider == "harness"]
    assert (call.answered_model, call.cost_usd, call.input_tokens) == ("codex", None, 20)


async def test_in_a_discussion_a_harness_never_writes_whatever_panels_json_allows(
    tmp_path: Path,
) -> None:
    """B30: people's files change only after an approval; rounds and follow-ups never ask for one.

    What it may read it still reads, and what was denied stands on the card.
    """
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "notes.txt").write_text("one\ntwo\n", encoding="utf-8")
    before = harnessed(tmp_path)

    def edit(panels: dict[str, Any]) -> None:
        before(panels)
        rights = {"allow": ["read", "write"], "workspace": str(folder)}
        panels["providers"]["harness"] |= rights

    journal = AgentHarness.watching(tmp_path)
    async with open_harness(tmp_path, edit_panels=edit) as table:
        held = await table.hold(ASKED.format("INSIDE and WRITE and PERMISSION?"))
        role = next(seat.role for seat in held.record.seats if seat.model == "harness")
        await table.write_in(held.thread, f"{role}, please WRITE it down.")
        await answered(table, held.thread)
        approvals = await table.stored(
            lambda conn: ApprovalRepository(conn).of_run(held.record.run_id)
        )
    assert [path.name for path in folder.rglob("*")] == ["notes.txt"]
    assert approvals == ()
    written = journal.notes("write")
    assert len(written) >= 2
    assert all(note["denied"] == "Roundtable does not allow this." for note in written)
    assert {n["kind"]: n["outcome"]["option_id"] for n in journal.notes("permission")} == {
        "execute": "no",
        "edit": "no",
    }
    assert journal.notes("read")[0]["got"] == "two\n"
    assert journal.notes("new")[0]["roundtable"]["capabilities"] == ["read"]
    assert f"{role}: wanted to write a file, which was denied" in held.card


def _call(conn: Connection, run_id: str, key: str) -> dict[str, Any]:
    payload = events.find(conn, run_id, EventType.CALL_DONE, key)
    assert payload
    return payload


async def test_stop_ends_the_harness_at_once_while_the_card_says_what_it_does(
    tmp_path: Path,
) -> None:
    """B37 A35: what it is busy with is seen on the card; nothing of it is left after Stop."""
    journal = AgentHarness.watching(tmp_path)
    async with open_harness(tmp_path, edit_panels=harnessed(tmp_path)) as table:
        await table.say(ASKED.format("HANG on?"))
        thread = await table.thread()
        await table.discord.until(
            lambda: any("Looking around" in m.text for m in table.said_in(thread)), timeout=30
        )
        await _stop(table, thread)
        await table.session.app.run_service.idle()
        assert journal.notes("cancel")
        assert not any(alive(note["pid"]) for note in journal.notes())
    assert table.exports()[0]["ending"] == "stopped"


@pytest.mark.heavy
async def test_a_follow_up_takes_the_session_up_again_and_no_folder_is_left(
    tmp_path: Path,
) -> None:
    """B36 D9: also when the harness is slow; what lies in the folder is gone with its run."""
    journal = AgentHarness.watching(tmp_path)
    async with open_harness(tmp_path, edit_panels=harnessed(tmp_path)) as table:
        held = await table.hold(ASKED.format("is it so?"))
        folder = tmp_path / "workspaces" / held.record.run_id
        assert journal.notes("new")
        assert not folder.exists()
        role = next(seat.role for seat in held.record.seats if seat.model == "harness")
        await table.write_in(held.thread, f"{role}, SLOWLY: are you sure?")
        (answer,) = await answered(table, held.thread)
        assert answer.author.name == role
        assert not folder.exists()
    assert journal.notes("load")[-1]["session"] == journal.notes("new")[0]["session"]


async def test_folders_that_a_kill_left_and_those_of_the_forgotten_are_removed(
    tmp_path: Path,
) -> None:
    """A folder stays as long as its run is under way, and not longer."""
    async with open_harness(tmp_path, edit_panels=harnessed(tmp_path)) as table:
        held = await table.hold("roundtable --quick --debate tea")
        await table.say("roundtable --build coffee")
        resting = await table.concluded(await table.thread(2))
        open_run = await table.session.app.run_service.last_in(resting.id)
        assert open_run
        over, gone, waits = (
            tmp_path / "workspaces" / name
            for name in (held.record.run_id, "rt_00000000", open_run.id)
        )
        for folder in (over, gone, waits):
            folder.mkdir(parents=True)
            (folder / "notes.txt").write_text("words", encoding="utf-8")
        await table.session.app.forgetting.tidy()
        assert (over.exists(), gone.exists(), waits.exists()) == (False, False, True)
        jonas = Asker(table.discord.person("Jonas").id)
        assert "Removed" in await table.session.app.forgetting.forget(jonas)
        assert not waits.exists()


async def _stop(table: PlaygroundHarness, thread: Any) -> None:
    card = table.card(thread)
    run_id = card.custom_ids[0].split(":")[1]
    jonas = table.discord.person("Jonas")
    pressed = await table.discord.press(jonas.id, card.id, button_id(run_id, "stop"))
    assert "Stopped" in (await pressed.message()).content
