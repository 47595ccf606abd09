"""The three examples of the first page, held by the real bot from the design to the follow-ups."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from bot.rehearsal.scripts import Script, script_for
from tests.e2e.playground_harness import FinishedRun, PlaygroundHarness, open_harness
from tests.e2e.talk_steps import answered

LABEL = "A scripted example: no model is speaking"
TOPICS = {
    "vote": "Postgres or SQLite for our queue?",
    "debate": "should we move to a four-day week?",
    "redteam": "what could go wrong with passwordless login?",
}
VALIDATED = {"vote": "yes", "debate": "yes", "redteam": "partial"}


@dataclass(frozen=True)
class Played:
    """One example that was played."""

    mode: str
    script: Script
    table: PlaygroundHarness
    held: FinishedRun


@pytest_asyncio.fixture(params=list(TOPICS), scope="module", loop_scope="module")
async def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Played]:
    mode: str = request.param
    home: Path = tmp_path_factory.mktemp(mode)
    script = script_for(TOPICS[mode])
    assert script
    async with open_harness(home) as table:
        held = await table.hold(f"roundtable --{mode} --validate {TOPICS[mode]}")
        yield Played(mode, script, table, held)


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_the_panel_of_the_script_holds_two_rounds(played: Played) -> None:
    record = played.held.record
    assert tuple(seat.role for seat in record.seats) == played.script.roles
    assert record.rounds_held == 2
    assert played.held.voices == played.script.roles * 2
    assert record.degradations == ()


async def test_positions_scores_and_changes_of_mind_are_those_of_the_script(played: Played) -> None:
    record, script = played.held.record, played.script
    moved = {s.role: s.second.because for s in script.seats if s.second.because}
    flips = {f.role: (f.because_role, f.because_claim) for f in record.flips}
    assert flips == {role: (cause.of, cause.claim) for role, cause in moved.items()}
    for seat in script.seats:
        given = {score.of: score.score for score in seat.second.scores}
        assert record.agreement.matrix[seat.role] == given
    assert record.agreement.inferred == ()
    if script.options:
        counted = [{c.option: len(c.voters) for c in tally.counts} for tally in record.tallies]
        assert counted == [{"Postgres": 2, "SQLite": 2}, {"Postgres": 1, "SQLite": 3}]


async def test_the_conclusion_is_validated_and_the_dissenter_has_a_word(played: Played) -> None:
    record, script = played.held.record, played.script
    assert record.validated == VALIDATED[played.mode]
    assert script.conclusion.recommendation in played.held.conclusion
    wanted = {seat.role: seat.dissent.text for seat in script.seats if seat.dissent}
    assert {dissent.role: dissent.text for dissent in record.dissents} == wanted
    assert all(text in played.held.conclusion for text in wanted.values())


async def test_everybody_is_told_that_no_model_is_speaking(played: Played) -> None:
    """On the card's first lines, with every speech, and in the minutes."""
    table, held = played.table, played.held
    assert held.card.splitlines()[1] == f"-# {LABEL}."
    speeches = [m for m in table.said_in(held.thread) if m.webhook_id]
    assert all(m.content.startswith(f"-# {LABEL}\n") for m in speeches)
    assert any(LABEL in minutes for minutes in table.minutes())


async def test_every_panelist_answers_back(played: Played) -> None:
    """Its last written question, which was asked of nobody before."""
    table, thread = played.table, played.held.thread
    for number, seat in enumerate(played.script.seats, 1):
        known = seat.answers[-1]
        await table.write_in(thread, f"{seat.role}, {known.question}")
        said = await answered(table, thread, number)
        assert (said[-1].author.name, known.answer in said[-1].content) == (seat.role, True)
        assert said[-1].content.count(LABEL) == 1


async def test_an_example_without_its_flags_is_played_too(tmp_path: Path) -> None:
    async with open_harness(tmp_path) as table:
        for number, topic in enumerate(TOPICS.values(), 1):
            held = await table.hold(f"roundtable {topic.upper()}")
            script = script_for(topic)
            assert script
            assert held.voices == script.roles * 2, number
            assert LABEL in held.card


async def test_another_topic_is_a_rehearsal_and_says_so_first(tmp_path: Path) -> None:
    async with open_harness(tmp_path) as table:
        held = await table.hold("roundtable --quick --debate should we publish open salaries?")
        label = "-# A rehearsal: no model is speaking, and nothing said here is a fact."
        assert held.card.splitlines()[1] == label
        first = next(m for m in table.said_in(held.thread) if m.webhook_id)
        assert first.content.splitlines()[0].endswith("rehearsal: no model is speaking")
        assert "open salaries" in first.content
