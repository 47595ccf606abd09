"""Agreement in numbers: computed by code from what panelists scored, or honestly left out."""

import json
from pathlib import Path

from tests.e2e.playground_harness import FinishedRun
from tests.e2e.scripted_models import FAIL, ScriptedModels, scripted_playground, verdict

NO_SCORES = "**CRITIQUE:**\n1. none\n**DEFEND:** mine\n**REVISE:** No change.\n[STANCE: NEUTRAL]"


def scorecard(home: Path) -> float | None:
    text = (home / "memory" / "roundtables" / "scorecard.jsonl").read_text()
    value: float | None = json.loads(text)["consensus_pct"]
    return value


def matrix(held: FinishedRun) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = held.export["consensus_matrix"]
    return found


async def test_the_percentage_is_the_sum_of_scores_over_the_highest_sum(tmp_path: Path) -> None:
    """E65 E67 E68 E76 2.2#26 2.2#41: text in the JSON, a number in the scorecard."""
    cast = ScriptedModels(
        scores={
            "Planner": {"Critic": "3/5", "Judge": "2/5"},
            "Critic": {"Planner": "1/5", "Judge": "2/5"},
            "Judge": {"Planner": "1/5", "Critic": "2/5"},
        }
    )
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert matrix(held) == {
        "Planner": {"Critic": 3, "Judge": 2},
        "Critic": {"Planner": 1, "Judge": 2},
        "Judge": {"Planner": 1, "Critic": 2},
    }
    assert held.export["consensus_pct"] == "36.7%"
    assert scorecard(tmp_path) == 36.7
    assert "Consensus: 36.7%" in held.meta
    assert "Consensus: 99%" not in held.conclusion
    assert "consider running it again with `--validate`" in held.meta
    assert "[SCORE INFERRED]" not in held.meta


async def test_a_missing_score_counts_as_three_and_meta_says_so(tmp_path: Path) -> None:
    """E71-E75 2.2#16: a digit by the name is read, 10/5 is not, a score for oneself is ignored."""
    scores = "SCORES:\n- Planner: 5/5 — me\n- **critic** deserves a 4 from me\n- Judge: 10/5"
    cast = ScriptedModels(says={"r2:Planner": NO_SCORES.replace("[STANCE", f"{scores}\n[STANCE")})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert matrix(held)["Planner"] == {"Critic": 4, "Judge": 3}
    assert "[SCORE INFERRED] 1 of 6 scores counted as 3: Planner for Judge" in held.meta
    assert held.export["consensus_pct"] == "76.7%"


async def test_without_one_readable_score_there_is_no_percentage(tmp_path: Path) -> None:
    """E69 E75 E115 2.2#16."""
    cast = ScriptedModels(says={"r2:*": NO_SCORES})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert held.export["consensus_pct"] == "N/A"
    assert scorecard(tmp_path) is None
    assert "N/A — scores not available" in cast.asked("synthesis")[0].text
    assert "no readable score, left out: Planner, Critic, Judge" in held.meta


async def test_a_seat_that_fails_in_round_2_keeps_its_digest_and_loses_its_scores(
    tmp_path: Path,
) -> None:
    """E104."""
    cast = ScriptedModels(says={"r2:Judge": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert set(matrix(held)) == {"Planner", "Critic"}
    assert held.export["consensus_pct"] == "80.0%"
    summaries = cast.asked("synthesis")[0].values["ROUND1_SUMMARIES"]
    assert "Judge (gemini-pro): Thesis: r1 of judge digest" in summaries
    assert "Planner (claude-opus): Thesis: r2 of planner digest" in summaries
    assert "Judge was left out" in held.conclusion
    assert held.export["panel_degraded"] is True


async def test_verdicts_on_the_conclusion_never_touch_the_percentage(tmp_path: Path) -> None:
    """E70 2.2#4: four measures side by side."""
    wrong = verdict("INACCURATE", "I said no")
    cast = ScriptedModels(verdicts={"Judge": wrong})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --validate --debate is it so?")
    assert (
        "Stance: the panel is divided (0 agree, 0 disagree, 3 neutral) · "
        "Consensus: 80.0% agreement among peers · Validated: in part"
    ) in held.meta


async def test_a_seat_alone_in_round_1_has_no_percentage(tmp_path: Path) -> None:
    """E108 E112: the others failed, so there is nobody to score."""
    cast = ScriptedModels(says={"r1:Planner": FAIL, "r1:Critic": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert held.voices == ("Judge",)
    assert not cast.asked("r2:*")
    assert held.export["consensus_pct"] == "N/A"
    assert "Only one panelist is left, so the debate ends here." in held.meta
    assert held.export["ending"] == "concluded"
