"""How discussions end, and the file each leaves (C10-C16)."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.agents.command import open_discussions
from bot.discussions.service import Discussions
from bot.discussions.views import FindingsIn, PointIn
from bot.errors import UnavailableError, UsageError
from bot.library.rebuild import export_everything
from bot.panels.load import parse_panels
from bot.settings import load_settings
from bot.store import DATABASE, InboundKind, Store
from bot.store.repositories.inbound import InboundMessage, InboundRepository
from tests.discussions.conftest import beginning, open_service, opened, round_of, written
from tests.panels.panels_data import ALONE, alone

SHARED = FindingsIn(
    consensus=[PointIn(text="Keep it whole", made_by=["architect", "operator"])] * 5,
    disagreement=[PointIn(text="For how long", made_by=["operator"])],
)


HOW_LONG = FindingsIn(
    disagreement=[PointIn(text="How many months it stays whole", made_by=["operator"])]
)


@pytest.mark.parametrize(
    ("settings", "folder"),
    [({"ROUNDTABLE_CONCLUSIONS": "{}/docs"}, "docs"), ({}, "memory/roundtables")],
    ids=["configured", "default"],
)
async def test_the_folder_of_conclusions_is_configured_or_that_of_roundtables(
    tmp_path: Path, settings: dict[str, str], folder: str
) -> None:
    """C25: with a path of its own and without."""
    (tmp_path / "docs").mkdir()
    chosen = {name: value.format(tmp_path) for name, value in settings.items()}
    found = load_settings(None, ALONE | {"ROUNDTABLE_HOME": str(tmp_path)} | chosen)
    async with open_discussions(found, parse_panels(json.dumps(alone()))) as service:
        paths = []
        for output_path in ("uv.md", None):
            run_id = await opened(service, output_path=output_path)
            ended = await service.end(run_id, conclusion="Keep it.")
            paths.append(Path(str(ended.output_path)))
    assert paths[0] == tmp_path / folder / "uv.md"
    assert paths[1].parent == tmp_path / folder
    assert all(path.is_file() for path in paths)


async def test_all_votes_end_it_and_one_does_not(service: Discussions) -> None:
    """C22."""
    run_id = await opened(service)
    one = await service.end(run_id, "architect")
    assert (one.status, one.reason, one.votes_to_end, one.advice) == (
        "active",
        "",
        ["architect"],
        "Still to vote: operator.",
    )

    both = await service.end(run_id, "operator")

    assert (both.status, both.reason) == ("concluded", "all participants voted to end")
    assert written(both).startswith("# Roundtable Conclusion: Split the service?")
    assert await service.end(run_id, "operator") == both
    with pytest.raises(UsageError, match="'stranger' is not a participant"):
        await service.end(run_id, "stranger")


async def test_the_coordinator_ends_with_a_conclusion_file(
    service: Discussions,
) -> None:
    """C10, C16, C23."""
    run_id = await opened(service, output_path="deep/uv.md")
    await service.speak(run_id, "coordinator", "Let us begin.")
    await round_of(service, run_id)
    await service.speak(run_id, "coordinator", "Heard.", findings=SHARED)

    ended = await service.end(
        run_id, conclusion="Keep it.\n\n- [ ] Write it down\n- [x] Ask Olga, owner: Olga"
    )

    text = written(ended)
    assert str(ended.output_path).endswith("conclusions/deep/uv.md")
    assert text.startswith("# Roundtable Conclusion: Split the service?\n\n- **Question:** Split")
    assert text.index("\n## Summary\n") < text.index("\n## Consensus Points\n")
    assert "- Participants: Architect(Architect), Operator(Olga)" in text
    assert "## Consensus Points\n\n1. Keep it whole (Architect(Architect), Operator(Olga))" in text
    assert "## Disagreement Points\n\n1. For how long (Operator(Olga))" in text
    assert "- [ ] Write it down (owner: unassigned)\n- [x] Ask Olga (owner: Olga)" in text
    assert "### Round 1\n\n**Architect(Architect)**: architect speaks." in text
    assert "### Opening\n\n**Coordinator(agent)**: Let us begin." in text


async def test_a_conclusion_may_come_after_the_end_but_only_once(service: Discussions) -> None:
    """C10."""
    run_id = await opened(service, max_rounds=1)
    await round_of(service, run_id)

    late = await service.end(run_id, conclusion="Keep it.", findings=SHARED)
    assert "1. Keep it whole" in written(late)
    with pytest.raises(UsageError, match="already concluded"):
        await service.end(run_id, conclusion="Split it.")
    with pytest.raises(UsageError, match="already concluded"):
        await service.end(run_id, cancel=True)
    assert "Keep it." in written(late)


async def test_ending_twice_changes_nothing_and_writes_the_file_again(
    service: Discussions,
) -> None:
    """C10, C16."""
    run_id = await opened(service)
    first = await service.end(run_id, conclusion="Keep it.")
    before = written(first)
    _remove(str(first.output_path))

    assert await service.end(run_id, conclusion="Keep it.") == first
    assert await service.end(run_id) == first
    assert written(first) == before
    cancelled = await opened(service)
    gone = await service.end(cancelled, cancel=True)
    assert await service.end(cancelled, cancel=True) == gone


@pytest.mark.parametrize("how", ["rounds", "convergence"])
async def test_what_ended_by_itself_gets_its_file_without_a_conclusion(
    service: Discussions, how: str
) -> None:
    """C16, C22."""
    run_id = await opened(service, max_rounds=2 if how == "rounds" else 3)
    await round_of(service, run_id)
    await round_of(service, run_id)
    if how == "convergence":
        await service.speak(run_id, "coordinator", "All agree.", findings=SHARED)

    ended = await service.end(run_id)

    assert ended.status == "concluded"
    assert "architect speaks." in written(ended)
    assert "without a conclusion. Call roundtable_summarize" in ended.advice


async def test_a_file_that_could_not_be_written_is_written_by_the_next_call(
    service: Discussions, tmp_path: Path
) -> None:
    run_id = await opened(service)
    in_the_way = tmp_path / "conclusions"
    in_the_way.write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(UnavailableError, match="Call roundtable_end again"):
        await service.end(run_id, conclusion="Keep it.")
    _remove(str(in_the_way))

    assert "Keep it." in written(await service.end(run_id, conclusion="Keep it."))


async def test_numbered_tasks_are_tasks(service: Discussions) -> None:
    """C23."""
    run_id = await opened(service)

    ended = await service.end(
        run_id, conclusion="1. [ ] Write it down\n2) [x] Ask Olga\n+ [ ] Rest\n3. Not a task"
    )

    items = written(ended).partition("## Action Items\n\n")[2].partition("\n\n")[0]
    assert [line.partition(" (owner")[0] for line in items.splitlines()] == [
        "- [ ] Write it down",
        "- [x] Ask Olga",
        "- [ ] Rest",
    ]


async def test_a_cancelled_discussion_leaves_its_file_too(tmp_path: Path) -> None:
    """C23 C25: whatever ended it, what was said is kept, and written anew from the store."""
    async with open_service(tmp_path) as service:
        run_id = await opened(service)
        await service.speak(run_id, "architect", "It stays whole.")

        ended = await service.end(run_id, cancel=True)

        text = written(ended)
        assert ended.status == "cancelled"
        assert ended.advice == f"What was said is in {ended.output_path}."
        assert "- Ending: cancelled by the coordinator\n" in text
        assert "- **Conclusion:** nothing was recorded\n" in text
        assert "**Architect(Architect)**: It stays whole." in text
        _remove(str(ended.output_path))
        assert await service.end(run_id, cancel=True) == ended
        with pytest.raises(UsageError, match="already cancelled"):
            await service.end(run_id, conclusion="After all.")
    _remove(str(ended.output_path))
    assert await export_everything(tmp_path, conclusions=tmp_path / "conclusions") == 1
    assert written(ended) == text


async def test_two_discussions_on_one_topic_never_share_a_file(service: Discussions) -> None:
    paths = {
        (await service.end(await opened(service), conclusion="Done.")).output_path for _ in range(3)
    }

    assert len(paths) == 3


async def test_a_link_cannot_lead_out_of_the_folder(service: Discussions, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "conclusions").mkdir()
    (tmp_path / "conclusions" / "link").symlink_to(outside)

    with pytest.raises(UsageError, match="is outside"):
        await service.init(beginning(output_path="link/x.md"))


async def test_the_file_of_a_discussion_is_written_anew_from_the_store(tmp_path: Path) -> None:
    """C25."""
    async with open_service(tmp_path) as service:
        ended = await service.end(await opened(service), conclusion="Keep it.")
    before = written(ended)
    _remove(str(ended.output_path))

    assert await export_everything(tmp_path, conclusions=tmp_path / "conclusions") == 1
    assert written(ended) == before


async def test_a_discussion_that_ended_without_a_conclusion_is_written_anew_too(
    tmp_path: Path,
) -> None:
    """C16 C25: what votes or rounds ended has a file as well; what goes on has none."""
    async with open_service(tmp_path) as service:
        voted = await opened(service)
        await service.end(voted, "architect")
        ended = await service.end(voted, "operator")
        await opened(service)
    before = written(ended)
    _remove(str(ended.output_path))

    assert await export_everything(tmp_path, conclusions=tmp_path / "conclusions") == 1
    assert written(ended) == before


async def test_a_file_of_another_encoding_is_in_nobodys_way(
    service: Discussions, tmp_path: Path
) -> None:
    """C16 C25."""
    (tmp_path / "conclusions").mkdir()
    other = tmp_path / "conclusions" / "uv.md"
    other.write_bytes("café".encode("latin-1"))

    ended = await service.end(await opened(service, output_path="uv.md"), conclusion="Keep it.")

    assert str(ended.output_path).endswith("/uv-2.md")
    assert other.read_bytes() == b"caf\xe9"


async def test_a_conclusion_goes_where_it_was_asked_to_or_under_its_date_and_topic(
    service: Discussions, tmp_path: Path
) -> None:
    """C25: a path inside the folder is kept, another discussion's file is not overwritten."""
    first = await opened(service, output_path="a/b/uv.md")
    await service.speak(first, "architect", "Keep it whole.")
    asked = await service.end(first, conclusion="Yes.")
    second = await opened(service, output_path="a/b/uv.md")
    again = await service.end(second, conclusion="No.")
    plain = await service.end(await opened(service, output_path=""), conclusion="Perhaps.")

    folder = (tmp_path / "conclusions").resolve()
    assert asked.output_path == str(folder / "a" / "b" / "uv.md")
    assert again.output_path == str(folder / "a" / "b" / "uv-2.md")
    assert (await service.end(first)).output_path == asked.output_path
    assert "Keep it whole." in written(asked)
    today = datetime.now(UTC).date().isoformat()
    assert plain.output_path == str(folder / f"{today}-split-the-service.md")
    assert ["Yes." in written(asked), "No." in written(again), "Perhaps." in written(plain)] == [
        True
    ] * 3
    _remove(str(asked.output_path))
    assert (await service.end(second)).output_path == again.output_path


