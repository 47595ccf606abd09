"""A build rehearsed: a spec, small files that meet it, and reviewers who look at them."""

import re

from bot.rehearsal.seat import Seat
from bot.rehearsal.text import cut

_CRITERION = re.compile(r"^(\d{1,2})\. (.+)$", re.MULTILINE)
_FILE = re.compile(r"^FILE: (\S+)$", re.MULTILINE)
README, PLAN = "README.md", "plan.md"


def write_spec(seat: Seat) -> str:
    """A spec that the rehearsal can really deliver: two documents."""
    thing = cut(seat.topic.quote, 80)
    met = (
        f"- Meets the remark: {cut(seat.value('FINDINGS'), 120)}" if seat.value("FINDINGS") else ""
    )
    lines = [
        f"**GOAL:** A first draft of {thing} that the team can discuss, as two documents.",
        "**SCOPE IN:**",
        f"- an overview of {thing}",
        "- a plan in numbered steps",
        *([met] if met else []),
        "**SCOPE OUT:**",
        "- running code, because this is a rehearsal",
        "**INPUTS:**",
        "- what the panel said",
        "**OUTPUTS:**",
        f"- {README}",
        f"- {PLAN}",
        "**ACCEPTANCE CRITERIA:**",
        f"1. `{README}` names the goal under a heading called Goal.",
        f"2. `{PLAN}` lists at least 3 numbered steps.",
        f"3. `{PLAN}` names at least 1 risk under a heading called Risks.",
        "**RISKS:**",
        "- a rehearsal is no model, so the documents are thin",
    ]
    return "\n".join(lines)


def write_spec_review(seat: Seat) -> str:
    """A reviewer who finds the spec clear."""
    count = len(_CRITERION.findall(seat.value("SPEC")))
    summary = f"As {seat.role} I can check each of the {count} criteria in the files."
    return f"**VERDICT:** APPROVED\n**SUMMARY:** {summary}"


def write_files(seat: Seat) -> str:
    """The two documents, in the format builders write."""
    thing, steps = cut(seat.topic.quote, 80), [card.check for card in seat.hand()[:3]]
    numbered = "\n".join(f"{n}. Settle this: {step}." for n, step in enumerate(steps, 1))
    readme = f"# A draft\n\n## Goal\n\nA first draft of {thing}, written in a rehearsal.\n"
    plan = f"# Plan\n\n{numbered}\n\n## Risks\n\n- No model has looked at this yet.\n"
    return "\n".join(f"FILE: {n}\n````\n{text}````" for n, text in ((README, readme), (PLAN, plan)))


def write_spec_gate(seat: Seat) -> str:
    """Every criterion with the file it is met in."""
    names = _FILE.findall(seat.value("FILES")) or [README]
    lines = [
        f"{number}. MET | {next((name for name in names if name in text), names[0])} | it is there"
        for number, text in _CRITERION.findall(seat.value("SPEC"))
    ]
    summary = f"I read {len(names)} files as {seat.role} and found what the spec asks for."
    return "\n".join(["**VERDICT:** APPROVED", f"**SUMMARY:** {summary}", "**CRITERIA:**", *lines])


def write_quality_gate(seat: Seat) -> str:
    """A mild reviewer, who names what a rehearsal lacks."""
    return "\n".join(
        [
            "**VERDICT:** APPROVED",
            f"**SUMMARY:** Short documents that the next {seat.role} can change without help.",
            "**CONCERNS:**",
            "none",
            "**TEST GAPS:**",
            "- nobody has tried the plan",
            "**RISK:** Low, for nothing here is run.",
        ]
    )
