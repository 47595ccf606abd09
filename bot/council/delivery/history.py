"""Everything about a build that is stored: the spec, every attempt, every review and file."""

from sqlalchemy import Connection

from bot.council.delivery.files import built_in, plain_name
from bot.council.mask import mask_of
from bot.council.told import TextFile
from bot.store import attempts, reviews, runs, specs
from bot.store.attempts import Attempt
from bot.store.reviews import Review
from bot.words import delivery as words


def build_history(conn: Connection, run_id: str) -> tuple[TextFile, ...]:
    """The history as a file; none for a run that is no build or has no spec yet."""
    draft = specs.accepted(conn, run_id) or specs.latest(conn, run_id)
    if draft is None:
        return ()
    accepted = specs.is_accepted(conn, run_id)
    blocks = [
        words.history_title(run_id),
        words.history_spec(draft.version, draft.text, accepted=accepted),
        *(_review(one) for one in reviews.of_attempt(conn, run_id, 0)),
        *(_attempt(conn, run_id, one) for one in attempts.of_run(conn, run_id)),
    ]
    mask = mask_of(conn, runs.require(conn, run_id))
    return (TextFile(f"build-{run_id}.md", mask.text("\n\n".join(blocks)) + "\n"),)


def _attempt(conn: Connection, run_id: str, attempt: Attempt) -> str:
    files = [
        words.history_file(plain_name(file), file.size, file.sha256)
        for file in built_in(conn, run_id, attempt.ordinal)
    ]
    found = [_review(one) for one in reviews.of_attempt(conn, run_id, attempt.ordinal)]
    head = words.history_attempt(attempt.ordinal, attempt.status, attempt.error_summary)
    return "\n\n".join([head, *(["\n".join(files)] if files else []), *found])


def _review(review: Review) -> str:
    title = words.report_title(review.review_type, review.reviewer, review.verdict)
    lines = [f"### {title}"]
    lines += [review.summary] if review.summary else []
    lines += [
        f"- {f.severity}: {f'{f.where}: ' if f.where else ''}{f.message}" for f in review.findings
    ]
    return "\n".join(lines)
