"""What panelists are told: blind first, then digests by role, never models or tallies."""

import re
from itertools import combinations
from pathlib import Path

from tests.e2e.scripted_models import (
    FAIL,
    Plan,
    ReceivedPrompt,
    ScriptedModels,
    on_stored,
    peers_in,
    scripted_playground,
)

SIX = "opus,codex,gemini,grok,sonnet,mistral"
PLACEHOLDER = re.compile(r"\[[A-Z][A-Z0-9_]{2,}\]")
MODEL_NAMES = ("claude", "gpt", "codex", "gemini", "grok", "mistral", "opus", "sonnet")


def private_part(asked: ReceivedPrompt) -> str:
    """What differs from run to run: everything that was filled in."""
    return "\n".join(asked.values.values())


async def test_round_1_is_blind_and_round_2_knows_peers_by_role_only(tmp_path: Path) -> None:
    """A1 A2 A3 A4 A11 E64 E117 2.2#9: N prompts a round, no models, no tallies, own order."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(f"roundtable --panel {SIX} --debate is it so?")
    roles = [seat.role for seat in held.record.seats]
    assert sorted(a.role for a in cast.asked("r1:*")) == sorted(roles)
    assert sorted(a.role for a in cast.asked("r2:*")) == sorted(roles)
    assert not any(" of " in private_part(asked) for asked in cast.asked("r1:*"))
    for asked in cast.asked("r2:*"):
        assert_sees_peers_only_by_role(asked, roles)
    orders = [peers_in(asked) for asked in cast.asked("r2:*")]
    assert any(differ(one, other) for one, other in combinations(orders, 2))
    assert not any(PLACEHOLDER.search(asked.text) for asked in cast.heard)


def assert_sees_peers_only_by_role(asked: ReceivedPrompt, roles: list[str]) -> None:
    peers = asked.values["PEER_DIGESTS"]
    assert set(peers_in(asked)) == set(roles) - {asked.role}
    assert asked.values["SELF_DIGEST"].startswith(f"Thesis: r1 of {asked.role.lower()} digest")
    assert f"r1 of {asked.role.lower()} " not in peers
    assert all(f"r1 of {peer.lower()} digest" in peers for peer in peers_in(asked))
    assert "thesis\n" not in peers
    assert "sums up" not in asked.text
    assert asked.values["PROMPT"] == "is it so?"
    filled = private_part(asked).lower()
    assert not any(name in filled for name in MODEL_NAMES)
    assert not any(mark in filled for mark in ("[stance", "/5", "%", "agree,"))
    assert "an undisclosed model" in asked.text


def differ(one: list[str], other: list[str]) -> bool:
    """Whether two readers see those whom both read in different orders."""
    shared = set(one) & set(other)
    return [role for role in one if role in shared] != [role for role in other if role in shared]


async def test_later_rounds_carry_the_summary_and_the_last_digests_and_no_history(
    tmp_path: Path,
) -> None:
    """A25 A26 A27 A28 2.2#2 2.2#8 2.2#9: a summary after every round, prompts that do not grow."""
    cast = ScriptedModels(plan=Plan(rounds=3))
    async with scripted_playground(tmp_path, cast) as table:
        cast.says["r2:Judge"] = on_stored(table.session.app.store, cast, "summary:1")
        held = await table.hold("roundtable --redteam is it so?")
    third = cast.asked("r3:Critic")[0]
    assert third.values["ROLLING_SUMMARY"] == "summary:1 sums up"
    assert "r2 of planner digest" in third.values["PEER_DIGESTS"]
    assert "r1 of" not in private_part(third)
    assert abs(len(third.text) - len(cast.asked("r2:Critic")[0].text)) < 100
    first, second, last = (cast.asked(f"summary:{number}")[0] for number in (1, 2, 3))
    assert {asked.model for asked in (first, second, last)} == {"claude-haiku"}
    assert [asked.values["PROMPT"] for asked in (first, second, last)] == ["is it so?"] * 3
    assert "no summary of the discussion yet" in first.text
    assert (
        "Judge:\n  Position: NEUTRAL\n  Thesis: r1 of judge digest" in first.values["ROUND_ANSWERS"]
    )
    assert "r1 of judge thesis" not in first.text
    assert second.values["ROLLING_SUMMARY"] == "summary:1 sums up"
    assert "r1 of" not in private_part(second)
    assert last.values["ROLLING_SUMMARY"] == "summary:2 sums up"
    assert [s.summary for s in held.record.summaries] == [
        f"summary:{number} sums up" for number in (1, 2, 3)
    ]
    assert held.export["consensus_pct"] == "80.0%"


