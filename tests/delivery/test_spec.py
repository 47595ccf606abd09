"""Decisions about the spec of a build: who may take one, which version counts, what follows."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Connection

from bot.access.admission import Asker
from bot.delivery.spec import (
    PANEL,
    WISH_LIMIT,
    SpecDecisions,
    accepted_by_rule,
    reviewer_name,
    spec_post,
    state_of,
)
from bot.errors import NotAllowedError, UsageError
from bot.messages.delivery import BuildText
from bot.store import Phase, ReviewType, Store, Verdict, move
from bot.store.repositories.reviews import Finding, NewReview, ReviewRepository, Severity
from bot.store.repositories.runs import Run
from bot.store.repositories.specs import SpecDraft, SpecRepository
from bot.store.vocabulary import Actor
from bot.types.mode import Mode
from tests.panels.panels_data import alone, loaded
from tests.store.conftest import in_mode, request_for, start_run
from tests.support.sqlite_store import NOW

STRONG = """**GOAL:** A limiter with tests.
**SCOPE IN:**
- one process
**SCOPE OUT:**
- clusters
**INPUTS:**
- none
**OUTPUTS:**
- limiter.py
**ACCEPTANCE CRITERIA:**
1. It keeps 10 names.
2. It returns 429 after the limit.
3. It writes one file.
**RISKS:**
- clocks"""
WEAK = "**GOAL:** Something nice.\n**ACCEPTANCE CRITERIA:**\n1. It is good."
STRANGER = Asker(99)


@dataclass
class SpecHarness:
    """Decisions about one run, and the runs they let go on."""

    store: Store
    run: Run
    decisions: SpecDecisions
    resumed: list[Run] = field(default_factory=list)

    @property
    def starter(self) -> Asker:
        return Asker(self.run.starter_id)

    async def draft(self, text: str = STRONG) -> SpecDraft:
        return await self.store.write(
            lambda conn: SpecRepository(conn).record(self.run.id, text, PANEL, "", NOW)
        )

    async def review(self, version: int, verdict: Verdict, *findings: Finding) -> None:
        review = NewReview(
            self.run.id,
            0,
            ReviewType.SPEC,
            reviewer_name("Critic", version),
            verdict,
            "Read it.",
            findings,
        )
        await self.store.write(
            lambda conn: ReviewRepository(conn).append(review, Actor.SPEC_REVIEWER, NOW)
        )

    async def state(self) -> Any:
        return await self.store.read(lambda conn: state_of(conn, self.run.id))


@pytest.fixture
async def harness(store: Store) -> SpecHarness:
    run = await start_run(store, in_mode(request_for("A rate limiter"), Mode.BUILD))
    config = loaded(alone())
    deps: Any = SimpleNamespace(store=store, config=lambda _: config)
    resumed: list[Run] = []
    return SpecHarness(store, run, SpecDecisions(deps, resumed.append), resumed)


async def test_a_strong_spec_is_accepted_once_and_the_run_goes_on(harness: SpecHarness) -> None:
    """B10: the accepted version is recorded before the run is taken up to build."""
    await harness.draft()
    await harness.decisions.accept(harness.run.id, 1, harness.starter)
    assert (await harness.state()).accepted
    assert [run.id for run in harness.resumed] == [harness.run.id]
    with pytest.raises(UsageError, match=BuildText.ACCEPTED_BEFORE):
        await harness.decisions.accept(harness.run.id, 1, harness.starter)
    assert len(harness.resumed) == 1


async def test_a_weak_spec_is_not_accepted_and_the_run_stays_where_it_is(
    harness: SpecHarness,
) -> None:
    """B12."""
    await harness.draft(WEAK)
    with pytest.raises(UsageError):
        await harness.decisions.accept(harness.run.id, 1, harness.starter)
    state = await harness.state()
    assert (state.accepted, harness.resumed) == (False, [])
    assert state.weaknesses


async def test_only_the_starter_and_moderators_decide(harness: SpecHarness) -> None:
    await harness.draft()
    for decide in (
        harness.decisions.accept(harness.run.id, 1, STRANGER),
        harness.decisions.edit(harness.run.id, 1, STRANGER, STRONG),
        harness.decisions.change(harness.run.id, 1, STRANGER, "Shorter.", 5),
        harness.decisions.text_of(harness.run.id, 1, STRANGER),
    ):
        with pytest.raises(NotAllowedError, match=BuildText.NOT_YOURS):
            await decide
    assert harness.resumed == []
    await harness.decisions.accept(harness.run.id, 1, Asker(99, may_manage=True))
    assert (await harness.state()).accepted


async def test_an_edited_spec_is_the_next_version_and_the_old_button_does_nothing(
    harness: SpecHarness,
) -> None:
    await harness.draft()
    edited = STRONG.replace("10 names", "20 names")
    await harness.decisions.edit(harness.run.id, 1, harness.starter, edited)
    state = await harness.state()
    assert (state.draft.version, state.draft.by) == (2, str(harness.run.starter_id))
    found = await harness.decisions.text_of(harness.run.id, 2, harness.starter)
    assert "It keeps 20 names." in found.acceptance_criteria
    with pytest.raises(UsageError, match=BuildText.NEWER_VERSION):
        await harness.decisions.accept(harness.run.id, 1, harness.starter)


async def test_an_edit_that_is_too_weak_changes_nothing(harness: SpecHarness) -> None:
    """B12."""
    await harness.draft()
    with pytest.raises(UsageError):
        await harness.decisions.edit(harness.run.id, 1, harness.starter, WEAK)
    assert (await harness.state()).draft.version == 1
    assert harness.resumed == []


async def test_a_wish_is_kept_for_the_next_version_and_is_limited(harness: SpecHarness) -> None:
    await harness.draft()
    with pytest.raises(UsageError, match=BuildText.SAY_WHAT_TO_CHANGE):
        await harness.decisions.change(harness.run.id, 1, harness.starter, "  ", 5)
    wish = "Use a token bucket. " + "x" * WISH_LIMIT
    await harness.decisions.change(harness.run.id, 1, harness.starter, wish, 5)
    (kept,) = (await harness.state()).wishes
    assert kept == wish[:WISH_LIMIT]
    assert [run.id for run in harness.resumed] == [harness.run.id]


async def test_objections_of_the_reviewer_of_this_version_keep_it_from_being_accepted(
    harness: SpecHarness,
) -> None:
    await harness.draft()
    await harness.review(
        1, Verdict.CHANGES_REQUESTED, Finding(Severity.MAJOR, "No test is named.", where="OUTPUTS")
    )
    state = await harness.state()
    assert state.reviewed
    assert state.weaknesses == ("OUTPUTS: No test is named.",)
    with pytest.raises(UsageError, match=r"No test is named\."):
        await harness.decisions.accept(harness.run.id, 1, harness.starter)
    await harness.draft()
    assert (await harness.state()).weaknesses == ()


async def test_a_run_that_ended_or_is_not_stored_takes_no_decision(harness: SpecHarness) -> None:
    await harness.draft()

    def end(conn: Connection) -> None:
        move(conn, harness.run.id, harness.run.phase, Phase.FAILED, Actor.ORCHESTRATOR, "", NOW)

    await harness.store.write(end)
    with pytest.raises(UsageError, match=BuildText.ENDED_MEANWHILE):
        await harness.decisions.accept(harness.run.id, 1, harness.starter)
    with pytest.raises(UsageError, match=BuildText.NOT_STORED):
        await harness.decisions.accept("rt_00000000", 1, harness.starter)


async def test_the_post_offers_accept_only_where_nothing_is_weak(harness: SpecHarness) -> None:
    """B12: the starter is asked, with the spec as a file and what is planned outside."""
    draft = await harness.draft()
    post = spec_post(harness.run, draft, await harness.state(), ["writes into `site`"])
    assert post.ping_user_id == harness.run.starter_id
    assert [button.custom_id.rsplit(":", 2)[1:] for button in post.buttons] == [
        ["1", "accept"],
        ["1", "edit"],
        ["1", "changes"],
    ]
    assert "🔐 writes into `site`" in post.text
    assert [file.artifact_id for file in post.attachments] == [draft.artifact_id]
    weak = await harness.draft(WEAK)
    post = spec_post(harness.run, weak, await harness.state(), [])
    assert [button.custom_id.rpartition(":")[2] for button in post.buttons] == ["edit", "changes"]
    assert BuildText.TOO_WEAK_HEAD in post.text


async def test_a_quick_build_tells_that_nobody_was_asked(harness: SpecHarness) -> None:
    draft = await harness.draft()
    post = accepted_by_rule(draft, ["writes into `site`"])
    assert (post.ping_user_id, post.buttons) == (None, ())
    assert BuildText.ACCEPTED_BY_RULE in post.text
    assert "writes into `site`" in post.text
