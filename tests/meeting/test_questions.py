"""How long models may think, and when a fallback is asked in place of a silent one (2.2#22 #24)."""

import time

import pytest

from bot.meeting.questions import ModelCall, first_word_seconds, may_ask_next
from bot.panels import ResolvedModel, Timeouts
from bot.panels.sections import Tier
from bot.types.model_port import Effort, ErrorKind, Message, ModelError, Prompt

PROMPT = Prompt("round1", {}, (Message("user", "Speak."),))


def model(
    tier: Tier = "premium", effort: Effort | None = None, kind: str = "openai"
) -> ResolvedModel:
    return ResolvedModel(f"{tier}-{effort}", "p", kind, "m-1", "f", tier, effort)


def asked(*models: ResolvedModel) -> ModelCall:
    return ModelCall("r1:analyst", "round1", PROMPT, 60.0, models)


def stall(begun: bool = False) -> ModelError:
    error = ModelError(ErrorKind.TIMEOUT, "It did not begin.")
    error.stalled = not begun
    return error


@pytest.mark.parametrize(
    ("tier", "effort", "factor"),
    [
        ("premium", None, 3.0),
        ("premium", "low", 1.5),
        ("premium", "high", 6.0),
        ("mid", None, 2.0),
        ("cheap", None, 1.0),
        ("cheap", "low", 1.0),
    ],
)
def test_a_model_gets_time_by_its_tier_and_effort(
    tier: Tier, effort: Effort | None, factor: float
) -> None:
    """A29 2.2#22: and a step as much as the slowest of those that it asks."""
    timeouts = Timeouts()
    assert timeouts.allowed(60, [model(tier, effort)]) == 60 * factor
    assert timeouts.allowed(60, [model("cheap"), model(tier, effort), model("cheap")]) == (
        60 * factor
    )
    assert timeouts.longest_run == 1800


def test_without_tiers_everything_takes_as_long_as_its_step() -> None:
    plain = Timeouts.model_validate({"tiers": {}})
    assert plain.allowed(60, [model(), model("mid")]) == 60
    assert plain.longest_run == 600


def test_a_model_with_a_fallback_has_half_of_the_time_for_its_first_word() -> None:
    first, last = model(), model("mid")
    ask = asked(first, last)
    assert first_word_seconds(first, ask, 60.0, 60.0) == 30.0
    assert (first_word_seconds(last, ask, 30.0, 60.0) or 0) > 30.0, "nobody comes after it"


def test_a_server_on_this_machine_may_load_its_model_first() -> None:
    local = model(kind="local")
    assert first_word_seconds(local, asked(local, model()), 60.0, 60.0) is None
    assert first_word_seconds(model(), asked(model(), local), 180.0, 180.0) is None


@pytest.mark.parametrize(
    ("error", "left", "goes_on"),
    [
        (stall(), 30.0, True),
        (stall(), 10.0, False),
        (stall(begun=True), 50.0, False),
        (ModelError(ErrorKind.OVERLOADED, "Busy."), 1.0, True),
    ],
)
def test_a_fallback_is_asked_after_an_error_or_a_stall_but_not_after_a_timeout(
    error: ModelError, left: float, goes_on: bool
) -> None:
    """2.2#24."""
    assert may_ask_next(error, time.monotonic() + left, 60.0) is goes_on
