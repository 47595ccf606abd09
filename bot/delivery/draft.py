"""Spec first: the panel's answers become a spec that is checked and shown before anybody builds.

Everything is decided from the store, so that a restart continues where the run was (B17, B18).
"""

from sqlalchemy import Connection

from bot.delivery.effects import planned_effects
from bot.delivery.spec import (
    CHANGES,
    PANEL,
    REVIEW,
    accepted_by_rule,
    reviewer_name,
    spec_buttons,
    spec_post,
    state_of,
)
from bot.delivery.team import reviewers_for
from bot.meeting.context import RunContext, RunFailedError
from bot.meeting.grounding import floor_note_for
from bot.meeting.questions import ModelCall
from bot.messages.delivery import BuildText
from bot.money.budget_rules import release
from bot.prompting.build_review import BuildReview, ReviewVerdict, parse_build_review
from bot.prompting.build_spec import parse_build_spec, spec_text
from bot.record.answer_codec import Reading
from bot.record.record import RunRecord
from bot.store import Phase, ReviewType, Verdict, move
from bot.store.repositories import specs
from bot.store.repositories.reviews import Finding, NewReview, ReviewRepository, Severity
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.specs import SpecDraft, SpecRepository
from bot.store.vocabulary import Actor

_SPEC = "build-spec"
_SPEC_REVIEW = "build-spec-review"


async def agree_on_spec(ctx: RunContext, record: RunRecord) -> bool:
    """Draft, check and show the spec; True once one is accepted, False while people are awaited."""
    await switch_specs_off(ctx)
    while True:
        state = await ctx.deps.store.read(lambda conn: state_of(conn, ctx.run.id))
        if state.accepted:
            return True
        draft = state.draft
        if draft is None or draft.replaced:
            await _write(ctx, record, draft)
        elif draft.shown:
            ctx.show(BuildText.spec_waits(draft.version))
            # They are off after a stop, which a retry takes back.
            post = spec_buttons(ctx.run.id, draft.version, state)
            await ctx.deps.stage.revise(ctx.run.id, ctx.place, post)
            return False
        elif draft.by == PANEL and not state.reviewed:
            await _review(ctx, draft)
        else:
            await _decide(ctx, draft, state.weaknesses)


async def switch_specs_off(ctx: RunContext, *, over: bool = False) -> None:
    """Take the buttons off versions that nobody decides about any more; off all when it is over."""
    run_id = ctx.run.id

    def work(conn: Connection) -> list[int]:
        specs, draft = SpecRepository(conn), SpecRepository(conn).latest(run_id)
        waiting = [draft.version] if over and draft and specs.waits(run_id) else []
        return [*specs.settled(run_id), *waiting]

    for version in await ctx.deps.store.read(work):
        post = spec_buttons(run_id, version)
        await ctx.deps.stage.revise(run_id, ctx.place, post)


async def _write(ctx: RunContext, record: RunRecord, earlier: SpecDraft | None) -> None:
    """Have the next version written, from the panel's answers and from what was objected to."""
    store, run = ctx.deps.store, ctx.run
    version = earlier.version + 1 if earlier else 1
    ctx.show(BuildText.spec_being_written(version))
    wishes = await store.read(lambda conn: state_of(conn, run.id).wishes)
    values = {
        "PROMPT": record.topic,
        "ROUND1_SUMMARIES": "\n\n".join(
            f"{s.seat.role}: {s.digest or s.text}" for s in record.final_speeches
        ),
        "ROLLING_SUMMARY": record.summary_before(record.rounds_held),
        "CURRENT_CONTEXT": ctx.context,
        "FLOOR": await floor_note_for(ctx, f"spec-v{version}"),
        "SPEC_DRAFT": earlier.text if earlier else "",
        "FINDINGS": "\n".join(f"- {wish}" for wish in wishes) if earlier else "",
    }
    models = tuple(dict.fromkeys((*ctx.designed.coordinators, *ctx.designed.synthesis)))
    ask = ModelCall(
        key=f"spec:v{version}",
        purpose=_SPEC,
        prompt=ctx.prompt(_SPEC, values),
        seconds=ctx.time.cap_tail(ctx.config.timeouts.synthesis, models),
        models=models,
        must_speak=True,
    )
    reply = await ctx.caller.ask(ask, lambda _: Reading())
    if reply.answer is None:
        raise RunFailedError(BuildText.SPEC_NOT_WRITTEN, "spec:")
    text = spec_text(parse_build_spec(reply.answer.text))
    after = earlier.replaced if earlier else "start"
    await store.write(
        lambda conn: SpecRepository(conn).record(run.id, text, PANEL, after, store.now())
    )


