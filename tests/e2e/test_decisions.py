"""Decisions come back: asked about in time, through restarts, once, and answered by who may."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import discord
import pytest

from bot.access.admission import Asker
from bot.store import EventType
from bot.store.log import events
from bot.store.repositories.decisions import DecisionRepository
from bot.store.repositories.runs import RunRepository
from tests.e2e.decision_steps import (
    ASKS,
    DAY,
    DEBATE,
    VOTE,
    answered,
    choose,
    chosen,
    command,
    decided,
    decision_of,
    press,
    question,
    run_of,
    vote_closed,
    with_action,
)
from tests.e2e.restart_harness import restart_harness
from tests.e2e.scripted_models import ScriptedModels, scripted_playground
from tests.e2e.talk_steps import eventually

pytestmark = pytest.mark.heavy

NEWS = "The tea company went bankrupt last night."


async def test_a_vote_comes_back_after_a_restart_too_early_and_then_answered(
    tmp_path: Path,
) -> None:
    """Issue 24, 5: asked once when it is due, also in an archived thread, and again if wanted."""
    cast = ScriptedModels(ballots={"Strategist": "tea", "Skeptic": "coffee"})
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot() as app:
            thread = await bench.asked(VOTE)
            await app.run_service.idle()
            assert await chosen(bench, thread, "week", "Ines") == (
                "Only the person who started this roundtable and moderators and admins can do "
                "that: ask them."
            )
            told = await chosen(bench, thread, "week")
            assert told.startswith("🔔 This thread will be asked on <t:")
            run_id = await run_of(app, thread)
            channel = await app.bot.fetch_channel(thread.id)
            assert isinstance(channel, discord.Thread)
            await channel.edit(archived=True)
        async with bench.bot(seconds_later=6 * DAY) as app:
            await bench.discord.until(lambda: bench.shown(thread, "🗳️ **People:"))
            await app.run_service.people.settled()
            assert bench.count(thread, ASKS) == 0
        async with bench.bot(seconds_later=8 * DAY) as app:
            first = await question(bench, thread)
            assert first.content.startswith(f"<@{bench.discord.person('Jonas').id}>\n{ASKS}")
            assert "> ✅ tea, 2 of 3" in first.content
            labels = [part["label"] for row in first.components for part in row["components"]]
            assert labels == ["tea", "coffee", "Too early", "Cannot be known"]
            assert "Only the person who" in await answered(bench, first, "0", "Ines")
            assert "asked again on" in await answered(bench, first, "early", "Mara")
            shown = bench.discord.world.message(first.id)
            assert shown.content.startswith("🔔 Too early to say")
            assert not shown.custom_ids
        async with bench.bot(seconds_later=14 * DAY):
            assert bench.count(thread, ASKS) == 0, "the first question was taken back"
        async with bench.bot(seconds_later=16 * DAY) as app:
            second = await question(bench, thread)
            assert second.id != first.id
            assert await answered(bench, second, "1", "Jonas") == (
                "Saved: coffee. Answer again to change it."
            )
            assert bench.shown(thread, "❌ **What happened: coffee** (says <@")
            assert bench.shown(thread, "The panel had chosen tea: wrong.")
        async with bench.bot(seconds_later=200 * DAY) as app:
            await app.run_service.idle()
            late = await chosen(bench, thread, "month")
            assert late.startswith("What happened is known already")
            asked = await app.store.read(
                lambda conn: events.history(conn, run_id, EventType.DECISION_ASKED)
            )
            assert [event.key for event in asked] == ["asked#1", "asked#2"]
        assert bench.count(thread, "What happened: coffee") == 1
        assert bench.count(thread, ASKS) == 0
    (export,) = (tmp_path / "memory" / "roundtables").glob("*.json")
    assert '"answer": "coffee"' in export.read_text()
    assert "What happened: coffee" in export.with_suffix(".md").read_text()


async def test_a_kill_while_the_question_goes_out_asks_once(tmp_path: Path) -> None:
    """Issue 24, 5: what was posted and not noted is not posted again."""
    async with restart_harness(tmp_path, ScriptedModels()) as bench:
        async with bench.bot() as app:
            thread, run_id = await decided(bench, app)
            known = await decision_of(app, run_id)
        async with bench.bot(seconds_later=8 * DAY):
            await question(bench, thread)
        async with bench.bot(seconds_later=8 * DAY) as app:
            # As a kill leaves it between the post and its note.
            await app.store.write(
                lambda conn: DecisionRepository(conn).schedule(
                    run_id, known.guild_id, known.look_at, known.pause, 0.0
                )
            )
            conn_sql = "UPDATE decisions SET asked = 0, claimed_until = NULL"
            await app.store.write(lambda conn: conn.exec_driver_sql(conn_sql))
        async with bench.bot(seconds_later=9 * DAY) as app:

            async def noted() -> bool:
                return (await decision_of(app, run_id)).asked == 1

            await eventually(noted)
        assert bench.count(thread, ASKS) == 1


async def test_a_deleted_thread_is_asked_about_in_its_channel(tmp_path: Path) -> None:
    """Issue 24, 5: nothing is lost in silence when the thread is gone."""
    async with restart_harness(tmp_path, ScriptedModels()) as bench:
        async with bench.bot() as app:
            thread, run_id = await decided(bench, app, when="month")
        del bench.discord.world.channels[thread.id]
        async with bench.bot(seconds_later=31 * DAY) as app:
            general = bench.discord.channel("general")
            asked = await question(bench, general)
            assert asked.custom_ids == [], "it is answered by command"
            assert f"`roundtable resolve {run_id} …`" in asked.content
            done = await command(bench, "Jonas", "resolve", answer="right", id=run_id)
            assert done.content.startswith("Saved: Right.")
            assert bench.shown(general, "✅ **What happened: the conclusion was right**")


async def test_a_decision_is_resolved_by_command_and_changed(tmp_path: Path) -> None:
    """Issue 24, 5: typed and as a slash command with completions, at any time."""
    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        held = await table.hold(DEBATE)
        thread, run_id = held.thread, held.record.run_id

        async def typed(text: str, person: str = "Jonas") -> str:
            return await table.answer_in(thread, text, person=person)

        assert "Only the person" in await typed("roundtable resolve right", "Ines")
        assert await typed("roundtable resolve") == (
            "The answer is missing: write `roundtable resolve` and one of `Right`, `Wrong`, "
            "`Mixed`, `Too early` or `Cannot be known`."
        )
        assert (await typed("roundtable resolve banana")).startswith("“banana” is no answer here")
        assert "asked again on" in await typed("roundtable resolve too early")
        assert (await typed(f"roundtable resolve {run_id} mixed")).startswith("Saved: Mixed.")
        assert (await typed("roundtable resolve cannot be")).startswith("Saved: Cannot be known.")
        general, mara = table.discord.channel("general"), table.discord.person("Mara").id
        offered = await table.discord.slash(
            mara, general.id, "roundtable resolve", {"answer": "r", "id": run_id}, focused="answer"
        )
        choices = (await offered.answer()).data["choices"]
        assert [choice["value"] for choice in choices] == ["Right", "Wrong", "Too early"]
        done = await command(table, "Mara", "resolve", answer="Wrong", id=run_id)
        assert done.content == "Saved: Wrong. Answer again to change it."
        said = [m.content for m in table.said_in(thread)]
        assert sum("What happened:" in text for text in said) == 3
        shown = await typed("roundtable show")
        assert "❌ **What happened: the conclusion was wrong**" in shown
        before = len(table.discord.threads())
        await table.say("roundtable resolve the fight between tabs or spaces?")
        await table.thread(before + 1)


async def test_a_vote_that_is_open_is_not_resolved(tmp_path: Path) -> None:
    """Nobody is swayed by what happened, and no mask shows through."""
    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        held = await table.hold("roundtable --quick --masked --vote tea or coffee?")

        async def typed(text: str) -> str:
            return await table.answer_in(held.thread, text)

        assert (await typed("roundtable resolve tea")).startswith("People may still vote on this")
        await vote_closed(table, held.thread)
        assert (await typed("roundtable resolve tea")).startswith("Saved: tea.")


@pytest.mark.parametrize(
    ("date", "told"),
    [
        ("tomorrow", "This is not a date that I can read"),
        ("2020-01-01", "This date is not in the future"),
        ("2999-01-01", "This date is more than ten years away"),
    ],
)
async def test_a_date_is_asked_for_in_a_form(tmp_path: Path, date: str, told: str) -> None:
    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        held = await table.hold(DEBATE)
        opened = await choose(table, held.thread, "date")
        assert (await opened.answer()).kind == "modal"
        wrong = await (await table.discord.submit(opened, {"date": date})).message()
        assert wrong.content.startswith(told)
        day = datetime.now(UTC) + timedelta(days=40)
        again = await choose(table, held.thread, "date")
        await again.answer()
        right = await (await table.discord.submit(again, {"date": f"{day:%d.%m.%Y}"})).message()
        noon = day.replace(hour=12, minute=0, second=0, microsecond=0).timestamp()
        assert f"<t:{noon:.0f}:D>" in right.content
        never = await chosen(table, held.thread, "never")
        assert never.startswith("Nobody will be asked about this decision.")
        row = await table.stored(lambda conn: DecisionRepository(conn).get(held.record.run_id))
        assert row.look_at is None


async def test_who_is_forgotten_is_not_asked(tmp_path: Path) -> None:
    """Issue 24, 5: the roundtable of a forgotten starter is gone, and so is its question."""
    async with restart_harness(tmp_path, ScriptedModels()) as bench:
        async with bench.bot() as app:
            thread, run_id = await decided(bench, app)
            said = await bench.write_in(thread, "roundtable forget")
            offer = await bench.discord.until(
                lambda: next(
                    (m for m in bench.discord.messages(thread.id) if m.reply_to == said.id), None
                )
            )
            assert offer
            jonas = bench.discord.person("Jonas").id
            gone = await bench.discord.press(jonas, offer.id, offer.custom_ids[0])
            assert (await gone.message()).content.startswith("Removed:")
            assert (await decision_of(app, run_id)).look_at is None
        async with bench.bot(seconds_later=8 * DAY) as app:
            await app.run_service.idle()
            due = await app.store.read(lambda conn: DecisionRepository(conn).next_due())
            assert due is None
        assert bench.count(thread, ASKS) == 0


async def test_a_decision_is_reopened_with_what_is_new_and_superseded(tmp_path: Path) -> None:
    """Issue 24, 7 A34: a form asks what is new, the panel reads it, and both threads link."""
    cast = ScriptedModels()
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot() as app:
            old, first = await decided(bench, app)
            post = with_action(bench.discord.messages(old.id), "reopen")
        async with bench.bot() as app:
            opened = await press(bench, post, "reopen", "Ines")
            assert (await opened.answer()).kind == "modal"
            sent = await bench.discord.submit(opened, {"news": NEWS})
            told = (await sent.message(10)).content
            await app.run_service.idle()
            new = max(bench.discord.threads(), key=lambda thread: thread.id)
            assert str(new.id) in told
            second = await run_of(app, new)
            heard = [asked for asked in cast.asked("r1:*") if NEWS in asked.text]
            assert len(heard) == 3, "every seat of the new panel"
            context = heard[0].values["CURRENT_CONTEXT"]
            assert context.startswith("PRIOR ROUNDTABLE CONTEXT: 🎯 A title")
            assert (
                bench.count(new, f"🔁 This conclusion supersedes the decision in <#{old.id}>.") == 1
            )
            assert bench.shown(old, f"superseded by the conclusion in <#{new.id}>")
            row = await decision_of(app, first)
            assert (row.superseded_by, row.look_at) == (second, None)
            listing = await command(bench, "Ines", "list")
            assert f"🔁 superseded by <#{new.id}>" in listing.content
    exports = {path.stem: path for path in (tmp_path / "memory" / "roundtables").glob("*.json")}
    files = [json.loads(path.read_text()) for path in exports.values()]
    replaced, newer = sorted(files, key=lambda one: one["id"] != first)
    assert replaced["superseded_by"]["run_id"] == second
    assert (newer["builds_on"]["run_id"], newer["builds_on"]["why"]) == (first, "reopen")
    assert newer["superseded_by"] is None
    assert newer["what_would_change_it"] == ["a dry week", "a roof", "free umbrellas"]
    (told,) = newer["floor"]
    assert (told["speaker"], told["text"], told["step"], told["form"], told["by_starter"]) == (
        *("Person 1", NEWS, "r1", "news", True),
    )
    minutes = "".join(path.with_suffix(".md").read_text() for path in exports.values())
    _, _, before = minutes.partition("### From the floor, before round 1\n\n**Person 1**, ")
    assert f" UTC (what is new since then):\n\n> {NEWS}\n\n### Round 1\n" in before
    assert "(too late to be heard" not in minutes
    assert f"/{new.id})." in minutes
    assert "Reopens an earlier decision" in minutes


async def test_reopening_is_a_command_too_and_needs_news(tmp_path: Path) -> None:
    """Issue 24, 7."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(DEBATE)
        assert "🔄 WHAT WOULD CHANGE IT" in held.conclusion
        assert "a fourth" not in held.conclusion

        async def typed(text: str) -> str:
            return await table.answer_in(held.thread, text)

        assert (await typed("roundtable reopen")).startswith("What is new is missing")
        assert (await typed(f"roundtable reopen {'x' * 1600}")).startswith(
            "What is new has 1,600 characters"
        )
        assert "The roundtable is in <#" in await typed(f"roundtable reopen {NEWS}")
        await table.concluded(await table.thread(2))
        mara, about = table.discord.person("Mara").id, held.record.run_id
        await command(table, "Mara", "reopen", news="Another thing.", id=about)
        newest = await table.concluded(await table.thread(3))
        again = await table.held(newest)
        assert again.record.builds_on
        assert again.record.builds_on.run_id == about
        assert "Another thing." in cast.asked("r1:*")[-1].text
        await table.session.app.forgetting.forget(Asker(mara))
        run = await table.stored(lambda conn: RunRepository(conn).require(again.record.run_id))
        assert run.request["news"] is None