async def test_a_path_that_leads_out_of_the_folder_or_is_no_markdown_file_is_refused(
    service: Discussions, tmp_path: Path
) -> None:
    """C25: nor does a link lead out; the longest path that fits is taken."""
    (tmp_path / "conclusions").mkdir()
    (tmp_path / "conclusions" / "out").symlink_to(tmp_path)
    for path, why in (
        ("../uv.md", "is outside"),
        ("out/uv.md", "is outside"),
        (str(tmp_path / "uv.md"), "is outside"),
        ("uv.txt", "must end in .md"),
        ("uv\0.md", "too long"),
        ("a/" * 149 + ".md", "too long"),
    ):
        with pytest.raises(UsageError, match=why):
            await opened(service, output_path=path)
    assert await opened(service, output_path="a/" * 148 + "b.md")


async def test_a_link_that_came_later_leads_no_conclusion_out_of_the_folder(
    service: Discussions, tmp_path: Path
) -> None:
    """C25: the path is checked again when the file is written."""
    run_id = await opened(service, output_path="a/uv.md")
    (tmp_path / "conclusions").mkdir(exist_ok=True)
    (tmp_path / "conclusions" / "a").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="is outside"):
        await service.end(run_id, conclusion="Keep it.")
    assert not (tmp_path / "uv.md").exists()


