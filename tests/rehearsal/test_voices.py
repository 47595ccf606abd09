"""Voices differ between roles, topics and models, and never repeat each other."""

import asyncio
import itertools
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.rehearsal.sample_meeting import PANELS, TOPICS, Meeting, ask, hold

FIXED = {"no change", "critique", "self-digest", "scores", "agreement scores", "key claims"}
VALUES = {"PROMPT": "Should we adopt a four-day week?", "MODE": "debate", "ROLE": "Analyst"}
ROOT = Path(__file__).parents[2]


def sentences(text: str) -> set[str]:
    """Every sentence of an answer, without headings, numbers, quotations and markers."""
    plain = re.sub(
        r"\[[^\]]*\]|\*\*[A-Z /-]+:?\*\*|^- .+?: \d/5 — |^\d\. ", "\n", text, flags=re.MULTILINE
    )
    plain = re.sub(r"^(?:Thesis|C\d|Evidence|Risk): ", "\n", plain, flags=re.MULTILINE)
    found = (part.strip(" .-\n").casefold() for part in re.split(r"(?<=[.!?])\s+|\n", plain))
    return {part for part in found if len(part.split()) > 2 and part not in FIXED}


def shared(answers: dict[str, str]) -> set[str]:
    """The claims that two seats have in common."""
    claims = [re.findall(r"^C\d: (.+)$", text, re.MULTILINE) for text in answers.values()]
    counted = Counter(claim.casefold() for own in claims for claim in set(own))
    return {claim for claim, times in counted.items() if times > 1}


async def test_the_seats_of_a_run_never_share_a_claim() -> None:
    """Fifty topics."""
    assert len(TOPICS) == 50
    for number, topic in enumerate(TOPICS):
        mode = ("debate", "build", "redteam", "default")[number % 4]
        meeting = await hold(topic, mode)
        assert not shared(meeting.first), topic


async def test_every_claim_is_a_condition_and_evidence_says_that_there_is_none() -> None:
    """A stand-in knows no facts, so it asserts none."""
    for topic in TOPICS[::3]:
        for text in (await hold(topic)).first.values():
            claims = re.findall(r"^C\d: (.+)$", text, re.MULTILINE)
            assert len(claims) == 3
            assert all(
                re.match(r"(?:On .+: (?:in favour|against)|For .+|Against .+) if ", c)
                for c in claims
            )
            assert re.search(
                r"^\*\*EVIDENCE / REASONING:\*\* (?:None|Nothing was read)", text, re.MULTILINE
            )
            assert text.startswith("**THESIS:** Standing in as ")


async def test_a_stand_in_speaks_about_the_words_of_the_topic() -> None:
    values = {"PROMPT": "Should we publish open salaries?", "MODE": "debate", "ROLE": "Advocate"}
    assert len(re.findall("On open salaries: ", await ask("round1", values))) >= 3
    values = {"PROMPT": "Rust or Go for the new CLI?", "MODE": "vote", "ROLE": "Skeptic"}
    text = await ask("round1", {**values, "OPTIONS": "Rust\nGo"})
    assert re.search(r"^C1: For (?:Rust|Go) if ", text, re.MULTILINE)
    assert "new CLI" in text


async def test_a_role_without_a_voice_speaks_too_and_leans_as_its_perspective_says() -> None:
    values = {"PROMPT": TOPICS[0], "MODE": "debate", "ROLE": "Night Porter"}
    text = await ask("round1", {**values, "PERSPECTIVE": "watches who comes and goes"})
    assert text.startswith("**THESIS:** Standing in as Night Porter: ")
    assert text.count("watches who comes and goes") == 1


@pytest.mark.parametrize("role", ["Advocate", "Analyst", "Engineer", "Nurse"])
async def test_two_topics_do_not_read_alike(role: str) -> None:
    answers = [
        await ask("round1", {"PROMPT": topic, "MODE": "debate", "ROLE": role}) for topic in TOPICS
    ]
    overlaps = [
        len(sentences(one) & sentences(other)) / len(sentences(one))
        for one, other in itertools.pairwise(answers)
    ]
    assert sum(overlaps) / len(overlaps) < 0.15
    assert len(set(answers)) == len(answers)


async def test_the_same_role_speaks_differently_through_different_models() -> None:
    values = {"PROMPT": TOPICS[0], "MODE": "debate", "ROLE": "Advocate"}
    answers = {await ask("round1", values, model) for model in ("a", "b", "c", "d", "e", "f")}
    assert len(answers) >= 4


async def test_another_seed_holds_another_meeting() -> None:
    one, other = await hold(TOPICS[0], seed=1), await hold(TOPICS[0], seed=2)
    assert one.first != other.first


async def test_an_answer_depends_on_nothing_but_seed_model_template_and_values() -> None:
    one, other = await hold(TOPICS[3]), await hold(TOPICS[3])
    assert one == other


async def test_another_process_gives_the_same_answer() -> None:
    """Python's own hash() changes from process to process and must not be used."""
    program = (
        "import asyncio; from tests.rehearsal.sample_meeting import ask;"
        f"print(asyncio.run(ask('round1', {VALUES!r})), end='')"
    )
    environment = {"PYTHONHASHSEED": "12345", "PYTHONIOENCODING": "utf-8", "PATH": ""}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, cwd=ROOT, env=environment, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert out.decode() == await ask("round1", VALUES)


async def test_a_topic_is_taken_up_in_its_own_words() -> None:
    cases = {
        "Should we adopt a four-day week?": "adopt a four-day week",
        "Postgres or SQLite for a small bot?": "SQLite",
        "Design a rate limiter for our API": "a rate limiter for our API",
        "هل يجب أن ننتقل إلى العمل عن بعد؟": "هل يجب أن ننتقل إلى العمل عن بعد؟",
        "🎉🚀": "🎉🚀",
    }
    for topic, piece in cases.items():
        for role in PANELS["debate"]:
            text = await ask("round1", {"PROMPT": topic, "MODE": "debate", "ROLE": role})
            assert piece in text.splitlines()[0]


async def test_what_people_said_from_the_floor_is_taken_up() -> None:
    meeting: Meeting = await hold(TOPICS[0])
    values = {
        "PROMPT": TOPICS[0],
        "MODE": "debate",
        "ROLE": "Analyst",
        "SELF_DIGEST": meeting.digests()["Analyst"],
        "PEER_DIGESTS": "Advocate:\n" + meeting.digests()["Advocate"],
        "FLOOR": "Mira:\n  What about the interns?",
    }
    assert "“What about the interns?”" in await ask("round2-cross-critique", values)


async def test_a_task_is_taken_up() -> None:
    values = {"PROMPT": TOPICS[0], "MODE": "debate", "ROLE": "Analyst", "TASK": "count the beans"}
    assert "“count the beans”" in await ask("round1", values)
