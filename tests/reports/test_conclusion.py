"""What people read at the end is assembled by code from the record."""

from bot.measures.agreement import Agreement, Flip
from bot.measures.convergence import StanceResult
from bot.measures.tally import Tally
from bot.prompting.closing_lines import Ballot
from bot.record.record import Dissent, Spending
from bot.reports.conclusion import conclusion_text, spending_line
from bot.search.results import Evidence, Findings, SearchStatus
from bot.types.mode import Mode
from tests.record.sample_record import ADVOCATE, CRITIC, record, speech


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
        "PANEL DEGRADED", "## 🎯", "RECOMMENDATION", "The panel agrees:** 2 agree", "67.5% agree",
        "CONSENSUS", "DISSENT", "WHAT THE DEBATE CHANGED", "ACTION PLAN", "META",
    )  # fmt: skip
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)
    small = text.partition("**🔧 META**\n")[2].splitlines()
    assert all(line.startswith("-# ") for line in small)


def test_the_measures_are_shown_side_by_side() -> None:
    """2.2#4 E70."""
    text = conclusion_text(record(agreement=Agreement(pct=67.5)))
    line = (
        "Stance: NO_CONSENSUS (1 agree, 1 disagree, 0 neutral) · Convergence: N/A · "
        "Consensus: 67.5% · Validated: no"
    )
    assert line in text


def test_a_timeout_is_named_in_meta() -> None:
    """E103."""
    silent = speech(CRITIC, problem="timeout after 60 s", timed_out=True, text="")
    text = conclusion_text(record(speeches=(speech(ADVOCATE), silent)))
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
    assert text.index("A tie between tea and coffee") < text.index("RECOMMENDATION")
    assert "🤝" not in text


def test_dissent_stands_in_the_dissenters_own_words() -> None:
    text = conclusion_text(record(dissents=(Dissent("Critic", "It costs\nmore."),)))
    assert "**✋ DISSENT**\n> **Critic:** It costs more." in text


def test_what_the_debate_changed_names_the_cause() -> None:
    flip = Flip("Critic", 2, "DISAGREE", "AGREE", "Advocate", "C2", "the numbers")
    later = speech(ADVOCATE, round=2)
    text = conclusion_text(record(flips=(flip,), speeches=(later,), rounds_planned=2))
    assert "Critic moved from DISAGREE to AGREE in round 2 because of Advocate C2" in text


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
