"""Votes: options, two ballots, an honest result that no conclusion can overrule."""

from pathlib import Path
from typing import Any

import pytest

from bot.playground.model import Message
from tests.e2e.playground_harness import FinishedRun, PlaygroundHarness
from tests.e2e.restart_harness import restart_harness
from tests.e2e.scripted_models import FAIL, ScriptedModels, conclusion, scripted_playground

COFFEE_INSTEAD = conclusion("Coffee it is").replace("Do it.", "Coffee wins, whatever they say.")


def options(held: FinishedRun) -> tuple[str, ...]:
    return held.record.options


async def test_two_ballots_are_cast_and_a_changed_one_is_on_the_ledger(tmp_path: Path) -> None:
    """E13 2.2#6: options from the topic, both tallies, who moved because of whom."""
    cast = ScriptedModels(
        ballots={"Planner": "tea", "r1:Critic": "coffee", "r2:Critic": "tea", "Judge": "coffee"},
        revisions={"Critic": "Because of Planner C1: it keeps one awake."},
        says={"synthesis": COFFEE_INSTEAD},
    )
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --vote tea or coffee?")
    assert options(held) == ("tea", "coffee")
    assert [[(c.option, c.votes) for c in t.counts] for t in held.record.tallies] == [
        [("coffee", 2), ("tea", 1)],
        [("tea", 2), ("coffee", 1)],
    ]
    assert held.conclusion.splitlines()[1] == "## ✅ tea, 2 of 3"
    assert "🗳️ **tea wins with 2 votes, 1 ahead.**" in held.conclusion
    assert "Votes in round 1: coffee 2, tea 1." in held.conclusion
    assert "Critic changed from coffee to tea." in held.conclusion
    (flip,) = held.export["flips"]
    assert (flip["role"], flip["before"], flip["after"]) == ("Critic", "coffee", "tea")
    assert (flip["because_role"], flip["because_claim"]) == ("Planner", "C1")
    assert [dissent["role"] for dissent in held.export["dissents"]] == ["Judge"]
    assert "tea wins with 2 votes" in cast.asked("synthesis")[0].values["BALLOTS"]


def skilled(panels: dict[str, Any]) -> None:
    """One strong model among weak ones."""
    for name, model in panels["models"].items():
        model["skill"] = 0.9 if name == "claude-opus" else 0.6


async def test_a_strong_model_outweighs_two_weak_ones_and_the_plain_count_is_shown(
    tmp_path: Path,
) -> None:
    """Issue 24, 1 to 3: skills of panels.json are frozen into the run and decide its vote."""
    against = dict.fromkeys(("Skeptic", "User's Voice"), "coffee")
    cast = ScriptedModels(ballots={"Strategist": "tea", **against})
    async with scripted_playground(tmp_path, cast, edit_panels=skilled) as table:
        held = await table.hold("roundtable --quick --vote tea or coffee?")
    verdict = "tea wins by weight with 1 vote; counted plainly, coffee leads with 2 votes."
    assert "## ✅ tea by weight, 1 of 3" in held.conclusion.splitlines()
    assert f"🗳️ **{verdict}**" in held.conclusion
    assert "- coffee: 2, weighted 0.05" in held.conclusion
    assert "Strategist 1.00 (skill 0.90), Skeptic 0.03 (skill 0.60)" in held.conclusion
    assert verdict in cast.asked("synthesis")[0].values["BALLOTS"]
    assert {dissent["role"] for dissent in held.export["dissents"]} == set(against)
    (tally,) = held.export["tallies"]
    assert (tally["votes"], tally["winners"]) == ({"coffee": 2, "tea": 1}, ["tea"])
    assert tally["weighted"]["tea"] == 1.0
    assert "3 seats, worth about 1.1 independent opinions" in held.meta
    assert f"How sure: {round(100 * held.export['sure'])} %" in held.meta


async def test_no_stance_is_asked_for_and_no_ballot_is_shown_in_a_speech(tmp_path: Path) -> None:
    """2.2#6: the closing line of a vote is the ballot, stripped before anything is posted."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --vote tea or coffee?")
        said = "".join(m.content for m in table.said_in(held.thread))
    assert "[STANCE" not in cast.asked("r1:Planner")[0].text
    assert "[BALLOT:" in cast.asked("r1:Planner")[0].text
    assert "[BALLOT" not in said
    assert held.export["stance_result"] == "FULL_CONSENSUS"


ASKED = "roundtable --quick --vote the bags of our shop"


async def waiting_card(table: PlaygroundHarness) -> Message:
    """The card, once it asks the starter about the options."""
    thread = await table.thread()
    found = await table.discord.until(
        lambda: next((m for m in table.said_in(thread) if _asks(m)), None)
    )
    assert found
    return found


def _asks(message: Message) -> bool:
    return any(name.endswith(":options:use") for name in message.custom_ids)


async def test_where_the_topic_names_no_options_the_starter_confirms_a_proposal(
    tmp_path: Path,
) -> None:
    """2.2#6: the coordinator is asked once, and nothing else is paid before the starter agrees."""
    cast = ScriptedModels(ballots={"Skeptic": "plastic"})
    async with scripted_playground(tmp_path, cast) as table:
        await table.say(ASKED)
        card = await waiting_card(table)
        assert [asked.label for asked in cast.heard] == ["options"]
        assert "**Paper** · **Plastic**" in card.text
        refused = await table.press(card, "options:use", "Ines")
        assert refused.content == "Only the person who asked for it can start it."
        assert (await table.press(card, "options:use")).content == "Starting now."
        held = await table.held(await table.concluded())
    assert options(held) == ("Paper", "Plastic")
    assert "Paper wins with 2 votes, 1 ahead." in held.conclusion
    assert len(cast.asked("options")) == 1


