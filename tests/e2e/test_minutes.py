"""The minutes of a vote in which people speak: everything is in them, and goes with its person."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from discord.utils import snowflake_time

from bot.playground.model import Channel, Message
from bot.playground.server import EmbeddedDiscord
from tests.e2e.playground_harness import EditPanels, PlaygroundHarness, unchanged
from tests.e2e.scripted_models import FAIL, Plan, ScriptedModels, scripted_playground
from tests.e2e.talk_steps import (
    QUICK,
    answered,
    answers,
    on_call,
    ping,
    settings,
    until_asked,
)
from tests.e2e.test_agreement_picture import pictures
from tests.e2e.test_bad_days import remove
from tests.e2e.test_forgetting import DAY, press_forget, stored
from tests.e2e.test_meeting_workflows import REVIEWER
from tests.e2e.test_minutes_sample import settled
from tests.support.time_travel import set_clock

pytestmark = pytest.mark.heavy

WINTER = "Winters are icy!"
PRICE = "Ask Olga first."
QUESTION = "Critic, does it hold on thin ice?"
ANSWER = "Ice is rare where tea grows."


@dataclass(frozen=True, slots=True)
class Vote:
    """A vote that is over, and what people wrote while it was held."""

    table: PlaygroundHarness
    thread: Channel
    said: tuple[Message, ...]

    @property
    def minutes(self) -> str:
        (text,) = self.table.minutes()
        return text

    @property
    def export(self) -> dict[str, Any]:
        (found,) = self.table.exports()
        return found

    def places(self, words: str) -> set[str]:
        """The tables and kinds of files that hold these words."""
        found = (text.partition(": ") for text in stored(self.table.home))
        return {place.rpartition(".")[2] for place, _, text in found if words in text}

    async def gone(self, words: str, places: Set[str] = frozenset()) -> None:
        """Wait until these words are in none of the places, or nowhere at all."""
        async with asyncio.timeout(10):
            while self.places(words) & (places or self.places(words)):  # noqa: ASYNC110 (a store gives no sign when it was written)
                await asyncio.sleep(0.02)


@asynccontextmanager
async def vote_with_people(
    home: Path,
    cast: ScriptedModels,
    *,
    flags: str = "",
    question: str = QUESTION,
    edit_panels: EditPanels = unchanged,
    discord: EmbeddedDiscord | None = None,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Vote]:
    """Ines and Jonas speak in round 1, and Ines asks a panelist, who answers after the rounds."""
    spoken, replied = asyncio.Event(), asyncio.Event()
    cast.says["r1:Judge"] = on_call(cast, spoken)
    cast.says["synthesis"] = on_call(cast, replied)
    async with scripted_playground(
        home, cast, edit_panels=edit_panels, discord=discord, environ=environ
    ) as table:
        await table.say(f"roundtable {flags} --vote tea or coffee?")
        thread = await table.thread()
        await table.discord.until(lambda: cast.asked("r1:Judge"))
        said = (
            await table.write_in(thread, WINTER, person="Ines"),
            await table.write_in(thread, PRICE),
            await table.write_in(thread, question, person="Ines"),
        )
        await table.discord.until(lambda: all(m.reactions for m in said))
        spoken.set()
        await table.discord.until(lambda: answers(table, thread))
        await table.talked()  # the answer is visible a moment before it is recorded
        replied.set()
        await table.concluded(thread)
        await table.talked()
        yield Vote(table, thread, said)


def divided() -> ScriptedModels:
    """The Critic votes against the others, and another model answers for it in round 2."""
    cast = ScriptedModels(ballots={"Critic": "coffee"})
    cast.says["r2:Critic@gpt"] = FAIL
    cast.says["ask:*"] = ANSWER
    cast.points["disagreement"] = [{"text": "Which keeps people awake", "from": ["Critic"]}]
    return cast


async def test_minutes_of_a_vote_hold_everything_that_was_said(tmp_path: Path) -> None:
    """A34 C23: the floor, a question and its answer, digests, times, a stand-in, a dissent."""
    async with vote_with_people(tmp_path, divided()) as vote:
        text, export = vote.minutes, vote.export
        page = next((tmp_path / "memory").rglob("*.html")).read_text()
    marks = (
        "- **Decision:** tea, 2 of 3",
        "- **Dissent:** Critic: I, Critic, do not agree.",
        "- **Next:** begin (owner: unassigned, next 24h); and 1 more step",
        "> **Critic(gpt)**: I, Critic, do not agree.",
        "- Stand-ins: Critic, round 2: claude-sonnet answered in place of gpt (",
        "- From the floor: Person 1, Person 2 (started the roundtable)",
        "   - Critic: coffee, 70 % sure · it is better",
        "### Round 1",
        "> - C1: r1 of planner first",
        "### From the floor, before round 2",
        f"> {WINTER}",
        f"> {PRICE}",
        " (answered below):",
        f"> {QUESTION}",
        "### Round 2",
        "Planner C1: wrong because of it",
        "### From the floor, after the rounds",
        f"(“{QUESTION}”): {ANSWER}",
    )
    assert [text.index(mark) for mark in marks] == sorted(map(text.index, marks))
    assert "**Person 1** to Critic, " in text
    assert "**Critic(claude-sonnet)**: **CRITIQUE:**" in text
    for words in (WINTER, PRICE, QUESTION, "Person 2", "answered in place of gpt"):
        assert words in page
    assert "Ines" not in text + page + json.dumps(export)
    told = [(r["speaker"], r["text"], r["to"], r["step"]) for r in export["floor"]]
    assert told[:3] == [
        ("Person 1", WINTER, [], "r2"),
        ("Person 2", PRICE, [], "r2"),
        ("Person 1", QUESTION, ["Critic"], "r2"),
    ]
    answer = export["floor"][3]
    assert (answer["speaker"], answer["to"], answer["question"]) == (
        "Critic",
        ["Person 1"],
        QUESTION,
    )
    assert answer["is_answer"]
    assert answer["links"]
    assert export["floor"][2]["answered"]
    assert export["dissents"][0]["model"] == "gpt"
    (second,) = (s for s in export["transcript"] if (s["role"], s["round"]) == ("Critic", 2))
    assert (second["model"], second["stood_in_for"]) == ("claude-sonnet", "gpt")
    assert second["claims"]["C1"] == "r2 of critic first"
    assert all(entry["at"] >= export["started_at"] for entry in export["transcript"])


async def test_a_dissent_whose_words_were_lost_is_not_denied(tmp_path: Path) -> None:
    """A34 C23: who voted otherwise is named where people would read that nobody did."""
    cast = ScriptedModels(ballots={"Critic": "coffee"}, says={"dissent:*": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --vote tea or coffee?")
        given, (kept,) = attached(table, held.thread), table.minutes()
    assert cast.asked("dissent:Critic")
    for text in (given, kept):
        assert "- **Dissent:** Critic (coffee), whose words were not recorded\n" in text
        assert "## Dissent\n\n> Critic (coffee), whose words were not recorded\n" in text
        assert "- Note: ⚠️ 1 dissent could not be recorded; the minutes name who dissents" in text
    assert held.export["brief"][3] == "Dissent: Critic (coffee), whose words were not recorded"


async def test_a_masked_dissent_that_was_lost_names_nobody(tmp_path: Path) -> None:
    """A34 E13."""
    cast = ScriptedModels(ballots={"Critic": "coffee"}, says={"dissent:*": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        await table.hold("roundtable --masked --vote tea or coffee?")
        (kept,) = table.minutes()
    assert re.search(r"Dissent:\*\* Panelist [ABC] \(coffee\), whose words were not recorded", kept)
    assert "⚠️ 1 dissent could not be recorded" in kept
    assert "Critic" not in kept


async def test_the_minutes_in_the_thread_are_those_of_the_file(tmp_path: Path) -> None:
    """A34: how it ended, where the conclusion is, and a summary that came after it."""
    cast, concluded = divided(), asyncio.Event()
    cast.says["summary:2"] = on_call(cast, concluded)
    async with scripted_playground(tmp_path, cast) as table:
        await table.say("roundtable --vote tea or coffee?")
        thread = await table.thread()
        await table.discord.until(lambda: any("META" in m.content for m in table.said_in(thread)))
        concluded.set()
        await table.concluded(thread)
        given, (kept,) = attached(table, thread), table.minutes()
    assert "- Ending: Concluded after " in given
    assert "**Read:** [the conclusion](" in given
    assert "1. Which keeps people awake" in given
    assert "**Rolling summary**: summary:2 sums up" in given
    assert without_picture(given) == without_picture(kept)


async def test_minutes_after_the_reveal_name_everybody_in_words_and_picture(
    tmp_path: Path,
) -> None:
    """A34 E13: the reveal is posted before them; one line says who was called what until then."""
    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        held = await table.hold("roundtable --masked --debate is it so?")
        given, (kept,) = attached(table, held.thread), table.minutes()
        page = next((tmp_path / "memory").rglob("*.html")).read_text()
        (shown,) = pictures(table, held.thread)
    assert "- Participants: Planner(" in given
    (picture,) = (line for line in kept.splitlines() if line.startswith("!["))
    assert "Planner" in picture
    for text in (given, kept, page):
        (told,) = (line for line in text.splitlines() if "Panelist" in line)
        assert "Masked until the reveal: Panelist A was " in told
    assert "Panelist" not in shown["description"]
    assert without_picture(given) == without_picture(kept)


async def test_what_a_forgotten_person_said_leaves_the_minutes(tmp_path: Path) -> None:
    """A34, issue 18: also words too few to count as a quote; others' words stay."""
    async with vote_with_people(tmp_path, divided()) as vote:
        assert vote.places(WINTER) >= {"inbound", "artifacts", "md", "html", "json"}
        shown = await vote.table.reply_after(
            await vote.table.say("roundtable forget", person="Ines")
        )
        assert "Removed" in await press_forget(vote.table, shown, "Ines")
        for words in (WINTER, QUESTION):
            await vote.gone(words)
        assert vote.places(PRICE) >= {"inbound", "artifacts", "md", "html", "json"}
        text = vote.minutes
    assert "**Person 2**" in text, "nobody gets another's number"
    assert "**Critic(gpt)** to Person 1, whose question was removed" in text


