"""The operations that change a discussion: init, speak, end."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from pydantic import JsonValue
from sqlalchemy import Connection

from bot.discussions import queries
from bot.discussions.document import LONGEST_PATH
from bot.discussions.ports import ConclusionFiles, DiscussionRequest, DiscussionView
from bot.discussions.prompts import Prompts
from bot.discussions.queries import DiscussionQueries
from bot.discussions.rules import (
    LONGEST_POINT,
    checked_text,
    convergence_history,
    everybody_wants_to_end,
    next_speaker,
)
from bot.discussions.runs import RunsForAgents
from bot.discussions.table import DiscussionRounds, found_in
from bot.discussions.views import Ended, FindingsIn, Opened, Order, ParticipantIn, Spoken
from bot.errors import UsageError
from bot.links.references import Reference
from bot.measures.convergence import latest_score
from bot.meeting.dependencies import CoreDependencies
from bot.messages.discussions import DiscussionText
from bot.panels.names import role_fault, shown
from bot.prompting.text import flat
from bot.record.run_rows import plain_title
from bot.store.repositories.discussions import (
    Discussion,
    DiscussionRepository,
    NewDiscussion,
    Participant,
)
from bot.store.repositories.findings import Finding
from bot.store.repositories.speeches import COORDINATOR, Said, SpeechRepository
from bot.store.vocabulary import Status, TalkOrder
from bot.types.characters import clean

_LEAST, _MOST = 2, 20
_LONGEST_TOPIC = 2_000
_LONGEST_CONTEXT = 20_000
_LONGEST_SPEECH = 20_000
_LONGEST_CREATOR = 60
_MOST_ROUNDS = 10
_MOST_SPEECHES = 10
_MOST_OF_COORDINATOR = 40
"""How often one may speak in a round; the coordinator may speak between any two."""
_LONGEST_PROFILE = 64
_PROFILE = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_.-]{{0,{_LONGEST_PROFILE - 1}}}")
_LONGEST_CONCLUSION = 50_000
BOUNDS: Final[Mapping[str, dict[str, JsonValue]]] = {
    "topic": {"minLength": 1, "maxLength": _LONGEST_TOPIC},
    "context": {"maxLength": _LONGEST_CONTEXT},
    "participants": {"minItems": _LEAST, "maxItems": _MOST},
    "max_rounds": {"minimum": 1, "maximum": _MOST_ROUNDS},
    "created_by": {"minLength": 1, "maxLength": _LONGEST_CREATOR},
    "speech": {"minLength": 1, "maxLength": _LONGEST_SPEECH},
    "speaker": {"minLength": 1, "maxLength": _LONGEST_PROFILE},
    "conclusion": {"minLength": 1, "maxLength": _LONGEST_CONCLUSION},
    "output_path": {"maxLength": LONGEST_PATH},
    "channel": {"maxLength": 20},
    "link": {"maxLength": 300},
}
"""What the checks here allow, as JSON schemas say it; the checks have the better sentences."""


def _checked_name(name: str, what: str) -> str:
    """A one-line name that Discord accepts for a speaker."""
    plain = flat(checked_text(name, what, LONGEST_POINT))
    if fault := role_fault(plain):
        raise UsageError(DiscussionText.name_refused(what, shown(plain), fault))
    return plain


def checked_creator(name: str) -> str:
    """The name of a discussion's creator, shown after the coordinator's."""
    plain = checked_text(flat(name), "created_by", _LONGEST_CREATOR)
    _checked_name(DiscussionText.coordinator_name(plain), DiscussionText.A_NAME)
    return plain


def _checked_rounds(max_rounds: int) -> int:
    """A number of rounds that a discussion may have (2.2#1)."""
    if not 1 <= max_rounds <= _MOST_ROUNDS:
        raise UsageError(DiscussionText.wrong_rounds(max_rounds, _MOST_ROUNDS))
    return max_rounds


def _checked_order(order: Order) -> TalkOrder:
    """One of the four orders."""
    try:
        return TalkOrder(order)
    except ValueError:
        raise UsageError(DiscussionText.unknown_order(order)) from None


def checked_participants(given: Sequence[ParticipantIn]) -> tuple[Participant, ...]:
    """Check the participants: at least two, unique profiles, none posing as the coordinator."""
    if not _LEAST <= len(given) <= _MOST:
        raise UsageError(DiscussionText.wrong_number(len(given), _LEAST, _MOST))
    people = tuple(_checked(person) for person in given)
    seen: set[str] = set()
    for person in people:
        if person.profile.casefold() in seen:
            raise UsageError(DiscussionText.profile_twice(person.profile))
        seen.add(person.profile.casefold())
    return people


def _checked(given: ParticipantIn) -> Participant:
    if not _PROFILE.fullmatch(given.profile):
        raise UsageError(DiscussionText.odd_profile(given.profile[:80]))
    if given.profile.casefold() == COORDINATOR:
        raise UsageError(DiscussionText.NAME_IS_TAKEN)
    role = _checked_name(given.role, DiscussionText.A_ROLE)
    display_name = flat(clean(given.display_name[:1_000])) or role
    _checked_name(DiscussionText.participant_name(role, display_name), DiscussionText.A_NAME)
    return Participant(
        profile=given.profile,
        role=role,
        perspective=checked_text(
            given.perspective, DiscussionText.A_PERSPECTIVE, 1_000, empty=True
        ),
        display_name=display_name,
        priority=max(-1000, min(1000, given.priority)),
    )


class Discussions:
    """Runs discussions for agents; those with a channel are shown to people."""

    def __init__(
        self,
        deps: CoreDependencies,
        showing: DiscussionView,
        writing: ConclusionFiles,
        meetings: RunsForAgents | None = None,
    ) -> None:
        self._deps = deps
        self._showing = showing
        self._writing = writing
        self._tables = DiscussionRounds(deps, showing)
        self.look = DiscussionQueries(deps, showing, self._tables, meetings)
        self.prompts = Prompts(deps, self._tables, self.look)

    async def init(self, beginning: DiscussionRequest) -> Opened:
        """Open a discussion (C3)."""
        participants = checked_participants(beginning.participants)
        guild_id, channel_id = await self._showing.place(beginning.channel)
        await self._deps.require_running(guild_id)
        link = self._checked_link(beginning.link, guild_id)
        topic = checked_text(beginning.topic, DiscussionText.THE_TOPIC, _LONGEST_TOPIC)
        new = NewDiscussion(
            topic=topic,
            title=plain_title(topic),
            context=checked_text(
                beginning.context, DiscussionText.THE_CONTEXT, _LONGEST_CONTEXT, empty=True
            ),
            created_by=checked_creator(beginning.created_by),
            max_rounds=_checked_rounds(beginning.max_rounds),
            speech_order=_checked_order(beginning.speech_order),
            participants=participants,
            seed=secrets.randbelow(2**31),
            output_path=self._writing.checked(beginning.output_path),
            link=link,
            guild_id=guild_id,
            channel_id=channel_id,
        )
        now = self._deps.store.now()
        opened = await self._deps.store.write(
            lambda conn: DiscussionRepository(conn).create(new, now)
        )
        opened = await self._showing.opened(opened)
        return Opened(
            discussion_id=opened.run.id,
            status=queries.status_of(opened),
            current_round=opened.current_round,
            max_rounds=opened.max_rounds,
            next_speaker=next_speaker(opened, frozenset()),
            thread_url=self._showing.url(opened),
            advice=DiscussionText.OPEN_IT,
        )

    def _checked_link(self, link: str, guild_id: int) -> str:
        if not link:
            return ""
        return Reference.of(link, self._deps.config(guild_id).links).url

    async def speak(
        self,
        discussion_id: str,
        participant: str,
        content: str,
        reply_to: int | None = None,
        findings: FindingsIn | None = None,
    ) -> Spoken:
        """Record a speech (C6) and, when it completes a round, what follows from that."""
        text = checked_text(content, DiscussionText.THE_SPEECH, _LONGEST_SPEECH)
        async with self._deps.store.working_on.holding(discussion_id):
            before = await self._tables.settled(await self._tables.require(discussion_id))
            _require_active(before)
            found = await self._found(before, participant, findings)
            turn = next_speaker(before, await self._tables.spoken(before))
            said = await self._record(before, participant, text, reply_to)
            await self._showing.said(before, said)
            if found is not None:
                await self._tables.take_findings(before, *found)
            after = await self._tables.settled(await self._tables.require(discussion_id))
        spoken = await self._spoken(before, after, said)
        if aside := _out_of_turn(turn, participant):
            return spoken.model_copy(update={"advice": f"{aside} {spoken.advice}"})
        return spoken

    async def end(
        self,
        discussion_id: str,
        by: str = COORDINATOR,
        conclusion: str | None = None,
        findings: FindingsIn | None = None,
        *,
        cancel: bool = False,
        reason: str = DiscussionText.ENDED_BY_COORDINATOR,
    ) -> Ended:
        """The coordinator concludes or cancels (C10); a participant votes for the end (C22)."""
        text = (
            None
            if conclusion is None
            else checked_text(conclusion, DiscussionText.THE_CONCLUSION, _LONGEST_CONCLUSION)
        )
        async with self._deps.store.working_on.holding(discussion_id):
            discussion = await self._tables.require(discussion_id)
            found = await self._found(discussion, by, findings)
            if by != COORDINATOR:
                if text is not None or cancel:
                    raise UsageError(DiscussionText.ONLY_COORDINATOR_ENDS)
                return await self._vote(discussion, by)
            _require_endable(discussion, text, cancel=cancel)
            if found is not None:
                await self._tables.keep_findings(discussion, *found)
            return await self._end(discussion, text, reason, cancel=cancel)

    async def _found(
        self, discussion: Discussion, by: str, given: FindingsIn | None
    ) -> tuple[int, list[Finding]] | None:
        """The round that findings are about, and these as they are stored; refuses before
        anything changes.
        """
        if given is None:
            return None
        number = await self._tables.round_of_findings(discussion, by)
        return number, found_in(given, discussion)

    async def _record(
        self, discussion: Discussion, participant: str, text: str, reply_to: int | None
    ) -> Said:
        _require_member(discussion, participant)
        now = self._deps.store.now()

        def work(conn: Connection) -> Said:
            run_id, round_ = discussion.run.id, discussion.current_round
            if reply_to is not None and SpeechRepository(conn).get(run_id, reply_to) is None:
                raise UsageError(DiscussionText.no_such_speech(reply_to))
            # The coordinator's first speech is the opening (2.2#3).
            opening = participant == COORDINATOR and SpeechRepository(conn).nothing_said(run_id)
            _require_room(SpeechRepository(conn).count_in(run_id, round_, participant), participant)
            return SpeechRepository(conn).record(
                run_id, 0 if opening else round_, participant, text, reply_to, now
            )

        return await self._deps.store.write(work)

    async def _spoken(self, before: Discussion, after: Discussion, said: Said) -> Spoken:
        spoken, findings = await self._tables.progress(after)
        complete = after.run.status is not Status.ACTIVE
        round_complete = complete or after.current_round > before.current_round
        return Spoken(
            speech_id=said.id,
            round=said.round,
            participant=said.participant,
            next_speaker=None if complete else next_speaker(after, spoken),
            round_complete=round_complete,
            discussion_complete=complete,
            convergence_score=latest_score(convergence_history(findings)),
            advice=_advice(after, said, round_complete=round_complete, findings=findings),
        )

    async def _vote(self, discussion: Discussion, profile: str) -> Ended:
        _require_member(discussion, profile)
        run_id = discussion.run.id
        if discussion.run.status is not Status.ACTIVE:
            return await self._over(discussion)
        await self._deps.store.write(
            lambda conn: DiscussionRepository(conn).vote_to_end(run_id, profile)
        )
        discussion = await self._tables.require(run_id)
        if everybody_wants_to_end(discussion):
            ended = await self._tables.conclude(discussion, DiscussionText.ALL_VOTED)
            return self._ended(ended, await self._writing.write(ended))
        return self._ended(discussion, None)

    async def _end(
        self, discussion: Discussion, text: str | None, reason: str, *, cancel: bool
    ) -> Ended:
        if discussion.run.status is not Status.ACTIVE:
            return await self._end_again(discussion, text)
        run_id, now = discussion.run.id, self._deps.store.now()

        def work(conn: Connection) -> None:
            if text is not None:
                DiscussionRepository(conn).set_conclusion(run_id, text)
            if cancel:
                DiscussionRepository(conn).cancel(
                    run_id, DiscussionText.CANCELLED_BY_COORDINATOR, now
                )
            else:
                DiscussionRepository(conn).conclude(run_id, reason, now)

        await self._deps.store.write(work)
        return await self._over(await self._tables.require(run_id))

    async def _end_again(self, discussion: Discussion, text: str | None) -> Ended:
        """Ending twice changes nothing; what ended by itself may still get its conclusion, once."""
        if text is None or text == discussion.conclusion:
            return await self._over(discussion)
        run_id = discussion.run.id
        await self._deps.store.write(
            lambda conn: DiscussionRepository(conn).set_conclusion(run_id, text)
        )
        return await self._over(replace(discussion, conclusion=text))

    async def _over(self, ended: Discussion) -> Ended:
        """Show the end and write the file, also when an earlier call could not."""
        await self._showing.ended(ended)
        return self._ended(ended, await self._writing.write(ended))

    def _ended(self, discussion: Discussion, path: str | None) -> Ended:
        """What came of a call: the file, or who has not voted for the end yet."""
        votes = [person.profile for person in discussion.active if person.wants_end]
        waiting = [person.profile for person in discussion.active if not person.wants_end]
        return Ended(
            discussion_id=discussion.run.id,
            status=queries.status_of(discussion),
            reason=discussion.run.status_reason if path else "",
            votes_to_end=votes,
            output_path=path,
            advice=_after_end(discussion, path) if path else DiscussionText.still_to_vote(waiting),
        )


def _require_active(discussion: Discussion) -> None:
    if discussion.run.status is not Status.ACTIVE:
        raise UsageError(DiscussionText.is_over(discussion.run.status))


def _require_endable(discussion: Discussion, text: str | None, *, cancel: bool) -> None:
    """Whoever ends what is over must say the same again, or bring the missing conclusion."""
    status, known = discussion.run.status, discussion.conclusion
    if status is Status.ACTIVE:
        return
    concluded = status is Status.CONCLUDED
    other = text is not None and text != known
    if cancel is concluded or (other and (known or not concluded)):
        raise UsageError(DiscussionText.ended_before(status))


def _require_member(discussion: Discussion, profile: str) -> None:
    allowed = [person.profile for person in discussion.active]
    if profile not in (COORDINATOR, *allowed):
        raise UsageError(DiscussionText.may_not_speak(profile[:80], allowed))


def _require_room(spoken: int, participant: str) -> None:
    most = _MOST_OF_COORDINATOR if participant == COORDINATOR else _MOST_SPEECHES
    if spoken >= most:
        raise UsageError(DiscussionText.spoke_enough(participant, most))


def _out_of_turn(turn: str | None, speaker: str) -> str:
    """What to say to one who spoke while it was another's turn, for the order is advice."""
    if turn is None or speaker in (turn, COORDINATOR):
        return ""
    return DiscussionText.out_of_turn(turn)


def _advice(
    after: Discussion, said: Said, *, round_complete: bool, findings: dict[int, tuple[Finding, ...]]
) -> str:
    if after.run.status is not Status.ACTIVE:
        return DiscussionText.CONCLUDE_IT
    if round_complete and said.round not in findings:
        return DiscussionText.find_yourself(said.round)
    if round_complete:
        return DiscussionText.round_begins(after.current_round)
    return DiscussionText.ROUND_GOES_ON


def _after_end(discussion: Discussion, path: str) -> str:
    if discussion.run.status is Status.CANCELLED:
        return DiscussionText.was_said_in(path)
    if discussion.conclusion:
        written = DiscussionText.conclusion_is_in(path)
        if discussion.link and not discussion.run.output_channel_id:
            where = DiscussionText.operator_approves(discussion.run.id, discussion.link)
            return f"{written} {where}"
        return written
    return DiscussionText.file_lacks_conclusion(path)
