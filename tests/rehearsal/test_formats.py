"""Every template is answered in the shape docs/formats.md promises."""

import json
import re

import pytest

from bot.prompting.contract import TEMPLATES
from tests.rehearsal.sample_meeting import (
    PANELS,
    TOPICS,
    ask,
    ballot_in,
    digest_in,
    hold,
    labelled,
    revision_in,
    stance_in,
)

ROUND1 = re.compile(
    r"\A\*\*THESIS:\*\* \S.*\n"
    r"\*\*KEY CLAIMS:\*\*\n1\. \S.*\n2\. \S.*\n3\. \S.*\n"
    r"\*\*EVIDENCE / REASONING:\*\* \S.*\n"
    r"\*\*RISKS / WEAKNESSES:\*\* \S.*\n"
    r"\*\*RECOMMENDATION:\*\* \S.*\n"
    r"---\n"
    r"\*\*SELF-DIGEST:\*\*\n"
    r"Thesis: \S.*\nC1: \S.*\nC2: \S.*\nC3: \S.*\nEvidence: \S.*\nRisk: \S.*\n"
    r"\[(?:STANCE: (?:AGREE|DISAGREE|NEUTRAL)|BALLOT: [^|\]]+ \| \d{1,3} \| [^|\]]+)\]\Z"
)
ROUND2 = re.compile(
    r"\A\*\*CRITIQUE:\*\*\n1\. .+ C[1-3]: .+ because .+\n2\. .+ C[1-3]: .+ because .+\n"
    r"\*\*DEFEND:\*\* \S.*\n"
    r"\*\*REVISE:\*\* (?:No change\.|Because of .+ C[1-3]: .+)\n"
    r"\*\*SELF-DIGEST:\*\*\n"
    r"Thesis: \S.*\nC1: \S.*\nC2: \S.*\nC3: \S.*\nEvidence: \S.*\nRisk: \S.*\n"
    r"\*\*AGREEMENT SCORES\*\*\nSCORES:\n(?:- .+: [1-5]/5 — \S.*\n){3}"
    r"\[(?:STANCE: (?:AGREE|DISAGREE|NEUTRAL)|BALLOT: [^|\]]+ \| \d{1,3} \| [^|\]]+)\]\Z"
)
MODELS = """premium:
- claude-opus: judgement, long arguments
- gpt: code, plans
- gemini-pro
- grok
- mistral-large: neutral writing
mid:
- claude-sonnet"""
TOPIC = "Should we adopt a four-day week?"