async def test_a_deleted_or_edited_message_changes_the_minutes(tmp_path: Path) -> None:
    """A34, issue 18."""
    async with vote_with_people(tmp_path, divided()) as vote:
        winter, price, _ = vote.said
        ines, jonas = (vote.table.discord.person(name).id for name in ("Ines", "Jonas"))
        await vote.table.discord.delete(ines, winter.id)
        await vote.gone(WINTER)
        await vote.table.discord.edit(jonas, price.id, "Ask Mara first.")
        await vote.gone(PRICE)
        async with asyncio.timeout(10):
            while "> Ask Mara first." not in vote.minutes:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        assert QUESTION in vote.minutes


async def test_what_people_said_goes_with_its_thread(tmp_path: Path) -> None:
    """A34, issue 18: the panel's words and the conclusion stay."""
    async with vote_with_people(tmp_path, divided()) as vote:
        remove(vote.table.discord, vote.thread)
        for words in (WINTER, PRICE, QUESTION):
            await vote.gone(words, {"inbound", "turns", "artifacts", "md", "html", "json"})
        assert "I, Critic, do not agree." in vote.minutes


async def test_talk_after_the_conclusion_is_in_the_minutes_one_reads_then(tmp_path: Path) -> None:
    """A34: a question to everybody, and who answered it."""
    cast = ScriptedModels(says={"ask:Analyst": "NO_REPLY"})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(QUICK)
        await table.write_in(held.thread, f"{ping(table)} and now?", person="Ines")
        await answered(table, held.thread, 2)
        read = await table.reply_to(await table.write_in(held.thread, "roundtable read"))
        (file,) = read.attachments
        text = table.discord.world.files[int(file["id"])].content.decode()
    _, _, after = text.partition("### From the floor, after the conclusion\n\n")
    assert after.startswith("**Person 1** to everybody, ")
    assert "**Advocate(claude-opus)** to Person 1 (“" in after
    assert "**Devil's Advocate(" in after
    assert "**Analyst(" not in after, "whoever passed said nothing"


