"""A second round where it can pay: held or not by the rule of panels.json, and said what it saves.

Issue 24, 4.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.record.loader import read_record
from tests.e2e.playground_harness import EditPanels, FinishedRun
from tests.e2e.restart_harness import restart_harness
from tests.e2e.scripted_models import HANG, Plan, ScriptedModels, scripted_playground
from tests.e2e.talk_steps import until_asked

pytestmark = pytest.mark.heavy

DEBATE = "roundtable --debate is it so?"
VOTE = "roundtable --vote tea or coffee?"
AGREE = dict.fromkeys(("Planner", "Critic", "Judge"), "AGREE")
AGAINST = dict.fromkeys(AGREE, "DISAGREE")
SPLIT = AGREE | {"Judge": "DISAGREE"}
LUKEWARM = {"Planner": "AGREE", "Critic": "NEUTRAL", "Judge": "NEUTRAL"}
SAME_OPTION = (
    "All panelists vote for the same option, so the rounds end early: the panel casts no further "
    "ballot."
)
ONE_FAMILY = "All panelists are models of one family."
COPIES = Plan(stage1=tuple(("claude-opus", role, "think") for role in AGREE))
OWN_TASKS = Plan(workflow="hybrid", stage2=(("grok", "Checker", "check it"),))


def by(rule: str) -> EditPanels:
    def edit(panels: dict[str, Any]) -> None:
        panels["secondRound"] = rule

    return edit


def priced(panels: dict[str, Any]) -> None:
    """The server of the test is taken for a paid one."""
    panels["providers"]["house"]["free"] = False
    for model in panels["models"].values():
        model["price"] = {"inputPerMillion": 1.0, "outputPerMillion": 4.0}


async def hold(
    home: Path, cast: ScriptedModels, text: str = DEBATE, rule: str = "auto"
) -> FinishedRun:
    async with scripted_playground(home, cast, edit_panels=by(rule)) as table:
        return await table.hold(text)


def minutes(home: Path) -> str:
    (file,) = (home / "memory" / "roundtables").glob("*.md")
    return file.read_text(encoding="utf-8")


def assert_saved(held: FinishedRun, reason: str, home: Path) -> None:
    """Card, conclusion, details, minutes and JSON say what was skipped, why, and what it saved."""
    second = held.export["second_round"]
    told = second["ended_early"]
    assert told.startswith(f"{reason} Saved, as estimated: 4 calls, $")
    assert "and less than 1 s for a round as long as the one before it." in told
    assert all(told in shown for shown in (held.card, held.conclusion, held.meta, minutes(home)))
    assert (second["held"], second["saved"]["calls"]) == (False, [4, 4])
    least, most = second["saved"]["usd"]
    assert 0 < least < most < held.export["estimated_usd"][1]


async def test_unanimous_ballots_save_the_second_round(tmp_path: Path) -> None:
    """2.2#5: auto, as shipped; it is said that the panel, unlike people, votes only once."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast, edit_panels=priced) as table:
        held = await table.hold(VOTE)
    assert not cast.asked("r2:*")
    assert held.export["second_round"]["rule"] == "auto"
    assert_saved(held, SAME_OPTION, tmp_path)
    assert [tally["round"] for tally in held.export["tallies"]] == [1]
    assert "tea wins with all 3 votes." in held.conclusion


@pytest.mark.parametrize("rule", ["auto", "thrifty", "always"])
async def test_unanimous_disagreement_is_named_and_ends_the_rounds(
    tmp_path: Path, rule: str
) -> None:
    """2.2#5: agreement against the proposition."""
    cast = ScriptedModels(stances=AGAINST)
    held = await hold(tmp_path, cast, rule=rule)
    assert not cast.asked("r2:*")
    reason = "All panelists disagree with the proposition, which is agreement against it, so"
    assert held.export["second_round"]["ended_early"].startswith(reason)
    assert "**The panel agrees against it:** 0 agree, 3 disagree, 0 neutral" in held.conclusion
    assert held.export["stance_result"] == "NO_CONSENSUS"


async def test_a_divided_vote_and_always_cast_two_ballots(tmp_path: Path) -> None:
    """Auto holds it where one ballot differs, always also where none does."""
    divided = ScriptedModels(ballots={"Judge": "coffee"})
    for name in ("divided", "alike"):
        (tmp_path / name).mkdir()
    held = await hold(tmp_path / "divided", divided, VOTE)
    assert held.export["second_round"] == {
        "rule": "auto",
        "held": True,
        "ended_early": "",
        "saved": None,
    }
    alike = ScriptedModels()
    held = await hold(tmp_path / "alike", alike, VOTE, "always")
    assert len(divided.asked("r2:*")) == len(alike.asked("r2:*")) == 3
    assert [tally["round"] for tally in held.export["tallies"]] == [1, 2]
    assert "Saved" not in held.meta


