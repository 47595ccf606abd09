"""A harness as builder: the files it leaves in the run's folder are the result.

Nothing is run: the files are read as text and checked like those of any answer.
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bot.files.nofollow import TooLargeError, read_below
from bot.meeting.context import RunContext
from bot.meeting.questions import HARNESS, Gather
from bot.messages.delivery import BuildAnswerText
from bot.panels import ResolvedModel
from bot.panels.providers import AcpProvider
from bot.prompting.build_files import (
    FILE_BYTES,
    BuiltFile,
    BuiltFiles,
    checked_files,
    parse_built_files,
)
from bot.prompting.build_spec import BuildSpec, undeclared
from bot.prompting.text import one_line
from bot.store.repositories.answers import StoredAnswer
from bot.types.characters import clean

_WRITE: Final = "write"
_MOST_SEEN: Final = 500
_MOST_REFUSED: Final = 12
_NOT_BUILT: Final = frozenset({"node_modules", "__pycache__"})
"""Folders that tools create, like those whose names begin with a dot."""
_FILES, _REFUSED = "files", "refused"


def may_write(ctx: RunContext, model: ResolvedModel) -> AcpProvider | None:
    """The harness behind a model, if panels.json lets it write files."""
    provider = ctx.config.providers.get(model.provider)
    if model.kind == HARNESS and isinstance(provider, AcpProvider) and _WRITE in provider.allow:
        return provider
    return None


async def prepare_folder(ctx: RunContext, files: Mapping[str, str]) -> None:
    """Put the files of the previous attempt into the run's folder, and nothing else."""
    await ctx.deps.registry.workspaces.lay_out(ctx.run.id, files)


def gatherer(ctx: RunContext, spec_text: str) -> Gather:
    """Collects what a harness left in the run's folder, to store it with its answer."""
    folder = ctx.deps.registry.workspaces.folder(ctx.run.id)

    async def gather(model: ResolvedModel) -> Mapping[str, Any]:
        if may_write(ctx, model) is None:
            return {}
        built = await asyncio.to_thread(built_in_folder, folder, spec_text)
        files = [[file.name, file.content] for file in built.files]
        return {_FILES: files, _REFUSED: list(built.refused)}

    return gather


def built_files(answer: StoredAnswer, spec: BuildSpec) -> BuiltFiles:
    """The delivered files: those left in the folder, else those in the answer.

    What the spec does not declare is refused (B20).
    """
    left = answer.parsed.get(_FILES) or ()
    refused = answer.parsed.get(_REFUSED) or ()
    if not left and not refused:
        return _declared(parse_built_files(answer.text), spec)
    return _declared(BuiltFiles(tuple(BuiltFile(*file) for file in left), tuple(refused)), spec)


def _declared(built: BuiltFiles, spec: BuildSpec) -> BuiltFiles:
    extra = undeclared(spec, (file.name for file in built.files))
    refused = (BuildAnswerText.refused(name, BuildAnswerText.NOT_DECLARED) for name in extra)
    return BuiltFiles(
        tuple(file for file in built.files if file.name not in extra),
        (*built.refused, *refused)[:_MOST_REFUSED],
    )


def built_in_folder(folder: Path, spec_text: str) -> BuiltFiles:
    """Every deliverable file of a folder, and why others are rejected."""
    taken, refused = list[tuple[str, str]](), list[str]()
    for name in _files(folder):
        if _is_byproduct(name) and name not in spec_text:
            continue
        text = _text(folder, name)
        if isinstance(text, Exception):
            refused.append(
                BuildAnswerText.refused(one_line(name)[:120].replace("`", "'"), str(text))
            )
        else:
            taken.append((name, text))
    checked = checked_files(taken, may_be_empty=True)
    return BuiltFiles(checked.files, (*refused, *checked.refused)[:_MOST_REFUSED])


def _files(folder: Path) -> Iterator[str]:
    """The names of a folder's files up to a limit; links are listed, not followed."""
    # Open directory descriptors are safe from swapped links; Windows only has paths.
    walk: Callable[[Path], Iterable[Sequence[Any]]] = getattr(os, "fwalk", os.walk)
    seen = 0
    for root, folders, names, *_ in walk(folder) if folder.is_dir() else ():
        folders[:] = sorted(name for name in folders if name not in _NOT_BUILT and name != ".git")
        linked = [name for name in folders if Path(root, name).is_symlink()]
        for name in sorted([*names, *linked]):
            seen += 1
            if seen > _MOST_SEEN:
                return
            yield Path(root, name).relative_to(folder).as_posix()


def _is_byproduct(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/"))


def _text(folder: Path, name: str) -> str | ValueError:
    """The text of a file, or why it was rejected."""
    try:
        # From the parent folder: the run's own folder may have become a link, too.
        content = read_below(folder.parent, f"{folder.name}/{name}", FILE_BYTES)
        return clean(content.decode())
    except TooLargeError as error:
        return ValueError(BuildAnswerText.too_large(error.size, FILE_BYTES))
    except UnicodeDecodeError:
        return ValueError(BuildAnswerText.NO_TEXT)
    except OSError:
        return ValueError(BuildAnswerText.NO_PLAIN_FILE)
