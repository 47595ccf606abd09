"""The conclusion: its headings, its small print, and how a run ended."""

from collections.abc import Sequence
from typing import Final

from bot.words.agreement import NOT_MEASURED, percentage
from bot.words.counting import counted, duration_words

_UNTITLED: Final = "Conclusion"
REHEARSAL: Final = "Rehearsal: no model is speaking. Add a key to `.env` to use real models."


CONCLUSION_CUT: Final = (
    "The conclusion was far longer than requested, so only the beginning of each section is shown."
)


def answer_cut(role: str, round_number: int, chars: int) -> str:
    """A seat wrote far more than was asked for."""
    return (
        f"{role} wrote {chars:,} characters in round {round_number}, far more than requested: only "
        "the beginning is used, and the full text is attached to its message."
    )


def warned(note: str) -> str:
    """A note with its warning sign, once."""
    return note if note.startswith("⚠️") else f"⚠️ {note}"


def title(text: str) -> str:
    """The heading of the conclusion."""
    return f"## 🎯 {text or _UNTITLED}"


def panel_line(roles: Sequence[str], mode: str, held: int, planned: int) -> str:
    """Who sat, in which mode, for how long."""
    return f"-# 📋 Panel: {', '.join(roles)} · Mode: {mode} · Rounds: {held} of {planned}"


def section(heading: str, text: str) -> str:
    """One section that the writer wrote."""
    return f"**{heading}**\n{text}"


def dissent(said: Sequence[tuple[str, str]]) -> str:
    """The dissenters' own words: (role, words)."""
    lines = [f"> **{role}:** {' '.join(text.split())}" for role, text in said]
    return "**✋ DISSENT**\n" + "\n".join(lines)


def debate_changed(lines: Sequence[str]) -> str:
    """Who moved during the debate."""
    return "**🔁 WHAT THE DEBATE CHANGED**\n" + "\n".join(f"- {line}" for line in lines)


def sources(listed: str) -> str:
    """The cited sources under their heading."""
    return f"**🔗 SOURCES**\n{listed}"


def meta(lines: Sequence[str]) -> str:
    """The small print under its heading."""
    return "**🔧 META**\n" + "\n".join(f"-# {line}" for line in lines)


def panel(seats: Sequence[tuple[str, str, str]]) -> str:
    """Who sat: (role, model, the models that really answered where these are others)."""
    named = (
        f"{role} ({model}: {real})" if real else f"{role} ({model})" for role, model, real in seats
    )
    return f"Panel: {', '.join(named)}"


def synthesis_by(model: str) -> str:
    """Who wrote the conclusion."""
    return f"Synthesis by: {model or 'nobody'}"


def timeouts(missing: Sequence[str]) -> str:
    """Who did not answer in time."""
    return f"Timeouts: {'; '.join(missing) or 'none'}"


def timed_out(role: str, round_number: int) -> str:
    """A seat that did not answer in time in a round."""
    return f"[TIMEOUT] {role} (round {round_number})"


def failures(told: Sequence[str]) -> str:
    """Who failed for another reason than time."""
    return f"Failures: {'; '.join(told)}"


def failed(role: str, round_number: int, problem: str) -> str:
    """A seat that gave no answer in a round, with the provider's reason."""
    return f"{role} (round {round_number}): {problem}"


def stood_in(role: str, round_number: int, model: str, reason: str, instead: str) -> str:
    """A seat whose model failed in a round, and the model that answered instead."""
    return f"{role} (round {round_number}): {instead} answered, because {model} failed ({reason})"


def lacks(headings: Sequence[str]) -> str:
    """Sections that the writer left out."""
    return f"Missing sections in the conclusion: {', '.join(headings)}"


def measures(stance: str, score: float | None, pct: float | None, validated: str) -> str:
    """The four measures side by side."""
    convergence = NOT_MEASURED if score is None else f"{score:.2f}"
    return (
        f"Stance: {stance or NOT_MEASURED} · Convergence: {convergence} · "
        f"Consensus: {percentage(pct)} · Validated: {validated}"
    )


def stance_measure(result: str, counts: str) -> str:
    """The stances as a measure."""
    return f"{result} ({counts})"


def spending(seats: int, rounds: int, calls: int, *, tokens: int, cost: str, seconds: int) -> str:
    """Seats, rounds, calls, tokens, money and time."""
    return (
        f"{counted(seats, 'seat')} · {counted(rounds, 'round')} · "
        f"{counted(calls, 'call')} · {tokens:,} tokens · {cost} · "
        f"{duration_words(seconds)}"
    )


def concluded_after(seconds: int) -> str:
    """How a run ended that concluded."""
    return f"Concluded after {duration_words(seconds)}"


def ended(how: str, why: str) -> str:
    """How a run ended that did not conclude."""
    return f"{how.capitalize()}: {why}"
