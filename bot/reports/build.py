"""What a build delivered, criterion by criterion, as conclusion, minutes and history tell it."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection

from bot.messages.approvals import EffectText
from bot.messages.delivery import BuildText
from bot.record.build import BuildAttempt, BuildRecord, Check, EffectRecord, GateRecord, read_build
from bot.record.masking import mask_of
from bot.store import AttemptStatus, ReviewType
from bot.store.repositories.runs import RunRepository
from bot.store.repositories.specs import SpecRepository
from bot.types.reply import TextFile


def build_export(delivery: BuildRecord) -> dict[str, Any]:
    """The criteria with the review that judged each, attempts with gates and files, effects."""
    return {
        "spec_version": delivery.spec_version,
        "spec_accepted": delivery.accepted,
        "goal": delivery.goal,
        "criteria": _criteria_rows(delivery),
        "spec_reviews": [_review(gate) for gate in delivery.spec_reviews],
        "attempts": [_attempt(one) for one in delivery.tries],
        "effects": [asdict(effect) for effect in delivery.effects],
    }


def _criteria_rows(delivery: BuildRecord) -> list[dict[str, Any]]:
    """Each criterion as the newest review of the spec gate found it."""
    judged = [gate for one in delivery.tries for gate in one.gates if gate.checks]
    if not judged:
        found = (Check(n, text, met=False) for n, text in enumerate(delivery.criteria, 1))
        return [asdict(check) | {"reviewer": None} for check in found]
    newest = judged[-1]
    return [asdict(check) | {"reviewer": newest.reviewer} for check in newest.checks]


def _attempt(one: BuildAttempt) -> dict[str, Any]:
    return {
        "attempt": one.ordinal,
        "status": one.status.value,
        "runtime": one.runtime,
        "builder": one.builder,
        "problem": one.problem,
        "failed_builders": list(one.lost),
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


def build_text(delivery: BuildRecord, *, summed_up: bool = True) -> str:
    """The block of the conclusion that names each criterion and which review found it met."""
    delivered = delivery.delivered
    if delivered is None:
        return ""
    spec, quality = (delivered.gate(kind) for kind in (ReviewType.SPEC, ReviewType.QUALITY))
    if spec is None or quality is None:
        return ""
    names = [file.name for file in delivered.files]
    lines = [
        BuildText.DELIVERY_HEAD,
        BuildText.delivered(delivered.ordinal, delivered.builder, delivery.spec_version, names),
        *_instead(delivered),
        BuildText.criteria_head(spec.reviewer),
        *map(_check, spec.checks),
        BuildText.quality_line(quality.reviewer, quality.summary, quality.risk),
        *map(BuildText.not_tested, quality.test_gaps),
        *(f"- {finding.severity}: {finding.message}" for finding in quality.findings),
        *(EffectText.done(effect.action) for effect in delivery.effects if effect.done),
    ]
    lines += [] if spec.apart and quality.apart else [BuildText.SAME_MODEL]
    lines += [] if summed_up else [BuildText.NOT_SUMMED_UP]
    return "\n".join(lines)


def build_minutes(delivery: BuildRecord) -> str:
    """The block of the minutes: criteria, reviews of the spec, every attempt, and effects."""
    blocks = [
        BuildText.minutes_head(delivery.spec_version, delivery.goal, accepted=delivery.accepted),
        _criteria_text(delivery),
        *map(_review_text, delivery.spec_reviews),
        *(_try_text(one) for one in delivery.tries),
        _effects_text(delivery.effects),
    ]
    return "\n\n".join(block for block in blocks if block)


def _try_text(one: BuildAttempt) -> str:
    """One attempt with its files and everything that was found in them."""
    why = "" if one.status is AttemptStatus.SUCCEEDED else one.problem
    built = [BuildText.history_builder(one.builder, one.runtime)] if one.builder else []
    files = [
        BuildText.history_file(file.name, file.size, file.kind, file.sha256) for file in one.files
    ]
    head = BuildText.history_attempt(one.ordinal, one.status.value, why)
    reviews = [_review_text(gate) for gate in (*one.gates, *one.others)]
    listed = ["\n".join(files)] if files else []
    return "\n\n".join([head, *built, *_instead(one), *listed, *reviews])


def _instead(one: BuildAttempt) -> list[str]:
    return [BuildText.built_instead(one.lost)] if one.lost else []


def _review_text(gate: GateRecord) -> str:
    """One review: its verdict, the criteria it answered, its findings and what it missed."""
    lines = [f"#### {BuildText.report_title(gate.kind.value, gate.reviewer, gate.verdict.value)}"]
    lines += [gate.summary] if gate.summary else []
    lines += map(_remarked, gate.checks)
    lines += [
        f"- {f.severity}: {f'{f.where}: ' if f.where else ''}{f.message}" for f in gate.findings
    ]
    lines += [BuildText.not_tested(gap) for gap in gate.test_gaps]
    lines += [BuildText.report_risk(gate.risk)] if gate.risk else []
    return "\n".join(lines)


def _effects_text(effects: tuple[EffectRecord, ...]) -> str:
    """The planned outside effects and their outcome."""
    if not effects:
        return ""
    told = (EffectText.state(one.action, one.status, took_place=one.done) for one in effects)
    return "\n".join([EffectText.HEAD, *told])


def _criteria_text(delivery: BuildRecord) -> str:
    """Each criterion with the newest review that spoke of it."""
    judged = [gate for one in delivery.tries for gate in one.gates if gate.checks]
    if not judged:
        listed = (f"{n}. {text}" for n, text in enumerate(delivery.criteria, 1))
        return "\n".join([BuildText.CRITERIA_HEAD, *listed])
    found = map(_remarked, judged[-1].checks)
    return "\n".join([BuildText.CRITERIA_HEAD, BuildText.judged_by(judged[-1].reviewer), *found])


def _check(check: Check) -> str:
    return BuildText.criterion_line(check.number, check.text, check.where, met=check.met)


def _remarked(check: Check) -> str:
    return BuildText.with_remark(_check(check), check.remark)


def build_history(conn: Connection, run_id: str) -> tuple[TextFile, ...]:
    """The history as a file; none for a run that is no build or has no spec yet."""
    delivery = read_build(conn, run_id)
    draft = SpecRepository(conn).accepted(run_id) or SpecRepository(conn).latest(run_id)
    if delivery is None or draft is None:
        return ()
    blocks = [
        BuildText.history_title(run_id),
        BuildText.history_spec(draft.version, draft.text, accepted=delivery.accepted),
        *map(_review_text, delivery.spec_reviews),
        *([BuildText.ATTEMPTS_HEAD] if delivery.tries else []),
        *map(_try_text, delivery.tries),
        _effects_text(delivery.effects),
    ]
    text = "\n\n".join(block for block in blocks if block)
    mask = mask_of(conn, RunRepository(conn).require(run_id))
    return (TextFile(f"build-{run_id}.md", mask.text(text) + "\n"),)
