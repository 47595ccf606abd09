"""The conclusion of a discussion as one Markdown file (C23)."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from sqlalchemy import Connection

from bot.errors import UnavailableError, UsageError
from bot.files.private import make_folder
from bot.messages.discussions import DiscussionText
from bot.messages.minutes import DiscussionFileText
from bot.reports.files import dated_slug, replace_file
from bot.reports.minutes import time_text
from bot.store import Store
from bot.store.repositories.discussions import Discussion, DiscussionRepository
from bot.store.repositories.findings import Finding, FindingRepository
from bot.store.repositories.speeches import COORDINATOR, Said, SpeechRepository
from bot.store.vocabulary import FindingKind

_TASK = re.compile(
    r"^[^\S\n]*+(?:[-*+]|\d{1,4}[.)])[^\S\n]++\[[ xX]\][^\S\n]++(\S.*)", re.MULTILINE
)
_OWNER = re.compile(r"\bowner\b", re.IGNORECASE)
_LONGEST_PATH = 300


def document_text(
    discussion: Discussion, said: Sequence[Said], findings: Mapping[int, Sequence[Finding]]
) -> str:
    """Render the whole file from what is stored."""
    latest = findings[max(findings)] if findings else ()
    parts = [
        DiscussionFileText.title(_flat(discussion.run.topic)),
        _summary(discussion),
        _numbered(DiscussionFileText.CONSENSUS, _points(discussion, latest, FindingKind.CONSENSUS)),
        _numbered(
            DiscussionFileText.DISAGREEMENT, _points(discussion, latest, FindingKind.DISAGREEMENT)
        ),
        _action_items(discussion.conclusion),
        DiscussionFileText.conclusion(discussion.conclusion) if discussion.conclusion else "",
        _transcript(discussion, said),
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


def _summary(discussion: Discussion) -> str:
    run = discussion.run
    return DiscussionFileText.summary(
        topic=_flat(run.topic),
        people=[_name(discussion, person.profile) for person in discussion.participants],
        rounds=(discussion.current_round, discussion.max_rounds),
        began=time_text(run.created_at),
        ended=time_text(run.finished_at) if run.finished_at else "",
        reason=run.status_reason,
        link=discussion.link,
        run_id=run.id,
    )


def _points(discussion: Discussion, found: Sequence[Finding], kind: FindingKind) -> list[str]:
    return [
        f"{_flat(finding.text)}{_by(discussion, finding)}"
        for finding in found
        if finding.kind is kind
    ]


def _by(discussion: Discussion, finding: Finding) -> str:
    names = ", ".join(_name(discussion, profile) for profile in finding.made_by)
    return f" ({names})" if names else ""


def _numbered(title: str, points: Sequence[str]) -> str:
    listed = [f"{number}. {point}" for number, point in enumerate(points, 1)]
    return DiscussionFileText.section(title, "\n".join(listed) or DiscussionFileText.NONE_RECORDED)


def _action_items(conclusion: str) -> str:
    items = [
        DiscussionFileText.task(task.rstrip(), has_owner=_OWNER.search(task) is not None)
        for task in _TASK.findall(conclusion)
    ]
    return DiscussionFileText.section(
        DiscussionFileText.ACTION_ITEMS, "\n".join(items) or DiscussionFileText.NONE_RECORDED
    )


def _transcript(discussion: Discussion, said: Sequence[Said]) -> str:
    parts = [f"## {DiscussionFileText.TRANSCRIPT}"]
    for number in dict.fromkeys(speech.round for speech in said):
        parts.append(DiscussionFileText.round_head(number))
        parts += [
            f"**{_name(discussion, speech.participant)}**: {speech.content}"
            for speech in said
            if speech.round == number
        ]
    return "\n\n".join(parts if said else [*parts, DiscussionFileText.NOBODY_SPOKE])


class ConclusionFolder:
    """The only folder that conclusions may be written to."""

    def __init__(self, store: Store, folder: Path) -> None:
        self._store = store
        self._folder = folder

    def checked(self, output_path: str | None) -> str | None:
        """The path inside the folder, or UsageError."""
        if not output_path:
            return None
        if len(output_path) > _LONGEST_PATH or "\0" in output_path:
            raise UsageError(DiscussionText.path_too_long(_LONGEST_PATH))
        path = self._folder / output_path
        if path.suffix != ".md":
            raise UsageError(DiscussionText.NOT_MARKDOWN)
        self._require_inside(path)
        return str(path.resolve().relative_to(self._folder.resolve()))

    async def write(self, discussion: Discussion) -> str:
        """Write or rewrite the discussion's file and return its path."""
        run_id = discussion.run.id

        def work(conn: Connection) -> tuple[Sequence[Said], Mapping[int, Sequence[Finding]]]:
            return SpeechRepository(conn).page(run_id), FindingRepository(conn).by_round(run_id)

        said, found = await self._store.read(work)
        text = document_text(discussion, said, found)
        path = await asyncio.to_thread(self._write, discussion, text)
        inside = str(path.relative_to(self._folder.resolve()))
        if inside != discussion.output_path:
            await self._store.write(
                lambda conn: DiscussionRepository(conn).set_path(run_id, inside)
            )
        return str(path)

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

    def _require_inside(self, path: Path) -> None:
        # Links are followed first, so that none of them leads out.
        if not path.resolve().is_relative_to(self._folder.resolve()):
            raise UsageError(DiscussionText.path_outside(str(self._folder)))


def _unclaimed(path: Path, run_id: str) -> Path:
    """The path, or the next free one when another discussion's file has it."""
    candidate, number = path, 1
    while (
        candidate.exists()
        and f"\n{DiscussionFileText.id_line(run_id)}\n" not in candidate.read_text("utf-8")
    ):
        number += 1
        candidate = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return candidate
