"""What the run's card says: its rounds, its rows, how far the panel agrees, money and time."""

from bot.measures.tally import verdict_line
from bot.meeting.context import RunContext
from bot.messages.meeting import CardText
from bot.messages.money import MoneyText
from bot.messages.votes import BallotText
from bot.money.format import usd_words
from bot.record.record import RunRecord
from bot.record.stance_text import stance_text
from bot.store.repositories.calls import CallRepository


async def show_expectation(meeting: RunContext) -> None:
    """Say when the run will probably be over: as long as its like took, or its limit."""
    store, run = meeting.tools.store, meeting.run
    quick = bool(run.request.get("quick"))
    usual = await meeting.tools.expectations.usual(store, run.mode, quick=quick)
    began = run.created_at if run.attempt <= 1 else store.now()
    limit = meeting.config.timeouts.longest_run
    meeting.show(started_at=began, expected_at=began + min(usual or limit, limit))


def show_measure(meeting: RunContext, record: RunRecord) -> None:
    """Show how far the panel agrees, or the current vote."""
    if record.tallies:
        meeting.show(measure=BallotText.verdict_so_far(verdict_line(record.tallies[-1])))
    else:
        meeting.show(measure=stance_text(record))


async def show_cost(meeting: RunContext) -> None:
    """Say what was spent so far, beside the estimate; a rehearsal has nothing to say."""
    design = meeting.design
    if design is None or design.rehearsal:
        return
    store, run_id = meeting.tools.store, meeting.run.id
    spent = await store.read(lambda conn: CallRepository(conn).spent(run_id))
    so_far = MoneyText.spent_words(spent.known_usd, spent.unpriced_calls)
    estimate = design.estimate
    expected = usd_words(estimate) if estimate.most_usd else ""
    meeting.show(cost=CardText.spent(so_far, expected))
