"""One discussion: its state, and what follows a complete round."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from bot.discussions.ports import DiscussionView
from bot.discussions.rules import (
    LONGEST_POINT,
    checked_text,
    convergence_history,
    reason_to_end,
    voice_names,
    waiting_for,
)
from bot.discussions.views import FindingsIn, PointIn
from bot.errors import UsageError
from bot.measures.convergence import shared_points
from bot.meeting.dependencies import CoreDependencies
from bot.meeting.model_calls import ModelCaller
from bot.meeting.questions import ModelCall
from bot.meeting.rolling_summary import ROLLING_SUMMARY
from bot.messages.discussions import DiscussionText
from bot.prompting.summary import (
    Point,
    RoundSummary,
    compression_values,
    parse_summary,
    shorten_answer,
)
from bot.record.answer_codec import Reading, summary_from_dict, summary_key, summary_to_dict
from bot.store.log.journal import Journal
from bot.store.repositories.answers import AnswerRepository
from bot.store.repositories.discussions import Discussion, DiscussionRepository
from bot.store.repositories.findings import Finding, FindingRepository
from bot.store.repositories.speeches import COORDINATOR, Said, SpeechRepository
from bot.store.vocabulary import Actor, FindingKind, Status

_Progress = tuple[frozenset[str], dict[int, tuple[Finding, ...]]]


async def _ask_for_findings(
    deps: CoreDependencies, discussion: Discussion, said: Sequence[Said]
) -> tuple[Finding, ...] | None:
    """The round's findings, or None when no model is configured or none could be read."""
    models = () if deps.resolution().rehearsal else deps.coordinators(discussion.run.guild_id)
    if not models:
        return None
    number, run_id = discussion.current_round, discussion.run.id
    profiles = {name: profile for profile, name in _names(discussion).items()}
    earlier = await deps.store.read(
        lambda conn: AnswerRepository(conn).get(run_id, summary_key(number - 1))
    )
    ask = ModelCall(
        key=summary_key(number),
        purpose=ROLLING_SUMMARY,
        prompt=deps.book.render(
            ROLLING_SUMMARY, _values(discussion, said, earlier.parsed if earlier else {})
        ),
        seconds=deps.config(discussion.run.guild_id).timeouts.summary,
        models=models,
        round=number,
    )

    def read(text: str) -> Reading:
        return Reading(parsed=summary_to_dict(parse_summary(text, list(profiles))))

    journal = Journal(deps.store, run_id, Actor.ORCHESTRATOR)
    await deps.prices.load()
    call_budget = deps.call_budget(discussion.run)
    try:
        caller = ModelCaller(deps.store, journal, deps.registry, deps.late, call_budget)
        reply = await caller.ask(ask, read)
    finally:
        await call_budget.close()
    if reply.answer is None:
        return None
    summary = summary_from_dict(reply.answer.parsed)
    return _findings(summary, profiles) if summary.parsed else None


def _values(
    discussion: Discussion, said: Sequence[Said], earlier: Mapping[str, object]
) -> dict[str, str]:
    names = _names(discussion)
    voices = [
        (names[speech.participant], shorten_answer(speech.content))
        for speech in said
        if speech.participant in names
    ]
    topic, number, most = discussion.run.topic, discussion.current_round, discussion.max_rounds
    before = str(earlier.get("summary") or "")
    return compression_values(topic, number, most, voices, before) | {"PROPOSITION": topic}


def _names(discussion: Discussion) -> dict[str, str]:
    return voice_names((person.profile, person.role) for person in discussion.participants)


def _findings(summary: RoundSummary, profiles: Mapping[str, str]) -> tuple[Finding, ...]:
    def found(kind: FindingKind, points: Sequence[Point]) -> list[Finding]:
        return [
            Finding(
                kind, point.text, tuple(profiles[role] for role in point.roles if role in profiles)
            )
            for point in points
        ]

    return (
        *found(FindingKind.CONSENSUS, shared_points(summary)),
        *found(FindingKind.DISAGREEMENT, summary.disagreement),
        *found(FindingKind.NEW_POINT, summary.new_points),
    )


