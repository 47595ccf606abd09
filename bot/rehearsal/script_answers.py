"""Answers from a script: each in the format its prompt asks for, at the pace of who says it.

An answer depends on nothing but its own request, so calls may come in any order, at once or again.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from bot.rehearsal.digests import read_digests
from bot.rehearsal.phrase_book import phrases
from bot.rehearsal.scripts import (
    First,
    FollowUp,
    Script,
    ScriptedSeat,
    Second,
    first_sentence,
    script_for,
)
from bot.rehearsal.text import fold
from bot.rehearsal.topic import listed_options

_WRITER_THINKS, _WRITER_WORDS = 1.8, 55.0
_NO_REPLY = "NO_REPLY"
_KEYWORD, _STEM = 3, 5
_WHY = frozenset({"why", "reason", "reasons", "explain"})
_ONLY_A_SCRIPT = (
    "This is a scripted example: no model is speaking, and nobody wrote an answer to that. These "
    "questions have one:"
)


@dataclass(frozen=True, slots=True)
class Scripted:
    """An answer, and the usual pace of whoever gives it."""

    text: str
    thinks: float
    words_per_second: float

    @property
    def writes(self) -> float:
        """How many seconds the writing takes."""
        return len(self.text.split()) / self.words_per_second


def scripted_answer(template: str, values: Mapping[str, str]) -> Scripted | None:
    """The answer of the script to a prompt, or None when the rehearsal has to give it."""
    script = script_for(values.get("PROMPT", ""))
    if script is None or not _fits(script, values):
        return None
    seat = script.seat(values.get("ROLE", ""))
    if seat is None:
        text = _table_text(script, template, values)
        return None if text is None else Scripted(text, _WRITER_THINKS, _WRITER_WORDS)
    text = _seat_text(script, seat, template, values)
    return None if text is None else Scripted(text, seat.thinks, seat.words_per_second)


def _fits(script: Script, values: Mapping[str, str]) -> bool:
    """Another mode or other options make it another meeting."""
    mode, options = values.get("MODE", ""), listed_options(values.get("OPTIONS", ""))
    same = not options or {fold(o) for o in options} == {fold(o) for o in script.options}
    return same and (not mode or script.fits(mode))


def _seat_text(
    script: Script, seat: ScriptedSeat, template: str, values: Mapping[str, str]
) -> str | None:
    match template:
        case "round1":
            return _first(seat.first)
        case "round2-cross-critique" if values.get("ROUND", "2").strip() == "2":
            return _second(seat.second)
        case "round3-validation" if _is_ours(script, values.get("SYNTHESIS_DRAFT", "")):
            return _validation(seat)
        case "dissent" if seat.dissent and _is_ours(script, values.get("CONCLUSION", "")):
            return seat.dissent.text
        case "follow-up":
            return _follow_up(script, seat, values)
    return None


def _table_text(script: Script, template: str, values: Mapping[str, str]) -> str | None:
    """What nobody at the table says: the design, the summaries and the conclusion."""
    match template:
        case "meta-panel":
            return _design(script)
        case "proposition":
            return script.proposition
        case "rolling-summary" if _all_spoke(script, values.get("ROUND_ANSWERS", "")):
            return _summary(script, values.get("ROUND", ""))
        case "final-synthesis" if _all_spoke(script, values.get("ROUND1_SUMMARIES", "")):
            return _conclusion(script)
    return None


def _is_ours(script: Script, conclusion: str) -> bool:
    return fold(script.conclusion.title) in fold(conclusion)


def _all_spoke(script: Script, digests: str) -> bool:
    """The script's own conclusion holds only for the whole panel."""
    heard = {fold(digest.role) for digest in read_digests(digests)}
    return heard == {fold(role) for role in script.roles}


def _first(said: First) -> str:
    claims = [f"{number}. {claim}" for number, claim in enumerate(said.claims, 1)]
    short = [f"C{n}: {first_sentence(claim)}" for n, claim in enumerate(said.claims, 1)]
    return "\n".join(
        [
            f"**THESIS:** {said.thesis}",
            "**KEY CLAIMS:**",
            *claims,
            f"**EVIDENCE / REASONING:** {said.evidence}",
            f"**RISKS / WEAKNESSES:** {said.risks}",
            f"**RECOMMENDATION:** {said.recommendation}",
            "---",
            "**SELF-DIGEST:**",
            f"Thesis: {first_sentence(said.thesis)}",
            *short,
            f"Evidence: {first_sentence(said.evidence)}",
            f"Risk: {first_sentence(said.risks)}",
            _closing_line(said),
        ]
    )


