"""The playground's servers, channels and messages on disk, so that a restart shows them again.

A small SQLite file beside the bot's database. Every change is written before the bot gets the
answer to its request, so the bot's store never knows a message that the playground has lost.
Answers that only one person sees are not kept, as in Discord.
"""

import json
import logging
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from bot.errors import UnavailableError
from bot.files.private import make_file, make_folder
from bot.front.world_rows import CDN, FoundWorld, channel_row, guild_row, message_row
from bot.messages.command_line import PlaygroundText
from bot.messages.store import StoreText
from bot.playground.model import Change, Message, World
from bot.playground.world import the_table

_log = logging.getLogger(__name__)

_VERSION: Final = 1
_MOST_BYTES: Final = 64 * 1024 * 1024
_KEPT_SHARE: Final = 0.75
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS things (
    kind TEXT NOT NULL, id INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, id)
) STRICT;
CREATE TABLE IF NOT EXISTS files (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, content BLOB NOT NULL
) STRICT;
"""
_SIZES: Final = """
SELECT id, length(body) FROM things WHERE kind = 'message' UNION ALL
SELECT id, length(content) FROM files
WHERE id NOT IN (SELECT id FROM things WHERE kind = 'emoji') ORDER BY 1
"""
_UNUSABLE: Final = (sqlite3.Error, AttributeError, LookupError, TypeError, ValueError)


class SavedWorld:
    """A file that a playground is restored from and written to while it runs."""

    def __init__(self, path: Path, most_bytes: int = _MOST_BYTES) -> None:
        self._path, self._most = path, most_bytes
        self._world: World | None = None
        self._size, self._cdn = 0, CDN
        self.restored = False
        """Whether the playground goes on from an earlier one."""
        self.notice = ""
        """What the person at the terminal should know, if anything."""
        self._conn = self._connected()

    def attach(self, world: World) -> None:
        """Bring back into the world what was kept, and keep every change from now on."""
        try:
            self._restore(world)
        except _UNUSABLE as error:
            self._conn.close()
            self._conn = self._begun_anew(_reason(error))
        self._world, self._cdn = world, world.cdn_url
        world.listeners.append(self._hear)
        self._save(lambda: self._write_all(world))

    def close(self) -> None:
        """Write no more."""
        if self._world is not None:
            self._world.listeners.remove(self._hear)
            self._world = None
        self._conn.close()

    def _connected(self) -> sqlite3.Connection:
        """The file; where it cannot be had, something that forgets."""
        try:
            return self._opened()
        except _DamagedError as damage:
            return self._begun_anew(str(damage))
        except (OSError, sqlite3.OperationalError) as error:
            return self._unkept(error)

    def _unkept(self, error: Exception) -> sqlite3.Connection:
        self.notice = PlaygroundText.not_kept(_reason(error))
        conn = sqlite3.connect(":memory:", isolation_level=None)
        self._examine(conn)
        return conn

    def _opened(self) -> sqlite3.Connection:
        make_folder(self._path.parent)
        make_file(self._path)
        conn = sqlite3.connect(self._path, timeout=0, isolation_level=None)
        try:
            conn.execute("PRAGMA locking_mode=EXCLUSIVE")
            conn.execute("PRAGMA journal_mode=WAL")
            conn.execute("PRAGMA synchronous=NORMAL")
            conn.execute("PRAGMA secure_delete=ON")
            self._examine(conn)
        except (_DamagedError, sqlite3.Error) as error:
            conn.close()
            if "locked" in str(error):
                raise UnavailableError(_in_use(self._path)) from error
            if isinstance(error, _DamagedError | sqlite3.OperationalError):
                raise
            raise _DamagedError(_reason(error)) from error
        return conn

    def _examine(self, conn: sqlite3.Connection) -> None:
        """Make a new file, check one that is there, and cut off what is too much."""
        version = conn.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, _VERSION):
            raise _DamagedError(PlaygroundText.NEWER_FILE)
        found = conn.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise _DamagedError(str(found).splitlines()[-1])
        conn.executescript(f"BEGIN EXCLUSIVE; {_SCHEMA} PRAGMA user_version={_VERSION}; COMMIT;")
        self._size = _trimmed(conn, self._most)

    def _begun_anew(self, why: str) -> sqlite3.Connection:
        """An empty file; the one that cannot be used is kept under another name."""
        stamp = time.strftime("%Y-%m-%d-%H%M%S", time.gmtime())
        aside = self._path.with_name(f"{self._path.stem}-{stamp}.damaged.db")
        try:
            for end in ("-wal", "-shm", ""):
                with suppress(FileNotFoundError):
                    Path(f"{self._path}{end}").replace(f"{aside}{end}")
            conn = self._opened()
        except (OSError, sqlite3.OperationalError) as error:
            return self._unkept(error)
        self.notice = PlaygroundText.set_aside(why, str(aside))
        return conn

    def _restore(self, world: World) -> None:
        found = FoundWorld(world, self._conn)
        if found.guilds:
            found.take_over()
            world.add_guild(the_table())
            self.restored = True

    def _save(self, write: Callable[[], None]) -> None:
        """One transaction; a disk that fails ends the keeping, not the playground."""
        try:
            self._conn.execute("BEGIN IMMEDIATE")
            write()
            if self._size > self._most:
                self._size = _trimmed(self._conn, self._most)
            self._conn.execute("COMMIT")
        except (LookupError, sqlite3.Error) as error:
            _log.warning(PlaygroundText.not_kept(_reason(error)))
            self.close()

    def _hear(self, change: Change) -> None:
        """Write what a change has touched."""
        if self._world is not None and (write := self._writer(self._world, change)):
            self._save(write)

    def _writer(self, world: World, change: Change) -> Callable[[], None] | None:
        payload, name = change.payload, change.name
        message = change.message
        if message is not None:
            return (lambda: self._write_message(message)) if message.only_for is None else None
        if name == "MESSAGE_DELETE":
            return lambda: self._drop_message(int(payload["id"]))
        if name.startswith("MESSAGE_REACTION"):
            return lambda: self._write_message(world.message(int(payload["message_id"])))
        if name == "THREAD_DELETE":
            return lambda: self._drop("channel", int(payload["id"]))
        if name.startswith(("CHANNEL_", "THREAD_")):
            return lambda: self._put("channel", *channel_row(world.channels[int(payload["id"])]))
        part = self._parts.get(name)
        return (lambda: part(world)) if part else None

    @property
    def _parts(self) -> dict[str, Callable[[World], None]]:
        """What is written as a whole, by the event that changes it; little, and seldom changed."""
        return {
            "GUILD_MEMBER_ADD": self._write_members,
            "WEBHOOKS_UPDATE": self._write_webhooks,
            "EMOJI_CREATE": self._write_emojis,
            "COMMANDS_UPDATE": self._write_commands,
            "READ": self._write_read,
        }

    def _write_all(self, world: World) -> None:
        """Everything but the messages, which are in the file already."""
        for channel in world.channels.values():
            self._put("channel", *channel_row(channel))
        for write in self._parts.values():
            write(world)

    def _write_members(self, world: World) -> None:
        for user in world.users.values():
            self._put("user", user.id, {"name": user.name, "bot": user.bot})
        for guild in world.guilds.values():
            self._put("guild", *guild_row(guild))

    def _write_webhooks(self, world: World) -> None:
        for number, hook in world.webhooks.items():
            self._put("webhook", number, hook)

    def _write_emojis(self, world: World) -> None:
        for emoji in world.emojis:
            self._put("emoji", int(emoji["id"]), emoji)
            self._put_file(world, int(emoji["id"]))

    def _write_commands(self, world: World) -> None:
        self._put("commands", 0, {"commands": world.commands})

    def _write_read(self, world: World) -> None:
        self._put("read", 0, {"read": [[*key, last] for key, last in world.read.items()]})

    def _write_message(self, message: Message) -> None:
        self._put("message", *message_row(message))
        self._put("channel", *channel_row(message.channel))
        for file in message.attachments:
            self._put_file(message.channel.world, int(file["id"]))

    def _put(self, kind: str, number: int, body: Any) -> None:
        text = json.dumps(body).replace(self._cdn, CDN)
        self._size += len(text) if kind == "message" else 0
        row = (kind, number, text)
        self._conn.execute("INSERT OR REPLACE INTO things VALUES (?, ?, ?)", row)

    def _put_file(self, world: World, number: int) -> None:
        file = world.files.get(number)
        if file is None:  # it was cut off with what is old
            return
        row = (number, file.name, file.type, file.content)
        added = self._conn.execute("INSERT OR IGNORE INTO files VALUES (?, ?, ?, ?)", row)
        self._size += len(file.content) * added.rowcount

    def _drop(self, kind: str, number: int) -> None:
        self._conn.execute("DELETE FROM things WHERE kind = ? AND id = ?", (kind, number))

    def _drop_message(self, number: int) -> None:
        query = "SELECT body FROM things WHERE kind = 'message' AND id = ?"
        for (body,) in self._conn.execute(query, (number,)).fetchall():
            for file in json.loads(body)["wire"]["attachments"]:
                self._conn.execute("DELETE FROM files WHERE id = ?", (int(file["id"]),))
        self._drop("message", number)


class _DamagedError(Exception):
    """The file cannot be used; the text says why."""


def _trimmed(conn: sqlite3.Connection, most: int) -> int:
    """Take the oldest messages and files away when there is too much; returns what is left."""
    sizes: list[tuple[int, int]] = conn.execute(_SIZES).fetchall()
    left = sum(size for _, size in sizes)
    if left <= most:
        return left
    last = 0
    for number, size in sizes:
        if left <= most * _KEPT_SHARE:
            break
        last, left = number, left - size
    conn.execute("DELETE FROM things WHERE kind = 'message' AND id <= ?", (last,))
    keeps = "SELECT id FROM things WHERE kind = 'emoji'"
    conn.execute(f"DELETE FROM files WHERE id <= ? AND id NOT IN ({keeps})", (last,))  # noqa: S608
    return left


def _reason(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _in_use(path: Path) -> str:
    return StoreText.in_use(str(path), StoreText.ANOTHER_PROCESS, StoreText.OTHER_FOLDER)