class DiscussionRounds:
    """Finds discussions and moves them on."""

    def __init__(self, deps: CoreDependencies, showing: DiscussionView) -> None:
        self._deps = deps
        self._showing = showing

    async def require(self, discussion_id: str) -> Discussion:
        """The discussion; raises an error for people if it does not exist."""
        found = await self._deps.store.read(
            lambda conn: DiscussionRepository(conn).get(discussion_id)
        )
        if found is None:
            raise UsageError(DiscussionText.NOT_FOUND)
        return found

    async def settled(self, discussion: Discussion) -> Discussion:
        """Draw the consequences of a complete round, also of one a restart interrupted."""
        if discussion.run.status is not Status.ACTIVE:
            return discussion
        spoken, findings = await self.progress(discussion)
        if waiting_for(discussion.active, spoken):
            return discussion
        number, run_id = discussion.current_round, discussion.run.id
        if number not in findings:
            said = await self._deps.store.read(
                lambda conn: SpeechRepository(conn).page(run_id, since_round=number)
            )
            found = await _ask_for_findings(self._deps, discussion, said)
            if found is not None:
                await self.keep_findings(discussion, number, found)
                findings = {**findings, number: found}
        reason = reason_to_end(discussion, convergence_history(findings), number)
        if reason is not None:
            return await self.conclude(discussion, reason)
        await self._deps.store.write(
            lambda conn: DiscussionRepository(conn).set_round(run_id, number, number + 1)
        )
        return await self.require(run_id)

    async def take_findings(
        self, discussion: Discussion, number: int, found: Sequence[Finding]
    ) -> None:
        """Where no model looks at a round, the coordinator says what it showed."""
        await self.keep_findings(discussion, number, found)
        _, findings = await self.progress(discussion)
        reason = reason_to_end(discussion, convergence_history(findings), number)
        if reason is not None:
            await self.conclude(discussion, reason)

    async def round_of_findings(self, discussion: Discussion, participant: str) -> int:
        """The last complete round, which findings are about; raises when they cannot be given."""
        if participant != COORDINATOR:
            raise UsageError(DiscussionText.ONLY_COORDINATOR_FINDS)
        number = discussion.current_round
        spoken = await self.spoken(discussion)
        # Whoever ended in the middle of the first round may say what it showed so far.
        first = number == 1 and bool(spoken - {COORDINATOR})
        complete = first or not waiting_for(discussion.active, spoken)
        if discussion.run.status is not Status.CONCLUDED or not complete:
            number -= 1
        if number < 1:
            raise UsageError(DiscussionText.FINDINGS_TOO_EARLY)
        return number

    async def keep_findings(
        self, discussion: Discussion, number: int, found: Sequence[Finding]
    ) -> None:
        """Keep a round's findings, the first that are given."""
        now, run_id = self._deps.store.now(), discussion.run.id
        await self._deps.store.write(
            lambda conn: FindingRepository(conn).record(
                run_id, number, found, Actor.ORCHESTRATOR, now
            )
        )

    async def spoken(self, discussion: Discussion) -> frozenset[str]:
        """Who has spoken in this round."""
        return (await self.progress(discussion))[0]

    async def progress(self, discussion: Discussion) -> _Progress:
        """Who has spoken in this round, and every round's findings."""
        run_id = discussion.run.id

        def work(conn: Connection) -> _Progress:
            spoken = SpeechRepository(conn).spoken_in(run_id, discussion.current_round)
            return spoken, FindingRepository(conn).by_round(run_id)

        return await self._deps.store.read(work)

    async def conclude(self, discussion: Discussion, reason: str) -> Discussion:
        """End the discussion with its result, for all to see."""
        now, run_id = self._deps.store.now(), discussion.run.id
        await self._deps.store.write(
            lambda conn: DiscussionRepository(conn).conclude(run_id, reason, now)
        )
        ended = await self.require(run_id)
        await self._showing.ended(ended)
        return ended


def found_in(given: FindingsIn, discussion: Discussion) -> list[Finding]:
    """Findings as they are stored; raises when one is too long or of nobody here."""
    profiles = [person.profile for person in discussion.participants]

    def of(kind: FindingKind, points: Sequence[PointIn]) -> list[Finding]:
        return [
            Finding(
                kind,
                checked_text(point.text, DiscussionText.A_FINDING, LONGEST_POINT),
                tuple(point.made_by),
            )
            for point in points
        ]

    found = [
        *of(FindingKind.CONSENSUS, given.consensus),
        *of(FindingKind.DISAGREEMENT, given.disagreement),
        *of(FindingKind.NEW_POINT, given.new_points),
    ]
    strangers = [who for finding in found for who in finding.made_by if who not in profiles]
    if strangers:
        raise UsageError(DiscussionText.no_part_in_it(strangers[0][:80], profiles))
    return found
