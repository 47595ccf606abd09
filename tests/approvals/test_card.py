"""The card of an approval: what is asked, what it would do, and who may decide."""

from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.card import CardFacts, approval_post
from bot.panels import Trigger
from bot.stage.port import Post
from bot.store import ApprovalStatus, SideEffect, Store
from bot.store.repositories.approvals import Approval
from bot.store.repositories.artifacts import FILES, REPLACED
from bot.store.repositories.runs import Run
from tests.store.conftest import start_run

APPROVAL = Approval(
    id="apr_1",
    run_id="rt_0a1b2c3d",
    requested_action="Write files into the workspace",
    side_effect_kind=SideEffect.WRITE_EXTERNAL,
    idempotency_key="write_files:rt_0a1b2c3d",
    status=ApprovalStatus.PENDING,
    requested_by="orchestrator",
    resolved_by=None,
    note="",
    created_at=0.0,
    resolved_at=None,
    effect="write_files",
    details={},
    rollback_hint="Restore the folder from version control.",
    attempt=1,
    gates=True,
)
ROLES = Trigger.model_validate_json('{"approverRoleIds": ["42"]}')


@pytest.fixture
async def run(store: Store) -> Run:
    return await start_run(store)


def card(run: Run, approval: Approval = APPROVAL, **facts: Any) -> Post:
    return approval_post(CardFacts(approval, run, (), (), **facts), ROLES)


def actions(post: Post) -> list[str]:
    return [button.custom_id.rpartition(":")[2] for button in post.buttons]


async def test_a_card_that_waits_says_everything_needed_to_decide(run: Run) -> None:
    """Action, run, attempt, effect and key, goal, criteria, reviews, undoing, who decides."""
    post = card(run, criteria=("It limits to 3 calls.",))
    assert post.key == "approval:apr_1"
    for shown in (
        "Write files into the workspace",
        run.id,
        run.topic,
        "write_files:rt_0a1b2c3d",
        "It limits to 3 calls.",
        "Restore the folder from version control.",
        "<@&42>",
    ):
        assert shown in post.text
    assert actions(post) == ["approve", "reject", "changes"]


async def test_a_decided_card_names_who_decided_and_has_no_buttons(run: Run) -> None:
    decided = replace(
        APPROVAL, status=ApprovalStatus.REJECTED, resolved_by="7", note="Not on a Friday."
    )
    post = card(run, decided)
    assert "<@7>" in post.text
    assert "Not on a Friday." in post.text
    assert actions(post) == []


async def test_an_approved_effect_that_failed_can_be_tried_again(run: Run) -> None:
    approved = replace(APPROVAL, status=ApprovalStatus.APPROVED, resolved_by="7")
    post = card(run, approved, outcome="The folder cannot be written.", undone=True)
    assert "The folder cannot be written." in post.text
    assert actions(post) == ["approve"]


async def test_files_that_exist_already_are_told_apart_from_new_ones(run: Run) -> None:
    details = {FILES: ["new.py", "old.py"], REPLACED: ["old.py"]}
    lines = card(run, replace(APPROVAL, details=details)).text.split("\n")
    (old,) = [line for line in lines if "`old.py`" in line]
    (new,) = [line for line in lines if "`new.py`" in line]
    assert old != new


async def test_names_that_do_not_fit_are_attached_as_a_list(run: Run) -> None:
    names = [f"a-long-name-of-a-file-{number}.py" for number in range(60)]
    post = card(run, replace(APPROVAL, details={FILES: names, REPLACED: []}))
    assert len(post.text) < 2000
    assert [file.name for file in post.attachments] == ["files.txt"]
    assert card(run, replace(APPROVAL, details={FILES: names[:3], REPLACED: []})).attachments == ()
