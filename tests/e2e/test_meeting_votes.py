"""Votes: options, two ballots, an honest result that no conclusion can overrule."""

from pathlib import Path

from tests.e2e.playground_harness import FinishedRun
from tests.e2e.scripted_models import Plan, ScriptedModels, conclusion, scripted_playground

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


async def test_where_the_topic_names_no_options_the_analysts_propose_them(tmp_path: Path) -> None:
    """2.2#6: most named first, and the panel votes on those."""
    cast = ScriptedModels(plan=Plan(options="Paper | Plastic"), ballots={"Judge": "plastic"})
    cast.says["meta:A"] = Plan(options="Cloth | Paper | Plastic").text()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --vote the bags of our shop")
    assert options(held) == ("Paper", "Plastic", "Cloth")
    assert "Paper wins with 2 votes, 1 ahead." in held.conclusion


async def test_without_options_and_analysts_it_is_yes_or_no(tmp_path: Path) -> None:
    cast = ScriptedModels(ballots={"Skeptic": "No"})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --quick --vote the bags of our shop")
    assert options(held) == ("Yes", "No")
    assert "the panel votes Yes or No" in held.card
    assert "Yes wins with 2 votes, 1 ahead." in held.conclusion


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
