"""The parts of the consensus protocol can be told apart."""

import importlib

import pytest

PARTS = {
    "Coordinator": ("bot.council.conductor", "advance"),
    "Session Manager": ("bot.store.seats", "place"),
    "Summarizer": ("bot.council.compression", "compress_round"),
    "Consensus Detector": ("bot.council.measures", "stance_result"),
    "Minutes Writer": ("bot.council.minutes", "minutes_text"),
    "Timeout Handler": ("bot.council.time_budget", "TimeBudget"),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_has_a_module_of_its_own(part: str) -> None:
    """A9: six separable components."""
    module, name = PARTS[part]
    assert getattr(importlib.import_module(module), name).__module__ == module
    assert len({place for place, _ in PARTS.values()}) == len(PARTS)
