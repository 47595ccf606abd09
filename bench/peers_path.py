"""Time and tokens of a whole meeting beside a bare aiohttp script that does the same nine calls.

Four seats that answer after 0.4 to 1.6 s, two rounds, a synthesis of 0.8 s; the coordinator, whom
only Roundtable asks, takes 0.4 s. Each side runs in a fresh process of its own against the same
model server; the first meeting of a process, the next ones and twenty at once are measured, and the
best of some processes counts, because other work on the machine can only add to it. A meeting lasts
from the request until its conclusion is posted. Every answer has 400 words. Tokens are counted by
the server, four characters each. The script sends everybody every answer of the round before, and
the last round to the writer; the one that resends everything sends all rounds so far.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import aiohttp

SEATS = {"seat-a": 0.4, "seat-b": 0.8, "seat-c": 1.2, "seat-d": 1.6}
WORDS = 400
NEXT = 2
MANY = 20
PROCESSES = 3
LIMITS = {
    "first": 1.05,
    "next": 1.03,
    "twenty": 1.15,
    "sent": 1.0,
    "written": 1.3,
    "sent_three_rounds": 0.75,
}
ASKED = (
    "You are one of four experts. Give your view on the question below in 400 words: a thesis, "
    "three claims with evidence, the risks, and what you recommend.\n\n"
)
CRITICISE = "Here is what all four wrote. Criticise the others and revise your view.\n\n"
CONCLUDE = "Here is what four experts wrote at last. Write the conclusion of their debate.\n\n"


@dataclass(frozen=True)
class Measured:
    """What one process measured: seconds, and the tokens of one meeting."""

    first: float
    next: float
    twenty: float
    sent: int
    written: int
    sent_three_rounds: int


@dataclass
class Tokens:
    """What a server counted."""

    sent: int = 0
    written: int = 0


class BareScript:
    """Nine calls and nothing else: no store, no budget, no retries."""

    def __init__(self, session: aiohttp.ClientSession, url: str, writer: str, topic: str) -> None:
        self._session = session
        self._url = f"{url}/chat/completions"
        self._writer = writer
        self._topic = topic
        self.tokens = Tokens()

    async def meet(self, rounds: int = 2, *, resend: bool = False) -> None:
        """Hold one meeting."""
        said: list[str] = []
        for number in range(rounds):
            before = said if resend else said[-len(SEATS) :]
            task = f"{ASKED}{self._topic}\n\n{CRITICISE if number else ''}" + "\n\n".join(before)
            said += await asyncio.gather(*(self._ask(seat, task) for seat in SEATS))
        final = said if resend else said[-len(SEATS) :]
        await self._ask(self._writer, f"{CONCLUDE}{self._topic}\n\n" + "\n\n".join(final))

    async def _ask(self, model: str, prompt: str) -> str:
        messages = [{"role": "user", "content": prompt}]
        body = {"model": model, "messages": messages, "stream": True}
        parts: list[str] = []
        async with self._session.post(self._url, json=body) as response:
            async for line in response.content:
                if line.startswith(b"data: {"):
                    chunk = json.loads(line[6:])
                    self._count(chunk.get("usage"))
                    parts += [c["delta"].get("content") or "" for c in chunk["choices"]]
        return "".join(parts)

    def _count(self, usage: dict[str, int] | None) -> None:
        if usage:
            self.tokens.sent += usage["prompt_tokens"]
            self.tokens.written += usage["completion_tokens"]


async def bare(url: str) -> Measured:
    """Measure the script in this process."""
    from support.run_service import TOPIC, WRITER

    async with aiohttp.ClientSession() as session:
        script = BareScript(session, url, WRITER, TOPIC)

        async def meet() -> float:
            began = time.monotonic()
            await script.meet()
            return time.monotonic() - began

        first = await meet()
        tokens = asdict(script.tokens)
        following = [await meet() for _ in range(NEXT)]
        many = await asyncio.gather(*(meet() for _ in range(MANY)))
        script.tokens = Tokens()
        await script.meet(rounds=3, resend=True)
        return Measured(
            first, min(following), max(many), **tokens, sent_three_rounds=script.tokens.sent
        )


async def ours(url: str) -> Measured:
    """Measure Roundtable in this process."""
    from support.run_service import Hall, a_panel, a_request, open_hall

    async def meet(hall: Hall, number: int, rounds: int = 2) -> tuple[float, str]:
        began = time.monotonic()
        run_id = await hall.start_run(number, a_request(panel=tuple(SEATS), rounds=rounds))
        await hall.run_service.ended(run_id)
        assert hall.stage.succeeded[run_id]
        return hall.stage.concluded_at[run_id] - began, run_id

    async def tokens(hall: Hall, run_id: str) -> Tokens:
        calls = await hall.calls(run_id)
        assert all(call.input_tokens and call.output_tokens for call in calls)
        return Tokens(
            sum(call.input_tokens or 0 for call in calls),
            sum(call.output_tokens or 0 for call in calls),
        )

    with tempfile.TemporaryDirectory() as home:
        async with open_hall(Path(home), a_panel(tuple(SEATS), url)) as hall:
            first, run_id = await meet(hall, 1)
            used = await tokens(hall, run_id)
            following = [(await meet(hall, 2 + n))[0] for n in range(NEXT)]
            many = await asyncio.gather(*(meet(hall, 100 + n) for n in range(MANY)))
            _, three = await meet(hall, 500, rounds=3)
            more = await tokens(hall, three)
    slowest = max(wall for wall, _ in many)
    return Measured(first, min(following), slowest, used.sent, used.written, more.sent)


def in_a_process(side: str, url: str) -> Measured:
    """Measure one side in a fresh process."""
    command = [sys.executable, __file__, side, url]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Measured(**json.loads(answer.splitlines()[-1]))


def _best(measured: Sequence[Measured]) -> dict[str, Any]:
    return {name: min(getattr(found, name) for found in measured) for name in LIMITS}


def main() -> int:
    """Measure both in turns and print the figures."""
    from support.model_process import model_process
    from support.run_service import COORDINATOR, WRITER

    latencies = {**SEATS, WRITER: 0.8, COORDINATOR: 0.4}
    with model_process(latencies, {}, words=WORDS) as url:
        pairs = [(in_a_process("ours", url), in_a_process("bare", url)) for _ in range(PROCESSES)]
    mine, theirs = (_best(side) for side in zip(*pairs, strict=True))
    missed = 0
    for name in LIMITS:
        print(f"{name:18} {mine[name]:10.2f}   bare script {theirs[name]:10.2f}")
    for name, limit in LIMITS.items():
        ratio = mine[name] / theirs[name]
        missed += ratio > limit
        print(f"peers_{name}: {ratio:.3f} (limit {limit:g})")
    return 1 if missed else 0


if __name__ == "__main__":
    if len(sys.argv) == 3:
        from bot import front

        front.collect_less_often()
        side = {"ours": ours, "bare": bare}[sys.argv[1]]
        print(json.dumps(asdict(front.run(side(sys.argv[2])))))
        sys.exit(0)
    sys.exit(main())