@pytest.mark.parametrize(
    ("cast", "reason"),
    [
        (ScriptedModels(stances=LUKEWARM), "The panelists hardly disagree, and in a public test"),
        (ScriptedModels(stances=SPLIT, plan=COPIES), "All panelists are models of one family, and"),
        (ScriptedModels(stances=SPLIT, plan=OWN_TASKS), "The panelists had tasks of their own or"),
    ],
)
async def test_thrift_holds_no_second_round_that_cannot_pay(
    tmp_path: Path, cast: ScriptedModels, reason: str
) -> None:
    """No real dispute, one family, no shared evidence; each says why."""
    held = await hold(tmp_path, cast, rule="thrifty")
    assert not cast.asked("r2:*")
    told = held.export["second_round"]["ended_early"]
    assert told.startswith(reason)
    assert "so it is not held. Saved, as estimated: 4 calls" in told
    assert all(told in shown for shown in (held.card, held.conclusion, held.meta))


@pytest.mark.parametrize(
    ("text", "said"),
    [(DEBATE, {"stances": SPLIT}), (VOTE, {"ballots": {"Judge": "coffee"}})],
)
async def test_thrift_holds_it_where_families_share_evidence_and_really_disagree(
    tmp_path: Path, text: str, said: Mapping[str, Any]
) -> None:
    cast = ScriptedModels(**said)
    held = await hold(tmp_path, cast, text, "thrifty")
    assert len(cast.asked("r2:*")) == 3
    assert held.export["second_round"]["held"]


async def test_one_family_holds_it_and_is_told_what_it_is_worth(tmp_path: Path) -> None:
    """Auto: the sentence is on the card, in the details and in the minutes."""
    cast = ScriptedModels(stances=SPLIT, plan=COPIES)
    held = await hold(tmp_path, cast)
    assert len(cast.asked("r2:*")) == 3
    assert f"{ONE_FAMILY} In a public test a second round among such models" in held.card
    assert ONE_FAMILY in held.meta
    assert ONE_FAMILY in minutes(tmp_path)


async def test_a_masked_panel_does_not_tell_that_it_is_one_family(tmp_path: Path) -> None:
    """The conclusion comes before they are revealed and only says that there is a reason."""
    cast = ScriptedModels(stances=SPLIT, plan=COPIES)
    held = await hold(tmp_path, cast, "roundtable --masked --debate is it so?", "thrifty")
    assert not cast.asked("r2:*")
    assert "one family" not in held.conclusion
    assert "so it is not held; why is shown when the panelists are revealed." in held.conclusion
    assert "All panelists are models of one family" in held.meta


@pytest.mark.parametrize("rule", ["auto", "thrifty"])
@pytest.mark.parametrize("text", [DEBATE, VOTE])
async def test_whoever_asks_for_two_rounds_gets_them(tmp_path: Path, text: str, rule: str) -> None:
    """2.2#5: an explicit --rounds 2 is a wish, not a limit."""
    cast = ScriptedModels(stances=AGREE)
    held = await hold(tmp_path, cast, text.replace("--", "--rounds 2 --", 1), rule)
    assert len(cast.asked("r2:*")) == 3
    assert held.export["rounds_held"] == 2
    assert held.export["consensus_pct"] == "80.0%"


async def test_a_kill_after_the_decision_changes_nothing_of_it(tmp_path: Path) -> None:
    """B50: the rule is frozen and the decision recorded, with the figures people were shown."""
    cast = ScriptedModels(says={"synthesis": HANG})
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot():
            thread = await bench.asked(VOTE)
            await until_asked(cast, "synthesis")
            await bench.discord.until(lambda: bench.shown(thread, SAME_OPTION))
        file = tmp_path / "panels.json"
        edited = json.loads(file.read_text(encoding="utf-8")) | {"secondRound": "always"}
        file.write_text(json.dumps(edited), encoding="utf-8")
        cast.says.clear()
        async with bench.bot() as app:
            await bench.discord.until(lambda: bench.shown(thread, "META"))
            await app.run_service.idle()
            run = await app.run_service.last_in(thread.id)
            assert run
            record = await read_record(app.store, run.id)
    assert not cast.asked("r2:*")
    assert len(cast.asked("r1:*")) == 3
    assert record.second_round == "auto"
    assert record.rounds_ended.startswith(f"{SAME_OPTION} Saved, as estimated: 4 calls and")
    assert record.saved
    assert bench.count(thread, "META") == 1


@pytest.mark.parametrize(("rule", "asked"), [("auto", 0), ("always", 3)])
async def test_a_kill_in_the_first_round_decides_from_what_is_stored(
    tmp_path: Path, rule: str, asked: int
) -> None:
    """B50: two ballots are recorded, the third comes after the restart; then it is decided once."""
    cast = ScriptedModels(says={"r1:Judge": HANG})
    async with restart_harness(tmp_path, cast, edit_panels=by(rule)) as bench:
        async with bench.bot():
            thread = await bench.asked(VOTE)
            await until_asked(cast, "r1:Judge")
            await bench.discord.until(lambda: bench.shown(thread, "critic thesis"))
        cast.says.clear()
        async with bench.bot() as app:
            await bench.discord.until(lambda: bench.shown(thread, "META"))
            await app.run_service.idle()
    assert len(cast.asked("r2:*")) == asked
    assert len(cast.asked("r1:Planner")) == 1
    assert bench.shown(thread, SAME_OPTION) is (asked == 0)
