"""Every adapter under every fault; `python -m tests.models.conformance` prints the same as a table."""

import ssl

import pytest

from tests.models.conformance import CASES, Case, bench_for
from tests.models.dialects import DIALECTS, Dialect


@pytest.fixture(scope="module")
def tls() -> ssl.SSLContext:
    """Made once, for it takes longer than most cases."""
    return ssl.create_default_context()


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_an_adapter_bears(case: Case, dialect: Dialect, tls: ssl.SSLContext) -> None:
    """providers 1.1 and 1.2."""
    async with bench_for(dialect, tls) as bench:
        await case.check(bench)
