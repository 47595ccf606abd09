"""The conclusion of a discussion as one Markdown file (C23)."""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sqlalchemy import Connection

from bot.discussions.rules import convergence_history
from bot.errors import UnavailableError, UsageError
from bot.files.private import make_folder, replace_file
from bot.measures.convergence import closest_to, latest_score
from bot.messages.counting import clock_text, time_text
from bot.messages.discussions import DiscussionText
from bot.messages.minutes import BriefText, DiscussionFileText, FloorText, MinutesText
from bot.prompting.synthesis import split_owner
from bot.prompting.text import cut_words
from bot.record.floor import people_names
from bot.reports.files import dated_slug
from bot.reports.minutes import first_sentences
from bot.stage.cleaning import file_line, file_paragraphs, file_quote, file_text
from bot.store import InboundKind, Store
from bot.store.repositories.discussions import Discussion, DiscussionRepository
from bot.store.repositories.findings import Finding, FindingRepository
from bot.store.repositories.inbound import InboundMessage, InboundRepository
from bot.store.repositories.speeches import COORDINATOR, Said, SpeechRepository
from bot.store.vocabulary import FindingKind

_TASK = re.compile(
    r"^[^\S\n]*+(?:[-*+]|\d{1,4}[.)])[^\S\n]++\[([ xX])\][^\S\n]++(\S.*)", re.MULTILINE
)
_HEADING = re.compile(r"^ {0,3}#{1,6}\s.*$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])(?![」』）”])|\n+")
_BRIEF_WORDS = 60
_POSITION_WORDS = 30
LONGEST_PATH = 300
_Heard = tuple[str, InboundMessage]
"""What a person said, under the name the file gives them."""


