"""What a build plans to do outside the run, asks an approver for, and has done."""

from collections.abc import Sequence
from typing import Final

from bot.words.counting import counted

HEAD: Final = "### Outside effects"
CHANGES_WANTED: Final = "changes requested, no details given"
UNDO_NEW: Final = "delete the files there"
UNDO_REPLACED: Final = "restore the earlier files from version control or a backup"
WORKSPACE_CHANGED: Final = (
    "The workspace in panels.json has changed: restore the old one, then press Try again."
)
NO_FILES: Final = "The files are no longer stored: request the build again."


def plans_to_write(provider: str, folder: str) -> str:
    """Files planned for the operator's folder, announced before the build."""
    return (
        "Planned outside effect: after both gates pass, an approver is asked to allow writing the "
        f"files to `{folder}`, the workspace of `{provider}`."
    )


def plans_to_comment(url: str) -> str:
    """The comment that `--link` asks for, announced before the build."""
    return (
        "Planned outside effect: after the conclusion, an approver is asked to allow posting it "
        f"as a comment on <{url}>."
    )


def waits(attempt: int) -> str:
    """Build status while an approver decides."""
    return f"awaiting approval · attempt {attempt}: an approver can decide below"


def write_files(count: int, replaced: int, provider: str, folder: str) -> str:
    """What an approver is asked to allow; the card names every file below it."""
    over = f", overwriting {replaced}" if replaced else ""
    what = f"write {counted(count, 'file')}{over}"
    return f"{what} to `{folder}`, the workspace of `{provider}`"


def file_list(names: Sequence[str], replaced: Sequence[str]) -> str:
    """Every file of an approval with its fate, for those that the card cannot name."""
    fates = ((name, "replaces a file" if name in replaced else "new file") for name in names)
    return "".join(f"{fate}: {name}\n" for name, fate in fates)


def written(count: int, folder: str) -> str:
    """Where the files are."""
    return f"{counted(count, 'file')} in `{folder}`"


def cannot_write(reason: str) -> str:
    """A folder that does not take the files."""
    return f"The workspace is not writable ({reason}): fix its permissions, then press Try again."


def leads_outside(name: str) -> str:
    """A link in the folder that would carry a file elsewhere."""
    return (
        f"There is a link in the workspace at the path of `{name}`: remove the link, then press "
        "Try again."
    )


def added_meanwhile(name: str) -> str:
    """A file that was not there when the approver was asked."""
    return (
        f"`{name}` was added to the workspace after this request: move it elsewhere, then press "
        "Try again."
    )


def done(action: str) -> str:
    """An approved effect that took place."""
    return f"Done after approval: {action}"


def state(action: str, status: str, *, took_place: bool) -> str:
    """One effect and what became of it."""
    how = status.replace("_", " ")
    return f"- {action}: {f'{how} and done' if took_place else how}"
