"""A record that goes on from an earlier one says what one says that was read at once."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.council.facts import Facts, load_facts
from bot.council.heard import hear, hear_on
from tests.e2e.cast import FAIL, Cast, cast_table


@pytest.mark.parametrize(
    ("asked", "cast"),
    [
        ("roundtable --debate is it so?", Cast(stances={"Judge": "DISAGREE"})),
        ("roundtable --vote tabs or spaces?", Cast()),
        ("roundtable --debate --validate is it so?", Cast()),
        ("roundtable --debate is it so?", Cast(says={"r2:critic": FAIL})),
    ],
)
async def test_what_was_heard_is_the_same_from_whichever_point_it_goes_on(
    tmp_path: Path, asked: str, cast: Cast
) -> None:
    """Whatever was known before, nothing that came since is missed."""
    async with cast_table(tmp_path, cast) as table:
        held = await table.hold(asked)
        run_id = held.record.run_id
        whole: Facts = await table.stored(lambda conn: load_facts(conn, run_id))
    stages = [replace(whole, events=whole.events[:n]) for n in range(len(whole.events) + 1)]
    heard = [hear(facts) for facts in stages]
    for later, facts in enumerate(stages):
        for known, before in zip(stages[:later], heard, strict=False):
            assert hear_on(before, known, facts) == heard[later]
