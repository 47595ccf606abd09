"""Conclusions as files: in one folder that the admin names, and nowhere else (C25)."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from sqlalchemy import Connection

from bot.council.discussions.document import document_text
from bot.council.exports import dated_slug, replace_file
from bot.errors import UnavailableError, UsageError
from bot.files.private import make_folder
from bot.messages.discussions import DiscussionText
from bot.messages.minutes import DiscussionFileText
from bot.store import Store, discussions, findings, speeches
from bot.store.discussions import Discussion
from bot.store.findings import Found
from bot.store.speeches import Said

LONGEST_PATH = 300


class Folder:
    """The one folder that conclusions may be written to."""

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

        def work(conn: Connection) -> tuple[Sequence[Said], Mapping[int, Sequence[Found]]]:
            return speeches.page(conn, run_id), findings.by_round(conn, run_id)

        said, found = await self._store.read(work)
        text = document_text(discussion, said, found)
        path = await asyncio.to_thread(self._write, discussion, text)
        inside = str(path.relative_to(self._folder.resolve()))
        if inside != discussion.output_path:
            await self._store.write(lambda conn: discussions.set_path(conn, run_id, inside))
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