def document_text(
    discussion: Discussion,
    said: Sequence[Said],
    findings: Mapping[int, Sequence[Finding]],
    heard: Sequence[InboundMessage] = (),
) -> str:
    """Render the whole file from what is stored; `heard` is what people said in the thread."""
    latest = findings[max(findings)] if findings else ()
    shared = [f for f in latest if f.kind is FindingKind.CONSENSUS]
    disputed = [f for f in latest if f.kind is FindingKind.DISAGREEMENT]
    names = people_names(heard)
    people = [(names[m.author_id], m) for m in heard if m.content.strip()]
    held = max((s.round for s in said if s.participant != COORDINATOR), default=0)
    parts = [
        DiscussionFileText.title(file_line(discussion.run.topic)),
        _brief(discussion, held, shared, disputed),
        _summary(discussion, held, latest_score(convergence_history(findings)), people),
        _numbered(DiscussionFileText.CONSENSUS, [_point(discussion, f) for f in shared]),
        _numbered(
            DiscussionFileText.DISAGREEMENT,
            [
                "\n".join([_point(discussion, f), *_positions(discussion, said, f)])
                for f in disputed
            ],
        ),
        MinutesText.action_items(
            [
                MinutesText.task(MinutesText.action_item(text, owner), done=done)
                for text, owner, done in _tasks(discussion.conclusion)
            ]
        ),
        DiscussionFileText.conclusion(file_text(discussion.conclusion))
        if discussion.conclusion
        else "",
        _transcript(discussion, said, people),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _flat(text: str) -> str:
    return " ".join(text.split())


def _name(discussion: Discussion, profile: str) -> str:
    for person in discussion.participants:
        if person.profile == profile:
            return DiscussionFileText.participant(person.role, person.display_name)
    return (
        DiscussionFileText.coordinator(discussion.created_by) if profile == COORDINATOR else profile
    )


def _brief(
    discussion: Discussion, held: int, shared: Sequence[Finding], disputed: Sequence[Finding]
) -> str:
    """Five lines that one can send on."""
    run, concluded = discussion.run, _HEADING.sub("", _TASK.sub("", discussion.conclusion))
    steps = [
        MinutesText.action_item(cut_words(text, _BRIEF_WORDS), owner)
        for text, owner, done in _tasks(discussion.conclusion)
        if not done
    ]
    return DiscussionFileText.brief(
        DiscussionFileText.question(
            cut_words(file_line(run.topic), _BRIEF_WORDS),
            len(discussion.participants),
            held,
            time_text(run.created_at).partition(" ")[0],
        ),
        first_sentences(concluded, _BRIEF_WORDS),
        *(
            BriefText.some_of([cut_words(file_line(f.text), _BRIEF_WORDS) for f in found], "point")
            for found in (shared, disputed)
        ),
        BriefText.some_of(steps, "step"),
    )


def _summary(
    discussion: Discussion, held: int, score: float | None, heard: Sequence[_Heard]
) -> str:
    run = discussion.run
    facts = DiscussionFileText.summary(
        topic=file_line(run.topic),
        people=[_name(discussion, person.profile) for person in discussion.participants],
        rounds=(held, discussion.max_rounds),
        score=score,
        began=time_text(run.created_at),
        ended=time_text(run.finished_at) if run.finished_at else "",
        reason=run.status_reason,
        link=discussion.link,
        run_id=run.id,
    )
    people = {name for name, _ in heard}
    return f"{facts}\n{FloorText.people(people, ())}" if people else facts


def _point(discussion: Discussion, finding: Finding) -> str:
    names = ", ".join(_name(discussion, profile) for profile in finding.made_by)
    return f"{file_line(finding.text)}{f' ({names})' if names else ''}"


def _positions(discussion: Discussion, said: Sequence[Said], finding: Finding) -> Iterator[str]:
    """What each participant said last about a disputed point, else what they said last."""
    for person in discussion.participants:
        own = [_sentences(s.content) for s in reversed(said) if s.participant == person.profile]
        closest = filter(None, (closest_to(finding.text, sentences) for sentences in own))
        words = next(closest, "") or (own[0][0] if own and own[0] else "")
        if words:
            name = _name(discussion, person.profile)
            yield DiscussionFileText.position(name, cut_words(file_line(words), _POSITION_WORDS))


def _sentences(speech: str) -> list[str]:
    return [_flat(part) for part in _SENTENCE.split(speech) if part.strip()]


def _numbered(title: str, points: Sequence[str]) -> str:
    listed = [f"{number}. {point}" for number, point in enumerate(points, 1)]
    return DiscussionFileText.section(title, "\n".join(listed) or DiscussionFileText.NONE_RECORDED)


def _tasks(conclusion: str) -> list[tuple[str, str, bool]]:
    """The tasks of a conclusion: what, by whom, and whether it is done."""
    found = ((split_owner(task.rstrip()), mark != " ") for mark, task in _TASK.findall(conclusion))
    return [(file_line(text), file_line(owner), done) for (text, owner), done in found]


def _transcript(discussion: Discussion, said: Sequence[Said], heard: Sequence[_Heard]) -> str:
    """Everything in the order it was said, people's words in the round they fell into."""
    entries = [(s.round, s.created_at, _speech(discussion, said, s)) for s in said]
    for name, message in heard:
        before = [s.round for s in said if s.created_at <= message.created_at]
        number = before[-1] if before else min((s.round for s in said), default=1)
        entries.append((number, message.created_at, _remark(discussion, name, message)))
    parts = [f"## {DiscussionFileText.TRANSCRIPT}"]
    shown: int | None = None
    for number, _, text in sorted(entries, key=lambda entry: entry[:2]):
        parts += [text] if number == shown else [DiscussionFileText.round_head(number), text]
        shown = number
    return "\n\n".join(parts if entries else [*parts, DiscussionFileText.NOBODY_SPOKE])


def _speech(discussion: Discussion, said: Sequence[Said], speech: Said) -> str:
    to = [_name(discussion, s.participant) for s in said if s.id == speech.reply_to]
    when = clock_text(speech.created_at, discussion.run.created_at)
    footer = DiscussionFileText.footer(when, to[0] if to else "")
    who = f"**{_name(discussion, speech.participant)}**"
    return f"{MinutesText.said(who, file_paragraphs(speech.content))}\n\n{footer}"


def _remark(discussion: Discussion, person: str, message: InboundMessage) -> str:
    when = clock_text(message.created_at, discussion.run.created_at)
    return f"{FloorText.from_the_floor(person, when)}\n\n{file_quote(message.content)}"


class ConclusionFolder:
    """The only folder that conclusions may be written to."""

    def __init__(self, store: Store, folder: Path) -> None:
        self._store = store
        self._folder = folder

    def checked(self, output_path: str | None) -> str | None:
        """The path inside the folder, or UsageError."""
        if not output_path:
            return None
        if len(output_path) > LONGEST_PATH or "\0" in output_path:
            raise UsageError(DiscussionText.path_too_long(LONGEST_PATH))
        path = self._folder / output_path
        if path.suffix != ".md":
            raise UsageError(DiscussionText.NOT_MARKDOWN)
        self._require_inside(path)
        return str(path.resolve().relative_to(self._folder.resolve()))

    async def write(self, discussion: Discussion) -> str:
        """Write or rewrite the discussion's file and return its path."""
        run_id = discussion.run.id

        def work(conn: Connection) -> str:
            said, found = SpeechRepository(conn).page(run_id), FindingRepository(conn)
            heard = InboundRepository(conn).of_run(run_id, InboundKind.FLOOR)
            return document_text(discussion, said, found.by_round(run_id), heard)

        text = await self._store.read(work)
        path = await asyncio.to_thread(self._write, discussion, text)
        inside = str(path.relative_to(self._folder.resolve()))
        if inside != discussion.output_path:
            await self._store.write(
                lambda conn: DiscussionRepository(conn).set_path(run_id, inside)
            )
        return str(path)

    async def remove(self, discussion: Discussion) -> None:
        """Remove the discussion's file, if it is still its own."""
        if discussion.output_path:
            path = self._folder / discussion.output_path
            await asyncio.to_thread(self._remove, path, discussion.run.id)

    def _remove(self, path: Path, run_id: str) -> None:
        if self._is_inside(path) and path.is_file() and _is_of(path, run_id):
            path.unlink()

    def _write(self, discussion: Discussion, text: str) -> Path:
        run = discussion.run
        wanted = discussion.output_path or f"{dated_slug(run.created_at, run.topic)}.md"
        path = (self._folder / wanted).resolve()
        self._require_inside(path)
        try:
            make_folder(path.parent)
            path = _unclaimed(path, run.id)
            replace_file(path, text)
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise UnavailableError(DiscussionText.not_written(str(path), why)) from error
        return path

    def _is_inside(self, path: Path) -> bool:
        # Links are followed first, so that none of them leads out.
        return path.resolve().is_relative_to(self._folder.resolve())

    def _require_inside(self, path: Path) -> None:
        if not self._is_inside(path):
            raise UsageError(DiscussionText.path_outside(str(self._folder)))


def _unclaimed(path: Path, run_id: str) -> Path:
    """The path, or the next free one when another discussion's file has it."""
    candidate, number = path, 1
    while candidate.exists() and not _is_of(candidate, run_id):
        number += 1
        candidate = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return candidate


def _is_of(path: Path, run_id: str) -> bool:
    """Whether a file is this discussion's; what was said, further down, does not count."""
    # A file of somebody else may be in any encoding.
    text = path.read_text("utf-8", errors="replace")
    facts = text.partition(f"\n## {DiscussionFileText.CONSENSUS}\n")[0]
    return f"\n{DiscussionFileText.id_line(run_id)}\n" in f"{facts}\n"
