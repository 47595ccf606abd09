"""Every adapter under every fault; `python -m tests.models.conformance` prints the table."""

import ssl

import pytest

from tests.models.adapter_harness import AdapterHarness, Case, open_adapter
from tests.models.conformance import CASES, verdict
from tests.models.dialects import DIALECTS, Dialect, OpenAI
from tests.models.replay_server import Reply

OF_VENDORS = {"model that is not served", "limit, effort and schema on a strict server"}
"""What vendors that share an adapter do in ways of their own; they fail alike."""
MATRIX = [
    pytest.param(
        case,
        dialect,
        id=f"{case.name}-{dialect.name}",
        marks=pytest.mark.heavy if further and case.name not in OF_VENDORS else (),
    )
    for case in CASES
    for dialect in DIALECTS
    for further in [isinstance(dialect, OpenAI) and dialect.name != "openai"]
]


@pytest.mark.parametrize(("case", "dialect"), MATRIX)
async def test_an_adapter_bears(case: Case, dialect: Dialect, tls: ssl.SSLContext) -> None:
    """providers 1.1 and 1.2."""
    async with open_adapter(dialect, tls) as bench:
        await case.check(bench)


async def test_a_case_that_does_not_hold_is_red(tls: ssl.SSLContext) -> None:
    """The table can fail: a server that answers nothing gives no whole answer."""

    async def check(bench: AdapterHarness) -> None:
        await bench.text(Reply())

    assert "failed" in await verdict(Case("nothing", check), DIALECTS[0], tls)
