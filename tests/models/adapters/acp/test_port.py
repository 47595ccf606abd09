"""A harness over the Agent Client Protocol, against a real program built with its agent side."""

import asyncio
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from bot.models.adapters.acp import AcpPort, Harness, Workspaces
from bot.models.collect import Asides, collect
from bot.types.model_port import Activity, ErrorKind, ModelError, Origin, Queued, Scope
from tests.models.adapters.acp.agent_port import (
    ORIGIN,
    AgentHarness,
    open_agent,
    request,
    until_doing,
)

pytestmark = pytest.mark.heavy

WHOLE = Path(__file__).with_name("answer.txt").read_text(encoding="utf-8")


async def test_an_answer_comes_with_its_usage_and_what_was_allowed_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B30 B34 B35 B37: it learns for whom it works, where, what it may ask for; links lead nowhere.

    Outside a build it writes nothing, although panels.json lets it write.
    """
    monkeypatch.setenv("DISCORD_TOKEN", "ours")
    monkeypatch.setenv("OPENAI_API_KEY", "ours, too")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "notes.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("ours", encoding="utf-8")
    passed = {"HARNESS_KEY": "its own", "UNSET_KEY": None}
    asides, words = Asides(), list[int]()
    async with open_agent(tmp_path, frozenset({"read", "write"}), passed, workspace=folder) as seat:
        acts = "ENVIRONMENT INSIDE WRITE OUTSIDE TERMINAL PERMISSION LENGTH"
        answer = await collect(seat.port, request(acts), words.append, asides=asides)
    assert answer.text == WHOLE
    assert (answer.model, answer.cut_short) == ("codex", True)
    assert words[-1] > 20
    assert answer.usage
    assert (answer.usage.input_tokens, answer.usage.cached_tokens) == (20, 5)
    assert answer.usage.cost_usd is None
    _check_assignment(seat, folder)
    _check_environment(seat)
    inside, *outside = seat.notes("read")
    assert inside["got"] == "two\n"
    assert [path.name for path in folder.iterdir() if not path.is_symlink()] == ["notes.txt"]
    denied = [*outside, *seat.notes("write"), *seat.notes("terminal")]
    assert [note.get("denied") for note in denied] == ["Roundtable does not allow this."] * 7
    outcomes = {note["kind"]: note["outcome"]["option_id"] for note in seat.notes("permission")}
    assert outcomes == {"execute": "no", "edit": "no"}
    assert set(asides.remarks) == {
        "wanted to read a file outside its folder, which was denied",
        "wanted to write a file, which was denied",
        "wanted to open a terminal, which was denied",
        "wanted to use a tool (execute), which was denied",
        "wanted to use a tool (edit), which was denied",
    }


async def test_a_builder_that_may_only_write_may_change_files(tmp_path: Path) -> None:
    """B35: one right is enough for a tool that needs no other."""
    building = replace(ORIGIN, scope=Scope.BUILDING)
    async with open_agent(tmp_path, frozenset({"write"})) as seat:
        await seat.ask("PERMISSION", None, building)
    outcomes = {note["kind"]: note["outcome"]["option_id"] for note in seat.notes("permission")}
    assert outcomes == {"execute": "no", "edit": "yes"}


async def test_a_builder_writes_in_the_runs_own_folder_and_nowhere_else(tmp_path: Path) -> None:
    """B10 B30 B35 B43: what panels.json allows holds there; the operator's folder is only read."""
    folder = tmp_path / "project"
    folder.mkdir()
    asides = Asides()
    building = replace(ORIGIN, scope=Scope.BUILDING)
    async with open_agent(tmp_path, frozenset({"read", "write"}), workspace=folder) as seat:
        await seat.ask("WRITE OUTSIDE PERMISSION", asides, building)
        made = seat.folder / "made" / "report.txt"
        assert made.read_text(encoding="utf-8") == "a finding"
    written, abroad = seat.notes("write")
    assert ("denied" in written, "denied" in abroad) == (False, True)
    outcomes = {note["kind"]: note["outcome"]["option_id"] for note in seat.notes("permission")}
    assert outcomes == {"execute": "no", "edit": "yes"}
    assert [note["roundtable"]["inputs"] for note in seat.notes("prompt")] == [[str(folder)]]
    assert "wanted to write a file outside its folder, which was denied" in asides.remarks
    assert list(folder.iterdir()) == []


