"""What a build plans to do outside the run, asks an approver for, and has done."""

from collections.abc import Sequence
from typing import Final

from bot.words.counting import counted

MOST_NAMES: Final = 8
HEAD: Final = "### Outside effects"
CHANGES_WANTED: Final = "it has to change, without saying how"
UNDO_NEW: Final = "delete the files there"
UNDO_REPLACED: Final = "take the earlier files from version control or a backup"
WORKSPACE_CHANGED: Final = (
    "The workspace in panels.json is another one now: put the old one back, then press Try again."
)
NO_FILES: Final = "The files are not stored any more: ask for the build again."


def plans_to_write(provider: str, folder: str) -> str:
    """Files that are to go into the operator's folder, said before anybody builds."""
    return (
        "Planned outside effect: once both gates are passed, an approver is asked whether the "
        f"files may be written into `{folder}`, the workspace of `{provider}`."
    )


def plans_to_comment(url: str) -> str:
    """The comment that `--link` asks for, said before anybody builds."""
    return (
        "Planned outside effect: after the conclusion, an approver is asked whether it may be "
        f"posted as a comment on <{url}>."
    )


def waits(attempt: int) -> str:
    """Where a build stands while an approver decides."""
    return f"awaiting approval · attempt {attempt}: an approver decides below"


def write_files(names: Sequence[str], replaced: int, provider: str, folder: str) -> str:
    """What an approver is asked to allow."""
    shown = ", ".join(f"`{name}`" for name in names[:MOST_NAMES])
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    over = f", {replaced} of them over what is there" if replaced else ""
    what = f"write {counted(len(names), 'file')}{over}"
    return f"{what} into `{folder}`, the workspace of `{provider}`: {shown}{more}"


def written(count: int, folder: str) -> str:
    """Where the files are."""
    return f"{counted(count, 'file')} in `{folder}`"


def cannot_write(reason: str) -> str:
    """A folder that does not take the files."""
    return f"The workspace cannot be written ({reason}): mend its rights, then press Try again."


def leads_outside(name: str) -> str:
    """A link in the folder that would carry a file elsewhere."""
    return f"`{name}` would leave the workspace through a link there: remove the link first."


def done(action: str) -> str:
    """An approved effect that took place."""
    return f"Done after approval: {action}"


def state(action: str, status: str, *, took_place: bool) -> str:
    """One effect and what became of it."""
    how = status.replace("_", " ")
    return f"- {action}: {f'{how} and done' if took_place else how}"
