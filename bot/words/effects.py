"""What a build plans to do outside the run, asks an approver for, and has done."""

from collections.abc import Sequence
from typing import Final

from bot.words.counting import counted

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


def write_files(count: int, replaced: int, provider: str, folder: str) -> str:
    """What an approver is asked to allow; the card names every file below it."""
    over = f", {replaced} of them over what is there" if replaced else ""
    what = f"write {counted(count, 'file')}{over}"
    return f"{what} into `{folder}`, the workspace of `{provider}`"


def file_list(names: Sequence[str], replaced: Sequence[str]) -> str:
    """Every file of an approval with its fate, for those that the card cannot name."""
    fates = ((name, "replaces a file" if name in replaced else "new file") for name in names)
    return "".join(f"{fate}: {name}\n" for name, fate in fates)


def written(count: int, folder: str) -> str:
    """Where the files are."""
    return f"{counted(count, 'file')} in `{folder}`"


def cannot_write(reason: str) -> str:
    """A folder that does not take the files."""
    return f"The workspace cannot be written ({reason}): mend its rights, then press Try again."


def leads_outside(name: str) -> str:
    """A link in the folder that would carry a file elsewhere."""
    return (
        f"A link stands in the workspace where `{name}` goes: remove the link, then press "
        "Try again."
    )


def came_between(name: str) -> str:
    """A file that was not there when the approver was asked."""
    return (
        f"`{name}` came into the workspace after this was asked: move it away, then press "
        "Try again."
    )


def done(action: str) -> str:
    """An approved effect that took place."""
    return f"Done after approval: {action}"


def state(action: str, status: str, *, took_place: bool) -> str:
    """One effect and what became of it."""
    how = status.replace("_", " ")
    return f"- {action}: {f'{how} and done' if took_place else how}"
