"""What a build delivered, for programs: the block of the JSON file."""

from dataclasses import asdict
from typing import Any

from bot.council.delivery.record import Check, Delivery, GateRecord, TryRecord


def delivery_export(delivery: Delivery | None) -> dict[str, Any] | None:
    """The criteria with the review that judged each, attempts with gates and files, effects."""
    if delivery is None:
        return None
    return {
        "spec_version": delivery.spec_version,
        "spec_accepted": delivery.accepted,
        "goal": delivery.goal,
        "criteria": _criteria(delivery),
        "spec_reviews": [_review(gate) for gate in delivery.spec_reviews],
        "attempts": [_attempt(one) for one in delivery.tries],
        "effects": [asdict(effect) for effect in delivery.effects],
    }


def _criteria(delivery: Delivery) -> list[dict[str, Any]]:
    """Each criterion as the newest review of the spec gate found it."""
    judged = [gate for one in delivery.tries for gate in one.gates if gate.checks]
    if not judged:
        found = (Check(n, text, met=False) for n, text in enumerate(delivery.criteria, 1))
        return [asdict(check) | {"reviewer": None} for check in found]
    newest = judged[-1]
    return [asdict(check) | {"reviewer": newest.reviewer} for check in newest.checks]


def _attempt(one: TryRecord) -> dict[str, Any]:
    return {
        "attempt": one.ordinal,
        "status": one.status.value,
        "runtime": one.runtime,
        "builder": one.builder,
        "problem": one.problem,
        "artifacts": [asdict(file) for file in one.files],
        "reviews": [_review(gate) for gate in (*one.gates, *one.others)],
    }


def _review(gate: GateRecord) -> dict[str, Any]:
    return {
        "type": gate.kind.value,
        "reviewer": gate.reviewer,
        "verdict": gate.verdict.value,
        "summary": gate.summary,
        "criteria_met": [check.number for check in gate.checks if check.met],
        "findings": [asdict(finding) for finding in gate.findings],
        "test_gaps": list(gate.test_gaps),
        "risk": gate.risk,
    }
