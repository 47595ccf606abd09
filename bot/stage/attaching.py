"""Files that go up with a post: named in the outbox, kept in the store."""

import base64
import io
from collections.abc import Iterator, Sequence

import discord
from sqlalchemy import Connection

from bot.stage.port import Attachment
from bot.stage.readable import CodeFile
from bot.store import Actor, ArtifactKind
from bot.store.bundles import file_bytes
from bot.store.repositories.artifacts import ArtifactRepository
from bot.store.repositories.posts import AttachmentRef
from bot.store.repositories.runs import RunRepository


def reference_to(attachment: Attachment) -> AttachmentRef:
    """An attachment as the outbox stores it."""
    scheme = "base64" if attachment.encoded else "artifact"
    source = f"{scheme}:{attachment.artifact_id}"
    return AttachmentRef(attachment.name, source, attachment.description)


def code_kept(
    conn: Connection, run_id: str, key: str, code: Sequence[CodeFile], now: float
) -> Iterator[AttachmentRef]:
    """Keep long code as artifacts of the run, under the names of their posts."""
    for file in code:
        attempt = RunRepository(conn).require(run_id).attempt
        name, kind = f"{key}:{file.name}", ArtifactKind.OTHER
        artifact = ArtifactRepository(conn).record(
            run_id, attempt, kind, name, file.text, Actor.ORCHESTRATOR, now
        )
        yield AttachmentRef(file.name, f"artifact:{artifact.id}")


def files_of(conn: Connection, attachments: Sequence[AttachmentRef]) -> list[discord.File]:
    """The attachments as they go up, without those whose content is gone."""
    files = []
    for attachment in attachments:
        scheme, _, artifact_id = attachment.source.partition(":")
        data = file_bytes(conn, artifact_id)
        if data is not None:
            data = base64.b64decode(data) if scheme == "base64" else data
            description = attachment.description or None
            files.append(discord.File(io.BytesIO(data), attachment.name, description=description))
    return files