async def test_the_file_holds_what_people_said_times_replies_and_positions(tmp_path: Path) -> None:
    """A34 C23: the same as in the minutes of a meeting."""
    async with open_service(tmp_path) as service:
        run_id = await opened(service)
        first = await service.speak(run_id, "architect", "It is one whole. Two months suffice.")
    await heard(tmp_path, run_id, "@everyone think of\n**Operator(Olga)**: the night.")
    async with open_service(tmp_path) as service:
        await service.speak(run_id, "operator", "A year at least.", reply_to=first.speech_id)
        await service.speak(run_id, "coordinator", "Heard.", findings=HOW_LONG)
        ended = await service.end(run_id, conclusion="Keep it.\n\n- [ ] Write it (owner: Olga)")
        shown = await service.look.minutes(run_id)
    text = written(ended)
    assert shown == text
    assert text.split("\n\n")[1].splitlines()[1:] == [
        "- **Conclusion:** Keep it.",
        "- **Agreed:** nothing was recorded",
        "- **Disputed:** How many months it stays whole",
        "- **Next:** Write it (owner: Olga)",
    ]
    assert "- From the floor: Person 1" in text
    point = "1. How many months it stays whole (Operator(Olga))\n"
    positions = "   - Architect(Architect): It is one whole.\n   - Operator(Olga): A year at least."
    assert f"{point}{positions}" in text
    _, _, said = text.partition("### Round 1\n\n")
    assert re.match(
        r"\*\*Architect\(Architect\)\*\*: It is one whole[^\n]+\n\n\d\d:\d\d:\d\d UTC\n\n"
        r"\*\*Person 1\*\*, from the floor, \d\d:\d\d:\d\d UTC:\n\n"
        r"> ＠everyone think of\n>\n> \*\*Operator\(Olga\)\*\*: the night\.\n\n"
        r"\*\*Operator\(Olga\)\*\*: A year at least\.\n\n"
        r"\d\d:\d\d:\d\d UTC · in reply to Architect\(Architect\)\n",
        said,
    )