async def _review(ctx: RunContext, draft: SpecDraft) -> None:
    """Let a reviewer append what it finds about the spec; silence is no approval."""
    await ctx.reach(Phase.SPEC_REVIEW, BuildText.SPEC_DRAFTED)
    ctx.show(BuildText.spec_being_reviewed(draft.version))
    written_by = ctx.designed.coordinators[:1]
    reviewer = reviewers_for(ctx, written_by[0].key if written_by else "")[0]
    values = {"PROMPT": ctx.run.topic, "SPEC": draft.text, "ROLE": reviewer.role}
    others = [other.model for other in reviewers_for(ctx, reviewer.model.key)[:1]]
    models = tuple(dict.fromkeys((reviewer.model, *others)))
    ask = ModelCall(
        key=f"spec-review:v{draft.version}",
        purpose=_SPEC_REVIEW,
        prompt=ctx.deps.book.render(_SPEC_REVIEW, values, ctx.run.id),
        seconds=ctx.time.cap_tail(ctx.config.timeouts.validation, models),
        models=models,
    )
    reply = await ctx.caller.ask(ask, lambda _: Reading())
    found = parse_build_review(reply.answer.text) if reply.answer else None
    await _append(ctx, draft, reviewer.role, found)


async def _append(ctx: RunContext, draft: SpecDraft, role: str, found: BuildReview | None) -> None:
    known = found is not None and found.verdict is not ReviewVerdict.UNKNOWN
    verdict = Verdict(found.verdict) if found and known else Verdict.CHANGES_REQUESTED
    summary = found.summary if found and known else BuildText.NO_VERDICT
    findings = tuple(
        Finding(Severity(f.severity), f.message, f.where)
        for f in (found.findings if found and known else ())
    )
    name = reviewer_name(role, draft.version)
    review = NewReview(ctx.run.id, 0, ReviewType.SPEC, name, verdict, summary, findings)
    store = ctx.deps.store
    await store.write(
        lambda conn: ReviewRepository(conn).append(review, Actor.SPEC_REVIEWER, store.now())
    )


async def _decide(ctx: RunContext, draft: SpecDraft, weaknesses: tuple[str, ...]) -> None:
    """The orchestrator's part: back to the draft, accepted by rule, or shown to the starter."""
    store, run_id = ctx.deps.store, ctx.run.id
    if not weaknesses:
        await ctx.reach(Phase.SPEC_REVIEW, BuildText.SPEC_DRAFTED)
        if ctx.run.request.get("quick") and draft.by == PANEL:
            await ctx.say(accepted_by_rule(draft, planned_effects(ctx)))
            await store.write(
                lambda conn: SpecRepository(conn).accept(run_id, draft, specs.BY_RULE, store.now())
            )
            return
    else:
        await _back_to_draft(ctx)
        if draft.by == PANEL and draft.after in ("start", CHANGES):
            await store.write(
                lambda conn: SpecRepository(conn).replace(
                    run_id, draft.version, REVIEW, store.now()
                )
            )
            return
    facts = await store.read(lambda conn: state_of(conn, run_id))
    await ctx.say(spec_post(ctx.run, draft, facts, planned_effects(ctx)))

    def rest(conn: Connection) -> None:
        SpecRepository(conn).mark_shown(run_id, draft.version, store.now())
        release(conn, ctx.run, store.now())
        RunRepository(conn).set_reason(run_id, BuildText.spec_waits(draft.version), store.now())

    await store.write(rest)


async def _back_to_draft(ctx: RunContext) -> None:
    """A weak spec is a draft (B12)."""
    store, run_id = ctx.deps.store, ctx.run.id

    def work(conn: Connection) -> Run:
        run = RunRepository(conn).require(run_id)
        if run.phase is not Phase.SPEC_REVIEW:
            return run
        actor, why = Actor.ORCHESTRATOR, BuildText.SPEC_TOO_WEAK
        return move(conn, run_id, run.phase, Phase.SPEC_DRAFT, actor, why, store.now())

    ctx.run = await store.write(work)
