"""The conclusion as people read it: the model's sections between a header and META made by code."""

from collections.abc import Sequence

from bot.council.advice import recommend_validation
from bot.council.agreement import inferred_line, pct_text
from bot.council.convergence import latest_score
from bot.council.flips import flip_line
from bot.council.measures import StanceResult, stance_counts
from bot.council.record import Ending, RunRecord
from bot.council.tally import vote_lines
from bot.prompting.synthesis import SYNTHESIS_HEADINGS
from bot.search.context import cited_labels, sources_text
from bot.words.money import spent_words

ADVICE = ("recommendation",)
ARGUMENT = ("consensus", "divergences", "blind_spots", "outlier", "red_flags")
PLAN = ("action_plan",)
SECTION_ORDER = (*ADVICE, *ARGUMENT, *PLAN)
_STANCES = {
    StanceResult.FULL: "The panel agrees",
    StanceResult.MAJORITY: "Most of the panel agrees",
    StanceResult.NONE: "The panel is divided",
}
REHEARSAL_NOTE = "Rehearsal: no model is speaking. Add a key to `.env` to seat real models."


def conclusion_text(record: RunRecord, delivery: str = "") -> str:
    """The closing post, what matters most first: what to know, what to do, how sure the panel is.

    A vote stands even before the advice, which may not overrule it. The dissent, what the debate
    changed, the plan and the sources follow; META is small print.
    `delivery` is what a build delivered; it comes before what was said about it.
    """
    blocks = [
        record.budget_note,
        *(f"{_warned(note)}" for note in record.degradations),
        header(record),
        vote_text(record),
        delivery,
        *_sections(record, ADVICE),
        stance_text(record),
        *_sections(record, ARGUMENT),
        dissent_text(record),
        flips_text(record),
        *_sections(record, PLAN),
        sources(record),
        meta_text(record),
    ]
    return "\n\n".join(block for block in blocks if block)


def _warned(note: str) -> str:
    return note if note.startswith("⚠️") else f"⚠️ {note}"


def header(record: RunRecord) -> str:
    """Title, panel, mode and rounds; the numbers are the store's."""
    title = record.conclusion.title or "Conclusion"
    panel = ", ".join(seat.role for seat in record.seats)
    rounds = f"{record.rounds_held} of {record.rounds_planned}"
    lines = [
        f"## 🎯 {title}",
        f"-# 📋 Panel: {panel} · Mode: {record.mode} · Rounds: {rounds}",
    ]
    return "\n".join(lines)


def vote_text(record: RunRecord) -> str:
    """The models' vote in vote mode: verdict, tally, and who changed between the rounds."""
    if not record.tallies:
        return ""
    verdict, *rest = vote_lines(record.tallies[0], record.tallies[-1])
    return "\n".join([f"🗳️ **{verdict}**", *rest])


def stance_text(record: RunRecord) -> str:
    """How far the panel agrees, in one line; a vote says it itself."""
    if record.stance_result is None or record.tallies:
        return ""
    counts = stance_counts(record.stances_in(record.rounds_held))
    peers = (
        ""
        if record.consensus_pct is None
        else f" · {pct_text(record.consensus_pct)} agreement among peers"
    )
    return f"🤝 **{_STANCES[record.stance_result]}:** {counts}{peers}"


def _sections(record: RunRecord, names: Sequence[str]) -> list[str]:
    sections = record.conclusion.sections
    if not sections:
        return [record.conclusion.text] if names is ADVICE else []
    return [f"**{SYNTHESIS_HEADINGS[n]}**\n{sections[n]}" for n in names if n in sections]


def dissent_text(record: RunRecord) -> str:
    """The dissenters' own words."""
    if not record.dissents:
        return ""
    lines = [
        f"> **{dissent.role}:** {' '.join(dissent.text.split())}" for dissent in record.dissents
    ]
    return "**✋ DISSENT**\n" + "\n".join(lines)


