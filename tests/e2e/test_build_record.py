"""What a build leaves: on its card, behind `show`, in its conclusion, its minutes and its JSON."""

import hashlib
import shutil
from pathlib import Path
from typing import Any

import pytest

from bot.library.rebuild import export_everything
from bot.store import Phase
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.scripted_models import ScriptedModels, a_review, a_spec, scripted_playground
from tests.e2e.test_approvals import ask, elsewhere, press
from tests.e2e.test_build import FINE, WISH, asked_for, in_turn, posts, run_of
from tests.e2e.test_commands import slash

pytestmark = pytest.mark.heavy

GAPS = "**TEST GAPS:**\n- nobody tried two clocks\n**RISK:** low"
CONTENT = "LIMIT = 10\n"
SHA256 = hashlib.sha256(CONTENT.encode()).hexdigest()


def reworked() -> ScriptedModels:
    """The spec gate fails once, then both gates are passed with a gap in the tests."""
    cast = ScriptedModels()
    cast.says["gate:spec"] = in_turn(
        a_review("APPROVED", met="13", unmet="2", finding="count the requests"), FINE
    )
    cast.says["gate:quality"] = f"{a_review('APPROVED')}\n{GAPS}"
    return cast


async def test_the_card_shows_phase_attempt_and_what_each_gate_said(tmp_path: Path) -> None:
    """B19 B21 B22 B37: while it builds, and still when it is over."""
    cast, seen = reworked(), list[str]()
    async with scripted_playground(tmp_path, cast) as table:
        cast.says["gate:quality"] = lambda _: _look(table, seen)
        held = await table.held(await asked_for(table, f"{WISH} --quick"))
    (during,) = seen
    assert "quality gate · attempt 2: reviewing the files …" in during
    for card in (during, held.card):
        assert "Attempt 1: spec gate by Reviewer (gemini-pro): changes requested" in card
        assert "Attempt 2: spec gate by Reviewer (gemini-pro): approved" in card
        assert "⚪" not in card
    assert "Attempt 2: quality gate by" in held.card


async def _look(table: PlaygroundHarness, seen: list[str]) -> str:
    """Read the card once it shows the step, and then approve."""
    thread = await table.thread()
    await table.discord.until(lambda: "quality gate · attempt" in table.card(thread).text)
    seen.append(table.card(thread).text)
    return f"{a_review('APPROVED')}\n{GAPS}"


async def test_minutes_and_json_tell_the_delivery_and_are_rebuilt_from_the_store(
    tmp_path: Path,
) -> None:
    """B21 B22 B41 B42 B44 2.2#27: criteria with their review, attempts, verdicts, files, hashes."""
    async with scripted_playground(tmp_path, reworked()) as table:
        held = await table.held(await asked_for(table, f"{WISH} --quick"))
        (minutes,) = table.minutes()
    delivery = held.export["delivery"]
    _check_json(delivery)
    for attempt in delivery["attempts"]:
        written = [(one["type"], one["reviewer"]) for one in attempt["reviews"]]
        assert len(written) == len(set(written)), "each review stands there once"
    _check_minutes(minutes)
    folder = tmp_path / "memory" / "roundtables"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    shutil.rmtree(folder)
    assert await export_everything(tmp_path) == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def _check_json(delivery: dict[str, Any]) -> None:
    assert (delivery["spec_version"], delivery["spec_accepted"]) == (1, True)
    third = delivery["criteria"][2]
    assert third == {
        "number": 3,
        "text": "A refusal names the seconds to wait.",
        "met": True,
        "where": "limiter.py, LIMIT",
        "remark": "seen",
        "reviewer": "Reviewer (gemini-pro)",
    }
    first, second = delivery["attempts"]
    assert (first["status"], second["status"]) == ("failed", "succeeded")
    assert first["reviews"][0]["verdict"] == "changes_requested"
    assert first["reviews"][0]["criteria_met"] == [1, 3]
    assert "count the requests" in [f["message"] for f in first["reviews"][0]["findings"]]
    spec, quality, *_ = second["reviews"]
    assert (spec["type"], spec["verdict"], spec["criteria_met"]) == ("spec", "approved", [1, 2, 3])
    assert (quality["type"], quality["test_gaps"], quality["risk"]) == (
        "quality",
        ["nobody tried two clocks"],
        "low",
    )
    file = {"name": "limiter.py", "kind": "primary_output", "size": 11, "sha256": SHA256}
    assert second["artifacts"] == [file | {"produced_by": "executor"}]