def words(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize("mode", ["debate", "build", "redteam", "default"])
async def test_round1_has_every_section_in_order(mode: str) -> None:
    """E62: the digest is the last section, followed by one stance line (2.2#6)."""
    for role in PANELS[mode]:
        text = await ask("round1", {"PROMPT": TOPIC, "MODE": mode, "ROLE": role})
        assert ROUND1.match(text), text
        assert len(re.findall(r"\[STANCE:", text)) == 1


async def test_round1_is_a_short_contribution() -> None:
    for topic in TOPICS[::5]:
        for role in PANELS["debate"]:
            text = await ask("round1", {"PROMPT": topic, "MODE": "debate", "ROLE": role})
            assert 100 <= words(text) <= 280, text
            assert words(digest_in(text)) <= 200


async def test_a_vote_ends_with_a_ballot_for_a_given_option() -> None:
    """2.2#6: in vote mode no stance is asked for."""
    options = "Postgres\nSQLite (one file)\nMySQL"
    for role in PANELS["vote"]:
        values = {"PROMPT": "Which database?", "MODE": "vote", "ROLE": role, "OPTIONS": options}
        text = await ask("round1", values)
        assert ROUND1.match(text), text
        option, confidence, _ = ballot_in(text)
        assert option in options.split("\n")
        assert 0 <= int(confidence) <= 100
        assert "STANCE" not in text


async def test_a_vote_without_options_is_about_yes_or_no() -> None:
    values = {"PROMPT": TOPIC, "MODE": "vote", "ROLE": "Moderator", "OPTIONS": "Yes\nNo"}
    option, _, _ = ballot_in(await ask("round1", values))
    assert option in {"Yes", "No"}


@pytest.mark.parametrize("mode", ["debate", "build", "redteam"])
async def test_round2_has_every_section_and_scores_every_peer_once(mode: str) -> None:
    """E64, E65: peers are named by role, oneself is never scored."""
    meeting = await hold(TOPIC, mode)
    for role, text in meeting.second.items():
        assert ROUND2.match(text), text
        scored = re.findall(r"^- (.+): [1-5]/5", text, re.MULTILINE)
        peers = [name.replace("_", " ") for name in meeting.first if name != role]
        assert sorted(scored) == sorted(peers)
        assert words(text.split("SCORES:")[0]) <= 450


async def test_round2_of_a_vote_ends_with_a_ballot() -> None:
    options = "Postgres\nSQLite\nMySQL"
    meeting = await hold("Which database?", "vote", options=options)
    for text in meeting.second.values():
        assert ROUND2.match(text), text
        assert ballot_in(text)[0] in options.split("\n")


async def test_round2_criticises_claims_that_peers_really_made() -> None:
    meeting = await hold(TOPIC)
    for text in meeting.second.values():
        for role, cid, quote in re.findall(r"^\d\. (.+?) (C\d): .*?“([^”]+)”", text, re.MULTILINE):
            assert f"{cid}: {quote}" in meeting.first[role]


async def test_a_round2_without_readable_peers_is_still_an_answer() -> None:
    """E112: the council skips such a round; the voice does not break if asked anyway."""
    text = await ask(
        "round2-cross-critique", {"PROMPT": TOPIC, "MODE": "debate", "ROLE": "Analyst"}
    )
    assert revision_in(text) == "No change."
    assert stance_in(text)


async def test_a_meta_panel_designs_with_the_models_it_was_offered() -> None:
    """E40-E47: a workflow, seats from the list, rounds and a premium writer off the panel."""
    offered = {"claude-opus", "gpt", "gemini-pro", "grok", "mistral-large", "claude-sonnet"}
    for topic in TOPICS[::3]:
        values = {"PROMPT": topic, "MODE": "debate", "ROLE": "Analyst A", "MODELS": MODELS}
        text = await ask("meta-panel", values)
        assert re.match(r"\*\*PROPOSITION:\*\* \S.*\.\n\*\*TASK ASSESSMENT:\*\* Type: ", text)
        assert re.search(
            r"^\*\*WORKFLOW TYPE:\*\* (parallel_debate|sequential|hybrid)$", text, re.MULTILINE
        )
        assert re.search(r"^\*\*ROUNDS:\*\* [1-3] — \S", text, re.MULTILINE)
        seats = re.findall(r"^- Model: (\S+) \| Role: ([^|]+) \| Task: \S.*$", text, re.MULTILINE)
        assert 3 <= len(seats) <= 5
        assert {model for model, _ in seats} <= offered
        assert len({role for _, role in seats}) == len(seats)
        writer = re.search(r"^\*\*SYNTHESIS MODEL:\*\* (\S+)$", text, re.MULTILINE)
        assert writer
        assert writer[1] in offered - {"claude-sonnet"}
        first_stage = text.split("Stage 2")[0]
        assert f"Model: {writer[1]} " not in first_stage


async def test_a_second_stage_appears_only_in_staged_workflows() -> None:
    for topic in TOPICS:
        values = {"PROMPT": topic, "MODE": "build", "ROLE": "Analyst A", "MODELS": MODELS}
        text = await ask("meta-panel", values)
        assert ("Stage 2" in text) == ("parallel_debate" not in text)


@pytest.mark.parametrize(
    "listing",
    [
        "premium: one-a (deep, slow), two-b\nmid: three-c",
        "- one-a (premium): deep\n- two-b (premium)\n- three-c (mid)",
        "one-a | premium | deep\ntwo-b | premium\nthree-c | mid",
    ],
)
async def test_models_are_found_in_any_listing(listing: str) -> None:
    values = {"PROMPT": TOPIC, "MODE": "debate", "ROLE": "Analyst A", "MODELS": listing}
    text = await ask("meta-panel", values)
    assert set(re.findall(r"Model: (\S+) ", text)) <= {"one-a", "two-b", "three-c"}


async def test_a_rolling_summary_is_json_that_names_who_said_what() -> None:
    """2.2#7: each point names the seats that made it."""
    meeting = await hold(TOPIC)
    values = {"PROMPT": TOPIC, "ROUND_ANSWERS": labelled(meeting.second)}
    summary = json.loads(await ask("rolling-summary", values))
    assert set(summary) == {"summary", "consensus", "disagreement", "new_points"}
    assert words(summary["summary"]) <= 350
    points = summary["consensus"] + summary["disagreement"] + summary["new_points"]
    assert points
    for point in points:
        assert point["text"]
        assert point["from"]
        assert set(point["from"]) <= set(meeting.first)


async def test_a_search_digest_begins_with_its_date_and_cites_what_was_found() -> None:
    """E36: at most 250 words, facts cited."""
    results = "\n\n".join(
        f"[E{n}] Result {n}\nhttps://example.org/{n}\n" + "Some long snippet text. " * 40
        for n in range(1, 6)
    )
    text = await ask("search-digest", {"PROMPT": TOPIC, "DATE": "2026-11-16", "RESULTS": results})
    assert text.splitlines()[0] == "Searched on 2026-11-16."
    assert words(text) <= 250
    assert set(re.findall(r"\[(E\d)\]", text)) == {"E1", "E2", "E3", "E4", "E5"}
    assert "http" not in text


async def test_round1_cites_a_source_only_when_there_is_one() -> None:
    base = {"PROMPT": TOPIC, "MODE": "debate", "ROLE": "Analyst"}
    assert "[E" not in await ask("round1", base)
    text = await ask("round1", {**base, "CURRENT_CONTEXT": "Searched. A fact [E1]. Another [E2]."})
    assert re.search(r"\[E[12]\]", text)


async def test_a_synthesis_has_every_section_and_says_that_no_model_spoke() -> None:
    meeting = await hold(TOPIC)
    summaries = "\n\n".join(f"{r} (a-model): {d}" for r, d in meeting.digests().items())
    values = {"PROMPT": TOPIC, "MODE": "debate", "ROUND1_SUMMARIES": summaries}
    text = await ask("final-synthesis", values)
    headings = ["🎯", "📊 CONSENSUS", "⚡ DIVERGENCES", "🔍 BLIND SPOTS", "🏆 RECOMMENDATION"]
    headings += ["💡 OUTLIER", "⚠️ RED FLAGS", "📈 ACTION PLAN", "Next 24h:", "Next 7d:"]
    places = [text.index(heading) for heading in headings]
    assert places == sorted(places)
    assert words(text.splitlines()[0].removeprefix("🎯 ")) <= 10
    assert text.count("no model was speaking") == 1
    outlier = text.split("💡 OUTLIER\n")[1].splitlines()[0]
    role, quote = re.fullmatch(r'(.+?): "(.+)"', outlier).groups()  # type: ignore[union-attr]
    assert quote in meeting.first[role]


async def test_a_synthesis_counts_the_sides_as_they_stand() -> None:
    digests = {
        "Advocate": "Thesis: In favour: it helps.\nC1: It helps.",
        "Analyst": "Thesis: In favour: it pays.\nC1: It pays.",
        "Contrarian": "Thesis: Against: it hurts.\nC1: It hurts.",
    }
    summaries = "\n\n".join(f"{r} (a-model): {d}" for r, d in digests.items())
    values = {"PROMPT": TOPIC, "MODE": "debate", "ROUND1_SUMMARIES": summaries}
    text = await ask("final-synthesis", values)
    assert "2 of 3 seats" in text
    assert 'Contrarian: "It hurts"' in text


async def test_a_validation_is_accurate_when_the_draft_carries_every_claim() -> None:
    """E79-E82."""
    digest = "Thesis: In favour: it helps.\nC1: It helps the night shift.\nC2: It pays."
    values = {"PROMPT": TOPIC, "ROLE": "Analyst", "SELF_DIGEST": digest}
    draft = "The Analyst holds that it helps the night shift and that it pays."
    text = await ask("round3-validation", {**values, "SYNTHESIS_DRAFT": draft})
    assert re.fullmatch(r"\*\*REPRESENTATION:\*\* ACCURATE\n\*\*REASONING:\*\* \S.*", text)


async def test_a_validation_corrects_a_draft_that_forgot_the_seat() -> None:
    """E80: the correction names what is missing."""
    digest = "Thesis: In favour: it helps.\nC1: It helps the night shift."
    values = {"PROMPT": TOPIC, "ROLE": "Analyst", "SELF_DIGEST": digest}
    text = await ask("round3-validation", {**values, "SYNTHESIS_DRAFT": "All is well."})
    assert text.startswith("**REPRESENTATION:** INACCURATE\n**REASONING:** ")
    correction = text.split("**CORRECTION:** ")[1]
    assert "it helps the night shift" in correction.lower()
    assert words(correction) <= 50


async def test_a_dissent_is_short_and_in_the_first_person() -> None:
    for role in (*PANELS["debate"], *PANELS["vote"], "Nurse"):
        values = {"PROMPT": TOPIC, "ROLE": role, "CONCLUSION": "Do it."}
        text = await ask(
            "dissent", {**values, "SELF_DIGEST": "Thesis: Against: no.\nC1: It hurts."}
        )
        assert words(text) <= 80
        assert re.search(r"\b(?:I|my|me)\b", text, re.IGNORECASE)
        assert "it hurts" in text.lower()


async def test_a_follow_up_takes_up_the_question_and_the_asker() -> None:
    values = {"PROMPT": TOPIC, "ROLE": "Analyst", "QUESTION": "Who pays?", "ASKED_BY": "Mira"}
    text = await ask("follow-up", values)
    assert "Who pays?" in text
    assert "Mira" in text
    assert words(text) <= 250


async def test_a_follow_up_is_silent_only_when_the_floor_is_open() -> None:
    answers = {"yes": set[bool](), "no": set[bool]()}
    for floor, silent in answers.items():
        for number in range(40):
            values = {"PROMPT": TOPIC, "ROLE": "Analyst", "QUESTION": f"Question {number}?"}
            text = await ask("follow-up", {**values, "OPEN_FLOOR": floor})
            silent.add(text == "NO_REPLY")
    assert answers == {"yes": {True, False}, "no": {False}}


async def test_an_unknown_template_gets_a_labelled_sentence() -> None:
    text = await ask("spec", {"PROMPT": TOPIC})
    assert text.startswith("Rehearsal: no model is speaking")


@pytest.mark.parametrize("template", sorted(TEMPLATES))
async def test_no_template_breaks_without_values(template: str) -> None:
    assert await ask(template, {})