def _second(said: Second) -> str:
    digest = said.digest
    return "\n".join(
        [
            "**CRITIQUE:**",
            *(f"{n}. {c.of} {c.claim}: {c.text}" for n, c in enumerate(said.critique, 1)),
            f"**DEFEND:** {said.defend}",
            f"**REVISE:** {said.revise}",
            "**SELF-DIGEST:**",
            f"Thesis: {digest.thesis}",
            *(f"C{n}: {claim}" for n, claim in enumerate(digest.claims, 1)),
            f"Evidence: {digest.evidence}",
            f"Risk: {digest.risk}",
            "**AGREEMENT SCORES**",
            "SCORES:",
            *(f"- {score.of}: {score.score}/5 — {score.text}." for score in said.scores),
            _closing_line(said),
        ]
    )


def _closing_line(said: First | Second) -> str:
    if said.confidence is None:
        return f"[STANCE: {said.position}]"
    return f"[BALLOT: {said.position} | {said.confidence} | {said.reason}]"


def _validation(seat: ScriptedSeat) -> str:
    found = seat.validation
    lines = [f"**REPRESENTATION:** {found.verdict}", f"**REASONING:** {found.reasoning}"]
    if found.correction:
        lines.append(f"**CORRECTION:** {found.correction}")
    return "\n".join(lines)


def _follow_up(script: Script, seat: ScriptedSeat, values: Mapping[str, str]) -> str:
    asked = fold(values.get("QUESTION", ""))
    closeness = [_closeness(asked, known) for known in seat.answers]
    if max(closeness) >= _KEYWORD:
        return seat.answers[closeness.index(max(closeness))].answer
    if not _WHY.isdisjoint(asked.split()):
        digest = seat.second.digest
        return " ".join((digest.thesis, *digest.claims))
    open_floor = values.get("OPEN_FLOOR", "").strip().casefold() == "yes"
    if open_floor and seat is not script.seats[0]:
        return _NO_REPLY
    return "\n- ".join((_ONLY_A_SCRIPT, *(f"“{known.question}”" for known in seat.answers)))


def _closeness(asked: str, known: FollowUp) -> int:
    """How much of what was asked is known: keywords count most, and longer ones more."""
    hits = [fold(word) for word in known.keywords if f" {fold(word)}" in f" {asked}"]
    keywords = sum(_KEYWORD + word.count(" ") for word in hits)
    return keywords + len(_stems(asked) & _stems(fold(known.question)))


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in text.split() if word not in phrases().words.common}


def _design(script: Script) -> str:
    options = [f"**OPTIONS:** {' | '.join(script.options)}"] if script.options else []
    seats = [f"- Model: {s.model} | Role: {s.role} | Task: {s.task}" for s in script.seats]
    return "\n".join(
        [
            f"**PROPOSITION:** {script.proposition}",
            *options,
            f"**TASK ASSESSMENT:** {script.assessment}",
            "**WORKFLOW TYPE:** parallel_debate",
            "**STAGES:**",
            "Stage 1",
            *seats,
            f"**ROUNDS:** {len(script.rounds)} — positions first, then each other's weak points",
            f"**SYNTHESIS MODEL:** {script.writer}",
            f"**REASONING:** {script.reasoning}",
            f"**ANTI-PATTERN:** {script.anti_pattern}",
        ]
    )


def _summary(script: Script, number: str) -> str | None:
    if number.strip() not in {str(n) for n in range(1, len(script.rounds) + 1)}:
        return None
    held = script.rounds[int(number) - 1]
    kinds = {
        "consensus": held.consensus,
        "disagreement": held.disagreement,
        "new_points": held.new_points,
    }
    points = {
        kind: [{"text": point.text, "from": list(point.from_)} for point in found]
        for kind, found in kinds.items()
    }
    return json.dumps({"summary": held.summary, **points}, ensure_ascii=False, indent=1)


def _conclusion(script: Script) -> str:
    end = script.conclusion
    return "\n".join(
        [
            f"🎯 {end.title}",
            "📊 CONSENSUS",
            *(f"- {line}" for line in end.consensus),
            "⚡ DIVERGENCES",
            *(f"- {line}" for line in end.divergences),
            "🔍 BLIND SPOTS",
            *(f"- {line}" for line in end.blind_spots),
            "🏆 RECOMMENDATION",
            end.recommendation,
            "💡 OUTLIER",
            f'{end.outlier.of}: "{end.outlier.quote}"',
            "⚠️ RED FLAGS",
            *(f"- {line}" for line in end.red_flags),
            "📈 ACTION PLAN",
            "Next 24h:",
            *(f"- {line}" for line in end.next_24h),
            "Next 7d:",
            *(f"- {line}" for line in end.next_7d),
        ]
    )
