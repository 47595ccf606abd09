"""Every adapter under every fault: one table, the same cases that pytest runs.

python -m tests.models.conformance    prints adapter x fault; exit 1 unless all are green
"""

import asyncio
import ssl
import sys

from bot.types.model_port import ErrorKind
from tests.models.adapter_harness import Case, open_adapter, streamed
from tests.models.conformance_checks import (
    bad_key,
    byte_by_byte,
    cut_everywhere,
    cut_short,
    deadline,
    error_after,
    everything_set,
    fails_with,
    http,
    leaves_no_connection,
    limited,
    never_answers,
    overloaded,
    page,
    plain_secrets_in_answers,
    raw,
    redirects,
    reset_after,
    says,
    schema_rejected,
    schema_rejected_for_ever,
    secrets_in_answers,
    secrets_in_causes,
    secrets_in_urls,
    separators,
    slow_tokens,
    thoughts,
    thoughts_are_life,
    too_long,
    tried_again,
    unknown_model,
    whole_answer,
)
from tests.models.dialects import DIALECTS, Dialect

K = ErrorKind
STATUSES = {
    500: K.NETWORK,
    502: K.NETWORK,
    504: K.NETWORK,
    408: K.NETWORK,
    503: K.OVERLOADED,
    529: K.OVERLOADED,
    402: K.OUT_OF_MONEY,
    401: K.NOT_AUTHORISED,
    403: K.NOT_AUTHORISED,
    404: K.NOT_AUTHORISED,
    413: K.CONTEXT_EXCEEDED,
}
CASES: tuple[Case, ...] = (
    Case("whole answer: model, text, usage, end", whole_answer),
    Case("cut at every byte, LF", cut_everywhere("\n")),
    Case("cut at every byte, CRLF", cut_everywhere("\r\n")),
    Case("byte by byte, CRLF", byte_by_byte("\r\n")),
    Case("byte by byte, CR", byte_by_byte("\r")),
    Case("U+2028, U+2029, U+0085 in the text", separators),
    Case("slow tokens", slow_tokens),
    Case("thoughts are not shown", thoughts),
    Case("thoughts are a sign of life", thoughts_are_life),
    Case("cut short by its limit", cut_short),
    Case("never begins", never_answers(0, beating=False)),
    Case("only keep-alives", never_answers(0, beating=True)),
    Case("falls silent", never_answers(1, beating=False)),
    Case("keep-alives after text", never_answers(1, beating=True)),
    Case("deadline", deadline),
    Case("reset before the answer", fails_with(K.NETWORK, reset_after(0))),
    Case("reset inside the answer", fails_with(K.NETWORK, reset_after(1))),
    Case("end without a finish", fails_with(K.NETWORK, says("Half", ending="none"))),
    Case("empty body", fails_with(K.NETWORK, lambda _: streamed())),
    Case("unreadable event", fails_with(K.NETWORK, raw(b"{not json"))),
    Case("event that is no object", fails_with(K.NETWORK, raw(b"7"))),
    Case("error first in a 200 stream", fails_with(K.NETWORK, error_after(0, busy=False))),
    Case("error later in a 200 stream", fails_with(K.NETWORK, error_after(1, busy=False))),
    Case("overload first in a 200 stream", fails_with(K.OVERLOADED, error_after(0, busy=True))),
    Case("overload later in a 200 stream", fails_with(K.OVERLOADED, error_after(1, busy=True))),
    Case("429 without a delay", limited(None)),
    Case("429 with retry-after", limited(7.0, retry_after="7")),
    Case("429 with retry-after-ms", limited(1.5, retry_after_ms="1500")),
    Case("429, then an answer after the delay asked", tried_again(429, 2, 9.0, retry_after="9")),
    Case("429 with a delay longer than a minute", tried_again(429, 1, 900.0, retry_after="900")),
    Case("529 without a delay", overloaded(None)),
    Case("529 with retry-after", overloaded(4.0, retry_after="4")),
    Case("529, then an answer after the delay asked", tried_again(529, 2, 4.0, retry_after="4")),
    Case("529 without a delay, then an answer", tried_again(529, 2, 0.0)),
    *(Case(f"{status}", fails_with(kind, http(status))) for status, kind in STATUSES.items()),
    Case("400 prompt too long", too_long),
    Case("model that is not served", unknown_model),
    Case("limit, effort and schema on a strict server", everything_set),
    Case("schema rejected, then left out", schema_rejected),
    Case("schema rejected for ever", schema_rejected_for_ever),
    Case("refusal", fails_with(K.REFUSED, says("I ca", ending="refused"))),
    Case("empty answer", fails_with(K.BAD_OUTPUT, says(" ", "\n"))),
    Case("web page instead of an API", fails_with(K.NOT_AUTHORISED, page)),
    Case("redirect", redirects),
    Case("key no header can hold", bad_key),
    Case("key in an error text", secrets_in_answers),
    Case("key that looks like none in an error text", plain_secrets_in_answers),
    Case("key in an error's cause", secrets_in_causes),
    Case("key in the URL", secrets_in_urls),
    Case("connection closed after a timeout", leaves_no_connection),
)


async def verdict(case: Case, dialect: Dialect, tls: ssl.SSLContext) -> str:
    """Nothing when the case holds, else why not."""
    try:
        async with open_adapter(dialect, tls) as bench:
            await case.check(bench)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


async def main() -> int:
    """Print the matrix; the exit code says whether all of it is green."""
    tls = ssl.create_default_context()
    wide = max(len(case.name) for case in CASES)
    print("fault".ljust(wide), *(dialect.name.ljust(10) for dialect in DIALECTS))
    problems: list[str] = []
    for case in CASES:
        found = [await verdict(case, dialect, tls) for dialect in DIALECTS]
        cells = (("RED" if problem else "green").ljust(10) for problem in found)
        print(case.name.ljust(wide), *cells, flush=True)
        named = zip(DIALECTS, found, strict=True)
        problems += [f"{one.name}, {case.name}: {problem}" for one, problem in named if problem]
    total = len(CASES) * len(DIALECTS)
    print(f"\n{total - len(problems)} of {total} green", *problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
