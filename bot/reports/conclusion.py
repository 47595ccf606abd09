"""The conclusion as people read it: the model's sections between a header and META made by code."""

from collections.abc import Sequence

from bot.measures.validation import recommend_validation
from bot.messages.conclusion import AgreementText, ConclusionText
from bot.messages.money import MoneyText
from bot.messages.votes import BallotText
from bot.prompting.synthesis import SYNTHESIS_HEADINGS
from bot.record.record import Ending, FailedCall, RunRecord, SeatView, counted_stances, stance_text
from bot.reports.build import build_text
from bot.search.results import cited_labels, sources_text

_ADVICE = ("recommendation",)
_ARGUMENT = ("consensus", "divergences", "blind_spots", "outlier", "red_flags")
_PLAN = ("action_plan",)
SECTION_ORDER = (*_ADVICE, *_ARGUMENT, *_PLAN)


def conclusion_text(record: RunRecord) -> str:
    """The closing post, what matters most first: what to know, what to do, how sure the panel is.

    A vote stands even before the advice, which may not overrule it. The dissent, what the debate
    changed, the plan and the sources follow; META is small print.
    What a build delivered comes before what was said about it.
    """
    blocks = [
        record.budget_note,
        *(ConclusionText.warned(note) for note in record.degradations),
        _header(record),
        vote_text(record),
        build_text(record.delivery, summed_up=bool(record.conclusion.text)),
        *_sections(record, _ADVICE),
        stance_text(record),
        *_sections(record, _ARGUMENT),
        dissent_text(record),
        flips_text(record),
        *_sections(record, _PLAN),
        sources(record),
        _meta_text(record),
    ]
    return "\n\n".join(block for block in blocks if block)


def _header(record: RunRecord) -> str:
    """Title, panel, mode and rounds; the numbers are the store's."""
    roles, mode = [seat.role for seat in record.seats], record.mode
    panel = ConclusionText.panel_line(roles, mode, record.rounds_held, record.rounds_planned)
    return f"{ConclusionText.title(record.conclusion.title)}\n{panel}"


def vote_text(record: RunRecord) -> str:
    """The models' vote in vote mode: verdict, tally, and who changed between the rounds."""
    if not record.tallies:
        return ""
    verdict, *rest = record.tallies[0].lines_until(record.tallies[-1])
    return "\n".join([BallotText.models_verdict(verdict), *rest])


def _sections(record: RunRecord, names: Sequence[str]) -> list[str]:
    sections = record.conclusion.sections
    if not sections:
        return [record.conclusion.text] if names is _ADVICE else []
    return [
        ConclusionText.section(SYNTHESIS_HEADINGS[n], sections[n]) for n in names if n in sections
    ]


def dissent_text(record: RunRecord) -> str:
    """The dissenters' own words."""
    if not record.dissents:
        return ""
    return ConclusionText.dissent([(dissent.role, dissent.text) for dissent in record.dissents])


def flips_text(record: RunRecord) -> str:
    """What the debate changed: who moved, and because of whom."""
    if record.rounds_held < 2:
        return ""
    moved = [flip.line for flip in record.flips]
    return ConclusionText.debate_changed(moved or [AgreementText.NOBODY_MOVED])


def sources(record: RunRecord) -> str:
    """The sources panelists cited, printed by the bot from what the search returned."""
    if record.findings is None:
        return ""
    said = "\n".join([record.conclusion.text, *(speech.text for speech in record.speeches)])
    listed = sources_text(record.findings, cited_labels(said))
    return ConclusionText.sources(listed) if listed else ""


def _meta_text(record: RunRecord) -> str:
    """META: who sat, who wrote, what was measured, what failed, how long and how much."""
    lines = [
        ConclusionText.panel(
            [(seat.role, seat.model, _answered_by(record, seat)) for seat in record.seats]
        ),
        *([record.decision] if record.decision else []),
        ConclusionText.synthesis_by(record.conclusion.model),
        ConclusionText.timeouts(_timeouts(record)),
        *_failures(record),
        measures_line(record),
        *_remarks(record),
        spending_line(record),
        *record.notices,
    ]
    if record.rehearsal:
        lines.append(ConclusionText.REHEARSAL)
    return ConclusionText.meta(lines)


def _remarks(record: RunRecord) -> list[str]:
    stage2 = sum(seat.stage == 2 for seat in record.seats)
    advice = None
    if record.validated == "no" and not record.validation.lines:
        advice = recommend_validation(
            record.mode, record.consensus_pct, stage2, record.topic, record.quick
        )
    missing = [SYNTHESIS_HEADINGS.get(name, name) for name in record.conclusion.missing]
    unwritten = ConclusionText.lacks(missing) if missing else None
    found = (
        record.rounds_ended if record.rounds_held < record.rounds_planned else None,
        record.agreement.inferred_line(),
        *record.validation.lines,
        unwritten,
        advice,
    )
    return [line for line in found if line]


def measures_line(record: RunRecord) -> str:
    """The four measures side by side, each under its own name."""
    stance = ""
    if record.stance_result is not None:
        stance = ConclusionText.stance_measure(record.stance_result, counted_stances(record))
    score = record.convergence_score
    return ConclusionText.measures(stance, score, record.consensus_pct, record.validated)


def spending_line(record: RunRecord) -> str:
    """Seats, rounds, calls, tokens, money and time in one line."""
    spending = record.spending
    return ConclusionText.spending(
        len(record.seats),
        record.rounds_held,
        spending.calls,
        tokens=MoneyText.token_words(spending.tokens, spending.cached_tokens),
        cost=MoneyText.FREE_OF_CHARGE if record.rehearsal else _cost(record),
        seconds=record.seconds,
    )


def _cost(record: RunRecord) -> str:
    return MoneyText.spent_words(record.spending.known_usd, record.spending.unpriced_calls)


def _timeouts(record: RunRecord) -> list[str]:
    late = [speech for speech in record.speeches if speech.timed_out]
    return [ConclusionText.timed_out(speech.seat.role, speech.round) for speech in late]


def _failures(record: RunRecord) -> list[str]:
    """Seats that failed for another reason than time, in the provider's words; empty if none."""
    told = []
    for speech in record.speeches:
        role, number = speech.seat.role, speech.round
        if speech.problem and not speech.timed_out:
            told.append(ConclusionText.failed(role, number, speech.problem))
        elif speech.spoke and (lost := _lost(record, role, number)):
            told.append(
                ConclusionText.stood_in(role, number, lost.model, lost.reason, speech.model)
            )
    return [ConclusionText.failures(told)] if told else []


def _lost(record: RunRecord, role: str, number: int) -> FailedCall | None:
    return next((c for c in record.failed_calls if (c.role, c.round) == (role, number)), None)


def _answered_by(record: RunRecord, seat: SeatView) -> str:
    """Who really spoke for a seat, where that says more than its name in panels.json."""
    if record.rehearsal:
        return ""
    return " and ".join(name for name in record.answered_by(seat) if name != seat.model)


def ending_line(record: RunRecord) -> str:
    """How the run ended, in a few words."""
    if record.ending is Ending.CONCLUDED:
        return ConclusionText.concluded_after(record.seconds)
    return ConclusionText.ended(record.ending.value, record.ending_note)
