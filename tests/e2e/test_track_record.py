"""The record of a server: what resolved decisions teach, how it is shown and who may read it."""

import csv
import io
import json
from pathlib import Path

import pytest

from bot.access.admission import Asker
from bot.access.readers import Reader
from bot.playground.model import Message
from bot.store.repositories.decisions import DecisionRepository
from bot.types.reply import ReplyText
from tests.e2e.decision_steps import (
    DEBATE,
    VOTE,
    command,
    press,
    repeat_decision,
    vote_closed,
    with_action,
)
from tests.e2e.playground_harness import FinishedRun, PlaygroundHarness
from tests.e2e.scripted_models import ScriptedModels, scripted_playground

pytestmark = pytest.mark.heavy


async def test_resolved_votes_decide_what_the_next_ballots_weigh(tmp_path: Path) -> None:
    """Issue 24, 1 and 3: skills by this server's votes alone, and how sure from a hundred on."""
    cast = ScriptedModels(ballots={"Strategist": "tea", "Skeptic": "coffee"})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(VOTE)
        assert held.export["worth"]["skills"] == {}
        await vote_closed(table, held.thread)
        told = await table.answer_in(held.thread, "roundtable resolve tea")
        assert told.startswith("Saved: tea.")
        run_id, store = held.record.run_id, table.session.app.store
        row = await table.stored(lambda conn: DecisionRepository(conn).get(run_id))
        assert (row.facts["panel"], row.facts["plain"], row.answer) == (0, 0, "0")
        skeptic = dict(held.record.worth.voters)["Skeptic"] if held.record.worth else ""
        assert row.facts["models"][skeptic] == 1
        strategist = next(model for model in row.facts["models"] if model != skeptic)
        elsewhere, here = 77, guild_of(table)
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


def guild_of(table: PlaygroundHarness) -> int:
    """The one server there is."""
    return next(iter(table.discord.world.guilds))


async def asked(table: PlaygroundHarness, text: str, person: str = "Jonas") -> Message:
    """The answer to a command in #general."""
    return await table.reply_to(await table.say(text, person=person))


async def two_resolved(table: PlaygroundHarness) -> tuple[FinishedRun, FinishedRun]:
    """A vote that Ines, who joined the record, and Jonas voted on too, and a debate."""
    vote = await table.hold("roundtable --quick --vote --options =cmd | coffee\nWhat to drink?")
    ballot = with_action(table.said_in(vote.thread), "vote:after:0")
    for person, option in (("Jonas", 1), ("Ines", 0)):
        await (await press(table, ballot, f"vote:after:{option}", person)).message()
    await vote_closed(table, vote.thread)
    await table.answer_in(vote.thread, "roundtable resolve =cmd")
    debate = await table.hold(DEBATE)
    await table.answer_in(debate.thread, "roundtable resolve mixed")
    return vote, debate


async def exported(table: PlaygroundHarness, person_id: int) -> ReplyText:
    """The record as somebody in #general gets it."""
    reader = Reader(Asker(person_id), guild_of(table), table.discord.channel("general").id)
    return await table.session.app.run_service.records.export(reader)


def in_record() -> ScriptedModels:
    """Models that vote for an option which a spreadsheet would run."""
    return ScriptedModels(ballots={"Strategist": "=cmd", "Skeptic": "coffee"})


async def test_the_record_of_a_server_is_shown_with_a_picture(tmp_path: Path) -> None:
    """Issue 24, 6: panel, models, majority and people; a picture; nothing of other servers."""
    async with scripted_playground(tmp_path, in_record()) as table:
        jonas, ines = table.discord.person("Jonas").id, table.discord.person("Ines").id
        assert (await asked(table, "roundtable record")).content.startswith("No decision of this")
        for said, told in (
            ("leave", "You are not in"),
            ("join", "You joined the"),
            ("join", "You are in the"),
        ):
            reply = await asked(table, f"roundtable record {said}", "Ines")
            assert reply.content.startswith(told)
        vote, _ = await two_resolved(table)
        told = "".join(m.content for m in table.said_in(vote.thread))
        assert "Individual votes are not stored, but for 1 person who joined the record." in told
        store, run_id = table.session.app.store, vote.record.run_id
        await store.write(lambda c: repeat_decision(c, run_id, 5, wrong="", guild=77))
        shown = await asked(table, "roundtable record")
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
        await table.session.app.forgetting.forget(Asker(ines))
        after = await asked(table, "roundtable record")
        assert f"<@{ines}>" not in after.content
        assert "1 of 2 ballots right" in after.content, "counts name nobody and stay"


async def test_the_record_of_a_server_is_exported_to_who_may_read_it(tmp_path: Path) -> None:
    """Issue 24, 6: a table that runs no formula, JSON, and nothing of other servers."""
    async with scripted_playground(tmp_path, in_record()) as table:
        jonas = table.discord.person("Jonas").id
        vote, debate = await two_resolved(table)
        store, run_id = table.session.app.store, vote.record.run_id
        await store.write(lambda c: repeat_decision(c, run_id, 5, wrong="", guild=77))
        attached = (await command(table, "Jonas", "record", what="export")).attachments
        assert {one["filename"] for one in attached} == {"record.csv", "record.json"}
        table_text, as_json = (file.content for file in (await exported(table, jonas)).files)
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
        hidden = await exported(table, 4711)
        assert "2 decisions of the record cannot be read here" in hidden.text
        assert "What to drink" not in "".join(file.content for file in hidden.files)
        elsewhere = Reader(Asker(jonas), 12345, table.discord.channel("general").id)
        other = await table.session.app.run_service.records.show(elsewhere)
        assert other.text.startswith("No decision of this server is resolved")


async def test_rehearsed_decisions_are_examples_and_teach_nothing(table: PlaygroundHarness) -> None:
    """Issue 24, 8: no figure of a model that never spoke."""
    held = await table.hold(VOTE)
    await vote_closed(table, held.thread)
    await table.answer_in(held.thread, "roundtable resolve tea")
    shown = await asked(table, "roundtable record")
    assert "⚠️ These decisions come from rehearsals" in shown.content
    again = await table.hold("roundtable --quick --vote tea or coffee now?")
    assert again.record.worth
    assert again.record.worth.experience.history == ()