async def test_a_lost_summary_leaves_the_old_one_and_stops_nothing(tmp_path: Path) -> None:
    """A25 2.2#7: nonsense becomes the summary as it is; the convergence is unknown."""
    cast = ScriptedModels(plan=Plan(rounds=3), says={"summary:1": "They all went home."})
    async with scripted_playground(tmp_path, cast) as table:
        cast.says["r2:Judge"] = on_stored(table.session.app.store, cast, "summary:1")
        held = await table.hold("roundtable --redteam is it so?")
    assert cast.asked("r3:Judge")[0].values["ROLLING_SUMMARY"] == "They all went home."
    assert held.record.convergence[0].score is None
    assert held.export["ending"] == "concluded"


async def test_a_summary_that_failed_leaves_the_one_before_it_to_the_next(tmp_path: Path) -> None:
    """A25: what was summed up before is lost neither to the round nor to the next summary."""
    cast = ScriptedModels(plan=Plan(rounds=3), says={"summary:2": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        cast.says["r2:Judge"] = on_stored(table.session.app.store, cast, "summary:1")
        await table.hold("roundtable --redteam is it so?")
    for asked in (*cast.asked("r3:*"), *cast.asked("summary:3")):
        assert asked.values["ROLLING_SUMMARY"] == "summary:1 sums up", asked.label


async def test_a_summary_that_is_too_long_reaches_the_next_rounds_with_350_words(
    tmp_path: Path,
) -> None:
    """A25 2.2#8: what the model wrote beyond them is stored nowhere and asked of nobody."""
    words = [f"word{number}" for number in range(1, 1001)]
    cast = ScriptedModels(plan=Plan(rounds=3), says={"summary:1": " ".join(words)})
    async with scripted_playground(tmp_path, cast) as table:
        cast.says["r2:Judge"] = on_stored(table.session.app.store, cast, "summary:1")
        held = await table.hold("roundtable --redteam is it so?")
    kept = f"{' '.join(words[:350])}…"
    assert cast.asked("r3:Judge")[0].values["ROLLING_SUMMARY"] == kept
    assert cast.asked("summary:2")[0].values["ROLLING_SUMMARY"] == kept
    assert held.record.summaries[0].summary == kept


async def test_the_writer_gets_digests_critiques_scores_and_the_thread(tmp_path: Path) -> None:
    """E85 E86 E87 E88."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    (asked,) = cast.asked("synthesis")
    assert (
        "Planner (claude-opus): Thesis: r2 of planner digest" in (asked.values["ROUND1_SUMMARIES"])
    )
    assert "Judge criticized Planner's C1 because of it" in asked.values["ROUND2_SUMMARIES"]
    assert "Planner gave: Critic 4/5, Judge 4/5" in asked.values["CONSENSUS_SCORES"]
    assert "Consensus: 80.0%" in asked.values["CONSENSUS_SCORES"]
    assert asked.values["DISCORD_THREAD_ID"] == str(held.thread.id)


async def test_without_a_second_round_the_writer_is_told_so(tmp_path: Path) -> None:
    """E114 E115."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        await table.hold("roundtable --quick --debate is it so?")
    (asked,) = cast.asked("synthesis")
    assert "No cross-critique (quick mode or single round)" in asked.text
    assert "N/A — scores not available" in asked.text
