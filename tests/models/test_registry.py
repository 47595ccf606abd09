"""The registry hands the troubles of panels.json to the rehearsal."""

import json
from typing import Any, get_args

import pytest

from bot.errors import ConfigError
from bot.models.collect import collect
from bot.models.registry import ModelRegistry
from bot.panels import RehearsalProvider
from bot.panels.providers import TroubleKind
from bot.rehearsal import Trouble
from bot.types.model_port import ErrorKind, ModelError
from tests.panels.panels_data import bent, complaints
from tests.rehearsal.sample_meeting import request_for

VALUES = {"PROMPT": "Tabs?", "MODE": "debate", "ROLE": "Analyst"}


def registry(**troubles: Any) -> ModelRegistry:
    wire = {"kind": "rehearsal", "secondsPerAnswer": 0, "troubles": troubles}
    return ModelRegistry({"here": RehearsalProvider.model_validate_json(json.dumps(wire))})


def test_every_trouble_of_the_rehearsal_can_be_written_in_panels_json() -> None:
    with pytest.raises(ConfigError) as refused:
        Trouble("flood")
    known = ", ".join(sorted(get_args(TroubleKind)))
    assert refused.value.text.endswith(f"use one of: {known}.")


async def test_a_trouble_strikes_the_call_with_its_label_as_often_as_told() -> None:
    port = registry(synthesis={"kind": "rate limited", "times": 1, "retryAfter": 3}).port("here")
    request = request_for("round1", VALUES, label="synthesis")
    with pytest.raises(ModelError) as failed:
        await collect(port, request)
    assert (failed.value.kind, failed.value.retry_after) == (ErrorKind.RATE_LIMITED, 3)
    assert (await collect(port, request)).text


async def test_other_calls_are_left_alone() -> None:
    port = registry(synthesis={"kind": "network"}).port("here")
    assert (await collect(port, request_for("round1", VALUES, label="r1:analyst"))).text


@pytest.mark.parametrize(
    ("trouble", "place"),
    [
        ({"kind": "explode"}, "kind"),
        ({"kind": "slow", "seconds": -1}, "seconds"),
        ({"kind": "hang", "times": 0}, "times"),
        ({"kind": "hang", "sometimes": 1}, "sometimes"),
    ],
)
def test_a_trouble_that_makes_no_sense_is_refused_with_its_path(
    trouble: dict[str, Any], place: str
) -> None:
    data = bent(lambda d: d["providers"]["rehearsal"].update(troubles={"r1:analyst": trouble}))
    (line,) = complaints(data)
    assert line.startswith(f"providers.rehearsal.troubles['r1:analyst'].{place}: ")
