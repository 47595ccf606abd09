"""Issue 18, 3: a seat that writes without measure fills neither the thread nor anybody's prompt."""

from pathlib import Path

import pytest

from bot.playground.model import Message
from bot.stage.message_text import message_parts
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.scripted_models import (
    Plan,
    ReceivedPrompt,
    ScriptedModels,
    conclusion,
    scripted_playground,
)

ANSWER_CHARS = 50_000
FULL_TEXT = "full-text.md"
MESSAGE_LIMIT = 2000
SPEECH_CHARS = 12_000

ASKED = "roundtable --debate is it so?"
SENTENCE = "So it goes on and on. "
MUCH = SENTENCE * 2_000
STAGED = Plan(workflow="sequential", stage2=(("grok", "Reviewer", "check"),), rounds=2)


def chatty(cast: ScriptedModels, said: str = MUCH) -> ScriptedModels:
    """Let the Critic write so much more than the others."""

    def verbose(asked: ReceivedPrompt) -> str:
        return cast.written(asked).replace("REASONING:** seen", f"REASONING:** {said}")

    cast.says["r1:Critic"] = verbose
    return cast


def said_by(table: PlaygroundHarness, name: str) -> list[Message]:
    (thread,) = table.discord.threads()
    return [m for m in table.said_in(thread) if m.author.name == name]


def files_of(table: PlaygroundHarness, message: Message) -> dict[str, str]:
    known = table.discord.world.files
    return {f["filename"]: known[int(f["id"])].content.decode() for f in message.attachments}


async def test_an_answer_far_too_long_is_one_message_with_a_file_and_it_is_said(
    tmp_path: Path,
) -> None:
    """examples 26: it was 46 messages; prompts, minutes and files hold the beginning alone."""
    cast = chatty(ScriptedModels(plan=STAGED))
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --build a queue")
        first, *later = said_by(table, "Critic")
        files = files_of(table, first)
        (minutes,) = table.minutes()
    assert len(first.content) <= MESSAGE_LIMIT
    assert f"characters) is attached as `{FULL_TEXT}`." in first.content.splitlines()[-1]
    assert files[FULL_TEXT].count(SENTENCE.strip()) == 2_000
    assert len(later) == 1, "the second round is as short as ever"
    told = "Critic wrote 44,"
    assert told in held.meta
    assert told in minutes
    assert minutes.count(SENTENCE.strip()) * len(SENTENCE) < 2 * SPEECH_CHARS
    assert max(len(asked.text) for asked in cast.heard) < 4 * SPEECH_CHARS


async def test_an_answer_beyond_the_limit_is_a_seat_that_failed(tmp_path: Path) -> None:
    cast = chatty(ScriptedModels(), SENTENCE * (ANSWER_CHARS // 20))
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(ASKED)
        assert said_by(table, "Critic") == []
    assert "bad output" in held.meta
    assert held.export["ending"] == "concluded"


async def test_a_conclusion_far_too_long_is_cut_and_it_is_said(tmp_path: Path) -> None:
    long = conclusion("A title").replace("Do it. Then rest.", MUCH)
    cast = ScriptedModels(says={"synthesis": long}, stances={"Judge": "DISAGREE"})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate --validate is it so?")
        (thread,) = table.discord.threads()
        count = len(table.said_in(thread))
    assert "The conclusion was far longer than requested" in held.meta
    assert count < 30
    assert len(held.export["synthesis"]) < 25_000
    checked = cast.asked("validate:Judge")[0].values["SYNTHESIS_DRAFT"]
    assert len(checked) < 25_000


def test_a_few_messages_are_still_messages() -> None:
    """Three of a seat, ten of the bot; beyond that the first, with all of it as a file."""
    paragraph = "A line of text that is read as it is.\n" * 45
    three, four, many = paragraph * 3, paragraph * 5, paragraph * 12
    assert len(message_parts(three, code_aside=True, by_a_seat=True)[0]) == 3
    for body, by_a_seat in ((four, True), (many, False)):
        (only,), (file,) = message_parts(body, code_aside=True, by_a_seat=by_a_seat)
        assert len(only) <= MESSAGE_LIMIT
        assert (file.name, file.text) == (FULL_TEXT, f"{body}\n")
    assert len(message_parts(four, code_aside=True, by_a_seat=False)[0]) > 3


@pytest.mark.parametrize("opening", ["```python\n", "`", "> ", ""])
def test_the_first_message_closes_what_it_opens(opening: str) -> None:
    body = f"{opening}{'x = 1 ' * 4000}"
    (only,), _ = message_parts(body, code_aside=True, by_a_seat=True)
    assert only.count("```") % 2 == 0
    assert len(only) <= MESSAGE_LIMIT