def flips_text(record: RunRecord) -> str:
    """What the debate changed: who moved, and because of whom."""
    if record.rounds_held < 2:
        return ""
    moved = [f"- {flip_line(flip)}" for flip in record.flips] or ["- Nobody changed position."]
    return "**🔁 WHAT THE DEBATE CHANGED**\n" + "\n".join(moved)


def sources(record: RunRecord) -> str:
    """The sources panelists cited, printed by the bot from what the search returned."""
    if record.findings is None:
        return ""
    said = "\n".join([record.conclusion.text, *(speech.text for speech in record.speeches)])
    listed = sources_text(record.findings, cited_labels(said))
    return f"**🔗 SOURCES**\n{listed}" if listed else ""


def meta_text(record: RunRecord) -> str:
    """META: who sat, who wrote, what was measured, what failed, how long and how much."""
    lines = [
        "Panel: " + ", ".join(f"{seat.role} ({seat.model})" for seat in record.seats),
        *([record.decision] if record.decision else []),
        f"Synthesis by: {record.conclusion.model or 'nobody'}",
        f"Timeouts: {_timeouts(record)}",
        measures_line(record),
        *_remarks(record),
        spending_line(record),
        *record.notices,
    ]
    if record.rehearsal:
        lines.append(REHEARSAL_NOTE)
    return "**🔧 META**\n" + "\n".join(f"-# {line}" for line in lines)


def _remarks(record: RunRecord) -> list[str]:
    stage2 = sum(seat.stage == 2 for seat in record.seats)
    advice = None
    if record.validated == "no" and not record.validation.lines:
        advice = recommend_validation(
            record.mode, record.consensus_pct, stage2, record.topic, record.quick
        )
    missing = [SYNTHESIS_HEADINGS.get(name, name) for name in record.conclusion.missing]
    unwritten = f"The conclusion lacks: {', '.join(missing)}" if missing else None
    found = (
        record.rounds_ended if record.rounds_held < record.rounds_planned else None,
        inferred_line(record.agreement),
        *record.validation.lines,
        unwritten,
        advice,
    )
    return [line for line in found if line]


def measures_line(record: RunRecord) -> str:
    """The four measures side by side, each under its own name."""
    stance = "N/A"
    if record.stance_result is not None:
        counts = stance_counts(record.stances_in(record.rounds_held))
        stance = f"{record.stance_result} ({counts})"
    score = latest_score(record.convergence)
    convergence = "N/A" if score is None else f"{score:.2f}"
    return (
        f"Stance: {stance} · Convergence: {convergence} · "
        f"Consensus: {pct_text(record.consensus_pct)} · Validated: {record.validated}"
    )


def spending_line(record: RunRecord) -> str:
    """Seats, rounds, calls, tokens, money and time in one line."""
    spending = record.spending
    cost = "costs nothing" if record.rehearsal else _cost(record)
    return (
        f"{_counted(len(record.seats), 'seat')} · {_counted(record.rounds_held, 'round')} · "
        f"{_counted(spending.calls, 'call')} · {spending.tokens:,} tokens · {cost} · "
        f"{duration_words(record.seconds)}"
    )


def _cost(record: RunRecord) -> str:
    return spent_words(record.spending.known_usd, record.spending.unpriced_calls)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def duration_words(seconds: int) -> str:
    """A duration as people say it."""
    minutes, rest = divmod(seconds, 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _timeouts(record: RunRecord) -> str:
    missing = [
        f"[TIMEOUT] {speech.seat.role} (round {speech.round})"
        if speech.timed_out
        else f"{speech.seat.role} (round {speech.round}): {speech.problem}"
        for speech in record.speeches
        if speech.problem
    ]
    return "; ".join(missing) or "none"


def ending_line(record: RunRecord) -> str:
    """How the run ended, in a few words."""
    if record.ending is Ending.CONCLUDED:
        return f"Concluded after {duration_words(record.seconds)}"
    return f"{record.ending.value.capitalize()}: {record.ending_note}"