async def test_the_starter_edits_the_options_in_a_form(tmp_path: Path) -> None:
    """What they write is on the ballot of people and of models; what cannot be used is refused."""
    cast = ScriptedModels(ballots=dict.fromkeys(("Strategist", "Skeptic", "Pragmatist"), "Cloth"))
    async with scripted_playground(tmp_path, cast) as table:
        await table.say(ASKED)
        card = await waiting_card(table)
        edit = next(name for name in card.custom_ids if name.endswith(":options:edit"))
        jonas, ines = table.discord.person("Jonas").id, table.discord.person("Ines").id
        stranger = await table.discord.press(ines, card.id, edit)
        assert "Only the person who asked for the vote" in (await stranger.message()).content
        opened = await table.discord.press(jonas, card.id, edit)
        await opened.answer()
        bad = await (await table.discord.submit(opened, {"options": "Cloth"})).message()
        assert "2 to 8 options" in bad.content
        opened = await table.discord.press(jonas, card.id, edit)
        await opened.answer()
        sent = await table.discord.submit(opened, {"options": "Cloth\nNone at all\n"})
        assert (await sent.message()).content == "Starting now."
        held = await table.held(await table.concluded())
    assert options(held) == ("Cloth", "None at all")


async def test_a_coordinator_that_proposes_nothing_leaves_yes_or_no_to_be_edited(
    tmp_path: Path,
) -> None:
    cast = ScriptedModels(says={"options": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        await table.say("roundtable --quick --vote der Name für unser Projekt")
        card = await waiting_card(table)
        assert "**Ja** · **Nein**" in card.text
        assert "Cancelled" in (await table.press(card, "cancel")).content
        thread = await table.concluded()
    assert table.said_in(thread)[-1].content.endswith("before the vote began.")
    assert {asked.label for asked in cast.heard} == {"options"}


async def test_a_restart_keeps_the_proposal_and_goes_on_waiting(tmp_path: Path) -> None:
    cast = ScriptedModels()
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot():
            thread = await bench.asked(ASKED)
            await bench.discord.until(lambda: any(map(_asks, bench.discord.messages(thread.id))))
        async with bench.bot() as app:
            card = next(filter(_asks, bench.discord.messages(thread.id)))
            use = next(name for name in card.custom_ids if name.endswith(":options:use"))
            pressed = await bench.discord.press(bench.discord.person("Jonas").id, card.id, use)
            assert (await pressed.message()).content == "Starting now."
            await app.run_service.idle()
    assert len(cast.asked("options")) == 1
    assert bench.shown(thread, "Paper wins")


@pytest.mark.parametrize(
    ("topic", "named"),
    [
        ("Sollen wir Postgres oder SQLite nehmen?", ("Postgres", "SQLite")),
        ("キューにはPostgresとSQLite、どちらがいいですか？", ("Postgres", "SQLite")),
        ("هل نستخدم Postgres أم SQLite لقائمة الانتظار؟", ("Postgres", "SQLite")),
        ("--vote Sollen wir Rust verwenden?", ("Ja", "Nein")),
        (
            "Was trinken wir? --options Tee | Kaffee | heißes Wasser",
            ("Tee", "Kaffee", "heißes Wasser"),
        ),
        ("--options Tee | Kaffee Was trinken wir?", ("Tee", "Kaffee")),
    ],
)
async def test_a_vote_in_another_language_has_its_own_options(
    tmp_path: Path, topic: str, named: tuple[str, ...]
) -> None:
    """E13: on people's ballots and on those of the models, without any call to find them."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(f"roundtable --quick {topic}")
        ballot = next(m for m in table.said_in(held.thread) if "first vote is closed" in m.content)
    assert ballot
    assert (held.export["mode"], options(held)) == ("vote", named)
    assert cast.asked("options") == []
    assert named[0] in held.conclusion


async def test_options_from_the_slash_command_are_voted_on(tmp_path: Path) -> None:
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        jonas, general = table.discord.person("Jonas"), table.discord.channel("general")
        asked = {"topic": "What shall we drink?", "quick": True, "options": "tea | coffee | water"}
        await (await table.discord.slash(jonas.id, general.id, "roundtable start", asked)).message()
        held = await table.held(await table.concluded())
    assert options(held) == ("tea", "coffee", "water")


async def test_a_tie_is_called_a_tie(tmp_path: Path) -> None:
    cast = ScriptedModels(ballots={"Strategist": "tea", "Skeptic": "coffee"})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --panel opus,grok --vote tea or coffee?")
    assert "🗳️ **A tie between tea and coffee with 1 vote each.**" in held.conclusion
    assert held.export["dissents"] == []


async def test_an_unreadable_ballot_is_no_vote(tmp_path: Path) -> None:
    cast = ScriptedModels(ballots={"Judge": "milk"})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --vote tea or coffee?")
    assert "tea wins with all 2 votes." in held.conclusion
    assert "- No readable ballot: Judge" in held.conclusion
    assert held.export["stance_result"] == "MAJORITY_CONSENSUS"