@pytest.mark.parametrize("accepted", [True, False])
async def test_minutes_of_a_build_say_what_stage_2_and_the_spec_were_told(
    tmp_path: Path, *, accepted: bool
) -> None:
    """A34: words stand before the step that was given them, also when nothing was built."""
    cast = ScriptedModels(plan=Plan("sequential", stage2=REVIEWER, rounds=1))
    first, second = asyncio.Event(), asyncio.Event()
    cast.says["r1:Judge"] = on_call(cast, first)
    cast.says["s2:Reviewer"] = on_call(cast, second)
    async with scripted_playground(tmp_path, cast) as table:
        await table.say("roundtable --build a tea timer")
        thread = await table.thread()
        for step, words, going_on in (
            ("r1:Judge", WINTER, first),
            ("s2:Reviewer", PRICE, second),
        ):
            await until_asked(cast, step)
            await heard(table, await table.write_in(thread, words, person="Ines"))
            going_on.set()
        await table.concluded(thread)
        spec = table.waiting_spec(thread)
        assert spec is not None
        if accepted:
            await table.press(spec, "accept")
        else:
            await table.reply_to(await table.write_in(thread, "roundtable stop"))
        await table.concluded(thread)
        (text,) = table.minutes()
    marks = (
        "### Round 1",
        "### From the floor, before stage 2",
        f"> {WINTER}",
        "### Stage 2",
        "### From the floor, after the rounds",
        f"> {PRICE}",
    )
    assert [text.index(mark) for mark in marks] == sorted(map(text.index, marks))
    assert PRICE in cast.asked("spec")[0].text
    assert "too late to be heard" not in text


