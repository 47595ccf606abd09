"""Everything about a build that is stored: the spec, every attempt, every review and file."""

from sqlalchemy import Connection

from bot.council.delivery.files import built_in, plain_name
from bot.council.mask import mask_of
from bot.council.told import TextFile
from bot.store import attempts, reviews, runs, specs
from bot.store.attempts import Attempt
from bot.store.reviews import Review


def build_history(conn: Connection, run_id: str) -> tuple[TextFile, ...]:
    """The history as a file; none for a run that is no build or has no spec yet."""
    draft = specs.accepted(conn, run_id) or specs.latest(conn, run_id)
    if draft is None:
        return ()
    state = "accepted" if specs.is_accepted(conn, run_id) else "not accepted yet"
    blocks = [
        f"# The build {run_id}",
        f"## Spec v{draft.version} ({state})\n\n{draft.text}",
        *(_review(one) for one in reviews.of_attempt(conn, run_id, 0)),
        *(_attempt(conn, run_id, one) for one in attempts.of_run(conn, run_id)),
    ]
    mask = mask_of(conn, runs.require(conn, run_id))
    return (TextFile(f"build-{run_id}.md", mask.text("\n\n".join(blocks)) + "\n"),)


def _attempt(conn: Connection, run_id: str, attempt: Attempt) -> str:
    why = f": {attempt.error_summary}" if attempt.error_summary else ""
    files = [
        f"- {plain_name(file)}, {file.size:,} bytes, sha256 {file.sha256}"
        for file in built_in(conn, run_id, attempt.ordinal)
    ]
    found = [_review(one) for one in reviews.of_attempt(conn, run_id, attempt.ordinal)]
    head = f"## Attempt {attempt.ordinal}: {attempt.status}{why}"
    return "\n\n".join([head, *(["\n".join(files)] if files else []), *found])


def _review(review: Review) -> str:
    lines = [f"### {review.review_type.capitalize()} review by {review.reviewer}: {review.verdict}"]
    lines += [review.summary] if review.summary else []
    lines += [
        f"- {f.severity}: {f'{f.where}: ' if f.where else ''}{f.message}" for f in review.findings
    ]
    return "\n".join(lines)