def _check_minutes(minutes: str) -> None:
    delivery = minutes.partition("## Delivery")[2].partition("## Conclusion")[0]
    for line in (
        "Spec v1, accepted.",
        "Found by the spec review of Reviewer (gemini-pro):",
        "- ✅ 3. A refusal names the seconds to wait. → limiter.py, LIMIT (seen)",
        "Risk: low",
        "### Attempt 1: failed: the spec gate did not pass (changes requested)",
        "- ❌ 2. Every request beyond LIMIT in a minute is refused. → limiter.py (not there)",
        f"- limiter.py, 11 bytes, primary_output, sha256 {SHA256}",
        "- Not tested: nobody tried two clocks",
    ):
        assert line in delivery


async def test_show_gives_the_spec_every_review_and_every_attempt(tmp_path: Path) -> None:
    """B18 B41: at every moment, and the conclusion names who found each criterion met."""
    cast = reworked()
    cast.says["spec"] = in_turn(a_spec("It is fast"), a_spec())
    cast.says["spec-review"] = in_turn(
        a_review("CHANGES_REQUESTED", finding="say how fast"), a_review("APPROVED")
    )
    async with scripted_playground(tmp_path, cast) as table:
        thread = await asked_for(table)
        resting = await _shown(table, thread)
        assert "## Spec v2 (not accepted yet)" in resting
        (spec,) = posts(table, thread, "### 📐 Spec v2")
        await table.press(spec, "accept")
        await table.concluded(thread)
        text = await _shown(table, thread)
    assert "## Spec v2 (accepted)" in text
    assert "say how fast" in text
    assert text.index("## Attempt 1: failed") < text.index("count the requests")
    assert text.index("count the requests") < text.index("## Attempt 2: succeeded")
    assert "Built by" in text
    assert text.count("### Quality review by") >= 1
    assert "checked by the spec review of" in text


async def _shown(table: PlaygroundHarness, thread: Any) -> str:
    """Everything `/roundtable show` tells, its file included."""
    asked = await slash(table, "show", thread)
    await asked.message()
    await table.discord.until(lambda: any(m.attachments for m in asked.shown.values()))
    files = [
        table.discord.world.files[int(file["id"])].content.decode()
        for message in asked.shown.values()
        for file in message.attachments
    ]
    return "\n".join([*(message.text for message in asked.shown.values()), *files])


async def test_where_the_panel_has_one_model_it_is_said_that_it_reviewed_itself(
    tmp_path: Path,
) -> None:
    """B41: reviewers are other models where the panel allows it."""

    def one_model(panels: dict[str, Any]) -> None:
        panels["budgets"] |= {"confirmAboveUsd": 5, "perRunUsd": 5}
        panels["providers"]["closed"] = {"kind": "anthropic", "apiKeyEnv": "NOBODY_HAS_IT"}
        for name in panels["models"].keys() - {"grok"}:
            panels["models"][name]["routes"] = [{"provider": "closed", "model": name}]

    async with scripted_playground(tmp_path, ScriptedModels(), edit_panels=one_model) as table:
        held = await table.held(await asked_for(table, f"{WISH} --quick"))
    assert "the model that built the files also reviewed them" in held.conclusion


async def test_a_build_is_posted_elsewhere_with_its_delivery_after_an_approval(
    tmp_path: Path,
) -> None:
    """B30 2.2#32: what is read there is what was delivered."""
    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        held = await table.held(await asked_for(table, f"{WISH} --quick"))
        assert "can approve it there" in await ask(table, held)
        assert elsewhere(table) == []
        await (await press(table, held.thread, "approve", "Mara")).message()
        assert any("📦 DELIVERY" in message.content for message in elsewhere(table))
        run = await run_of(table, held.thread)
        assert run.phase is Phase.COMPLETED