async def test_who_answers_a_question_for_a_seat_is_named(tmp_path: Path) -> None:
    """A34: a stand-in's answer has its own model, and says whose it replaces."""
    cast = ScriptedModels(says={"ask:Advocate@claude-opus": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(QUICK)
        await table.write_in(held.thread, "Advocate, why?", person="Ines")
        await answered(table, held.thread)
        read = await table.reply_to(await table.write_in(held.thread, "roundtable read"))
        (file,) = read.attachments
        text = table.discord.world.files[int(file["id"])].content.decode()
    _, _, after = text.partition("### From the floor, after the conclusion\n\n")
    (model,) = re.findall(r" · (\S+) answered in place of claude-opus · \[message\]", after)
    assert model != "claude-opus"
    assert f"**Advocate({model})** to Person 1 (“" in after


async def test_a_question_is_answered_although_the_next_came_as_its_answer_went_out(
    tmp_path: Path,
) -> None:
    """A34: the second question ends the exchange before the answer's turn has settled."""
    cast, never = ScriptedModels(), asyncio.Event()
    edit = settings(arbiter={"settleMs": 60_000})
    async with scripted_playground(tmp_path, cast, edit_panels=edit) as table:
        held = await table.hold(QUICK)
        await table.write_in(held.thread, "Analyst, why?", person="Ines")
        await table.discord.until(lambda: answers(table, held.thread))
        cast.says["ask:*"] = on_call(cast, never)
        await table.write_in(held.thread, "Analyst, what else?", person="Ines")
        await until_asked(cast, "ask:Analyst", 2)
        read = await table.reply_to(await table.write_in(held.thread, "roundtable read"))
        (file,) = read.attachments
        text = table.discord.world.files[int(file["id"])].content.decode()
        never.set()
    _, _, after = text.partition("### From the floor, after the conclusion\n\n")
    assert " (answered below):\n\n> Analyst, why?\n" in after
    assert "> Analyst, what else?" in after
    assert "(not answered)" not in after


async def test_the_retention_takes_old_words_out_of_the_minutes_of_a_newer_run(
    tmp_path: Path,
) -> None:
    """A34, issue 18: a run that ended later than its words were said."""

    def keep_a_week(data: dict[str, Any]) -> None:
        data["privacy"]["retentionDays"] = 7

    async with vote_with_people(tmp_path, divided(), edit_panels=keep_a_week) as vote:
        app = vote.table.session.app
        run = await app.run_service.last_in(vote.thread.id)
        assert run
        assert run.finished_at
        between = (snowflake_time(vote.said[-1].id).timestamp() + run.finished_at) / 2
        set_clock(app.store, lambda: between + 7 * DAY)
        await app.forgetting.tidy()
        assert vote.places(WINTER) == set()
        assert "I, Critic, do not agree." in vote.minutes


async def test_masked_minutes_tell_nobody_by_name_pace_or_stand_in(tmp_path: Path) -> None:
    """A34 E13: also where people name a role in their own words."""
    asked = "Panelist A, is the Critic right?"
    async with vote_with_people(tmp_path, divided(), flags="--masked", question=asked) as vote:
        text, export = vote.minutes, vote.export
        everything = "".join(files_of(tmp_path))
    for name in ("Critic", "Planner", "sonnet", "in place of"):
        assert name not in everything, name
    assert "### From the floor, before round 2" in text
    assert "> Panelist A, is the Panelist" in text
    speeches = export["transcript"]
    for number in (1, 2):
        assert len({s["at"] for s in speeches if s["round"] == number}) == 1
    assert {s["seconds"] for s in speeches} == {0.0}


async def heard(table: PlaygroundHarness, said: Message) -> None:
    """The bot shows by a reaction that it has taken a message in."""
    await table.discord.until(lambda: bool(said.reactions))


def attached(table: PlaygroundHarness, thread: Channel) -> str:
    """The newest minutes that people were given in a thread."""
    files = [file for message in table.said_in(thread) for file in message.attachments]
    newest = [file for file in files if file["filename"].startswith("minutes-")][-1]
    return table.discord.world.files[int(newest["id"])].content.decode()


def without_picture(minutes: str) -> list[str]:
    """The lines of minutes, but for times and the picture, which is a file of its own."""
    return [line for line in settled(minutes) if line and not line.startswith("![")]


def files_of(home: Path) -> Iterator[str]:
    for path in (home / "memory").rglob("*"):
        if path.suffix in (".md", ".html", ".json", ".jsonl"):
            yield path.read_text()
