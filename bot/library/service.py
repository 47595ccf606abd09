"""Past roundtables for those who may read them: status, list, show, read, export."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from bot.access.readers import Reader, Readers
from bot.approvals.issue_comment import IssueComments
from bot.discussions.document import ConclusionFolder
from bot.discussions.service import Discussions
from bot.discussions.thread import DiscussionThread
from bot.discussions.views import State
from bot.errors import UsageError
from bot.meeting.dependencies import Dependencies
from bot.messages.decisions import ReopenText
from bot.messages.library import AuthorText, LibraryText
from bot.messages.starting import ModeText
from bot.panels import Resolution
from bot.panels.seating import BUDGET
from bot.record.attempts import AttemptState, NextStep, attempt_state
from bot.record.loader import DamagedRunError, naming_damaged_run, record_of
from bot.record.masking import Mask, mask_of, read_masked_record
from bot.record.record import RunRecord
from bot.record.run_rows import RunRows, load_run_rows, place_of, title_of
from bot.record.transcript import outcomes_of
from bot.reports.agreement_picture import draw_picture
from bot.reports.build import build_history
from bot.reports.conclusion import conclusion_text, details_text, outcome_link
from bot.reports.files import dated_slug, json_export, roundtables_folder
from bot.reports.minutes import minutes_name, minutes_text
from bot.reports.page import printable_page
from bot.search.results import known_urls
from bot.stage.cleaning import clean_text, short_line
from bot.stage.port import place_url
from bot.store import Phase, Status
from bot.store.repositories.artifacts import FileRepository
from bot.store.repositories.discussions import Discussion, DiscussionRepository
from bot.store.repositories.posts import PostOrigin, PostRepository
from bot.store.repositories.runs import Run
from bot.types.reply import ReplyText, TextFile

_TOPIC_LIMIT = 90
_LISTED_TOPIC_LIMIT = 60
_WORDS = {
    Phase.AWAITING_APPROVAL: LibraryText.AWAITING_APPROVAL,
    Phase.CIRCUIT_OPEN: LibraryText.FAILED_FOR_GOOD,
    Phase.FAILED: LibraryText.NOT_CONCLUDED,
    Phase.COMPLETED: LibraryText.CONCLUDED,
}
_MARKS = {Status.ACTIVE: "⏳", Status.CONCLUDED: "✅", Status.CANCELLED: "⏹️"}
_TALK = "talk:"
_CONCLUSIONS = ("conclusion", "shared:")
_MOST_LISTED = 10
_MOST_CHOICES = 25
_CHOICE_LIMIT = 100


def _plain_topic(run: Run, limit: int = _TOPIC_LIMIT) -> str:
    """The topic on one line, without any markup."""
    return title_of(run, limit)


def _status_word(run: Run) -> str:
    """The status of a run in a word or two."""
    return _WORDS.get(run.phase, LibraryText.RUNNING)


def _list_line(run: Run, outcome: str) -> str:
    """One line of a list: topic, what came out, place and start."""
    where, mode = place_of(run).target_id, ModeText.of(run.mode)
    shown = outcome or f"{_MARKS[run.status]} {_status_word(run)}"
    topic = _plain_topic(run, _LISTED_TOPIC_LIMIT)
    return LibraryText.list_line(topic, shown, mode, where, run.created_at, run.id)


def _meeting_status(run: Run, record: RunRecord, now: AttemptState) -> str:
    """The status of a meeting: how far it is or, once it is over, what came out."""
    mark, mode = _MARKS[run.status], ModeText.of(run.mode)
    over = run.finished_at is not None
    lines = [
        LibraryText.status_line(mark, _plain_topic(run), mode, _status_word(run)),
        outcome_link(record) if over else _progress(record),
        LibraryText.started(run.created_at, run.starter_id, run.id, run.finished_at),
        place_url(place_of(run)),
    ]
    if not over and now.next is NextStep.WAIT:
        lines.insert(1, LibraryText.retries_itself(now.due_at))
    if run.status is Status.CANCELLED:
        lines[1:2] = [LibraryText.can_be_retried(short_line(run.status_reason, 300))]
    return "\n".join(line for line in lines if line)


def _progress(record: RunRecord) -> str:
    if not record.seats:
        return LibraryText.BEING_CHOSEN
    number = max((speech.round for speech in record.speeches), default=1)
    spoke = sum(speech.spoke for speech in record.speeches if speech.round == number)
    roles = [seat.role for seat in record.seats]
    return LibraryText.progress(number, record.rounds_planned, spoke, roles)


def _discussion_status(discussion: Discussion, state: State) -> str:
    """The status of an agent discussion."""
    run = discussion.run
    people = [clean_text(person.role) for person in discussion.participants]
    lines = [
        LibraryText.discussion_line(_MARKS[run.status], _plain_topic(run), state.status),
        LibraryText.discussion_progress(
            state.current_round, state.max_rounds, state.waiting_for, state.convergence_score
        ),
        LibraryText.discussion_held_by(people, clean_text(discussion.created_by), run.id),
        place_url(place_of(run)),
    ]
    return "\n".join(lines)


def _origin_of(conn: Connection, message_id: int) -> PostOrigin | None:
    """The post a message belongs to."""
    return PostRepository(conn).find_by_message_id(message_id)


def _who_said(conn: Connection, run: Run, origin: PostOrigin, now: float) -> str:
    """One line about the author of a post."""
    about = AuthorText.about(_plain_topic(run), run.id)
    discussion = DiscussionRepository(conn).get(run.id)
    if discussion is not None:
        roles = {person.profile: person.role for person in discussion.participants}
        nobodys = AuthorText.COORDINATOR if origin.seat else AuthorText.ROUNDTABLE_ITSELF
        name, held_by = roles.get(origin.seat, nobodys), discussion.created_by
        return AuthorText.by_agent(clean_text(name), clean_text(held_by), about)
    facts, mask = load_run_rows(conn, run.id), mask_of(conn, run)
    if origin.seat:
        return AuthorText.by_panelist(_panelist(facts, mask, origin), _occasion(origin), about)
    if origin.key.startswith(_CONCLUSIONS):
        record = mask.record(record_of(facts, now))
        return AuthorText.conclusion_by(record.conclusion.model or AuthorText.NO_MODEL, about)
    return AuthorText.by_the_bot(about)


def _panelist(facts: RunRows, mask: Mask, origin: PostOrigin) -> str:
    seat = next((seat for seat in facts.seats if seat.slug == origin.seat), None)
    if seat is None:
        return AuthorText.SOME_PANELIST
    if mask:
        return AuthorText.masked(mask.text(seat.role))
    outcome = outcomes_of(facts).get(origin.key)
    model = outcome.answered_model if outcome else ""
    design = facts.design
    if design.get("rehearsal"):
        return AuthorText.stand_in(seat.role, seat.model)
    return AuthorText.panelist(seat.role, seat.model, "" if model == seat.model else model)


def _occasion(origin: PostOrigin) -> str:
    if origin.key.startswith(_TALK):
        return AuthorText.AFTER_THE_MEETING
    name = origin.key.partition(":")[0]
    number = name.lstrip("rs")
    if not number.isdigit():
        return AuthorText.AT_THE_END
    return AuthorText.in_round(number) if name.startswith("r") else AuthorText.in_stage(number)


@dataclass(frozen=True, slots=True)
class RunChoice:
    """One completion: its label and its value."""

    label: str
    value: str


class Library:
    """Answers readers; what they may not read is not found."""

    def __init__(self, deps: Dependencies, talks: Discussions) -> None:
        self._deps = deps
        self.talks = talks
        self.readers = Readers(deps.store, deps.stage, deps.sleep)

    async def status(self, reader: Reader, run_id: str | None) -> ReplyText:
        """Where a roundtable stands."""
        run = await self.readers.find(reader, run_id)
        with naming_damaged_run(run.id):
            return await self._status(run)

    async def listing(self, reader: Reader) -> ReplyText:
        """The newest that the reader can read."""
        found = (await self.readers.newest(reader))[:_MOST_LISTED]
        if not found:
            return ReplyText(
                LibraryText.EMPTY_LIST if reader.private else LibraryText.EMPTY_IN_PUBLIC
            )
        lines = [_list_line(run, await self.outcome(run)) for run in found]
        return ReplyText("\n".join([LibraryText.LIST, *lines]))

    async def outcome(self, run: Run) -> str:
        """What came out of a meeting, in one line; nothing while it runs or cannot be read."""
        if run.finished_at is None or await self._discussion(run) is not None:
            return ""
        try:
            with naming_damaged_run(run.id):
                record = await read_masked_record(self._deps.store, run.id)
                newer = record.aftermath.superseded_by
                replaced = [ReopenText.in_list(newer.thread_id)] if newer else []
                return " · ".join([outcome_link(record), *replaced])
        except DamagedRunError:
            return ""

    async def details(self, reader: Reader, run_id: str | None) -> ReplyText:
        """The small print of a conclusion: who sat, what was measured, what it cost."""
        run = await self.readers.find(reader, run_id)
        with naming_damaged_run(run.id):
            record = await read_masked_record(self._deps.store, run.id)
        return ReplyText(clean_text(details_text(record)))

    async def show(self, reader: Reader, run_id: str | None) -> ReplyText:
        """What a roundtable concluded, or where it stands while it has not."""
        run = await self.readers.find(reader, run_id)
        with naming_damaged_run(run.id):
            return await self._show(run)

    async def read(self, reader: Reader, run_id: str | None) -> ReplyText:
        """Everything that was said so far, as minutes."""
        run = await self.readers.find(reader, run_id)
        text = LibraryText.minutes_of(_plain_topic(run), _status_word(run))
        with naming_damaged_run(run.id):
            return ReplyText(text, (await self._minutes(run),))

    async def export(self, reader: Reader, run_id: str | None) -> ReplyText:
        """The roundtable's files: minutes for people, also to print, and JSON for programs."""
        run = await self.readers.find(reader, run_id)
        text = LibraryText.files_of(_plain_topic(run), _status_word(run))
        with naming_damaged_run(run.id):
            files = (await self._minutes(run), *await self._page(run), await self._json(run))
            return ReplyText(text, files)

    async def end(self, reader: Reader, run_id: str | None) -> ReplyText:
        """End a discussion of agents; roundtables are stopped."""
        run = await self.readers.find(reader, run_id)
        discussion = await self._discussion(run)
        if discussion is None:
            raise UsageError(LibraryText.NO_DISCUSSION)
        if not (reader.asker.may_manage or reader.asker.id == run.starter_id):
            raise UsageError(LibraryText.NOT_YOURS_TO_END)
        if run.status is not Status.ACTIVE:
            raise UsageError(LibraryText.OVER_ALREADY)
        await self.talks.end(run.id, reason=LibraryText.ENDED_BY_MODERATOR)
        return ReplyText(LibraryText.DISCUSSION_OVER)

    async def who_said(self, reader: Reader, message_id: int) -> ReplyText:
        """Who wrote a message of ours."""
        store = self._deps.store
        origin = await store.read(lambda conn: _origin_of(conn, message_id))
        if origin is None:
            raise UsageError(AuthorText.NOT_OURS)
        run = await self.readers.find(reader, origin.run_id)
        return ReplyText(await store.read(lambda conn: _who_said(conn, run, origin, store.now())))

    async def run_choices(
        self, reader: Reader, typed: str, status: str | None = None
    ) -> list[RunChoice]:
        """Runs to complete an id with: all, or those that are active, concluded or cancelled."""
        newest = await self.readers.newest(reader)
        found = [run for run in newest if status is None or run.status == status]
        return _fitting([RunChoice(_label(run), run.id) for run in found], typed)

    async def context_choices(self, reader: Reader, typed: str) -> list[RunChoice]:
        """Names of earlier roundtables to build on."""
        found = [r for r in await self.readers.newest(reader) if r.status is Status.CONCLUDED]
        ids = [run.id for run in found]
        names = await self._deps.store.read(lambda conn: FileRepository(conn).names_of(ids))
        choices = [RunChoice(_label(run), names[run.id]) for run in found if run.id in names]
        return _fitting(choices, typed)

    def panel_choices(self, guild_id: int, typed: str) -> list[RunChoice]:
        """Models to complete a panel with; those already named stay in front."""
        config, usable = self._deps.config(guild_id), self._deps.resolution()
        before, comma, last = typed.lower().rpartition(",")
        named = {name.strip() for name in before.split(",")}
        names = [
            _shortest(usable, key) for key in usable.models if key != config.orchestrator.model
        ]
        whole = [] if comma else [BUDGET]
        fitting = [name for name in [*names, *whole] if last.strip() in name and name not in named]
        values = [f"{before}{comma}{name}" for name in fitting]
        return [RunChoice(value, value) for value in values if len(value) <= _CHOICE_LIMIT][
            :_MOST_CHOICES
        ]

    async def _status(self, run: Run) -> ReplyText:
        discussion = await self._discussion(run)
        if discussion is not None:
            state = await self.talks.look.status(run.id)
            return ReplyText(_discussion_status(discussion, state))
        record = await read_masked_record(self._deps.store, run.id)
        now = await self._deps.store.read(lambda conn: attempt_state(conn, run.id))
        return ReplyText(_meeting_status(run, record, now))

    async def _show(self, run: Run) -> ReplyText:
        discussion = await self._discussion(run)
        if discussion is not None and discussion.conclusion:
            return ReplyText(
                LibraryText.discussion_shown(_plain_topic(run), clean_text(discussion.conclusion))
            )
        build = await self._deps.store.read(lambda conn: build_history(conn, run.id))
        if discussion is not None or run.status is not Status.CONCLUDED:
            return replace(await self._status(run), files=build)
        record = await read_masked_record(self._deps.store, run.id)
        urls = known_urls(record.findings) if record.findings else frozenset()
        return ReplyText(clean_text(conclusion_text(record), urls), build)

    async def _discussion(self, run: Run) -> Discussion | None:
        return await self._deps.store.read(lambda conn: DiscussionRepository(conn).get(run.id))

    async def _minutes(self, run: Run) -> TextFile:
        if await self._discussion(run) is not None:
            return TextFile(f"{await self._stem(run)}.md", await self.talks.look.minutes(run.id))
        record = await read_masked_record(self._deps.store, run.id)
        return TextFile(minutes_name(record), minutes_text(record))

    async def _json(self, run: Run) -> TextFile:
        if await self._discussion(run) is not None:
            raw = await self.talks.look.summarize(run.id, compact=False)
            return TextFile(f"{await self._stem(run)}.json", raw.model_dump_json(indent=2))
        record = await read_masked_record(self._deps.store, run.id)
        content = json.dumps(json_export(record), ensure_ascii=False, indent=2)
        return TextFile(f"{await self._stem(run)}.json", content)

    async def _page(self, run: Run) -> tuple[TextFile, ...]:
        """The minutes as a page to print; agents' discussions have none."""
        if await self._discussion(run) is not None:
            return ()
        record = await read_masked_record(self._deps.store, run.id)
        content = await asyncio.to_thread(lambda: printable_page(record, draw_picture(record)))
        return (TextFile(f"{await self._stem(run)}.html", content),)

    async def _stem(self, run: Run) -> str:
        name = await self._deps.store.read(lambda conn: FileRepository(conn).name_of(run.id))
        return name or dated_slug(run.created_at, run.topic)


def _label(run: Run) -> str:
    tail = LibraryText.choice_tail(_status_word(run), run.id)
    return _plain_topic(run, _CHOICE_LIMIT - len(tail)) + tail


def _fitting(choices: Sequence[RunChoice], typed: str) -> list[RunChoice]:
    typed_words = typed.casefold().split()
    return [
        choice
        for choice in choices
        if all(word in f"{choice.label} {choice.value}".casefold() for word in typed_words)
    ][:_MOST_CHOICES]


def _shortest(usable: Resolution, key: str) -> str:
    """What people would type for a model: its shortest name."""
    aliases = [alias for alias, target in usable.names.aliases.items() if target == key]
    return min([key, *aliases], key=len)


def library_of(deps: Dependencies, linking: IssueComments) -> Library:
    """The library with the discussions of agents, which people read and end here, too."""
    folder = deps.conclusions or roundtables_folder(deps.home)
    return Library(
        deps,
        Discussions(deps, DiscussionThread(deps, linking), ConclusionFolder(deps.store, folder)),
    )
