"""The database: why it cannot be used and what to do, and its backups."""

from typing import Final

from bot.messages.installing import with_extra


class BackupText:
    """What is said about backups of the database."""

    IN_POSTGRES: Final = (
        "The data is in Postgres (ROUNDTABLE_DATABASE_URL): back it up with pg_dump."
    )

    @staticmethod
    def no_database(path: str) -> str:
        """There is nothing to back up."""
        return f"No database found at {path}: set ROUNDTABLE_HOME to the bot's data folder."

    @staticmethod
    def exists_already(path: str) -> str:
        """A backup never replaces a file."""
        return f"{path} already exists: choose another file name."

    @staticmethod
    def not_written(path: str, why: str) -> str:
        """The backup failed."""
        return (
            f"The backup {path} could not be written ({why}): check the disk and the folder's "
            "permissions, then try again."
        )

    @staticmethod
    def damaged(found: str) -> str:
        """Why a finished copy was thrown away."""
        return f"the copy is damaged: {found}"

    @staticmethod
    def done(path: str) -> str:
        """The backup is made."""
        return f"Backed up to {path}."


class StoreText:
    """What is said about the database: why it cannot be used, and what to do."""

    CLOSED: Final = "Roundtable is shutting down: try again after the restart."
    OTHER_FOLDER: Final = "set ROUNDTABLE_HOME to another folder"
    NEEDS_POSTGRES: Final = (
        "Several processes share Postgres: set ROUNDTABLE_DATABASE_URL, or use `roundtable run`, "
        "which is one process."
    )
    OTHER_DATABASE: Final = "set ROUNDTABLE_DATABASE_URL to another database"
    NO_DRIVER: Final = (
        f"ROUNDTABLE_DATABASE_URL needs the extra postgres: {with_extra('postgres')}, or remove "
        "the setting to store everything in a file."
    )
    OUR_DATABASE: Final = "Roundtable's database"
    """What people are told it is called; where it lies is its operator's affair."""
    ANOTHER_PROCESS: Final = "another process"
    FENCED: Final = (
        "This worker gave no sign for too long, so that others took its servers over: restart it."
    )
    DISCUSSION_OPEN: Final = "the discussion is open"

    @staticmethod
    def too_new(found: int, known: int, elsewhere: str) -> str:
        """A later version has written the database."""
        return (
            f"The database was written by a newer Roundtable (schema version {found}, this one "
            f"supports {known}): install the newer one, or {elsewhere}."
        )

    @staticmethod
    def too_old(found: int, known: int) -> str:
        """Only the worker brings the database to this version."""
        return (
            f"The database has schema version {found} and this Roundtable needs {known}: start "
            "`roundtable worker` of this version first."
        )

    @staticmethod
    def process(number: str) -> str:
        """Who holds the file."""
        return f"process {number}"

    @staticmethod
    def process_on(number: int, host: str) -> str:
        """Who holds the database on a server."""
        return f"{StoreText.process(str(number))} on {host}"

    @staticmethod
    def in_use(name: str, holder: str, elsewhere: str) -> str:
        """Another Roundtable holds the database."""
        return f"{name} is already in use by {holder}: stop that process first, or {elsewhere}."

    @staticmethod
    def taken_over(name: str, holder: str) -> str:
        """Another Roundtable held the database while this one was cut off from it."""
        return (
            f"{name} was used by {holder} while this Roundtable had lost its lock: restart this "
            "one, and run only one at a time."
        )

    @staticmethod
    def lock_not_writable(path: str, reason: str | None) -> str:
        """The lock beside the file cannot be made."""
        return (
            f"{path} is not writable ({reason}): check the folder's permissions, or set "
            "ROUNDTABLE_HOME to another folder."
        )

    @staticmethod
    def no_folder(path: str, reason: str | None) -> str:
        """The folder of the file cannot be made."""
        return (
            f"The folder {path} cannot be created ({reason}): set ROUNDTABLE_HOME to a "
            "writable folder."
        )

    @staticmethod
    def old_sqlite(found: str) -> str:
        """The SQLite that came with Python is too old."""
        return f"Roundtable needs SQLite 3.37 or newer and found {found}: install a newer Python."

    @staticmethod
    def no_write_ahead_log(path: str) -> str:
        """The file lies on a disk that cannot lock, such as one of the network."""
        return (
            f"The disk of {path} does not support a write-ahead log: set ROUNDTABLE_HOME to a "
            "folder on a local disk."
        )

    @staticmethod
    def file_damaged(path: str) -> str:
        """The file is no sound database."""
        return (
            f"{path} is damaged: move it elsewhere together with its -wal and -shm files, then "
            "restore a backup or start with an empty database."
        )

    @staticmethod
    def disk_full(name: str) -> str:
        """Nothing more can be written."""
        return f"The disk of {name} is full: free some space, then try again."

    @staticmethod
    def file_read_only(path: str) -> str:
        """The file may not be written."""
        return f"{path} is read-only: give Roundtable write permission, then try again."

    @staticmethod
    def file_disk_error(path: str) -> str:
        """The disk of the file failed."""
        return (
            f"The disk of {path} reported an error: check the disk and its free space, then "
            "try again."
        )

    @staticmethod
    def file_not_opened(path: str) -> str:
        """The file cannot be opened."""
        return (
            f"{path} cannot be opened: check that it is a file, and that its folder exists and is "
            "writable."
        )

    @staticmethod
    def file_locked(path: str) -> str:
        """Something else works on the file."""
        return f"{path} is locked by another program: close that program, then try again."

    @staticmethod
    def bad_url(reason: str) -> str:
        """The database URL is not valid."""
        return f"ROUNDTABLE_DATABASE_URL is not valid ({reason}): correct it."

    @staticmethod
    def old_postgres(oldest: int, found: int, name: str) -> str:
        """The server is too old."""
        return (
            f"Roundtable needs Postgres {oldest} or newer and found {found} at {name}: upgrade the "
            f"server, or {StoreText.OTHER_DATABASE}."
        )

    @staticmethod
    def no_utf8(name: str) -> str:
        """The database cannot hold every text."""
        return (
            f"{name} does not use UTF-8: create a database with ENCODING 'UTF8' and set "
            "ROUNDTABLE_DATABASE_URL to it."
        )

    @staticmethod
    def pooled(name: str) -> str:
        """A pooler lends the same session of the server to many."""
        return (
            f"{name} is behind a pooler that shares sessions, such as PgBouncer with pool_mode "
            "transaction, so that no process can hold it alone: set pool_mode to session, or set "
            "ROUNDTABLE_DATABASE_URL to the server itself."
        )

    @staticmethod
    def too_few_sessions(name: str, needed: int) -> str:
        """A pooler has no session left for a connection."""
        return (
            f"{name} is behind a pooler that has too few sessions: raise its default_pool_size to "
            f"{needed} or more, with several processes to 10 for each, or set "
            "ROUNDTABLE_DATABASE_URL to the server itself."
        )

    @staticmethod
    def unreachable(name: str) -> str:
        """The server does not answer."""
        return (
            f"{name} is unreachable: check that the server is running and that "
            "ROUNDTABLE_DATABASE_URL is correct, then try again."
        )

    @staticmethod
    def server_damaged(name: str) -> str:
        """The server found its own files broken."""
        return f"{name} is damaged: restore a backup, or {StoreText.OTHER_DATABASE}."

    @staticmethod
    def login_refused(name: str) -> str:
        """The server does not let the user in."""
        return f"{name} rejected the user or password: correct ROUNDTABLE_DATABASE_URL."

    @staticmethod
    def no_database(name: str) -> str:
        """The server has no database of that name."""
        return f"{name} does not exist: create that database, or correct ROUNDTABLE_DATABASE_URL."

    @staticmethod
    def no_schema(name: str) -> str:
        """The user has no schema to make tables in."""
        return f"{name} has no usable schema: create one that is in the user's search_path."

    @staticmethod
    def right_refused(name: str) -> str:
        """The user may not do what the store needs."""
        return (
            f"The user lacks a permission on {name}: make it the owner of the database or "
            "its schema."
        )

    @staticmethod
    def server_read_only(name: str) -> str:
        """The server is a replica."""
        return f"{name} is read-only: set ROUNDTABLE_DATABASE_URL to the primary server."

    @staticmethod
    def too_many_connections(name: str) -> str:
        """The server has no place for one more."""
        return f"{name} accepts no more connections: raise its max_connections, then try again."

    @staticmethod
    def short_of_resources(name: str) -> str:
        """The server lacks memory or the like."""
        return f"{name} is short of memory or another resource: free some, then try again."

    @staticmethod
    def database_locked(name: str) -> str:
        """Something else works on the database."""
        return f"{name} is locked by another program: close that program, then try again."

    @staticmethod
    def too_slow(name: str) -> str:
        """A statement took longer than is allowed."""
        return f"{name} took too long to answer: try again, or check the server's load."

    @staticmethod
    def server_disk_error(name: str) -> str:
        """The disk of the server failed."""
        return f"The disk of {name} reported an error: check the server's disk, then try again."
