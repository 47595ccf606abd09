"""Several files of a build as one zip, made from the store with the same bytes each time."""

import io
from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection

from bot.messages.delivery import EffectText
from bot.store.repositories.approvals import ApprovalRepository
from bot.store.repositories.artifacts import Artifact, ArtifactRepository

BUILT: Final = "build/"
"""The names of what a builder wrote begin so, and never mix with the bot's own files."""
FILES: Final = "files"
REPLACED: Final = "replaced"
"""Where the details of an approval name the files it is about, and those that exist already."""
_BUNDLE: Final = "bundle"
_LISTING: Final = "listing"
_MOMENT: Final = (1980, 1, 1, 0, 0, 0)


def bundle_id(run_id: str, attempt: int) -> str:
    """What an attachment names instead of one artifact."""
    return f"{_BUNDLE}:{run_id}:{attempt}"


def listing_id(approval_id: str) -> str:
    """What an attachment names to list every file that an approval is about."""
    return f"{_LISTING}:{approval_id}"


def file_bytes(conn: Connection, wanted: str) -> bytes | None:
    """The bytes behind an attachment: an artifact, a list, or the files of an attempt as a zip."""
    if wanted.startswith(f"{_LISTING}:"):
        asked = ApprovalRepository(conn).get(wanted.partition(":")[2])
        details = asked.details if asked else {}
        return (
            EffectText.file_list(details.get(FILES, ()), details.get(REPLACED, ())).encode() or None
        )
    if not wanted.startswith(f"{_BUNDLE}:"):
        artifact = ArtifactRepository(conn).get(wanted)
        return artifact.content.encode() if artifact else None
    _, run_id, attempt = wanted.split(":")
    found = (a for a in ArtifactRepository(conn).of_run(run_id) if a.attempt == int(attempt))
    return _zipped([a for a in found if a.name.startswith(BUILT)])


def _zipped(files: Sequence[Artifact]) -> bytes:
    """The files in a zip without times of its own."""
    import zipfile  # noqa: PLC0415 (a start should not pay for it)

    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as bundle:
        for file in sorted(files, key=lambda one: one.name):
            entry = zipfile.ZipInfo(file.name.removeprefix(BUILT), _MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            bundle.writestr(entry, file.content)
    return data.getvalue()
