"""Does the small model in the process keep the formats? Full debates with the real model.

Four debates of five seats and two rounds go through the real runs, store and prompts. An
answer counts when its stance and its digest with three claims are read as written, and in round 2
a score for every peer, too; a seat that gave no answer counts as missed. The figure is the share of
the answers that count. Nothing is installed here: `make local` gets the model.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from support.run_service import Hall, open_hall

from bot.panels import PanelsConfig, parse_panels
from bot.panels.machine import fault_here
from bot.panels.providers import LocalProvider
from bot.prompting.closing_lines import Stance, parse_stance
from bot.prompting.round_answers import parse_round1, parse_round2
from bot.prompting.scores import parse_scores
from bot.record.loader import read_record
from bot.record.record import RunRecord
from bot.request import Request
from bot.settings import SHIPPED_PANELS
from bot.store.repositories import answers
from bot.store.repositories.answers import AnswerRepository
from bot.types.mode import Mode

LOCAL_PANELS = SHIPPED_PANELS.with_name("panels.local.json")
SEATS = 5
ROUNDS = 2
TOPICS = (
    "Should a small team use Postgres or SQLite?",
    "Should children learn to cook at school?",
    "Should the town close its old bridge to cars?",
    "Should our club meet on Sundays?",
)
LIMIT = 0.95
PANEL = tuple(f"small-{number}" for number in range(1, SEATS + 1))


def a_config() -> PanelsConfig:
    """The shipped local settings with as many names for the one model as there are seats."""
    data = json.loads(LOCAL_PANELS.read_text(encoding="utf-8"))
    model = data["models"]["smollm2"]
    data["models"] |= dict.fromkeys(PANEL, model)
    data["allowlist"] = [*PANEL]
    data["panels"]["debate"]["earlyExit"] = False
    data["trigger"] |= {"cooldownSeconds": 0, "maxConcurrent": 10}
    return parse_panels(json.dumps(data))


def keeps_format(answer: answers.StoredAnswer, role: str, roles: Sequence[str]) -> bool:
    """Whether everything the meeting needs was read as the seat wrote it."""
    if parse_stance(answer.text) is Stance.UNKNOWN:
        return False
    if answer.round == 1:
        opening = parse_round1(answer.text)
        return not opening.digest.made_up and len(opening.digest.claims) == 3
    peers = [peer for peer in roles if peer != role]
    critique = parse_round2(answer.text, peers)
    scores = parse_scores(answer.text, peers, role)
    return critique.digest is not None and len(critique.digest.claims) == 3 and not scores.inferred


async def debate(holder: Hall, number: int, topic: str) -> tuple[RunRecord, int]:
    """Hold one debate; returns its record and how many answers kept the format."""
    request = Request(topic, Mode.DEBATE, mode_forced=True, search=False, panel=PANEL)
    run_id = await holder.start_run(number, request)
    await holder.run_service.idle()
    record = await read_record(holder.store, run_id)
    roles = {seat.slug: seat.role for seat in record.seats}
    stored = await holder.store.read(lambda conn: AnswerRepository(conn).of_run(run_id))
    spoken = [answer for answer in stored if answer.seat in roles and answer.round]
    kept = sum(keeps_format(a, roles[a.seat], list(roles.values())) for a in spoken)
    return record, kept


async def measure() -> tuple[int, int]:
    """All debates, one after the other."""
    kept = 0
    with tempfile.TemporaryDirectory() as folder:
        async with open_hall(Path(folder), a_config()) as holder:
            for number, topic in enumerate(TOPICS, 1):
                began = time.monotonic()
                record, good = await debate(holder, number, topic)
                kept += good
                missing = ", ".join(record.conclusion.missing) or "nothing"
                print(
                    f"{topic} {good} of {SEATS * ROUNDS} answers kept the format; the conclusion "
                    f"lacks {missing}; {time.monotonic() - began:.0f} s",
                    flush=True,
                )
    return kept, len(TOPICS) * SEATS * ROUNDS


def main() -> int:
    """Measure, print and judge."""
    fault = fault_here(LocalProvider(kind="local"))
    if fault:
        print(f"local_formats: not measured, for {fault}")
        return 0
    kept, asked = asyncio.run(measure())
    share = kept / asked
    print(f"{kept} of {asked} answers of the very small model were read as written")
    print(f"local_formats: {share:.2f} (limit {LIMIT:g})")
    return 0 if share >= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
