"""What came out stands where people look, and nothing that is over looks as if it went on."""

import re
from pathlib import Path

from bot.playground.model import Channel, Message
from tests.e2e.playground_harness import PlaygroundHarness, open_harness
from tests.e2e.restart_harness import RestartHarness, restart_harness
from tests.e2e.scripted_models import FAIL, HANG, ScriptedModels, scripted_playground

ASKED = "roundtable --quick --debate should we adopt uv?"
VOTE = "roundtable --quick --vote tea or coffee?"
READ = re.compile(r"(✅|⚖️) .+ · \[read\]\(https://discord\.com/channels/\d+/(\d+)/(\d+)\)")


def anchor(table: PlaygroundHarness | RestartHarness, thread: Channel) -> Message:
    return next(m for m in table.discord.messages(thread.parent_id or 0) if m.id == thread.id)


async def test_channel_card_list_and_status_end_with_the_outcome(
    table: PlaygroundHarness,
) -> None:
    """Issue 22, 2 and 6: one line that links to the conclusion."""
    held = await table.hold(ASKED)
    lines = [READ.search(text) for text in (anchor(table, held.thread).content, held.card)]
    lines += [
        READ.search((await table.reply_after(await table.say(f"roundtable {what}"))).content)
        for what in ("list", f"status {held.record.run_id}")
    ]
    assert len({line and line[0] for line in lines}) == 1
    assert lines[0]
    (first,) = [m for m in table.said_in(held.thread) if m.id == int(lines[0][3])]
    assert first.content.split("\n")[1] == f"## {lines[0][0].partition(' · [read]')[0]}"
    status = await table.reply_after(await table.say(f"roundtable status {held.record.run_id}"))
    assert "concluded" in status.content
    assert ", over <t:" in status.content
    assert "answers" not in status.content


async def test_a_duplicate_is_told_what_was_concluded(table: PlaygroundHarness) -> None:
    """Issue 22, 6."""
    held = await table.hold(ASKED)
    notice = await table.reply_to(await table.say(ASKED))
    head, outcome = notice.content.split("\n")
    assert head == "♻️ Duplicate topic detected — reusing existing thread."
    assert outcome in held.card


async def test_a_duplicate_of_a_running_one_says_so(tmp_path: Path) -> None:
    async with open_harness(tmp_path, seconds_per_answer=600) as table:
        await table.say(ASKED)
        await table.thread()
        notice = await table.reply_to(await table.say(ASKED, person="Ines"))
        assert notice.content.endswith("⏳ It is still running.")


async def test_a_stopped_card_shows_nobody_thinking(tmp_path: Path) -> None:
    """Issue 22, 6: in the thread and in the channel; a retry takes it back."""
    cast = ScriptedModels(says={"r1:*": HANG})
    async with restart_harness(tmp_path, cast) as bench, bench.bot():
        thread = await bench.asked(VOTE)
        await bench.discord.until(lambda: bench.shown(thread, "thinking"))
        ballot = next(m for m in bench.discord.messages(thread.id) if "Vote before" in m.content)
        assert ballot.custom_ids
        await bench.write_in(thread, "roundtable stop")
        await bench.discord.until(lambda: "⏹️" in anchor(bench, thread).content)
        card = next(m for m in bench.discord.messages(thread.id) if m.text.startswith("### 🎯"))
        assert "thinking" not in card.text
        assert "⏹️ Stopped" in card.text
        assert "(did not speak)" in card.text
        assert anchor(bench, thread).content.splitlines()[-1].startswith("⏹️ Stopped")
        (ballot,) = [m for m in bench.discord.messages(thread.id) if m.id == ballot.id]
        assert ballot.custom_ids == []
        assert "nothing is counted" in ballot.content
        await bench.write_in(thread, "roundtable retry")
        await bench.discord.until(
            lambda: any(
                m.id == ballot.id and m.custom_ids for m in bench.discord.messages(thread.id)
            )
        )
        assert "Stopped" not in anchor(bench, thread).content


async def test_a_failed_run_says_so_in_its_channel(tmp_path: Path) -> None:
    cast = ScriptedModels(says={"synthesis": FAIL, "synthesis:orchestrator": FAIL})
    async with restart_harness(tmp_path, cast) as bench, bench.bot() as app:
        thread = await bench.asked(ASKED)
        await app.run_service.idle()
        assert anchor(bench, thread).content.splitlines()[-1].startswith("❌ Failed")
        cast.says.clear()
        await bench.write_in(thread, "roundtable retry")
        await bench.discord.until(lambda: READ.search(anchor(bench, thread).content))


async def test_details_are_private_and_outlive_a_restart(tmp_path: Path) -> None:
    """Issue 22, 5: META is behind a button."""
    async with restart_harness(tmp_path, ScriptedModels()) as bench:
        async with bench.bot() as app:
            thread = await bench.asked(ASKED)
            await app.run_service.idle()
        async with bench.bot():
            told = await bench.press(thread, "🔧 META", "details", "Ines")
    assert told.only_for == bench.discord.person("Ines").id
    assert "**🔧 META**" in told.content
    assert "Stance: " in told.content
    assert "_CONSENSUS" not in told.content


async def test_a_flag_that_another_cancels_is_said_at_the_start(tmp_path: Path) -> None:
    """Issue 22, 5."""
    async with open_harness(tmp_path, seconds_per_answer=600) as table:
        await table.say("roundtable --quick --validate --debate should we adopt uv?")
        thread = await table.thread()
        told = "`--validate` has no effect here"
        await table.discord.until(lambda: any(told in m.text for m in table.said_in(thread)))


async def test_a_challenge_shows_what_it_challenges(table: PlaygroundHarness) -> None:
    """Issue 22, 5: on the card, in the conclusion and in the minutes."""
    held = await table.hold(ASKED)
    notice = await table.reply_to(await table.say(ASKED))
    challenge = next(name for name in notice.custom_ids if name.endswith("challenge"))
    await table.discord.press(table.discord.person("Jonas").id, notice.id, challenge)
    again = await table.held(await table.concluded(await table.thread(2)))
    line = f"↩️ Challenges an earlier conclusion: <#{held.thread.id}>"
    assert f"{line} (should we adopt uv?)" in again.card
    assert line in again.conclusion
    assert again.export["builds_on"]["run_id"] == held.record.run_id
    link = "- [Challenges an earlier conclusion](https://discord.com/channels/"
    assert any(link in text for text in table.minutes())


async def test_context_from_shows_what_it_builds_on(table: PlaygroundHarness) -> None:
    first = await table.hold(ASKED)
    held = await table.hold(
        "roundtable --quick --debate --context-from should-we-adopt-uv is poetry better?"
    )
    assert f"↩️ Builds on an earlier conclusion: <#{first.thread.id}>" in held.conclusion


async def test_claims_are_called_as_critiques_cite_them(tmp_path: Path) -> None:
    """Issue 22, 5: C1 to C3."""
    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        held = await table.hold("roundtable --debate should we adopt uv?")
        said = [m.content for m in table.said_in(held.thread) if "KEY CLAIMS" in m.content]
    assert said
    assert all(re.search(r"\nC1\. .+\nC2\. .+\nC3\. ", text) for text in said)
