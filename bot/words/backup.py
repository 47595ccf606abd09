"""What is said about backups of the database."""

from typing import Final

IN_POSTGRES: Final = "The data is in Postgres (ROUNDTABLE_DATABASE_URL): back it up with pg_dump."


def no_database(path: str) -> str:
    """There is nothing to back up."""
    return f"No database found at {path}: set ROUNDTABLE_HOME to the bot's data folder."


def exists_already(path: str) -> str:
    """A backup never replaces a file."""
    return f"{path} already exists: choose another file name."


def not_written(path: str, why: str) -> str:
    """The backup failed."""
    return (
        f"The backup {path} could not be written ({why}): check the disk and the folder's "
        "permissions, then try again."
    )


def damaged(found: str) -> str:
    """Why a finished copy was thrown away."""
    return f"the copy is damaged: {found}"


def done(path: str) -> str:
    """The backup is made."""
    return f"Backed up to {path}."
