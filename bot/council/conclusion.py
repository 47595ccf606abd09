"""The conclusion as people read it: the model's sections between a header and META made by code."""

from collections import Counter

from bot.council.measures import stance_counts
from bot.council.record import Ending, RunRecord, Speech

SECTION_HEADINGS = {
    "recommendation": "🏆 RECOMMENDATION",
    "consensus": "📊 CONSENSUS",
    "divergences": "⚡ DIVERGENCES",
    "blind_spots": "🔍 BLIND SPOTS",
    "outlier": "💡 OUTLIER",
    "red_flags": "⚠️ RED FLAGS",
    "action_plan": "📈 ACTION PLAN",
}
REHEARSAL_NOTE = "Rehearsal: no model is speaking. Add a key to `.env` to seat real models."


def conclusion_text(record: RunRecord) -> str:
    """The closing post: degraded note first, then header, vote, sections and META."""
    blocks = [
        *(f"⚠️ {note}" for note in record.degradations),
        header(record),
        vote_text(record),
        *_sections(record),
        meta_text(record),
    ]
    return "\n\n".join(block for block in blocks if block)


def header(record: RunRecord) -> str:
    """Title, panel, mode and rounds; the numbers are the store's, never the model's."""
    title = record.synthesis_title or "Conclusion"
    panel = ", ".join(seat.role for seat in record.seats)
    rounds = f"{record.rounds_held} of {record.rounds_planned}"
    return f"## 🎯 {title}\n📋 Panel: {panel} · Mode: {record.mode} · Rounds: {rounds}"


def vote_text(record: RunRecord) -> str:
    """The models' vote in vote mode: the tally, the margin, and ties said honestly."""
    ballots = [speech for speech in record.speeches if speech.ballot]
    if not ballots:
        return ""
    last = max(speech.round for speech in ballots)
    cast = [speech for speech in ballots if speech.round == last]
    tally = Counter(speech.ballot for speech in cast).most_common()
    lines = [f"🗳️ **{_verdict(tally)}**"]
    lines += [f"- {option}: {votes} ({_voters(cast, option)})" for option, votes in tally]
    abstained = len(record.seats) - len(cast)
    return "\n".join(lines + ([f"- no ballot: {abstained}"] if abstained else []))


def _verdict(tally: list[tuple[str, int]]) -> str:
    leading = [option for option, votes in tally if votes == tally[0][1]]
    if len(leading) > 1:
        return f"A tie between {' and '.join(leading)}"
    margin = tally[0][1] - (tally[1][1] if len(tally) > 1 else 0)
    return f"{leading[0]} leads by {margin}" if len(tally) > 1 else f"All chose {leading[0]}"


def _voters(cast: list[Speech], option: str) -> str:
    return ", ".join(
        speech.seat.role + (f" {speech.confidence} %" if speech.confidence is not None else "")
        for speech in cast
        if speech.ballot == option
    )


def _sections(record: RunRecord) -> list[str]:
    return [
        f"**{heading}**\n{record.sections[name]}"
        for name, heading in SECTION_HEADINGS.items()
        if record.sections.get(name)
    ]


def meta_text(record: RunRecord) -> str:
    """META: who sat, who wrote, what was measured, what failed, how long and how much."""
    lines = [
        "Panel: " + ", ".join(f"{seat.role} ({seat.model})" for seat in record.seats),
        f"Synthesis by: {record.synthesis_model or 'nobody'}",
        f"Timeouts: {_timeouts(record)}",
        measures_line(record),
        spending_line(record),
        *record.notices,
    ]
    if record.rehearsal:
        lines.append(REHEARSAL_NOTE)
    return "**🔧 META**\n" + "\n".join(f"-# {line}" for line in lines)


def measures_line(record: RunRecord) -> str:
    """The measures side by side, each under its own name."""
    stance = "N/A"
    if record.stance_result is not None:
        stance = f"{record.stance_result} ({stance_counts(record.stances)})"
    return (
        f"Stance: {stance} · Consensus: {consensus_words(record)} · Validated: {record.validated}"
    )


def consensus_words(record: RunRecord) -> str:
    """The consensus percentage as people and files read it."""
    return "N/A" if record.consensus_pct is None else f"{record.consensus_pct:.1f}%"


def spending_line(record: RunRecord) -> str:
    """Seats, rounds, calls, tokens, money and time in one line."""
    spending = record.spending
    cost = "price unknown" if spending.cost_usd is None else f"${spending.cost_usd:.2f}"
    return (
        f"{len(record.seats)} seats · {record.rounds_held} rounds · {spending.calls} calls · "
        f"{spending.tokens:,} tokens · {cost} · {duration_words(record.seconds)}"
    )


def duration_words(seconds: int) -> str:
    """A duration as people say it."""
    minutes, rest = divmod(seconds, 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _timeouts(record: RunRecord) -> str:
    missing = [
        f"[TIMEOUT] {speech.seat.role}"
        if "timeout" in speech.problem
        else f"{speech.seat.role}: {speech.problem}"
        for speech in record.speeches
        if speech.problem
    ]
    return "; ".join(missing) or "none"


def ending_line(record: RunRecord) -> str:
    """How the run ended, in a few words."""
    if record.ending is Ending.CONCLUDED:
        return f"Concluded after {duration_words(record.seconds)}"
    return f"{record.ending.value.capitalize()}: {record.ending_note}"