async def test_the_file_says_when_and_why_it_ended_and_where_peoples_words_fell(
    tmp_path: Path,
) -> None:
    """A34 C23 C27: before the first speech, between rounds, and not those that were removed."""
    now, issue = [1_000_000_000.0], "https://github.com/ada/tea/issues/7"
    async with open_service(tmp_path, clock=lambda: now[0]) as service:
        run_id = await opened(service, link=issue, max_rounds=3)
        for profile in ("coordinator", "architect", "operator", "architect"):
            now[0] += 10
            await service.speak(run_id, profile, f"{profile} speaks.")
    for number, later, text in ((1, 5, "Early."), (2, 35, "Between."), (3, 45, "Late.")):
        await heard(tmp_path, run_id, text, number, 1_000_000_000.0 + later)
    await heard(tmp_path, run_id, "", 9, 1_000_000_001.0, author=8)
    async with open_service(tmp_path, clock=lambda: now[0]) as service:
        now[0] += 20
        text = written(await service.end(run_id, conclusion="Keep it."))
        state = await service.look.status(run_id)

    assert state.link == issue
    assert "- Date: 2001-09-09 01:46:40 UTC to 2001-09-09 01:47:40 UTC\n" in text
    assert "- Ending: ended by the coordinator\n" in text
    assert f"- Link: {issue}\n" in text
    assert "- From the floor: Person 1\n" in text
    said = [line for line in text.splitlines() if line.startswith(("### ", "> "))]
    assert said == [
        *("### Opening", "> Early.", "### Round 1", "> Between."),
        *("### Round 2", "> Late."),
    ]


async def test_a_position_that_was_given_up_is_not_shown(service: Discussions) -> None:
    """C23: below a disagreement stands what each participant said last about it."""
    run_id = await opened(service)
    await service.speak(run_id, "architect", "It stays whole for years. Rest.")
    await service.speak(run_id, "operator", "A year at least.")
    await service.speak(run_id, "architect", "I concede. It stays whole for three months, then.")
    await service.speak(run_id, "coordinator", "Heard.", findings=HOW_LONG)
    text = written(await service.end(run_id, conclusion="Keep it."))
    assert "   - Architect(Architect): It stays whole for three months, then.\n" in text


async def test_a_long_topic_and_speeches_without_blanks_keep_the_file_short_at_the_top(
    service: Discussions,
) -> None:
    """A34 C23: what can be sent on stays short; one sentence is shown, not a whole speech."""
    run_id = await opened(service, topic="Split the service? " * 100)
    await service.speak(run_id, "architect", "不应该拆分。团队只有六个人。" * 3)
    await service.speak(run_id, "operator", "好。")
    await service.speak(run_id, "coordinator", "Heard.", findings=HOW_LONG)

    text = written(await service.end(run_id, conclusion="保持整体。" * 30))

    brief = text.split("\n\n")[1]
    assert len(brief) < 1_000
    assert "。\n- **Agreed:**" in brief
    assert "   - Architect(Architect): 不应该拆分。\n" in text


