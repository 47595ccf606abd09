"""Validation: the panelists check the draft before anybody sees it."""

import asyncio
from pathlib import Path

import pytest

from bot.store import ReviewType
from bot.store.repositories.reviews import Review, ReviewRepository
from tests.e2e.playground_harness import FinishedRun, PlaygroundHarness
from tests.e2e.scripted_models import (
    FAIL,
    Plan,
    ReceivedPrompt,
    ScriptedModels,
    scripted_playground,
    verdict,
)

ASKED = "roundtable --validate --debate is it so?"
WRONG = verdict("INACCURATE", "I said no.")
BLURRED = verdict("PARTIALLY ACCURATE", "Name my doubt.")


async def stored_reviews(table: PlaygroundHarness, held: FinishedRun) -> tuple[Review, ...]:
    """What the panelists wrote about the draft; the format check writes for the other gate."""
    found = await table.stored(
        lambda conn: ReviewRepository(conn).of_attempt(held.record.run_id, 1)
    )
    return tuple(review for review in found if review.review_type is ReviewType.SPEC)


async def test_a_draft_that_all_find_accurate_is_validated_before_it_is_posted(
    tmp_path: Path,
) -> None:
    """E16 E78 E79 E82: all at once, each with its own model about its own digest."""
    cast, all_asked = ScriptedModels(), asyncio.Barrier(3)
    seen: list[str] = []
    async with scripted_playground(tmp_path, cast) as table:

        async def check(_: ReceivedPrompt) -> str:
            async with asyncio.timeout(30):
                await all_asked.wait()
            seen.extend(m.text for t in table.discord.threads() for m in table.said_in(t))
            return verdict("ACCURATE")

        cast.says["validate:*"] = check
        held = await table.hold(ASKED)
        written = await stored_reviews(table, held)
    assert seen
    assert not any("A title" in text for text in seen)
    assert held.export["validated"] == "yes"
    assert {(asked.role, asked.model) for asked in cast.asked("validate:*")} == {
        ("Planner", "claude-opus"),
        ("Critic", "gpt"),
        ("Judge", "gemini-pro"),
    }
    assert "r2 of judge digest" in cast.asked("validate:Judge")[0].values["SELF_DIGEST"]
    assert "🏆 RECOMMENDATION" in cast.asked("validate:Judge")[0].values["SYNTHESIS_DRAFT"]
    assert {(r.reviewer, r.verdict.value) for r in written} == {
        ("Planner", "approved"),
        ("Critic", "approved"),
        ("Judge", "approved"),
    }


async def test_whoever_reviews_in_stage_2_checks_no_conclusion(tmp_path: Path) -> None:
    """E16 E79: the validators are those whose positions the conclusion has to render."""
    plan = Plan("sequential", stage2=(("grok", "Reviewer", "check"),), rounds=1)
    cast = ScriptedModels(plan=plan)
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(ASKED)
    assert "Reviewer" in held.voices
    assert {asked.role for asked in cast.asked("validate:*")} == {"Planner", "Critic", "Judge"}


@pytest.mark.parametrize(
    ("answer", "line", "severity"),
    [
        (BLURRED, None, "minor"),
        (WRONG, "⚠️ Judge flagged misrepresentation: I said no.", "major"),
    ],
)
async def test_one_that_is_not_content_makes_it_partial(
    tmp_path: Path, answer: str, line: str | None, severity: str
) -> None:
    """E81 E82 2.2#33 2.2#34: one INACCURATE is flagged in META, and nothing is rewritten."""
    cast = ScriptedModels(verdicts={"Judge": answer})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(ASKED)
        written = await stored_reviews(table, held)
    assert held.export["validated"] == "partial"
    assert not cast.asked("rewrite")
    assert ("flagged misrepresentation" in held.meta) == (line is not None)
    assert line is None or line in held.meta
    judge = next(review for review in written if review.reviewer == "Judge")
    assert judge.verdict.value == "changes_requested"
    assert [finding.severity.value for finding in judge.findings] == [severity]


async def test_two_that_find_it_wrong_have_it_rewritten_with_their_corrections(
    tmp_path: Path,
) -> None:
    """E80 2.2#34: one rewrite, not validated again."""
    cast = ScriptedModels(
        verdicts={"Judge": WRONG, "Critic": verdict("INACCURATE", "I said maybe.")}
    )
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(ASKED)
    (rewrite,) = cast.asked("rewrite")
    assert "I said no." in rewrite.values["CORRECTIONS"]
    assert "I said maybe." in rewrite.values["CORRECTIONS"]
    assert "Do it. Then rest." in rewrite.values["SYNTHESIS_DRAFT"]
    assert "## ✅ A rewritten title" in held.conclusion
    assert held.export["validated"] == "no"
    assert "rewritten after 2 corrections" in held.meta
    assert "- Judge objected: I said no." in held.conclusion
    assert "- Critic objected: I said maybe." in held.conclusion
    assert len(cast.asked("validate:*")) == 3


async def test_when_the_rewrite_fails_the_draft_stands_with_its_flags(tmp_path: Path) -> None:
    """E80 E81: what people read says who is misrepresented."""
    cast = ScriptedModels(verdicts={"Judge": WRONG, "Critic": WRONG}, says={"rewrite": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(ASKED)
    assert "## ✅ A title" in held.conclusion
    assert held.export["validated"] == "no"
    assert "⚠️ Judge flagged misrepresentation: I said no." in held.meta
    assert "⚠️ Critic flagged misrepresentation: I said no." in held.meta


async def test_validators_that_all_fail_validate_nothing(tmp_path: Path) -> None:
    """2.2#34."""
    cast = ScriptedModels(says={"validate:*": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(ASKED)
        written = await stored_reviews(table, held)
    assert held.export["validated"] == "no"
    assert "No verdict from Planner, Critic, Judge" in held.meta
    assert written == ()
    assert held.export["ending"] == "concluded"
