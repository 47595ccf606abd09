"""Files: an earlier conclusion as context, and exports that can always be rebuilt."""

from pathlib import Path

import pytest

from bot.library.rebuild import export_everything
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.scripted_models import ScriptedModels, scripted_playground

pytestmark = pytest.mark.heavy

MISSING = "`--context-from {}` was not found, so this roundtable starts without it"


def stem_of(table: PlaygroundHarness) -> str:
    (file,) = (table.home / "memory" / "roundtables").glob("*.json")
    return file.stem


@pytest.mark.parametrize("dated", [True, False], ids=["file stem", "bare slug"])
async def test_an_earlier_conclusion_is_put_before_the_context(tmp_path: Path, dated: bool) -> None:
    """E18 2.2#45: in the meta-panel's prompt and in every opening."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        await table.hold("roundtable --quick --debate The first question?")
        slug = stem_of(table) if dated else "the-first-question"
        cast.heard.clear()
        held = await table.hold(f"roundtable --context-from {slug} --debate and then?")
    informed = cast.asked("meta:*") + cast.asked("r1:*")
    assert len(informed) == 7
    for asked in informed:
        context = asked.values["CURRENT_CONTEXT"]
        assert context.startswith("PRIOR ROUNDTABLE CONTEXT: ")
        assert "Do it. Then rest." in context
        assert context.endswith("No real-time context available.")
    assert "was not found" not in held.card


async def test_a_name_that_does_not_exist_is_said_and_stops_nothing(
    table: PlaygroundHarness,
) -> None:
    """E18 E109."""
    held = await table.hold("roundtable --quick --context-from no-such-thing --debate and then?")
    assert MISSING.format("no-such-thing") in held.card
    assert MISSING.format("no-such-thing") in held.meta
    assert held.export["ending"] == "concluded"


async def test_who_may_not_read_a_roundtable_may_not_build_on_it(tmp_path: Path) -> None:
    """E109: the notice is the same as for a name that does not exist."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        secret = "roundtable --quick --debate the secret plan"
        await table.hold(secret, channel="off-limits", person="Mara")
        cast.heard.clear()
        follow = "roundtable --quick --context-from the-secret-plan --debate and then?"
        held = await table.hold(follow, person="Jonas")
        assert MISSING.format("the-secret-plan") in held.card
        assert not any("PRIOR ROUNDTABLE" in asked.text for asked in cast.heard)
        cast.heard.clear()
        allowed = await table.hold(follow.replace("and then", "and when"), person="Mara")
    assert "was not found" not in allowed.card
    assert "PRIOR ROUNDTABLE" in cast.asked("r1:Analyst")[0].text


async def test_deleted_files_are_rebuilt_byte_for_byte(tmp_path: Path) -> None:
    """A32 2.2#27: the store is the truth, files are copies."""
    cast = ScriptedModels(scores={"Judge": {"Critic": "2/5"}}, stances={"Judge": "DISAGREE"})
    async with scripted_playground(tmp_path, cast) as table:
        await table.hold("roundtable --validate --debate is it so?")
        await table.hold("roundtable --quick --vote tea or coffee?")
    written = contents(tmp_path)
    assert len(written) == 2 * 4 + 1
    for name in written:
        (tmp_path / "memory" / "roundtables" / name).unlink()
    assert await export_everything(tmp_path) == 2
    assert contents(tmp_path) == written
    assert await export_everything(tmp_path) == 2
    assert contents(tmp_path) == written


def contents(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (home / "memory" / "roundtables").iterdir()}


async def test_two_topics_with_one_slug_on_one_day_have_two_names(tmp_path: Path) -> None:
    """2.2#46: a suffix, and the id inside stays unique."""
    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        await table.hold("roundtable --quick --debate is it so?")
        await table.hold("roundtable --quick --redteam is it so?")
        first, second = table.exports()
    assert len({first["id"], second["id"]}) == 2
    names = sorted(contents(tmp_path))
    assert [name[11:] for name in names if name.endswith("json")] == [
        "is-it-so-2.json",
        "is-it-so.json",
    ]
