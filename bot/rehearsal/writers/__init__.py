"""One writer per template: each turns a seat into the text that template asks for."""

from collections.abc import Callable, Mapping

from bot.rehearsal.seat import Seat
from bot.rehearsal.writers.build import (
    write_files,
    write_quality_gate,
    write_spec,
    write_spec_gate,
    write_spec_review,
)
from bot.rehearsal.writers.dissent import write_dissent
from bot.rehearsal.writers.follow_up import write_follow_up
from bot.rehearsal.writers.meta_panel import proposition, write_meta_panel
from bot.rehearsal.writers.round1 import write_round1
from bot.rehearsal.writers.round2 import write_round2
from bot.rehearsal.writers.search_digest import write_search_digest
from bot.rehearsal.writers.summary import write_summary
from bot.rehearsal.writers.synthesis import write_synthesis
from bot.rehearsal.writers.validation import write_validation

Writer = Callable[[Seat], str]

WRITERS: Mapping[str, Writer] = {
    "round1": write_round1,
    "round2-cross-critique": write_round2,
    "meta-panel": write_meta_panel,
    "proposition": proposition,
    "rolling-summary": write_summary,
    "search-digest": write_search_digest,
    "final-synthesis": write_synthesis,
    "round3-validation": write_validation,
    "dissent": write_dissent,
    "follow-up": write_follow_up,
    "build-spec": write_spec,
    "build-spec-review": write_spec_review,
    "build-files": write_files,
    "build-spec-gate": write_spec_gate,
    "build-quality-gate": write_quality_gate,
}


def write(seat: Seat) -> str:
    """The seat's answer in the format of its template."""
    writer = WRITERS.get(seat.template, _write_unknown)
    return writer(seat)


def _write_unknown(seat: Seat) -> str:
    return (
        f"Rehearsal: no model is speaking, and there is nothing to rehearse for {seat.topic.quote}."
    )
