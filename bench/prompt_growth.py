"""How long prompts are round by round, and how many calls a run makes.

Three rounds with three, five and eight seats, answered by the rehearsal, through the real runs,
store and prompts. Tokens are estimated as max(characters, bytes) / 4. The figure is the largest
growth of any seat's prompt from round 2 to round 3; the number of calls must be the one that
follows from the run's own facts.
"""

import asyncio
import sys
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path
from statistics import mean

from support.run_service import ANALYSTS, Hall, a_design, a_panel, a_request, open_hall

from bot.meeting.synthesis import dissenters
from bot.record.loader import read_record
from bot.record.record import RunRecord
from bot.rehearsal import RehearsalPort
from bot.types.model_port import (
    Delta,
    Finished,
    ModelEvent,
    ModelPort,
    ModelRequest,
    Prompt,
    Started,
    Usage,
)

ROUNDS = 3
PANELS = (3, 5, 8)
LIMIT = 1.1


class Listening:
    """A port that keeps every request; analysts say what they are told, seats rehearse."""

    def __init__(self, design: str) -> None:
        self.requests: list[ModelRequest] = []
        self._design = design
        self._rehearsal = RehearsalPort(7, seconds_per_answer=0.0)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Answer at once."""
        self.requests.append(request)
        if request.model not in ANALYSTS:
            async for event in self._rehearsal.stream(request):
                yield event
            return
        for event in (Started(request.model), Delta(self._design), Usage(0, 0), Finished("stop")):
            yield event

    async def close(self) -> None:
        """Nothing is held."""


def tokens(prompt: Prompt) -> float:
    """The estimate of providers.md 1.3, without its safety margin."""
    texts = [message.text for message in prompt.messages]
    return sum(max(len(text), len(text.encode())) / 4 for text in texts)


def by_round(requests: list[ModelRequest]) -> list[dict[str, float]]:
    """The tokens of each seat's prompt, a dictionary for each round."""
    return [
        {
            request.label.partition(":")[2]: tokens(request.prompt)
            for request in requests
            if request.label.startswith(f"r{number}:")
        }
        for number in range(1, ROUNDS + 1)
    ]


def expected_calls(record: RunRecord) -> int:
    """The formula of design 11 for a run without a search and without a second stage."""
    seats, rounds = len(record.seats), record.rounds_held
    rewritten = any("rewritten" in line for line in record.validation.lines)
    return (
        len(ANALYSTS)
        + seats * rounds
        + rounds
        + len(dissenters(record))
        + 1
        + seats
        + (1 if rewritten else 0)
    )


async def hold(holder: Hall) -> RunRecord:
    """One validated run to its end."""
    run_id = await holder.start_run(1, a_request(validate=True))
    await holder.run_service.idle()
    record = await read_record(holder.store, run_id)
    made = len(await holder.calls(run_id))
    assert holder.stage.succeeded[run_id], record.ending_note
    assert record.rounds_held == ROUNDS, f"{record.rounds_held} rounds were held"
    assert made == expected_calls(record), f"{made} calls, expected {expected_calls(record)}"
    return record


async def measure(seats: int) -> float:
    """Hold one run, print its line and return the worst growth from round 2 to 3."""
    names = tuple(f"seat-{number}" for number in range(1, seats + 1))
    port = Listening(a_design(names, ROUNDS))

    def build(_: object) -> ModelPort:
        return port

    with tempfile.TemporaryDirectory() as home:
        config = a_panel(names, "http://127.0.0.1:9/v1")
        async with open_hall(Path(home), config, build) as holder:
            record = await hold(holder)
    rounds = by_round(port.requests)
    growth = max(rounds[2][seat] / rounds[1][seat] for seat in rounds[2])
    lengths = "  ".join(f"{mean(found.values()):7.0f}" for found in rounds)
    print(f"{seats:5}  {lengths}   {growth:6.3f}   {expected_calls(record):5}", flush=True)
    return growth


async def main() -> int:
    """Measure every panel and print the table."""
    print("seats  round 1  round 2  round 3   3 to 2   calls   (tokens per seat, mean)")
    worst = 0.0
    for seats in PANELS:
        worst = max(worst, await measure(seats))
    print(f"prompt_growth: {worst:.3f} (limit {LIMIT:g})")
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
