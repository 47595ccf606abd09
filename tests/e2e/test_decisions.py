"""Decisions come back: asked about in time, through restarts, once, and answered by who may."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import discord
import pytest
from sqlalchemy import Connection, select

from bot.access.admission import Asker
from bot.access.readers import Reader
from bot.app import App
from bot.playground.model import Channel, Message
from bot.store import EventType
from bot.store.log import events
from bot.store.repositories.decisions import DecisionRepository
from bot.store.repositories.runs import RunRepository
from bot.store.tables import runs
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.restart_harness import RestartHarness, restart_harness
from tests.e2e.scripted_models import ScriptedModels, scripted_playground
from tests.e2e.talk_steps import eventually

DAY = 86_400.0
VOTE = "roundtable --quick --vote tea or coffee?"
DEBATE = "roundtable --quick --debate Should we adopt uv?"
ASKS = "🔔 **What happened?**"


def with_action(said: list[Message], action: str) -> Message:
    """The newest message with such a button or menu."""
    return next(m for m in reversed(said) if any(i.endswith(f":{action}") for i in m.custom_ids))


async def choose(
    bench: RestartHarness | PlaygroundHarness, thread: Channel, when: str, person: str = "Jonas"
) -> Any:
    """Choose in the menu under the conclusion when to look again."""
    post = with_action(bench.discord.messages(thread.id), "look")
    name = next(i for i in post.custom_ids if i.endswith(":look"))
    return await bench.discord.press(bench.discord.person(person).id, post.id, name, [when])


async def question(bench: RestartHarness, thread: Channel, number: int) -> Message:
    """The question to the thread, once it was asked so often."""
    found = await bench.discord.until(
        lambda: [m for m in bench.discord.messages(thread.id) if ASKS in m.content][number - 1 :]
    )
    assert found
    return found[0]


async def answered(bench: RestartHarness, post: Message, answer: str, person: str) -> str:
    name = next(i for i in post.custom_ids if i.endswith(f":outcome:{answer}"))
    pressed = await bench.discord.press(bench.discord.person(person).id, post.id, name)
    return (await pressed.message()).content


async def run_of(app: App, thread: Channel) -> str:
    run = await app.run_service.last_in(thread.id)
    assert run
    return run.id


async def test_a_vote_comes_back_after_a_restart_too_early_and_then_answered(
    tmp_path: Path,
) -> None:
    """Issue 24, 5: asked once when it is due, also in an archived thread, and again if wanted."""
    cast = ScriptedModels(ballots={"Strategist": "tea", "Skeptic": "coffee"})
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot() as app:
            thread = await bench.asked(VOTE)
            await app.run_service.idle()
            refused = await (await choose(bench, thread, "week", "Ines")).message()
            assert refused.content == (
                "Only the person who started this roundtable and moderators and admins can do "
                "that: ask them."
            )
            told = await (await choose(bench, thread, "week")).message()
            assert told.content.startswith("🔔 This thread will be asked on <t:")
            run_id = await run_of(app, thread)
            channel = await app.bot.fetch_channel(thread.id)
            assert isinstance(channel, discord.Thread)
            await channel.edit(archived=True)
        async with bench.bot(seconds_later=6 * DAY) as app:
            await bench.discord.until(lambda: bench.shown(thread, "🗳️ **People:"))
            await app.run_service.people.settled()
            assert bench.count(thread, ASKS) == 0
        async with bench.bot(seconds_later=8 * DAY) as app:
            first = await question(bench, thread, 1)
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
            second = await question(bench, thread, 1)
            assert second.id != first.id
            assert await answered(bench, second, "1", "Jonas") == (
                "Saved: coffee. Answer again to change it."
            )
            assert bench.shown(thread, "❌ **What happened: coffee** (says <@")
            assert bench.shown(thread, "The panel had chosen tea: wrong.")
        async with bench.bot(seconds_later=200 * DAY) as app:
            await app.run_service.idle()
            late = await (await choose(bench, thread, "month")).message()
            assert late.content.startswith("What happened is known already")
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
            thread = await bench.asked(DEBATE)
            await app.run_service.idle()
            await (await choose(bench, thread, "week")).message()
            run_id = await run_of(app, thread)
            known = await app.store.read(lambda conn: DecisionRepository(conn).get(run_id))
            assert known
        async with bench.bot(seconds_later=8 * DAY):
            await question(bench, thread, 1)
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
                found = await app.store.read(lambda conn: DecisionRepository(conn).get(run_id))
                return found is not None and found.asked == 1

            await eventually(noted)
        assert bench.count(thread, ASKS) == 1


async def test_a_deleted_thread_is_asked_about_in_its_channel(tmp_path: Path) -> None:
    """Issue 24, 5: nothing is lost in silence when the thread is gone."""
    async with restart_harness(tmp_path, ScriptedModels()) as bench:
        async with bench.bot() as app:
            thread = await bench.asked(DEBATE)
            await app.run_service.idle()
            await (await choose(bench, thread, "month")).message()
            run_id = await run_of(app, thread)
        del bench.discord.world.channels[thread.id]
        async with bench.bot(seconds_later=31 * DAY) as app:
            general = bench.discord.channel("general")
            asked = await question(bench, general, 1)
            assert asked.custom_ids == [], "it is answered by command"
            assert f"`roundtable resolve {run_id} …`" in asked.content
            jonas = bench.discord.person("Jonas").id
            done = await bench.discord.slash(
                jonas, general.id, "roundtable resolve", {"answer": "right", "id": run_id}
            )
            assert (await done.message(10)).content.startswith("Saved: Right.")
            assert bench.shown(general, "✅ **What happened: the conclusion was right**")


async def test_a_decision_is_resolved_by_command_and_changed(tmp_path: Path) -> None:
    """Issue 24, 5: typed and as a slash command with completions, at any time."""
    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        held = await table.hold(DEBATE)
        thread, run_id = held.thread, held.record.run_id

        async def typed(text: str, person: str = "Jonas") -> str:
            return (await table.reply_to(await table.write_in(thread, text, person=person))).content

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
        done = await table.discord.slash(
            mara, general.id, "roundtable resolve", {"answer": "Wrong", "id": run_id}
        )
        assert (await done.message()).content == "Saved: Wrong. Answer again to change it."
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
            return (await table.reply_to(await table.write_in(held.thread, text))).content

        assert (await typed("roundtable resolve tea")).startswith("People may still vote on this")
        await typed("roundtable conclude")
        await table.session.app.run_service.people.settled()
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
        never = await (await choose(table, held.thread, "never")).message()
        assert never.content.startswith("Nobody will be asked about this decision.")
        row = await table.stored(lambda conn: DecisionRepository(conn).get(held.record.run_id))
        assert row.look_at is None


async def test_who_is_forgotten_is_not_asked(tmp_path: Path) -> None:
    """Issue 24, 5: the roundtable of a forgotten starter is gone, and so is its question."""
    async with restart_harness(tmp_path, ScriptedModels()) as bench:
        async with bench.bot() as app:
            thread = await bench.asked(DEBATE)
            await app.run_service.idle()
            await (await choose(bench, thread, "week")).message()
            run_id = await run_of(app, thread)
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
            row = await app.store.read(lambda conn: DecisionRepository(conn).get(run_id))
            assert row
            assert row.look_at is None
        async with bench.bot(seconds_later=8 * DAY) as app:
            await app.run_service.idle()
            due = await app.store.read(lambda conn: DecisionRepository(conn).next_due())
            assert due is None
        assert bench.count(thread, ASKS) == 0


NEWS = "The tea company went bankrupt last night."


async def test_a_decision_is_reopened_with_what_is_new_and_superseded(tmp_path: Path) -> None:
    """Issue 24, 7: a form asks what is new, the panel reads it, and both threads link."""
    cast = ScriptedModels()
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot() as app:
            old = await bench.asked(DEBATE)
            await app.run_service.idle()
            await (await choose(bench, old, "week")).message()
            first = await run_of(app, old)
            post = with_action(bench.discord.messages(old.id), "reopen")
        async with bench.bot() as app:
            ines = bench.discord.person("Ines").id
            name = next(i for i in post.custom_ids if i.endswith(":reopen"))
            opened = await bench.discord.press(ines, post.id, name)
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
            row = await app.store.read(lambda conn: DecisionRepository(conn).get(first))
            assert row
            assert (row.superseded_by, row.look_at) == (second, None)
            general = bench.discord.channel("general")
            listing = await bench.discord.slash(ines, general.id, "roundtable list")
            assert f"🔁 superseded by <#{new.id}>" in (await listing.message()).content
    exports = {path.stem: path for path in (tmp_path / "memory" / "roundtables").glob("*.json")}
    files = [json.loads(path.read_text()) for path in exports.values()]
    replaced, newer = sorted(files, key=lambda one: one["id"] != first)
    assert replaced["superseded_by"]["run_id"] == second
    assert (newer["builds_on"]["run_id"], newer["builds_on"]["why"]) == (first, "reopen")
    assert newer["superseded_by"] is None
    assert newer["what_would_change_it"] == ["a dry week", "a roof", "free umbrellas"]
    minutes = "".join(path.with_suffix(".md").read_text() for path in exports.values())
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
            return (await table.reply_to(await table.write_in(held.thread, text))).content

        assert (await typed("roundtable reopen")).startswith("What is new is missing")
        assert (await typed(f"roundtable reopen {'x' * 1600}")).startswith(
            "What is new has 1,600 characters"
        )
        assert "The roundtable is in <#" in await typed(f"roundtable reopen {NEWS}")
        await table.concluded(await table.thread(2))
        mara, general = table.discord.person("Mara").id, table.discord.channel("general")
        done = await table.discord.slash(
            mara,
            general.id,
            "roundtable reopen",
            {"news": "Another thing.", "id": held.record.run_id},
        )
        await done.message(10)
        newest = await table.concluded(await table.thread(3))
        again = await table.held(newest)
        assert again.record.builds_on
        assert again.record.builds_on.run_id == held.record.run_id
        assert "Another thing." in cast.asked("r1:*")[-1].text
        await table.session.app.forgetting.forget(Asker(mara))
        run = await table.stored(lambda conn: RunRepository(conn).require(again.record.run_id))
        assert run.request["news"] is None


def repeat_decision(conn: Connection, run_id: str, times: int, *, wrong: str, guild: int) -> None:
    """As many resolved votes like this one, in which only one model was wrong."""
    columns = [c.name for c in runs.columns if c.name not in ("id", "guild_id")]
    own = conn.execute(select(runs).where(runs.c.id == run_id)).mappings().one()
    for n in range(times):
        name = f"rt_{guild % 16:x}{n:07x}"
        kept = {c: own[c] for c in columns} | {"id": name, "guild_id": guild}
        conn.execute(runs.insert().values(kept))
        facts = DecisionRepository(conn).get(run_id).facts  # type: ignore[union-attr]
        models = {model: int(model == wrong) for model in facts["models"]}
        DecisionRepository(conn).resolve(
            name, guild, "0", 1, {**facts, "models": models, "panel": n % 2}, float(n)
        )


async def test_resolved_votes_decide_what_the_next_ballots_weigh(tmp_path: Path) -> None:
    """Issue 24, 1 and 3: skills by this server's votes alone, and how sure from a hundred on."""
    cast = ScriptedModels(ballots={"Strategist": "tea", "Skeptic": "coffee"})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(VOTE)
        assert held.export["worth"]["skills"] == {}
        await table.reply_to(await table.write_in(held.thread, "roundtable conclude"))
        await table.session.app.run_service.people.settled()
        told = await table.reply_to(await table.write_in(held.thread, "roundtable resolve tea"))
        assert told.content.startswith("Saved: tea.")
        run_id, store = held.record.run_id, table.session.app.store
        row = await table.stored(lambda conn: DecisionRepository(conn).get(run_id))
        assert (row.facts["panel"], row.facts["plain"], row.answer) == (0, 0, "0")
        skeptic = dict(held.record.worth.voters)["Skeptic"] if held.record.worth else ""
        assert row.facts["models"][skeptic] == 1
        strategist = next(model for model in row.facts["models"] if model != skeptic)
        elsewhere, here = 77, next(iter(table.discord.world.guilds))
        await store.write(
            lambda c: repeat_decision(c, run_id, 300, wrong=strategist, guild=elsewhere)
        )
        await store.write(lambda c: repeat_decision(c, run_id, 99, wrong=skeptic, guild=here))
        again = await table.hold("roundtable --quick --vote tea or coffee today?")
    worth = again.export["worth"]
    assert (worth["skills_from_votes"], worth["sure_from_votes"]) == (100, 100)
    assert worth["skills"]["Skeptic"] < 0.3 < 0.7 < worth["skills"]["Strategist"]
    assert worth["weights"]["Skeptic"] < 0.01
    assert worth["error_correlation"] == 0.5, "only one of them was ever wrong"
    assert "with 100 resolved votes of this server" in again.conclusion
    assert "corrected by 100 resolved votes of this server" in again.meta
    raw = again.record.tallies[-1].sure
    assert raw
    assert again.export["sure"] != pytest.approx(raw, abs=0.02)


