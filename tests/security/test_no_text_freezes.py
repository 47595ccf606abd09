"""No text freezes the loop: what strangers send is cut, then cleaned, once and quickly."""

import asyncio
import random
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bot.errors import UsageError
from bot.models.adapters.local.prompts import shorten, simplified
from bot.models.redaction import excerpt
from bot.record.run_rows import title_of
from bot.request import build_request
from bot.stage.cleaning import clean_text, short_line
from bot.stage.message_text import readable, split_text
from bot.store.erasure import erase
from bot.store.repositories.runs import RunRepository
from bot.types.model_port import Message, Prompt
from tests.e2e.playground_harness import open_harness
from tests.hostile.inputs import TOPIC_LIMIT, Entry, entries, pumped_text
from tests.hostile.loop_stalls import STALL_LIMIT, watched_loop
from tests.support.machine import slowness

READ_LENGTH = 4_000

# What is measured for coverage takes several times as long.
pytestmark = pytest.mark.no_cover

TRIES = 3
ROUNDS = 12
MASKED = "[a](" * 990
BLANKS = " " * 16_000


def seconds_of(work: Callable[[], object]) -> float:
    """The processor time it takes at the machine's usual speed."""
    began = time.thread_time()
    work()
    taken = time.thread_time() - began
    return taken / slowness() if taken > STALL_LIMIT else taken


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(lambda: clean_text(MASKED), id="masked links"),
        pytest.param(lambda: clean_text("</:" * 6_000), id="mentions"),
        pytest.param(lambda: clean_text("http://" + "." * 40_000), id="what ends an address"),
        pytest.param(lambda: readable(f"a|b\n{BLANKS}x|"), id="blanks in a table"),
        pytest.param(lambda: readable("|" * 8_000 + "\n|--|\n" + "|\n" * 4_000), id="cells"),
        pytest.param(lambda: readable("#### a" + " #" * 8_000 + "b"), id="a heading"),
        pytest.param(lambda: excerpt("a" * 16_000), id="an error without blanks"),
        pytest.param(lambda: excerpt("a-" * 8_000), id="an error of dashes"),
        pytest.param(lambda: split_text("`" * 40_000), id="backticks"),
    ],
)
def test_what_once_took_seconds_takes_a_moment(work: Callable[[], object]) -> None:
    assert min(seconds_of(work) for _ in range(TRIES)) < STALL_LIMIT


@pytest.mark.heavy
async def test_no_entry_stalls_the_loop(tmp_path: Path) -> None:
    """A small campaign; `python -m tests.hostile.campaign` is the large one."""
    if sys.gettrace() is not None:
        pytest.skip("coverage slows what is timed; make check runs the large campaign without it")
    async with entries(tmp_path) as places:
        with watched_loop(time.thread_time) as stalls:
            for place in places:
                for text in (MASKED, BLANKS, "\n" * 8_000, *_pumped(place.longest)):
                    await asyncio.create_task(_taken(place, text[: place.longest]))
                    taken = stalls.take()
                    held_up = taken / slowness() if taken > STALL_LIMIT else taken
                    assert held_up < STALL_LIMIT, (place.name, text[:60])


def _pumped(longest: int) -> list[str]:
    return [pumped_text(random.Random(number), longest) for number in range(ROUNDS)]


async def _taken(place: Entry, text: str) -> None:
    await place.take(text)


async def test_a_topic_is_cleaned_once_and_its_title_stored(tmp_path: Path) -> None:
    topic = "Is **[this](https://evil.example)** @everyone safe?"
    async with open_harness(tmp_path) as table:
        held = await table.hold(f"roundtable --quick {topic}")
        run = await table.stored(lambda conn: RunRepository(conn).require(held.record.run_id))
        assert run.title == "Is this (evil.example) ＠everyone safe?"
        assert title_of(replace(run, title=""), 100) == run.title  # stored before there were titles
        listed = await table.reply_to(await table.say("roundtable list"))
        assert run.title in listed.content
        await table.session.app.store.write(lambda conn: erase.erase_run(conn, run.id, 1.0))
        assert (await table.stored(lambda conn: RunRepository(conn).require(run.id))).title == ""


def test_a_text_is_cut_before_it_is_cleaned() -> None:
    beginning = "word " * 40
    assert short_line(beginning + MASKED * 100, 20) == short_line(beginning, 20)
    assert len(short_line("x" * 100_000, 50)) == 50


def test_half_a_key_at_the_cut_is_not_shown() -> None:
    link = "https://a.example/" + "a" * (READ_LENGTH - 40)
    said = f"{link} broken: sk-{'s3cr3t' * 20}"
    assert excerpt(said) == "[link] broken:"


def test_a_known_secret_is_hidden_wherever_it_stands() -> None:
    text = "a " * (READ_LENGTH // 2 - 3) + "hunter2hunter2"
    assert "hunter" not in excerpt(text, ["hunter2hunter2"])


def quoting(text: str) -> Prompt:
    return Prompt("round1", {}, (Message("user", text),))


def test_quoted_blocks_are_found_among_tags_that_are_not_closed() -> None:
    block = '<data-t0 name="TOPIC">\nTabs?\n</data-t0>'
    text = "<data-a b>\n" * 2_000 + f"\nThe topic:\n{block}\n" + "</data-z>" * 2_000
    assert seconds_of(lambda: simplified(quoting(text))) < STALL_LIMIT
    (_, asked) = simplified(quoting(text)).messages
    assert asked.text == f"The topic:\n{block}\n\nWrite your answer now."
    assert shorten(quoting(text), 0.1) is None
    long = quoting(text.replace("Tabs?", "word " * 500))
    shorter = shorten(long, 0.1)
    assert shorter is not None
    assert len(shorter.messages[0].text) < len(long.messages[0].text)


def test_a_topic_far_too_long_is_refused_before_it_is_cleaned() -> None:
    huge = "\u200b a" * 2_000_000

    def refuse() -> None:
        with pytest.raises(UsageError, match=r"4,?000"):
            build_request(huge, (), TOPIC_LIMIT)

    assert seconds_of(refuse) < STALL_LIMIT