async def test_a_tool_is_judged_by_all_that_is_known_of_it(tmp_path: Path) -> None:
    """B30: neither a harmless kind nor the name of a discussion tool hides a change or a command.

    What is asked for may also have been announced before; nothing is allowed for good.
    """
    asides = Asides()
    served = ("http://127.0.0.1:9/mcp", "secret")
    async with open_agent(tmp_path, frozenset({"read", "write"}), tools=lambda: served) as seat:
        await seat.ask("DISGUISE TOOLS", asides)

    assert {note["wish"]: note["option"] for note in seat.notes("disguise")} == {
        "a change": "no",
        "a terminal": "no",
        "announced": "no",
        "announced change": "no",
        "our name": "no",
        "our change": "no",
        "our prefix": "no",
        "our name in a command": "no",
    }
    assert [note["option"] for note in seat.notes("asked")] == ["yes", "no"]
    assert "wanted to use a tool (edit, read), which was denied" in asides.remarks


def _check_assignment(seat: AgentHarness, folder: Path) -> None:
    (new,), (prompt,), (hello,) = (seat.notes(what) for what in ("new", "prompt", "initialize"))
    assignment = {
        "task_id": ORIGIN.run_id,
        "attempt_id": ORIGIN.attempt_id,
        "seat": "analyst",
        "label": "rt-analyst",
        "workspace": str(seat.folder),
        "capabilities": ["read"],
        "inputs": [str(folder)],
    }
    assert new["roundtable"] == prompt["roundtable"] == assignment
    assert new["cwd"] == str(seat.folder)
    assert prompt["text"].startswith("Be brief.\n\n")
    assert hello["capabilities"]["fs"]["read_text_file"] is True
    assert hello["capabilities"]["terminal"] is False


def _check_environment(seat: AgentHarness) -> None:
    (told,) = seat.notes("environment")
    assert told["variables"]["HARNESS_KEY"] == "its own"
    assert "PATH" in told["variables"]
    assert not {"DISCORD_TOKEN", "OPENAI_API_KEY", "UNSET_KEY"} & set(told["variables"])


async def test_a_session_is_taken_up_again_and_one_that_is_gone_is_replaced(
    tmp_path: Path,
) -> None:
    """B36: the reference is all a later process needs; replayed words are not the answer."""
    first, again, lost = Asides(), Asides(), Asides()
    async with open_agent(tmp_path) as seat:
        await seat.ask("Speak.", first)
    async with open_agent(tmp_path, places=1) as seat:
        gone = Origin(ORIGIN.run_id, "", "critic", "session-lost")
        known = Origin(ORIGIN.run_id, "att_8", "analyst", first.session)
        notes = list[str]()
        lost.on_note = notes.append
        answers = await asyncio.gather(
            seat.ask("And now?", again, known), seat.ask("INSIDE WRITE PERMISSION", lost, gone)
        )
        load, missed = seat.notes("load")
        outcomes = [note["outcome"]["option_id"] for note in seat.notes("permission")]
    assert [answer.text for answer in answers] == [WHOLE, WHOLE]
    assert load["session"] == again.session == first.session
    assert load["roundtable"]["attempt_id"] == "att_8"
    assert load["cwd"] == str(seat.folder)
    assert missed["session"] == "session-lost"
    assert lost.session not in ("", "session-lost")
    assert len(seat.notes("new")) == 2
    assert notes[:2] == ["in the queue, 1 ahead", ""]
    assert lost.waited > 0
    assert outcomes == ["no", "no"]
    assert not (seat.folder / "made").exists()
    assert lost.remarks == [
        "could not resume its earlier session and started a new one",
        "wanted to read a file, which was denied",
        "wanted to write a file, which was denied",
        "wanted to use a tool (execute), which was denied",
        "wanted to use a tool (edit), which was denied",
    ]


async def test_a_harness_that_cannot_resume_is_only_asked_for_new_sessions(tmp_path: Path) -> None:
    """B36 E60: nothing is wrong, so nobody is told."""
    (tmp_path / "journal.forgetful").touch()
    asides = Asides()
    async with open_agent(tmp_path) as seat:
        await seat.ask("Speak.", asides)
        await seat.ask("Again.", asides, replace(ORIGIN, session=asides.session))
    assert (seat.notes("load"), len(seat.notes("new")), asides.remarks) == ([], 2, [])


async def test_a_crash_in_the_middle_is_told_with_its_last_words_and_no_key(
    tmp_path: Path,
) -> None:
    async with open_agent(tmp_path) as seat:
        with pytest.raises(ModelError) as failure:
            await seat.ask("CRASH")
    assert failure.value.kind is ErrorKind.NETWORK
    assert str(failure.value) == (
        "The harness exited before its answer was complete. It said: it fell over, @everyone, "
        "<@123456>, key [key]"
    )


