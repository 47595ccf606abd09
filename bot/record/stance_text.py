"""How far a panel agrees, in one line of text."""

from bot.measures.convergence import StanceResult, stance_counts
from bot.messages.conclusion import AgreementText
from bot.record.record import RunRecord

_STANCES = {
    StanceResult.FULL: AgreementText.FULL,
    StanceResult.MAJORITY: AgreementText.MAJORITY,
    StanceResult.NONE: AgreementText.DIVIDED,
}


def stance_text(record: RunRecord) -> str:
    """How far the panel agrees, in one line; a vote says it itself."""
    if record.stance_result is None or record.tallies:
        return ""
    counts = counted_stances(record)
    result = _STANCES[record.stance_result]
    return AgreementText.agreement_line(result, counts, record.consensus_pct)


def counted_stances(record: RunRecord) -> str:
    """The stances of the last round, counted in words."""
    held = record.rounds_held
    return stance_counts(record.stances_in(held), record.silent_in(held))
