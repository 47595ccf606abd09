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
from bot.measures.worth import PanelWorth, seat_weights
from bot.messages.conclusion import ValidationText
from bot.prompting.closing_lines import Ballot, Stance
from bot.record.record import Dissent, EarlierRun, Ending, RunRecord, SeatView, Spending
from bot.reports.conclusion import conclusion_text, details_text, outcome_line, spending_line
from bot.reports.files import json_export
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
    assert "Stance" not in details_text(record(stance_result=None)), "what nobody measured"


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


SEATED = {"Ada": "strong", "Bo": "weak", "Cy": "weak too"}
SKILLED = {"strong": 0.9, "weak": 0.6, "weak too": 0.6}


def weighed(
    ballots: dict[str, Ballot | None],
    models: dict[str, str],
    skills: dict[str, float],
    **changes: Any,
) -> RunRecord:
    """A vote of these models, each of a family of its own."""
    tally = Tally.of(1, ("tea", "coffee"), ballots, seat_weights(models, skills))
    worth = PanelWorth.of(models, models, skills)
    return record(mode=Mode.VOTE, tallies=(tally,), worth=worth, **changes)


SPLIT: dict[str, Ballot | None] = {
    "Ada": Ballot("tea", 80),
    "Bo": Ballot("coffee", 90),
    "Cy": Ballot("coffee", 90),
}


def test_where_the_weighted_count_differs_the_conclusion_says_so_and_why() -> None:
    """Issue 24, 1: both counts side by side, and one line on top."""
    held = weighed(SPLIT, SEATED, SKILLED)
    assert outcome_line(held) == "✅ tea by weight, 1 of 3"
    text = conclusion_text(held)
    assert (
        "🗳️ **tea wins by weight with 1 vote; counted plainly, coffee leads with 2 votes.**\n"
        "- coffee: 2, weighted 0.05 (Bo 90 %, Cy 90 %)\n"
        "- tea: 1, weighted 1.00 (Ada 80 %)\n"
        "A ballot's weight follows its model's skill in panels.json: Ada 1.00 (skill 0.90), "
        "Bo 0.03 (skill 0.60), Cy 0.03 (skill 0.60)."
    ) in text
    assert "coffee: 2, weighted 0.05" in minutes_text(held)


def test_seats_of_one_model_share_one_vote_and_it_is_said() -> None:
    """Issue 24, 1: two copies outvote nobody."""
    held = weighed(SPLIT, SEATED | {"Cy": "weak"}, {})
    assert (
        outcome_line(held) == "⚖️ A tie between coffee and tea by weight; confidence favours coffee"
    )
    text = conclusion_text(held)
    assert "Seats that one and the same model fills share one vote: Bo and Cy." in text
    assert "- coffee: 2, weighted 1.00 (Bo 90 %, Cy 90 %)" in text


def test_equal_weights_look_like_the_plain_count() -> None:
    text = conclusion_text(weighed(SPLIT, SEATED, {}))
    assert "🗳️ **coffee wins with 2 votes, 1 ahead.**" in text
    assert "weight" not in text


def test_the_details_say_what_a_vote_is_worth_and_how_sure_it_is() -> None:
    """Issue 24, 2, 3 and 8: each figure in one sentence with its basis."""
    held = weighed(SPLIT, SEATED, {})
    for text in (details_text(held), minutes_text(held)):
        assert (
            "3 seats, worth about 1.5 independent opinions, because models make the same mistakes "
            "(correlation 0.50, assumed from public tests, as no decision here is resolved); "
            "more seats would add little."
        ) in text
        assert "How sure: 60 %" in text
        assert (
            "Of 100 such votes by models of similar strength, about 60 pick the right option on "
            "public exam questions. No skills are given here"
        ) in text
    assert "How sure" not in conclusion_text(held), "the headline stays one line"


def test_only_with_skills_is_it_called_a_share_of_all_votes() -> None:
    """Issue 24, 8: without them it was not calibrated on the panel of unequal models."""
    text = details_text(weighed(SPLIT, SEATED, dict.fromkeys(SEATED.values(), 0.7)))
    assert "Of 100 votes like this, about 60 pick the right option: tested on public" in text
    assert "similar strength" not in text


def test_what_one_model_says_of_itself_is_not_how_sure_a_panel_is() -> None:
    """Issue 24, 3: never a model's own number alone."""
    held = weighed(dict.fromkeys(SEATED, Ballot("tea", 95)), dict.fromkeys(SEATED, "one"), {})
    assert "How sure: not known, because one model cast all ballots" in details_text(held)
    assert json_export(held)["sure"] is None


def test_where_nobody_leads_or_states_a_confidence_no_figure_is_shown() -> None:
    for ballots in (
        {"Ada": Ballot("tea"), "Bo": Ballot("tea")},
        {"Ada": Ballot("tea", 80), "Bo": Ballot("coffee", 80)},
    ):
        text = details_text(weighed({**ballots, "Cy": None}, SEATED, {}))
        assert "How sure: not known" in text
        assert "How sure: not known, because nobody leads or no voter" in text


def test_stances_are_worth_opinions_too_and_no_percentage_is_claimed_for_them() -> None:
    """Issue 24, 2: another family is advised where two models share one."""
    families = {"Ada": "claude", "Bo": "claude", "Cy": "grok"}
    text = details_text(record(worth=PanelWorth.of(SEATED, families, {})))
    assert "worth about 1.5 independent opinions" in text
    assert "a model of another family would add most." in text
    assert "How sure" not in text


def test_a_panel_of_copies_is_told_that_it_is_one_opinion() -> None:
    copies = dict.fromkeys(SEATED, "one")
    text = details_text(record(worth=PanelWorth.of(copies, copies, {})))
    assert "3 seats, all filled by one model: worth 1 opinion; a second model would add" in text


def test_figures_of_a_rehearsal_are_called_examples() -> None:
    text = details_text(weighed(SPLIT, SEATED, {}, rehearsal=True))
    assert "Example of a rehearsal, no model was asked: 3 seats" in text
    assert "Example of a rehearsal, no model was asked: How sure" in text