async def test_of_many_last_words_the_end_is_told(tmp_path: Path) -> None:
    """The last line of a traceback is the one that says what went wrong."""
    async with open_agent(tmp_path) as seat:
        with pytest.raises(ModelError) as failure:
            await seat.ask("LONG CRASH")
    said = str(failure.value).partition("It said: ")[2]
    assert said.endswith("it fell over, @everyone, <@123456>, key [key]")
    assert (said[0], len(said) <= 200, "654321" in said) == ("…", True, False)


async def test_a_program_that_cannot_start_or_says_nothing_is_a_clear_error(
    tmp_path: Path,
) -> None:
    expected = {"/no/such/program": ErrorKind.NOT_AUTHORISED, "true": ErrorKind.NETWORK}
    for program, kind in expected.items():
        port = AcpPort(Harness((program,), Workspaces(tmp_path)), 1)
        with pytest.raises(ModelError) as failure:
            await collect(port, request("Speak."))
        assert failure.value.kind is kind
        await port.close()


async def test_a_call_that_is_given_up_is_cancelled_and_its_harness_gone(tmp_path: Path) -> None:
    """B37 2.2#24: what it does is told while it does it; Stop and deadline close the stream."""
    async with open_agent(tmp_path) as seat:
        await _leave_when_busy(seat, "HANG")
        assert [note["session"] for note in seat.notes("cancel")] == [
            note["session"] for note in seat.notes("new")
        ]


async def test_a_stubborn_harness_is_killed_with_its_children(tmp_path: Path) -> None:
    """Nobody hears a polite word, so `open_agent` finds nothing alive only after the kill."""
    async with open_agent(tmp_path) as seat:
        await _leave_when_busy(seat, "STUBBORN")
        assert seat.notes("child")
        assert seat.notes("cancel") == []


async def _leave_when_busy(seat: AgentHarness, text: str) -> None:
    """Close the stream as soon as the harness says what it is doing."""
    async with aclosing(seat.port.stream(request(text))) as events:
        seen = [event async for event in until_doing(events)]
    assert seen[0] == Queued(0)
    assert isinstance(seen[-1], Activity)


async def test_a_seat_is_given_the_discussion_tools_and_others_are_not(tmp_path: Path) -> None:
    """C2: with the address and the token, also when its session goes on; never in a build."""
    given, without, building = (tmp_path / name for name in ("given", "without", "building"))
    for home in (given, without, building):
        home.mkdir()
    async with open_agent(given, tools=lambda: ("http://127.0.0.1:9/mcp", "secret")) as seat:
        await seat.ask("TOOLS")
        session = seat.notes("new")[0]["session"]
        await seat.ask("Again.", origin=replace(ORIGIN, session=session))
    async with open_agent(without) as plain:
        await plain.ask("TOOLS")
    async with open_agent(building, tools=lambda: ("http://127.0.0.1:9/mcp", "secret")) as builder:
        await builder.ask("TOOLS", origin=replace(ORIGIN, scope=Scope.LOOKING))

    servers = [note["server"] for note in seat.notes("tools")]
    assert [(s["name"], s["type"], s["url"]) for s in servers] == [
        ("roundtable", "http", "http://127.0.0.1:9/mcp")
    ] * 2
    assert [(h["name"], h["value"]) for h in servers[0]["headers"]] == [
        ("Authorization", "Bearer secret")
    ]
    assert [note["option"] for note in seat.notes("asked")] == ["yes", "no"]
    for other in (plain, builder):
        assert other.notes("tools") == []
        assert [note["option"] for note in other.notes("asked")] == ["no", "no"]


@pytest.mark.parametrize(
    ("served", "deaf", "remark"),
    [
        (None, False, "which are not served"),
        (("http://x", "t"), True, "cannot use tools over HTTP"),
    ],
)
async def test_tools_that_cannot_be_given_are_said_and_the_seat_answers(
    tmp_path: Path, served: tuple[str, str] | None, deaf: bool, remark: str
) -> None:
    """C2."""
    if deaf:
        (tmp_path / "journal.deaf").touch()
    asides = Asides()
    async with open_agent(tmp_path, tools=lambda: served) as seat:
        answer = await seat.ask("Hello.", asides)

    assert answer.text == WHOLE
    assert seat.notes("tools") == []
    assert any(remark in said for said in asides.remarks)
