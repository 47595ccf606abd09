"""The two gates of a build: reviewers append findings, the orchestrator decides (B21, B22).

The quality reviewer is asked only after the spec gate was passed (B4).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection

from bot.delivery.files import BuildFiles, file_listing
from bot.delivery.team import Reviewer
from bot.meeting.context import RunContext, RunFailedError
from bot.meeting.questions import ModelCall
from bot.messages.delivery import BuildText
from bot.prompting.build_review import (
    BuildReview,
    CriterionCheck,
    ReviewFinding,
    ReviewVerdict,
    every_criterion,
    parse_build_review,
)
from bot.record.answer_codec import Reading
from bot.record.build import HELD_BY
from bot.store import ArtifactKind, ReviewType, Verdict
from bot.store.repositories.answers import StoredAnswer
from bot.store.repositories.artifacts import ArtifactRepository
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.reviews import Finding, NewReview, ReviewRepository, Severity
from bot.store.vocabulary import Actor

_PROMPTS: Final = {ReviewType.SPEC: "build-spec-gate", ReviewType.QUALITY: "build-quality-gate"}
_ACTORS: Final = {
    ReviewType.SPEC: Actor.SPEC_REVIEWER,
    ReviewType.QUALITY: Actor.QUALITY_REVIEWER,
}
_ASKED_AT_MOST: Final = 3


@dataclass(frozen=True, slots=True)
class GateResult:
    """The result of one gate; `criteria` has an entry for every criterion of the spec."""

    kind: ReviewType
    reviewer: Reviewer | None
    verdict: Verdict
    summary: str = ""
    criteria: tuple[CriterionCheck, ...] = ()
    findings: tuple[ReviewFinding, ...] = ()
    test_gaps: tuple[str, ...] = ()
    risk: str = ""
    call: str = ""
    """The key of the answer this was read from."""

    @property
    def passed(self) -> bool:
        """Whether the files passed."""
        return self.verdict is Verdict.APPROVED

    @property
    def name(self) -> str:
        """The reviewer's name for people."""
        return self.reviewer.name if self.reviewer else BuildText.FILE_CHECK


async def check_files(ctx: RunContext, work: BuildFiles) -> GateResult | None:
    """The automatic part of the spec gate: names or sizes not allowed, or no file."""
    refused = work.refused or (() if work.files else (BuildText.no_file(work.said),))
    if not refused:
        return None
    found = tuple(ReviewFinding("critical", text) for text in refused)
    changes = Verdict.CHANGES_REQUESTED
    result = GateResult(ReviewType.SPEC, None, changes, BuildText.FILES_REFUSED, (), found)
    await _append(ctx, result)
    return result


async def review(
    ctx: RunContext, work: BuildFiles, kind: ReviewType, candidates: Sequence[Reviewer]
) -> GateResult:
    """Ask reviewers until one answers in full, and append what it found."""
    best: GateResult | None = None
    for number, reviewer in enumerate(candidates[:_ASKED_AT_MOST], 1):
        answer = await _ask(ctx, work, kind, reviewer, number)
        found = parse_build_review(answer.text) if answer else None
        if answer is None or found is None or found.verdict is ReviewVerdict.UNKNOWN:
            continue
        result = replace(_result(work, kind, reviewer, found), call=answer.key)
        best = best or result
        if kind is ReviewType.QUALITY or len(found.criteria) >= len(work.criteria):
            best = result
            break
    if best is None:
        raise RunFailedError(BuildText.NO_VERDICT, _key(kind, work))
    await _append(ctx, best)
    return best


async def _ask(
    ctx: RunContext, work: BuildFiles, kind: ReviewType, reviewer: Reviewer, number: int
) -> StoredAnswer | None:
    values = {
        "PROMPT": ctx.run.topic,
        "SPEC": work.spec_text,
        "ROLE": reviewer.role,
        "FILES": file_listing(work.files),
    }
    timeouts = ctx.config.timeouts
    ask = ModelCall(
        key=f"{_key(kind, work)}:{number}",
        purpose=_PROMPTS[kind],
        prompt=ctx.deps.book.render(_PROMPTS[kind], values, ctx.run.id),
        seconds=timeouts.allowed(timeouts.synthesis, (reviewer.model,)),
        models=(reviewer.model,),
    )
    return (await ctx.caller.ask(ask, lambda _: Reading())).answer


def _key(kind: ReviewType, work: BuildFiles) -> str:
    return f"gate:{kind}:{work.number}"


def _result(
    work: BuildFiles, kind: ReviewType, reviewer: Reviewer, found: BuildReview
) -> GateResult:
    """The effective verdict: an approval with an unmet criterion does not count."""
    checks = every_criterion(found, len(work.criteria)) if kind is ReviewType.SPEC else ()
    unmet = tuple(
        ReviewFinding("major", BuildText.criterion_not_met(c.number, c.remark), c.where)
        for c in checks
        if not c.met
    )
    verdict = Verdict(found.verdict)
    if verdict is Verdict.APPROVED and unmet:
        verdict = Verdict.CHANGES_REQUESTED
    return GateResult(
        kind,
        reviewer,
        verdict,
        found.summary,
        checks,
        (*unmet, *found.findings),
        found.test_gaps,
        found.risk,
    )


async def _append(ctx: RunContext, result: GateResult) -> None:
    """A reviewer writes a report and its findings, and nothing else (B43)."""
    store, run = ctx.deps.store, ctx.run
    findings = tuple(Finding(Severity(f.severity), f.message, f.where) for f in result.findings)
    review_row = NewReview(
        run.id, run.attempt, result.kind, result.name, result.verdict, result.summary, findings
    )
    actor, report = _ACTORS[result.kind], _report_text(result)
    name = f"{result.kind}-review.md"

    def write(conn: Connection) -> None:
        now, kind = store.now(), ArtifactKind.REVIEW_REPORT
        ArtifactRepository(conn).record(run.id, run.attempt, kind, name, report, actor, now)
        ReviewRepository(conn).append(review_row, actor, now)
        if result.reviewer:
            key = HELD_BY.format(kind=result.kind, attempt=run.attempt)
            held = {"call": result.call, "reviewer": result.name, "apart": result.reviewer.apart}
            AttemptRepository(conn).checkpoint(run.id, key, held, actor, now)

    await store.write(write)


def _report_text(result: GateResult) -> str:
    """The whole review as a file."""
    criteria = [
        BuildText.report_criterion(c.number, c.where, c.remark, met=c.met) for c in result.criteria
    ]
    found = [f"- {f.severity} | {f.where} | {f.message}" for f in result.findings]
    blocks = [
        f"# {BuildText.report_title(result.kind, result.name, result.verdict)}",
        result.summary,
        "\n".join(criteria),
        "\n".join(found),
        "\n".join(BuildText.report_gap(gap) for gap in result.test_gaps),
        BuildText.report_risk(result.risk),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"
