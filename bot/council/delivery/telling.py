"""What a build delivered, criterion by criterion, as the conclusion tells it."""

from bot.council.delivery.building import Delivered
from bot.council.delivery.files import plain_name
from bot.council.delivery.gates import GateResult
from bot.council.delivery.team import dependence_note
from bot.prompting.build_review import CriterionCheck

NO_CONCLUSION = "-# The discussion could not be summed up; the files and their reviews stand."


def delivery_text(delivered: Delivered, *, summed_up: bool = True) -> str:
    """The block of the conclusion that names each criterion and who found it met."""
    names = ", ".join(f"`{plain_name(file)}`" for file in delivered.work.files)
    gate = delivered.spec_gate
    origin = f"built by {delivered.work.builder} from spec v{delivered.spec_version}"
    lines = [
        "**📦 DELIVERY**",
        f"Attempt {delivered.attempt} passed both gates; {origin}: {names}",
        f"Acceptance criteria, checked by the spec review of {gate.name}:",
        *map(_criterion, delivered.work.criteria, gate.criteria),
        _quality(delivered.quality_gate),
        *(f"- Not tested: {gap}" for gap in delivered.quality_gate.test_gaps),
        *(f"- {f.severity}: {f.message}" for f in delivered.quality_gate.findings),
    ]
    note = dependence_note(delivered.reviewers)
    lines += [f"⚠️ {note}"] if note else []
    lines += [] if summed_up else [NO_CONCLUSION]
    return "\n".join(lines)


def _criterion(text: str, check: CriterionCheck) -> str:
    where = f" → {check.where}" if check.where else ""
    return f"{'✅' if check.met else '❌'} {check.number}. {text}{where}"


def _quality(gate: GateResult) -> str:
    risk = f" Risk: {gate.risk}" if gate.risk else ""
    return f"Quality review of {gate.name}: {gate.summary or 'approved'}{risk}"
