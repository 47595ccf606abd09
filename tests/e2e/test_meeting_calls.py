"""The number of model calls of a run: the formula of design 11, and nothing else is called."""

from pathlib import Path

import pytest

from tests.e2e.scripted_models import Plan, ScriptedModels, scripted_playground, verdict
from tests.e2e.test_meeting_search import FOUND, searxng
from tests.search.search_server import Reply, SearchServer

WRONG = verdict("INACCURATE", "no")
STAGE_2 = (("grok", "Reviewer", "check"), ("mistral-large", "Integrator", "join"))


def calls(
    seats: int,
    rounds: int,
    *,
    analysts: int = 4,
    dissents: int = 0,
    validators: int = 0,
    rewrites: int = 0,
    stage2: int = 0,
    digests: int = 0,
    delivery: int = 0,
) -> int:
    """Model calls of a full run, as design 11 counts them."""
    per_round = seats + 1
    digests += delivery
    return digests + analysts + rounds * per_round + stage2 + dissents + 1 + validators + rewrites


@pytest.mark.parametrize(
    ("cast", "asked", "expected"),
    [
        (ScriptedModels(), "--debate is it so?", calls(3, 2)),
        (ScriptedModels(plan=Plan(rounds=3)), "--redteam is it so?", calls(3, 3)),
        (ScriptedModels(), "--quick --debate is it so?", calls(3, 1, analysts=0)),
        (ScriptedModels(), "--panel opus,grok --debate is it so?", calls(2, 2, analysts=0)),
        (ScriptedModels(), "--validate --debate is it so?", calls(3, 2, validators=3)),
        (
            ScriptedModels(
                verdicts={"Judge": WRONG, "Critic": WRONG}, stances={"Judge": "DISAGREE"}
            ),
            "--validate --debate is it so?",
            calls(3, 2, validators=3, rewrites=1),
        ),
        (
            ScriptedModels(stances={"Planner": "AGREE", "Critic": "AGREE", "Judge": "DISAGREE"}),
            "--debate is it so?",
            calls(3, 2, dissents=1),
        ),
        (
            ScriptedModels(plan=Plan("sequential", stage2=STAGE_2, rounds=2)),
            "--build a queue",
            calls(3, 2, stage2=2, delivery=5),
        ),
        (
            ScriptedModels(ballots={"Judge": "coffee"}),
            "--vote tea or coffee?",
            calls(3, 2, dissents=1),
        ),
    ],
    ids=[
        "two rounds",
        "three rounds",
        "quick",
        "named panel",
        "validated",
        "rewritten",
        "a dissenter",
        "two stages",
        "a lost vote",
    ],
)
async def test_a_run_makes_exactly_the_calls_of_the_formula(
    tmp_path: Path, cast: ScriptedModels, asked: str, expected: int
) -> None:
    """A2 A13: counted at the server, in the store and in META."""
    cast.heard.clear()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(f"roundtable {asked}")
    assert len(cast.heard) == expected
    assert len(held.calls) == expected
    assert f" · {expected} calls · " in held.meta


async def test_a_search_adds_one_call(tmp_path: Path) -> None:
    """E33 E36: the digest."""
    cast = ScriptedModels()
    async with SearchServer() as server:
        server.reply = Reply(json=FOUND)
        environ = {"SEARXNG_URL": server.url}
        async with scripted_playground(
            tmp_path, cast, edit_panels=searxng, environ=environ
        ) as table:
            await table.hold("roundtable --quick --debate is it so?")
    assert len(cast.heard) == calls(3, 1, analysts=0, digests=1)
