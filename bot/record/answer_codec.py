"""What the store keeps of an answer: public text, digest, position, scores, verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from bot.measures.validation import ValidationResult, after_rewrite, validation_result
from bot.prompting.closing_lines import Digest, Stance, parse_ballot, parse_stance
from bot.prompting.round_answers import (
    Critique,
    Revision,
    Round2,
    outline_of,
    parse_round1,
    read_round2,
)
from bot.prompting.scores import How, Score, Scores, read_scores
from bot.prompting.summary import Point, RoundSummary
from bot.prompting.validation import Validation, Verdict, parse_validation
from bot.types.mode import Mode

_OF_A_SEAT: Final = frozenset({"r1", "r2", "r3", "s2", "dissent", "talk"})
"""How the keys of calls begin that go on in the session of a seat."""
_BUILD: Final = "build"
"""How the key of a call begins that does so, too, but does not name the seat."""


def summary_key(number: int) -> str:
    """The key of a round's summary."""
    return f"summary:{number}"


def summary_from_dict(stored: Any) -> RoundSummary:
    """Read a stored summary back."""

    def points(found: Any) -> tuple[Point, ...]:
        return tuple(Point(point["text"], tuple(point["from"])) for point in found)

    return RoundSummary(
        stored["summary"],
        points(stored["consensus"]),
        points(stored["disagreement"]),
        points(stored["new_points"]),
        parsed=stored["readable"],
    )


def summary_to_dict(summary: RoundSummary) -> dict[str, Any]:
    """A summary as the store keeps it."""

    def points(found: Sequence[Point]) -> list[dict[str, Any]]:
        return [{"text": point.text, "from": list(point.roles)} for point in found]

    return {
        "summary": summary.summary,
        "consensus": points(summary.consensus),
        "disagreement": points(summary.disagreement),
        "new_points": points(summary.new_points),
        "readable": summary.parsed,
    }


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read out of an answer, as the store keeps it."""

    digest: str = ""
    stance: str = ""
    parsed: Mapping[str, Any] = field(default_factory=dict)


def read_opening(text: str, mode: Mode, options: Sequence[str]) -> Reading:
    """Read an answer of round 1 or of stage 2."""
    answer = parse_round1(text)
    parsed = _position(text, mode, options) | {
        "public": answer.public_text,
        "claims": dict(answer.digest.claims),
        "missing": list(answer.missing),
    }
    return Reading(answer.digest.text, _stance(text, mode), parsed)


def read_critique(
    text: str,
    role: str,
    peers: Sequence[str],
    mode: Mode,
    options: Sequence[str],
    earlier_digest: str,
) -> Reading:
    """Read a cross-critique; without a new digest the earlier one still stands."""
    outline = outline_of(text)
    answer = read_round2(outline, peers)
    parsed = _position(text, mode, options) | {
        "public": answer.public_text,
        "claims": _claims(answer),
        "critiques": [asdict(critique) for critique in answer.critiques],
        "revision": asdict(answer.revision),
        "scores": _scores_to_list(read_scores(outline, peers, role)),
        "missing": list(answer.missing),
    }
    digest = answer.digest.text if answer.digest else earlier_digest
    return Reading(digest, _stance(text, mode), parsed)


def stored_scores(parsed: Mapping[str, Any]) -> Scores | None:
    """The scores a stored answer holds, or None for an answer without any."""
    if "scores" not in parsed:
        return None
    return Scores(tuple(Score(s["peer"], s["value"], How(s["how"])) for s in parsed["scores"]))


def stored_critiques(parsed: Mapping[str, Any]) -> tuple[Critique, ...]:
    """The objections a stored answer holds."""
    return tuple(Critique(**critique) for critique in parsed.get("critiques", ()))


def stored_revision(parsed: Mapping[str, Any]) -> Revision:
    """What a stored answer says about a change of mind."""
    return Revision(**parsed["revision"]) if "revision" in parsed else Revision()


def read_validation(text: str) -> Reading:
    """Parse a verdict for the store."""
    found = parse_validation(text)
    return Reading(
        parsed={
            "verdict": found.verdict.value,
            "reasoning": found.reasoning,
            "correction": found.correction,
        }
    )


def session_label(key: str, seat: str = "") -> str:
    """What the session behind a call is called (E40, E60, E79, E84), from its key and its seat.

    A seat has one session, whatever it is asked in it; analysts, validators and the writer have
    one for a single question each.
    """
    name, *rest = key.partition("@")[0].split(":")
    if name == _BUILD and seat:
        return f"rt-{seat}"
    if name in _OF_A_SEAT and rest:
        return f"rt-{rest[-1]}"
    if name == "validate" and rest:
        return f"rt-r3-validate-{rest[0]}"
    return f"rt-meta-{rest[0].lower()}" if name == "meta" and rest else f"rt-{name}"


def stored_verdict(parsed: Mapping[str, Any]) -> Validation:
    """Read a stored verdict back."""
    return Validation(Verdict(parsed["verdict"]), parsed["reasoning"], parsed["correction"])


def validation_of(
    stored: Mapping[str, Mapping[str, Any] | None], *, rewritten: bool
) -> ValidationResult:
    """The result of the stored verdicts; None means that this role was not asked."""
    asked = {role: parsed for role, parsed in stored.items() if parsed is not None}
    if not asked:
        return ValidationResult("no")
    verdicts = {role: stored_verdict(parsed) if parsed else None for role, parsed in asked.items()}
    result = validation_result(verdicts)
    return after_rewrite(result) if rewritten else result


def _claims(answer: Round2) -> dict[str, str]:
    return dict((answer.digest or Digest()).claims)


def _stance(text: str, mode: Mode) -> str:
    return (Stance.UNKNOWN if mode is Mode.VOTE else parse_stance(text)).value


def _position(text: str, mode: Mode, options: Sequence[str]) -> dict[str, Any]:
    if mode is not Mode.VOTE:
        return {}
    ballot = parse_ballot(text, options)
    return {
        "ballot": ballot.option or "",
        "confidence": ballot.confidence,
        "reason": ballot.reason,
    }


def _scores_to_list(scores: Scores) -> list[dict[str, Any]]:
    return [{"peer": s.peer, "value": s.value, "how": s.how.value} for s in scores.scores]
