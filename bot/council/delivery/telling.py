"""What a build delivered, criterion by criterion, as the conclusion tells it."""

from bot.council.delivery.building import Delivered
from bot.council.delivery.files import plain_name
from bot.council.delivery.gates import GateResult
from bot.council.delivery.team import dependence_note
from bot.prompting.build_review import CriterionCheck
from bot.words import delivery as words


def delivery_text(delivered: Delivered, *, summed_up: bool = True) -> str:
    """The block of the conclusion that names each criterion and who found it met."""
    work, gate = delivered.work, delivered.spec_gate
    names = [plain_name(file) for file in work.files]
    lines = [
        words.DELIVERY_HEAD,
        words.delivered(delivered.attempt, work.builder, delivered.spec_version, names),
        words.criteria_head(gate.name),
        *map(_criterion, work.criteria, gate.criteria),
        _quality(delivered.quality_gate),
        *map(words.not_tested, delivered.quality_gate.test_gaps),
        *(f"- {f.severity}: {f.message}" for f in delivered.quality_gate.findings),
    ]
    note = dependence_note(delivered.reviewers)
    lines += [f"⚠️ {note}"] if note else []
    lines += [] if summed_up else [words.NOT_SUMMED_UP]
    return "\n".join(lines)


def _criterion(text: str, check: CriterionCheck) -> str:
    return words.criterion_line(check.number, text, check.where, met=check.met)


def _quality(gate: GateResult) -> str:
    return words.quality_line(gate.name, gate.summary, gate.risk)
