"""What a build delivered, criterion by criterion, as conclusion, minutes and history tell it."""

from bot.council.delivery.record import Check, Delivery, EffectRecord, GateRecord, TryRecord
from bot.messages.delivery import BuildText, EffectText
from bot.store import AttemptStatus, ReviewType


def delivery_text(delivery: Delivery | None, *, summed_up: bool = True) -> str:
    """The block of the conclusion that names each criterion and which review found it met."""
    delivered = delivery.delivered if delivery else None
    if delivery is None or delivered is None:
        return ""
    spec, quality = (delivered.gate(kind) for kind in (ReviewType.SPEC, ReviewType.QUALITY))
    if spec is None or quality is None:
        return ""
    names = [file.name for file in delivered.files]
    lines = [
        BuildText.DELIVERY_HEAD,
        BuildText.delivered(delivered.ordinal, delivered.builder, delivery.spec_version, names),
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


def delivery_minutes(delivery: Delivery | None) -> str:
    """The block of the minutes: the criteria, every attempt with its reviews, files and effects."""
    if delivery is None:
        return ""
    blocks = [
        BuildText.minutes_head(delivery.spec_version, delivery.goal, accepted=delivery.accepted),
        _criteria(delivery),
        *(try_text(one) for one in delivery.tries),
        effects_text(delivery.effects),
    ]
    return "\n\n".join(block for block in blocks if block)


def try_text(one: TryRecord) -> str:
    """One attempt with its files and everything that was found in them."""
    why = "" if one.status is AttemptStatus.SUCCEEDED else one.problem
    built = [BuildText.history_builder(one.builder, one.runtime)] if one.builder else []
    files = [
        BuildText.history_file(file.name, file.size, file.kind, file.sha256) for file in one.files
    ]
    head = BuildText.history_attempt(one.ordinal, one.status.value, why)
    reviews = [review_text(gate) for gate in (*one.gates, *one.others)]
    return "\n\n".join([head, *built, *(["\n".join(files)] if files else []), *reviews])


def review_text(gate: GateRecord) -> str:
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


def effects_text(effects: tuple[EffectRecord, ...]) -> str:
    """The planned outside effects and their outcome."""
    if not effects:
        return ""
    told = (EffectText.state(one.action, one.status, took_place=one.done) for one in effects)
    return "\n".join([EffectText.HEAD, *told])


def _criteria(delivery: Delivery) -> str:
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
