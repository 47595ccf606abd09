"""Vendors' own refusals, word for word, become the right kind of error (E100, E101)."""

import pytest

from bot.models.failures import error_from_response
from tests.models.vendor_refusals import EXPECTED, REFUSALS, filled

CASES = [
    (vendor, asked)
    for vendor, refusals in sorted(REFUSALS.items())
    for asked in sorted(EXPECTED)
    if getattr(refusals, asked) is not None
]


@pytest.mark.parametrize(("vendor", "asked"), CASES)
def test_a_vendors_refusal_is_understood(vendor: str, asked: str) -> None:
    status, body = filled(
        getattr(REFUSALS[vendor], asked), model="m-1", path="/v1/x", name="stream_options"
    )
    parameters = {"stream_options": ()}
    error = error_from_response(status, {}, body, parameters)
    assert error.kind is EXPECTED[asked], f"{error.kind}: {error}"
    if asked == "parameter":
        assert error.parameter == "stream_options"
    if asked == "model" and vendor != "deepseek":
        assert "m-1" in str(error), "the vendor's own words name the model"
