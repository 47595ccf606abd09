"""The files of a build: kept as artifacts of the attempt that wrote them, and handed to people."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from bot.meeting.context import RunContext
from bot.messages.delivery import BuildText
from bot.prompting.build_files import BuiltFiles
from bot.record.build import BUILT_BY
from bot.stage.port import THE_BOT, Attachment, Post
from bot.store import ArtifactKind
from bot.store.repositories.artifacts import BUILT, Artifact, ArtifactRepository, bundle_id
from bot.store.repositories.attempts import AttemptRepository
from bot.store.vocabulary import Actor

_HASH_SHOWN: Final = 12


@dataclass(frozen=True, slots=True)
class BuildFiles:
    """The input and output of one attempt; `number` counts the reworks."""

    number: int
    spec_text: str
    criteria: tuple[str, ...]
    builder: str = ""
    files: tuple[Artifact, ...] = ()
    refused: tuple[str, ...] = ()
    said: str = ""
    """How the builder's answer begins, where it holds no file."""


async def keep_files(ctx: RunContext, built: BuiltFiles, builder: str) -> tuple[Artifact, ...]:
    """Store every file with kind, size, hash and producer; nothing is ever run."""
    store, run = ctx.deps.store, ctx.run

    def write(conn: Connection) -> tuple[Artifact, ...]:
        now, kind, actor = store.now(), ArtifactKind.PRIMARY_OUTPUT, Actor.EXECUTOR
        key = BUILT_BY.format(attempt=run.attempt)
        AttemptRepository(conn).checkpoint(run.id, key, {"model": builder}, actor, now)
        return tuple(
            ArtifactRepository(conn).record(
                run.id, run.attempt, kind, f"{BUILT}{file.name}", file.content, actor, now
            )
            for file in built.files
        )

    return await store.write(write)


def built_in(conn: Connection, run_id: str, attempt: int) -> tuple[Artifact, ...]:
    """The files an attempt has written, by name."""
    found = (a for a in ArtifactRepository(conn).of_run(run_id) if a.attempt == attempt)
    return tuple(sorted((a for a in found if a.name.startswith(BUILT)), key=lambda a: a.name))


def file_listing(files: Sequence[Artifact]) -> str:
    """The files as a prompt shows them, in the format builders write."""
    return "\n".join(f"FILE: {plain_name(f)}\n````\n{f.content}````" for f in files)


def plain_name(file: Artifact) -> str:
    """The name the builder gave."""
    return file.name.removeprefix(BUILT)


def attachments_of(files: Sequence[Artifact]) -> tuple[Attachment, ...]:
    """One file as it is, several as a zip."""
    if not files:
        return ()
    first = files[0]
    if len(files) == 1:
        return (Attachment(plain_name(first).rpartition("/")[2], first.id),)
    return (Attachment(f"build-{first.attempt}.zip", bundle_id(first.run_id, first.attempt)),)


def files_post(work: BuildFiles, attempt: int) -> Post:
    """The post that delivers the files, with a listing."""
    lines = [
        BuildText.file_line(plain_name(file), file.size, file.sha256[:_HASH_SHOWN])
        for file in work.files
    ]
    head = BuildText.files_head(len(lines), attempt, work.builder)
    text = "\n".join([head, *lines, BuildText.NOTHING_WAS_RUN])
    return Post(f"files@{attempt}", THE_BOT, text, attachments=attachments_of(work.files))
