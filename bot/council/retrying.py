"""A failed run is taken up again by a person, as its next attempt."""

from sqlalchemy import Connection

from bot.council.delivery.counting import count_draft
from bot.council.setting_aside import set_aside, stored_estimate
from bot.council.stopping import RETRIED
from bot.errors import UsageError
from bot.messages.attempts import StopText
from bot.messages.discord import ButtonText
from bot.panels import Budgets
from bot.request import Mode
from bot.stage.port import PostButton, Tone, button_id
from bot.store import (
    Actor,
    DuplicateRunError,
    Phase,
    StalePhaseError,
    attempts,
    move,
    runs,
    specs,
)
from bot.store.runs import Run


def retry_button(run_id: str) -> PostButton:
    """The button that takes a run up again."""
    return PostButton(ButtonText.RETRY, button_id(run_id, "retry"), Tone.GOOD)


def reopen(conn: Connection, run: Run, limits: Budgets, now: float) -> Run:
    """Start the next attempt of a finished run with money of its own.

    Refuses while the topic is open elsewhere, or when today's budget has too little left. A build
    without an accepted spec goes back to its draft, for nobody may build yet.
    """
    drafts = run.mode is Mode.BUILD and not specs.is_accepted(conn, run.id)
    target = Phase.SPEC_DRAFT if drafts else Phase.EXECUTION_READY
    try:
        move(conn, run.id, run.phase, target, Actor.ORCHESTRATOR, RETRIED, now)
    except DuplicateRunError as error:
        raise UsageError(StopText.TOPIC_ELSEWHERE) from error
    except StalePhaseError as error:
        raise UsageError(StopText.JUST_RETRIED) from error
    set_aside(conn, run, stored_estimate(run), limits, now)
    if drafts:
        count_draft(conn, run.id, RETRIED, now, now)
    else:
        attempts.start_next(conn, run.id, Actor.ORCHESTRATOR, now)
    return runs.require(conn, run.id)
