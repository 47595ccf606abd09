"""What people read at the end is assembled by code from the record."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.measures.agreement import Agreement, Flip
from bot.measures.convergence import Convergence, StanceResult
from bot.measures.tally import Tally
from bot.measures.validation import ValidationResult
from bot.messages.conclusion import ValidationText
from bot.prompting.closing_lines import Ballot, Stance
from bot.record.record import Dissent, EarlierRun, Ending, RunRecord, SeatView, Spending
from bot.reports.conclusion import conclusion_text, details_text, outcome_line, spending_line
from bot.reports.minutes import minutes_text
from bot.search.results import Evidence, Findings, SearchStatus
from bot.types.mode import Mode
from tests.golden.records import delivery
from tests.record.sample_record import ADVOCATE, CONCLUSION, CRITIC, SECTIONS, record, speech


def test_a_degraded_conclusion_says_so_in_its_first_line() -> None:
    """E90, 2.2."""
    text = conclusion_text(record(degradations=("PANEL DEGRADED — Critic is missing",)))
    assert text.splitlines()[0] == "⚠️ PANEL DEGRADED — Critic is missing"


def test_a_glance_is_enough_because_what_matters_stands_first() -> None:
    """Issue 8, 2."""
    flip = Flip("Critic", 2, "DISAGREE", "AGREE", "Advocate", "C2", "the numbers")
    text = conclusion_text(
        record(
            degradations=("PANEL DEGRADED — Critic is missing",),
            dissents=(Dissent("Critic", "It costs more."),),
            flips=(flip,),
            speeches=(speech(ADVOCATE, round=2), speech(CRITIC, round=2)),
            rounds_planned=2,
            agreement=Agreement(pct=67.5),
            stance_result=StanceResult.FULL,
        )
    )
    marks = (
        "PANEL DEGRADED", "## ✅ Yes, 2 of 2\nAdopt it for one team first.",
        "The panel agrees:** 2 agree", "67.5% agree", "CONSENSUS", "DISSENT",
        "WHAT THE DEBATE CHANGED", "ACTION PLAN", "-# 🔧 META · 2 panelists",
    )  # fmt: skip
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)
    assert text.splitlines()[-1].startswith("-# 🔧 META")


def test_the_measures_are_shown_side_by_side() -> None:
    """2.2#4 E70: in words, behind the button Details."""
    text = details_text(record(agreement=Agreement(pct=67.5), convergence=(Convergence(1, 1, 1),)))
    line = (
        "Stance: the panel is divided (1 agree, 1 disagree, 0 neutral) · "
        "Convergence: 50% of the points are shared · Consensus: 67.5% agreement among peers · "
        "Validated: not asked for"
    )
    assert line in text
    assert "📋 Panel: Advocate, Critic · Mode: debate · Rounds: 1 of 1" in text


def test_people_read_no_names_of_files() -> None:
    """The issue: no MAJORITY_CONSENSUS, parallel_debate or "Validated: no" where nobody asked."""
    flip = Flip("Critic", 2, "DISAGREE", "AGREE", "Advocate", "C2", "the numbers")
    held = record(
        mode=Mode.DEFAULT,
        stance_result=StanceResult.MAJORITY,
        flips=(flip,),
        decision="Meta-panel designed workflow: parallel_debate. Stages: 1.",
        convergence=(Convergence(1, 1, 1),),
    )
    for text in (conclusion_text(held), details_text(held), minutes_text(held)):
        for code in ("_CONSENSUS", "parallel_debate", "0.50", "DEFAULT", "Validated: no", "AGREE"):
            assert not re.search(rf"{code}\b", text), code


def stanced(*stances: Stance, **changes: Any) -> RunRecord:
    seats = tuple(SeatView(f"s{n}", f"Seat {n}", "m", "f") for n, _ in enumerate(stances))
    said = tuple(speech(seat, stance=s) for seat, s in zip(seats, stances, strict=True))
    return record(seats=seats, speeches=said, **changes)


YES, NO, OPEN = Stance.AGREE, Stance.DISAGREE, Stance.NEUTRAL


@pytest.mark.parametrize(
    ("stances", "line"),
    [
        ((YES, YES, YES, NO), "✅ Leaning yes, 3 of 4"),
        ((YES, YES), "✅ Yes, 2 of 2"),
        ((NO, NO, OPEN), "✅ Leaning no, 2 of 3"),
        ((NO, NO), "✅ No, 2 of 2"),
        ((YES, NO), "⚖️ The panel is divided: 1 yes, 1 no, 0 neutral"),
        ((YES, OPEN, OPEN), "⚖️ Undecided: 1 yes, 0 no, 2 neutral"),
    ],
)
def test_a_question_of_yes_or_no_gets_its_answer(stances: Sequence[Stance], line: str) -> None:
    assert outcome_line(stanced(*stances)) == line
    assert outcome_line(stanced(*stances, topic="Sollen wir umziehen?")) == line


def test_other_questions_are_answered_by_the_title() -> None:
    asked = "How should we deploy it?"
    assert outcome_line(stanced(YES, YES, NO, topic=asked)) == "✅ Try uv, 2 of 3 agree"
    assert outcome_line(stanced(YES, NO, topic=asked)) == "⚖️ Try uv, the panel is divided"
    against = "✅ Try uv, 2 of 3 against the proposal"
    assert outcome_line(stanced(NO, NO, YES, topic=asked)) == against
    assert outcome_line(stanced(OPEN, OPEN, topic=asked)) == "✅ Try uv"


