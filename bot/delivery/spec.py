"""What the starter says about a spec: accept it, edit it, or ask for another one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection

from bot.access.admission import Asker, require_place
from bot.errors import NotAllowedError, UsageError
from bot.meeting.dependencies import Dependencies
from bot.messages.delivery import BuildText
from bot.money.budget_rules import reserve_rest, stored_estimate
from bot.prompting.build_spec import BuildSpec, parse_build_spec, spec_text, spec_weaknesses
from bot.stage.port import THE_BOT, Attachment, Post, PostButton, Tone, button_id
from bot.store import ArtifactKind, Phase, Verdict
from bot.store.repositories.artifacts import ArtifactRepository
from bot.store.repositories.inbound import InboundMessage, InboundRepository
from bot.store.repositories.reviews import Review, ReviewRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.specs import SpecDraft, SpecRepository

PANEL: Final = "panel"
_START: Final = "start"
CHANGES: Final = "changes"
EDIT: Final = "edit"
REVIEW: Final = "review"
WISH_LIMIT = 1500
ACCEPT: Final = "accept"
LABELS: Final = {ACCEPT: BuildText.ACCEPT, EDIT: BuildText.EDIT, CHANGES: BuildText.ASK_FOR_CHANGES}
_TONES: Final = {ACCEPT: Tone.GOOD, EDIT: Tone.PLAIN, CHANGES: Tone.PLAIN}


@dataclass(frozen=True, slots=True)
class _SpecState:
    """The newest version with its review; `weaknesses` keep it from being accepted (B12)."""

    accepted: bool
    draft: SpecDraft | None = None
    review: Review | None = None
    weaknesses: tuple[str, ...] = ()
    wishes: tuple[str, ...] = ()
    """What the next version has to meet: objections, and what the starter asked for."""

    @property
    def reviewed(self) -> bool:
        """Whether somebody has reviewed this version."""
        return self.review is not None


def state_of(conn: Connection, run_id: str) -> _SpecState:
    """Read where the spec stands."""
    draft = SpecRepository(conn).latest(run_id)
    accepted = SpecRepository(conn).is_accepted(run_id)
    if draft is None:
        return _SpecState(accepted)
    mark = reviewer_name("", draft.version)
    found = [r for r in ReviewRepository(conn).of_attempt(run_id, 0) if r.reviewer.endswith(mark)]
    review = found[-1] if found else None
    formal = spec_weaknesses(parse_build_spec(draft.text))
    objections = _objections(review)
    weaknesses = (*formal, *objections)
    wished = filter(None, [_wish_of(conn, run_id, draft)])
    return _SpecState(accepted, draft, review, weaknesses, (*wished, *weaknesses))


def _wish_of(conn: Connection, run_id: str, draft: SpecDraft) -> str:
    """What a person asked to have changed; processes of an earlier version made a file of it."""
    if draft.wish_id:
        said = InboundRepository(conn).get(draft.wish_id)
        return said.content if said else ""
    name = f"spec-v{draft.version}-wish.md"
    file = ArtifactRepository(conn).find(run_id, 0, ArtifactKind.OTHER, name)
    return file.content if file else ""


def reviewer_name(role: str, version: int) -> str:
    """How the reviewer of a version is called in the store."""
    return f"{role} · spec v{version}"


def _objections(review: Review | None) -> tuple[str, ...]:
    if review is None or review.verdict is Verdict.APPROVED:
        return ()
    listed = tuple(f"{f.where}: {f.message}" if f.where else f.message for f in review.findings)
    return listed or (review.summary or BuildText.NOT_APPROVED,)


@dataclass(frozen=True, slots=True)
class _Asked:
    run: Run
    state: _SpecState
    draft: SpecDraft


class SpecDecisions:
    """Takes decisions about specs; everything it knows is in the store."""

    def __init__(self, deps: Dependencies, take_up: Callable[[Run], None]) -> None:
        self._deps = deps
        self._take_up = take_up

    async def accept(self, run_id: str, version: int, asker: Asker) -> str:
        """Let the build begin; a spec that is too weak is refused."""

        def work(conn: Connection) -> None:
            asked = _require(conn, run_id, version, asker)
            if asked.state.weaknesses:
                raise UsageError(BuildText.spec_is_weak(asked.state.weaknesses[0]))
            SpecRepository(conn).accept(run_id, asked.draft, str(asker.id), self._deps.store.now())

        await self._go_on(run_id, work)
        return BuildText.spec_accepted(version)

    async def text_of(self, run_id: str, version: int, asker: Asker) -> BuildSpec:
        """The spec for a form; refuses somebody who may not edit it before they write."""
        found = await self._deps.store.read(lambda conn: _require(conn, run_id, version, asker))
        return parse_build_spec(found.draft.text)

    async def edit(self, run_id: str, version: int, asker: Asker, text: str) -> str:
        """Take an edited spec as the next version; it is shown again to be accepted."""
        spec, now = parse_build_spec(text), self._deps.store.now()
        if weak := spec_weaknesses(spec):
            raise UsageError(BuildText.edit_refused(weak[0]))

        def work(conn: Connection) -> None:
            _require(conn, run_id, version, asker)
            SpecRepository(conn).replace(run_id, version, EDIT, now)
            SpecRepository(conn).record(run_id, spec_text(spec), str(asker.id), EDIT, now)

        await self._go_on(run_id, work)
        return BuildText.edit_taken(version + 1)

    async def change(self, run_id: str, version: int, asker: Asker, wish: str, wish_id: int) -> str:
        """Have another version written that meets what was asked for.

        It is kept like a message, under Discord's id of the form, and so goes with its person.
        """
        text, now = wish.strip()[:WISH_LIMIT], self._deps.store.now()
        if not text:
            raise UsageError(BuildText.SAY_WHAT_TO_CHANGE)

        def work(conn: Connection) -> None:
            run = _require(conn, run_id, version, asker).run
            where = run.thread_id or run.output_channel_id
            said = InboundMessage(wish_id, where, run.guild_id, asker.id, text, now, run_id=run_id)
            InboundRepository(conn).remember(said, now)
            SpecRepository(conn).replace(run_id, version, CHANGES, now, wish_id=wish_id)

        await self._go_on(run_id, work)
        return BuildText.WRITTEN_ANEW

    async def _go_on(self, run_id: str, work: Callable[[Connection], None]) -> None:
        def write(conn: Connection) -> Run:
            work(conn)
            run, now = RunRepository(conn).require(run_id), self._deps.store.now()
            config = self._deps.config(run.guild_id)
            require_place(conn, run, config, now)
            reserve_rest(conn, run, stored_estimate(run), config.budgets, now)
            return run

        self._take_up(await self._deps.store.write(write))


def _require(conn: Connection, run_id: str, version: int, asker: Asker) -> _Asked:
    """The version, if it still waits and this is the person it waits for."""
    run = RunRepository(conn).get(run_id)
    if run is None:
        raise UsageError(BuildText.NOT_STORED)
    if asker.id != run.starter_id and not asker.may_manage:
        raise NotAllowedError(BuildText.NOT_YOURS)
    state = state_of(conn, run_id)
    if state.accepted:
        raise UsageError(BuildText.ACCEPTED_BEFORE)
    if run.finished_at is not None or run.phase not in (Phase.SPEC_DRAFT, Phase.SPEC_REVIEW):
        raise UsageError(BuildText.ENDED_MEANWHILE)
    draft = state.draft
    if draft is None or draft.version != version or draft.replaced:
        raise UsageError(BuildText.NEWER_VERSION)
    return _Asked(run, state, draft)


def spec_button_id(run_id: str, version: int, action: str) -> str:
    """The custom id that still means the same version after a restart."""
    return button_id(run_id, f"spec:{version}:{action}")


def spec_post(run: Run, draft: SpecDraft, state: _SpecState, planned: Sequence[str]) -> Post:
    """The version that waits for its starter, with what the build plans outside the run."""
    return replace(
        spec_buttons(run.id, draft.version, state),
        text="\n".join(
            [_title(draft), draft.text, *_judged(state), *_outside(planned), _asks(state)]
        ),
        attachments=(Attachment(f"spec-v{draft.version}.md", draft.artifact_id),),
        ping_user_id=run.starter_id,
    )


def spec_buttons(run_id: str, version: int, state: _SpecState | None = None) -> Post:
    """What changes the buttons under a version that is out: none where nobody is awaited."""
    actions = (EDIT, CHANGES) if state and state.weaknesses else (ACCEPT, EDIT, CHANGES)
    buttons = tuple(
        PostButton(LABELS[name], spec_button_id(run_id, version, name), _TONES[name])
        for name in actions
    )
    return Post(f"spec-v{version}", THE_BOT, "", buttons=buttons if state else ())


def accepted_by_rule(draft: SpecDraft, planned: Sequence[str]) -> Post:
    """What is told when a quick build does not wait."""
    return Post(
        key=f"spec-v{draft.version}",
        speaker=THE_BOT,
        text="\n".join([_title(draft), draft.text, *_outside(planned), BuildText.ACCEPTED_BY_RULE]),
        attachments=(Attachment(f"spec-v{draft.version}.md", draft.artifact_id),),
    )


def _title(draft: SpecDraft) -> str:
    return BuildText.spec_title(draft.version, by_the_panel=draft.by == PANEL)


def _outside(planned: Sequence[str]) -> list[str]:
    return [f"🔐 {text}" for text in planned]


def _judged(state: _SpecState) -> list[str]:
    lines = []
    if state.review is not None:
        role = state.review.reviewer.partition(" · ")[0]
        lines.append(BuildText.spec_reviewed(role, state.review.verdict, state.review.summary))
    if state.weaknesses:
        lines += [BuildText.TOO_WEAK_HEAD, *(f"- {w}" for w in state.weaknesses)]
    return lines


def _asks(state: _SpecState) -> str:
    return BuildText.MEND_FIRST if state.weaknesses else BuildText.ACCEPT_FIRST