async def test_the_record_of_a_server_is_shown_and_exported(tmp_path: Path) -> None:
    """Issue 24, 6: panel, models, majority and people; a picture; nothing of other servers."""
    cast = ScriptedModels(ballots={"Strategist": "=cmd", "Skeptic": "coffee"})
    async with scripted_playground(tmp_path, cast) as table:
        jonas, ines = table.discord.person("Jonas").id, table.discord.person("Ines").id
        general = table.discord.channel("general")

        async def asked(text: str, person: str = "Jonas") -> Message:
            return await table.reply_to(await table.say(text, person=person))

        assert (await asked("roundtable record")).content.startswith("No decision of this server")
        assert (await asked("roundtable record leave", "Ines")).content.startswith("You are not in")
        assert (await asked("roundtable record join", "Ines")).content.startswith("You joined the")
        assert (await asked("roundtable record join", "Ines")).content.startswith("You are in the")
        held = await table.hold("roundtable --quick --vote --options =cmd | coffee\nWhat to drink?")
        second = with_action(table.said_in(held.thread), "vote:after:0")
        for person, option in ((jonas, 1), (ines, 0)):
            name = next(i for i in second.custom_ids if i.endswith(f":vote:after:{option}"))
            await (await table.discord.press(person, second.id, name)).message()
        await table.reply_to(await table.write_in(held.thread, "roundtable conclude"))
        await table.session.app.run_service.people.settled()
        told = "".join(m.content for m in table.said_in(held.thread))
        assert "Individual votes are not stored, but for 1 person who joined the record." in told
        await table.reply_to(await table.write_in(held.thread, "roundtable resolve =cmd"))
        debate = await table.hold(DEBATE)
        await table.reply_to(await table.write_in(debate.thread, "roundtable resolve mixed"))
        store, run_id = table.session.app.store, held.record.run_id
        await store.write(lambda c: repeat_decision(c, run_id, 5, wrong="", guild=77))
        shown = await asked("roundtable record")
        lines = shown.content.splitlines()
        assert lines[0] == (
            "📒 **The record of this server**: 2 decisions resolved: too few to say. 30 give a "
            "first hint."
        )
        assert lines[1:5] == [
            "**1 vote**",
            "- the panel: right in 1 of 1",
            "- plain majority of the models: right in 1 of 1",
            "- people after the conclusion: most of them right in 0 of 1, 1 of 2 ballots right",
        ]
        assert lines[5].startswith("- how sure: 47 % on average, right in 1 of 1; Brier score 0.28")
        assert "**Other conclusions**: 0 right, 0 wrong, 1 mixed" in lines
        assert f"- <@{ines}>: right in 1 of 1" in lines
        assert f"<@{jonas}>" not in shown.content
        (picture,) = shown.attachments
        assert picture["filename"] == "calibration.png"
        assert picture["description"].startswith("How sure votes were, and how often they were")
        files = await table.discord.slash(
            jonas, general.id, "roundtable record", {"what": "export"}
        )
        attached = {one["filename"]: one for one in (await files.message(10)).attachments}
        assert set(attached) == {"record.csv", "record.json"}
        reader = Reader(Asker(jonas), held_guild(table), general.id)
        exported = await table.session.app.run_service.records.export(reader)
        table_text, as_json = (file.content for file in exported.files)
        rows = list(csv.DictReader(io.StringIO(table_text)))
        assert [row["id"] for row in rows] == [run_id, debate.record.run_id]
        assert (rows[0]["answer"], rows[0]["panel_right"], rows[0]["topic"]) == (
            "'=cmd",
            "True",
            "What to drink?",
        )
        assert rows[0]["options"].startswith("'=cmd | coffee")
        assert rows[0]["people_after"] == "'=cmd: 1 | coffee: 1"
        data = json.loads(as_json)
        assert (data["resolved"], data["votes"], data["panel"]) == (2, 1, {"right": 1, "held": 1})
        assert data["decisions"][0]["answer"] == "=cmd"
        stranger = Reader(Asker(4711), held_guild(table), general.id)
        hidden = await table.session.app.run_service.records.export(stranger)
        assert "2 decisions of the record cannot be read here" in hidden.text
        assert "What to drink" not in "".join(file.content for file in hidden.files)
        elsewhere = Reader(Asker(jonas), 12345, general.id)
        other = await table.session.app.run_service.records.show(elsewhere)
        assert other.text.startswith("No decision of this server is resolved")
        await table.session.app.forgetting.forget(Asker(ines))
        after = await asked("roundtable record")
        assert f"<@{ines}>" not in after.content
        assert "1 of 2 ballots right" in after.content, "counts name nobody and stay"


def held_guild(table: PlaygroundHarness) -> int:
    return next(iter(table.discord.world.guilds))


async def test_rehearsed_decisions_are_examples_and_teach_nothing(table: PlaygroundHarness) -> None:
    """Issue 24, 8: no figure of a model that never spoke."""
    held = await table.hold(VOTE)
    await table.reply_to(await table.write_in(held.thread, "roundtable conclude"))
    await table.session.app.run_service.people.settled()
    await table.reply_to(await table.write_in(held.thread, "roundtable resolve tea"))
    shown = await table.reply_to(await table.say("roundtable record"))
    assert "⚠️ These decisions come from rehearsals" in shown.content
    again = await table.hold("roundtable --quick --vote tea or coffee now?")
    assert again.record.worth
    assert again.record.worth.experience.history == ()