async def test_long_points_and_steps_keep_the_five_lines_short(service: Discussions) -> None:
    """A34 C23: they stand whole below."""
    run_id = await opened(service)
    await round_of(service, run_id)
    long = "We keep it whole for now. " * 38
    found = FindingsIn(
        consensus=[PointIn(text=long, made_by=["architect", "operator"])],
        disagreement=[PointIn(text=long, made_by=["operator"])],
    )
    await service.speak(run_id, "coordinator", "Heard.", findings=found)
    task = f"- [ ] {long * 3}(owner: Ada)"

    text = written(await service.end(run_id, conclusion=f"Keep it.\n\n{task}"))

    brief = text.split("\n\n")[1].splitlines()
    assert len(brief) == 5
    assert max(map(len, brief)) < 400
    assert brief[4].endswith("… (owner: Ada)")
    assert text.count(f"1. {long.strip()} (") == 2
    assert f"- [ ] {(long * 3).strip()} (owner: Ada)" in text


async def test_nobody_can_write_an_entry_or_a_section_of_the_file(service: Discussions) -> None:
    """A34: not even with an open fence of code; what looks like a name of the file is no name."""
    run_id = await opened(service)
    fake = "Yes.\n\n**Operator(Olga)**: I agree.\n\n### Round 9\n\n@everyone\n```\nopen"
    await service.speak(run_id, "architect", fake)
    ended = await service.end(run_id, conclusion="# Done\n\n## Detailed Transcript\n\nKeep it.")

    text = written(ended)
    assert "\n\nOperator(Olga): I agree.\n\n**Round 9**\n\n＠everyone\n```\nopen\n```\n\n" in text
    assert "## Conclusion\n\n**Done**\n\n**Detailed Transcript**\n\nKeep it." in text
    assert text.count("## Detailed Transcript") == 1
    assert "- **Conclusion:** Keep it.\n" in text, "headings are not what was concluded"


async def test_a_task_that_is_done_stays_done(service: Discussions) -> None:
    """C23: the next step is the first that is open."""
    tasks = "1. [x] Ask Olga (owner: Ada)\n2. [ ] Write it down\n- [X] Rest"
    ended = await service.end(await opened(service), conclusion=f"Keep it.\n\n{tasks}")

    text = written(ended)
    assert "- [x] Ask Olga (owner: Ada)\n- [ ] Write it down (owner: unassigned)\n- [x]" in text
    assert "- **Next:** Write it down (owner: unassigned)\n" in text


async def test_the_file_counts_rounds_that_were_held_and_has_the_score(
    service: Discussions,
) -> None:
    """C21 C22 2.2#4: a round that nobody spoke in was not held."""
    run_id = await opened(service, max_rounds=5)
    await round_of(service, run_id)
    await round_of(service, run_id)
    await service.speak(run_id, "coordinator", "All agree.", findings=SHARED)
    ended = await service.end(run_id, conclusion="Keep it.", findings=HOW_LONG)

    text, state = written(ended), await service.look.status(run_id)
    assert state.convergence_score == 5 / 6
    assert [entry.round for entry in state.history] == [2], "what came later is about no new round"
    assert "- Rounds: 2 of 5\n" in text
    assert "2 participants, 2 rounds, " in text
    assert "- Convergence: 83% of the points are shared\n" in text
    silent = await service.end(await opened(service), conclusion="Nothing.")
    assert "- Rounds: 0 of 2\n" in written(silent)
    assert "Convergence" not in written(silent)


async def heard(
    home: Path, run_id: str, text: str, number: int = 5, at: float | None = None, author: int = 7
) -> None:
    """A person says something in the thread of a discussion."""
    store = await Store.open(home / DATABASE)
    now = at or store.now()
    said = InboundMessage(number, 1, 1, author, text, now, InboundKind.FLOOR, run_id)
    await store.write(lambda conn: InboundRepository(conn).remember(said, now))
    await store.close()


def _remove(path: str) -> None:
    Path(path).unlink()
