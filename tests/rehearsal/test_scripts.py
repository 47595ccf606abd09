"""Scripted examples are data files; a broken one is refused with a sentence that says why."""

import shutil
from pathlib import Path

import pytest

import bot.rehearsal
from bot.prompting.closing_lines import Stance, parse_ballot, parse_stance
from bot.prompting.meta import parse_design_proposal
from bot.prompting.round_answers import parse_round1, parse_round2
from bot.prompting.scores import parse_scores
from bot.prompting.summary import parse_summary
from bot.prompting.synthesis import parse_synthesis
from bot.prompting.validation import parse_validation
from bot.rehearsal.script_answers import scripted_answer
from bot.rehearsal.scripts import Script, ScriptedSeat, is_scripted, load_scripts, script_for
from tests.rehearsal.broken_files import break_file, each, refusal

ROOT = Path(__file__).parents[2]
SHIPPED = Path(bot.rehearsal.__file__).with_name("examples")
SCRIPTS = load_scripts(SHIPPED)
SEATS = [(name, seat.role) for name, script in SCRIPTS.items() for seat in script.seats]

BROKEN = {
    "a missing section": (
        "debate.toml",
        'defend = """\nThe best objection is that volunteers',
        'defended = """\nThe best objection is that volunteers',
        "debate.toml “seats” “number 1” “second” “defend” is missing.",
    ),
    "two claims": (
        "redteam.toml",
        '    "A passkey signs only for its own domain, so copied pages get nothing.",\n',
        "",
        "redteam.toml “seats” “number 1” “second” “digest” “claims”: tuple should have at least 3",
    ),
    "a critique of nobody": (
        "vote.toml",
        '{ of = "Skeptic", claim = "C3"',
        '{ of = "Sceptic", claim = "C3"',
        "vote.toml: Strategist has no peer called “Sceptic” to criticise or to follow.",
    ),
    "a critique without a reason": (
        "vote.toml",
        "It usually arrives by accident, because\n",
        "It usually arrives by accident, since\n",
        "vote.toml: Strategist criticises Skeptic C3 without a “because”.",
    ),
    "an unknown claim": (
        "vote.toml",
        'claim = "C3", text',
        'claim = "C4", text',
        "vote.toml “seats” “number 1” “second” “critique” “number 1” “claim”: input should be",
    ),
    "an unknown position": (
        "vote.toml",
        'position = "Postgres"\nconfidence = 65',
        'position = "MySQL"\nconfidence = 65',
        "vote.toml: Strategist takes the position “MySQL”; use one of: Postgres, SQLite.",
    ),
    "a ballot without a confidence": (
        "vote.toml",
        "confidence = 65\n",
        "",
        "vote.toml: Strategist needs a confidence and a reason in a vote, and neither",
    ),
    "a peer that is not scored": (
        "debate.toml",
        '    { of = "Contrarian", score = 3,',
        '    { of = "Analyst", score = 3,',
        "debate.toml: Advocate must score every peer once: Devil's Advocate, Analyst, Contrarian.",
    ),
    "a flip without a cause": (
        "vote.toml",
        'because = { of = "Skeptic", claim = "C3" }\n',
        "",
        "vote.toml: Pragmatist needs a “because” exactly when its position changes.",
    ),
    "a flip that hides its cause": (
        "vote.toml",
        "Because of Skeptic C3: I had no date",
        "I had no date",
        "vote.toml: Pragmatist must begin “revise” with “Because of Skeptic C3: ”.",
    ),
    "a correction without a fault": (
        "redteam.toml",
        'verdict = "PARTIALLY ACCURATE"',
        'verdict = "ACCURATE"',
        "redteam.toml: Defender needs a correction exactly when its verdict is not ACCURATE.",
    ),
    "a dissent that is missing": (
        "redteam.toml",
        "[seats.dissent]\ntext",
        "[seats.farewell]\ntext",
        "redteam.toml “seats” “number 1” “farewell” is not known.",
    ),
    "a dissent that is too long": (
        "redteam.toml",
        "You weigh a new lock",
        "word " * 80 + "You weigh a new lock",
        "redteam.toml “seats” “number 1” “dissent” “text” has 1",
    ),
    "a conclusion without an outlier": (
        "debate.toml",
        'outlier = { of = "Contrarian"',
        'outlier = { of = "Historian"',
        "debate.toml: the conclusion quotes nobody called “Historian”.",
    ),
    "a title that is too long": (
        "debate.toml",
        'title = "Yes to',
        'title = "Yes and yes and yes again to',
        "debate.toml “conclusion” “title” has 15 words, 10 are allowed.",
    ),
    "a summary that names nobody": (
        "debate.toml",
        'from = ["Advocate", "Analyst"] }',
        'from = ["Advocate", "Nobody"] }',
        "debate.toml: the summary of round 1 names nobody called “Nobody”.",
    ),
    "nobody left to disagree": (
        "debate.toml",
        'position = "DISAGREE"\nthesis',
        'position = "AGREE"\nthesis',
        "debate.toml: Devil's Advocate needs a “because” exactly when its position changes.",
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the scripts that may be broken."""
    return Path(shutil.copytree(SHIPPED, tmp_path / "examples"))


@each(BROKEN)
def test_a_broken_script_is_refused(
    folder: Path, name: str, old: str, new: str, sentence: str
) -> None:
    break_file(folder / name, old, new)
    assert refusal(load_scripts, folder).startswith(sentence)


def test_too_few_answers_are_refused(folder: Path) -> None:
    file = folder / "vote.toml"
    head, *answers = file.read_text(encoding="utf-8").split("[[seats.answers]]")
    file.write_text("[[seats.answers]]".join([head, *answers[2:]]), encoding="utf-8")
    assert (
        refusal(load_scripts, folder)
        == "vote.toml: Strategist answers 5 questions, at least 6 are needed."
    )


def test_a_script_that_is_not_toml_is_refused(folder: Path) -> None:
    (folder / "vote.toml").write_text("topic = ", encoding="utf-8")
    assert refusal(load_scripts, folder).startswith("vote.toml is not TOML: ")


def _seat(name: str, role: str) -> tuple[Script, ScriptedSeat]:
    seat = SCRIPTS[name].seat(role)
    assert seat
    return SCRIPTS[name], seat


def _say(script: Script, template: str, **values: str) -> str:
    answer = scripted_answer(template, {"PROMPT": script.topic, **values})
    assert answer, template
    return answer.text


@pytest.mark.parametrize(("name", "role"), SEATS)
def test_both_rounds_are_complete_for_the_readers_of_answers(name: str, role: str) -> None:
    """E62 E64 E65: every section, a digest of three claims, a stance or a ballot, all scores."""
    script, seat = _seat(name, role)
    peers = [other for other in script.roles if other != role]
    first = _say(script, "round1", ROLE=role)
    assert parse_round1(first).missing == ()
    assert set(parse_round1(first).digest.claims) == {"C1", "C2", "C3"}
    second = _say(script, "round2-cross-critique", ROLE=role, ROUND="2")
    read = parse_round2(second, peers)
    assert read.missing == ()
    assert [c.target for c in read.critiques] == [c.of for c in seat.second.critique]
    assert {score.peer for score in parse_scores(second, peers).scores} == set(peers)
    for text, held in ((first, seat.first), (second, seat.second)):
        if script.options:
            assert parse_ballot(text, script.options).option == held.position
        else:
            assert parse_stance(text) is Stance(held.position)
    assert read.revision.changed == (seat.second.because is not None)


@pytest.mark.parametrize(("name", "role"), SEATS)
def test_answers_keep_the_limits_of_their_prompts(name: str, role: str) -> None:
    """Each answer is one message and as long as the prompt allows."""
    script, _ = _seat(name, role)
    first = _say(script, "round1", ROLE=role)
    second = _say(script, "round2-cross-critique", ROLE=role, ROUND="2")
    assert 200 <= len(first.split()) <= 500
    assert len(second.split("SCORES:")[0].split()) <= 450
    assert len(parse_round1(first).public_text) < 1_900
    assert len(parse_round2(second, script.roles).public_text) < 1_900


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_nobody_at_the_table_writes_is_complete(name: str) -> None:
    """The design, the summaries and the conclusion."""
    script = SCRIPTS[name]
    design = parse_design_proposal(_say(script, "meta-panel", MODE=name, ROLE="analyst A of 4"))
    assert design.missing == ()
    assert tuple(seat.role for seat in design.stages) == script.roles
    said = "\n\n".join(f"{role}:\nThesis: so.\nC1: so." for role in script.roles)
    for number in ("1", "2"):
        text = _say(script, "rolling-summary", ROUND=number, ROUND_ANSWERS=said)
        summary = parse_summary(text, script.roles)
        assert summary.parsed
        assert all(point.roles for point in (*summary.consensus, *summary.disagreement))
    conclusion = parse_synthesis(_say(script, "final-synthesis", ROUND1_SUMMARIES=said))
    assert conclusion.missing == ()
    assert conclusion.next_24h
    assert conclusion.next_7d


@pytest.mark.parametrize(("name", "role"), SEATS)
def test_validation_and_dissent_are_about_the_conclusion_of_the_script(
    name: str, role: str
) -> None:
    script, seat = _seat(name, role)
    ours = f"🎯 {script.conclusion.title}\nand so on"
    text = _say(script, "round3-validation", ROLE=role, SYNTHESIS_DRAFT=ours)
    assert parse_validation(text).verdict == seat.validation.verdict
    other = {"PROMPT": script.topic, "ROLE": role, "SYNTHESIS_DRAFT": "something else"}
    assert scripted_answer("round3-validation", other) is None
    values = {"PROMPT": script.topic, "ROLE": role, "CONCLUSION": ours}
    assert (scripted_answer("dissent", values) is not None) == (seat.dissent is not None)


@pytest.mark.parametrize(("name", "role"), SEATS)
def test_every_written_question_finds_its_own_answer(name: str, role: str) -> None:
    script, seat = _seat(name, role)
    assert len(seat.answers) >= 6
    for known in seat.answers:
        assert _say(script, "follow-up", ROLE=role, QUESTION=known.question) == known.answer


@pytest.mark.parametrize(
    ("name", "role", "question", "begins"),
    [
        ("vote", "Skeptic", "and what if we are on an NFS mount?", "Then I change sides."),
        ("vote", "Strategist", "why don't you just use redis", "Because each is one more thing"),
        ("vote", "Pragmatist", "why did you switch?", "Because my estimate had"),
        ("vote", "User's Voice", "how would i restore a backup", "With SQLite: `VACUUM INTO"),
        ("debate", "Analyst", "tell me about Iceland", "Two trials between 2015 and 2019"),
        ("debate", "Advocate", "does everybody get Fridays off?", "Friday for everyone if"),
        ("debate", "Contrarian", "what about the warehouse?", "Give them the hours"),
        ("redteam", "Attacker", "how do you steal a cookie?", "You make the cookie worth less."),
        ("redteam", "Defender", "what if someone lost their phone", "If passkeys are synced"),
        ("redteam", "Red Teamer", "we will rebrand next year", "Every passkey is bound"),
    ],
)
def test_a_question_in_other_words_is_understood(
    name: str, role: str, question: str, begins: str
) -> None:
    assert _say(SCRIPTS[name], "follow-up", ROLE=role, QUESTION=question).startswith(begins)


@pytest.mark.parametrize(("name", "role"), SEATS)
def test_any_other_question_gets_an_honest_sentence(name: str, role: str) -> None:
    script, seat = _seat(name, role)
    text = _say(script, "follow-up", ROLE=role, QUESTION="Do you like marmalade?")
    assert text.startswith("This is a scripted example: no model is speaking")
    assert all(f"“{known.question}”" in text for known in seat.answers)


@pytest.mark.parametrize(("name", "role"), SEATS)
def test_a_bare_why_gets_the_seats_own_reasons(name: str, role: str) -> None:
    script, seat = _seat(name, role)
    for question in ("Why?", "Why do you think so?"):
        text = _say(script, "follow-up", ROLE=role, QUESTION=question)
        assert text.startswith(seat.second.digest.thesis)
        assert seat.second.digest.claims[2] in text


def test_on_an_open_floor_one_seat_explains_and_the_others_are_silent() -> None:
    script = SCRIPTS["debate"]
    asked = {"QUESTION": "Do you like marmalade?", "OPEN_FLOOR": "yes"}
    said = [_say(script, "follow-up", ROLE=role, **asked) for role in script.roles]
    assert said[0].startswith("This is a scripted example")
    assert set(said[1:]) == {"NO_REPLY"}


def test_a_topic_is_recognised_however_it_is_spaced_and_spelled() -> None:
    for script in SCRIPTS.values():
        assert script_for(f"  {script.topic.upper().rstrip('?')} ") is not None
    assert script_for("Should we move to a three-day week?") is None


def test_another_mode_or_other_options_are_another_meeting() -> None:
    vote, debate = SCRIPTS["vote"], SCRIPTS["debate"]
    assert is_scripted(vote.topic, "vote", vote.roles)
    assert not is_scripted(vote.topic, "debate", vote.roles)
    assert is_scripted(debate.topic, "default", debate.roles)
    assert not is_scripted(debate.topic, "debate", (*debate.roles, "Historian"))
    values = {"PROMPT": vote.topic, "ROLE": "Skeptic", "MODE": "vote"}
    assert scripted_answer("round1", values | {"OPTIONS": "SQLite\nPostgres"})
    assert scripted_answer("round1", values | {"OPTIONS": "SQLite\nRedis"}) is None
    assert scripted_answer("round1", values | {"MODE": "redteam"}) is None


def test_a_smaller_panel_has_no_scripted_conclusion() -> None:
    """A conclusion that speaks of four must not be put under three."""
    script = SCRIPTS["vote"]
    said = "\n\n".join(f"{role}:\nThesis: so.\nC1: so." for role in script.roles[:3])
    values = {"PROMPT": script.topic, "MODE": "vote", "ROUND1_SUMMARIES": said}
    assert scripted_answer("final-synthesis", values) is None


def test_every_example_of_the_page_is_scripted() -> None:
    """What the first page offers is what the files hold."""
    page = (ROOT / "bot" / "playground" / "page" / "log.js").read_text(encoding="utf-8")
    for name, script in SCRIPTS.items():
        assert f'"roundtable --{name} --validate {script.topic}"' in page