def test_each_mode_has_its_own_kind_of_headline() -> None:
    ballots = {"Advocate": Ballot("tea", 80), "Critic": Ballot("tea")}
    vote = record(mode=Mode.VOTE, tallies=(Tally.of(1, ("tea", "coffee"), ballots),))
    risks = SECTIONS | {"red_flags": "- **Replay**: one-time links\n- Other: x"}
    red_team = record(mode=Mode.REDTEAM, conclusion=replace(CONCLUSION, sections=risks))
    build = record(mode=Mode.BUILD, delivery=delivery())
    stopped = record(ending=Ending.STOPPED, ending_note="stopped by a person")
    lines = [outcome_line(held) for held in (vote, red_team, build, stopped)]
    assert lines == [
        "✅ tea, 2 of 2",
        "⚠️ Top risk: Replay",
        "📦 Delivered: main.py · 1 of 1 criterion met",
        "⏹️ Stopped by a person",
    ]


def test_an_outcome_pings_nobody_and_hides_no_link() -> None:
    hostile = "[free](https://evil.example) <@7> @everyone **x**\n# y"
    risks = SECTIONS | {"red_flags": f"- {hostile}"}
    held = record(mode=Mode.REDTEAM, conclusion=replace(CONCLUSION, sections=risks))
    line = outcome_line(held)
    assert "\n" not in line
    for found in ("<@7>", "@everyone", "](", "https://", "**"):
        assert found not in line


def test_the_answer_has_three_sentences_and_the_rest_follows_below() -> None:
    long = "One. Two is 2.5 long! Three? Four. Five."
    sections = SECTIONS | {"recommendation": long}
    text = conclusion_text(record(conclusion=replace(CONCLUSION, sections=sections)))
    assert text.splitlines()[1] == "One. Two is 2.5 long! Three?"
    assert "**🏆 RECOMMENDATION**\nFour. Five." in text


def test_validation_names_who_objected_and_what() -> None:
    """E81."""
    flagged = ValidationText.misrepresented("Critic", "I said no.")
    found = ValidationResult("partial", lines=(flagged,), corrections=(("Critic", "I said no."),))
    text = conclusion_text(record(validation=found))
    assert "**🔎 CHECKED BY THE PANEL**\n- Critic objected: I said no." in text
    assert "CHECKED" not in conclusion_text(record())


def test_what_it_builds_on_is_named() -> None:
    earlier = EarlierRun("rt_00000001", "https://discord.com/channels/1/23", "challenge")
    held = record(builds_on=earlier)
    assert "-# ↩️ Challenges an earlier conclusion: <#23>" in conclusion_text(held)
    link = "- [Challenges an earlier conclusion](https://discord.com/channels/1/23)"
    assert link in minutes_text(held)


def test_a_timeout_is_named_in_meta() -> None:
    """E103."""
    silent = speech(CRITIC, problem="timeout after 60 s", timed_out=True, text="")
    text = details_text(record(speeches=(speech(ADVOCATE), silent)))
    assert "Timeouts: [TIMEOUT] Critic (round 1)" in text


def test_an_unknown_price_is_never_zero() -> None:
    line = spending_line(record(spending=Spending(3, 10, 0.0, unpriced_calls=3)))
    assert "price unknown (3 calls of unknown price)" in line
    assert "$0.00" not in line
    some = spending_line(record(spending=Spending(3, 10, 0.12, unpriced_calls=1)))
    assert "$0.12 + 1 call of unknown price" in some


def test_what_came_from_caches_is_told_beside_the_tokens() -> None:
    line = spending_line(record(spending=Spending(3, 4200, 0.08, cached_tokens=1024)))
    assert "4,200 tokens (1,024 cached) · $0.08" in line
    assert "cached" not in spending_line(record())


def test_a_vote_is_shown_before_the_advice_that_may_not_overrule_it() -> None:
    ballots = {"Advocate": Ballot("tea", 80), "Critic": Ballot("coffee")}
    tally = Tally.of(1, ("tea", "coffee"), ballots)
    text = conclusion_text(record(mode=Mode.VOTE, tallies=(tally,)))
    assert text.startswith("## ⚖️ A tie between tea and coffee, 1 vote each\n")
    assert "🤝" not in text


def test_dissent_stands_in_the_dissenters_own_words() -> None:
    text = conclusion_text(record(dissents=(Dissent("Critic", "It costs\nmore."),)))
    assert "**✋ DISSENT**\n> **Critic:** It costs more." in text


def test_what_the_debate_changed_names_the_cause() -> None:
    flip = Flip("Critic", 2, "DISAGREE", "AGREE", "Advocate", "C2", "the numbers")
    later = speech(ADVOCATE, round=2)
    text = conclusion_text(record(flips=(flip,), speeches=(later,), rounds_planned=2))
    assert "Critic moved from disagree to agree in round 2 because of Advocate C2" in text


def test_only_cited_sources_are_printed() -> None:
    evidence = tuple(
        Evidence(f"E{n}", f"Title {n}", f"https://example.org/{n}", "example.org", "x")
        for n in (1, 2)
    )
    findings = Findings(SearchStatus.OK, evidence, "2026-11-16")
    said = (speech(ADVOCATE, text="as [E2] shows"),)
    text = conclusion_text(record(findings=findings, speeches=said))
    assert "E2 Title 2 — example.org <https://example.org/2>" in text
    assert "Title 1" not in text
