"""The Postgres backend: connections, the lock, triggers and error messages."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sqlalchemy import Connection, ExceptionContext, Table, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.errors import AwayError, UnavailableError
from bot.messages.store import StoreText
from bot.panels.urls import without_secrets
from bot.store.engine.backend import SharedFateError
from bot.store.engine.locks import Holding
from bot.store.engine.postgres_lock import (
    FENCED,
    MEMBER_BEAT,
    WRITE_ALONE,
    LockWatch,
    Pulse,
    ServerLock,
    server_process,
    signature,
)

if TYPE_CHECKING:
    import asyncpg


_T = TypeVar("_T")

ELSEWHERE: Final = StoreText.OTHER_DATABASE
_READERS: Final = 4
_PATIENCE: Final = 10.0
"""How long to retry while the server is unreachable before people are told."""
_GOODBYE: Final = 2.0
"""How long to wait for the server to close a connection."""
_PAUSE: Final = 0.1
_LOOKS: Final = 3
_LOST_STATEMENT: Final = frozenset({"26000", "42P05"})
"""A statement was prepared in one process of the server and looked for in another."""
_SLOWEST_STATEMENT: Final = 60.0
_MEMBER_STATEMENT: Final = 10.0
"""Others wait for a worker whose line is broken and silent."""
_OLDEST_SERVER: Final = 13
_SETTINGS: Final = (
    # A client that vanished must not keep the lock for the default two hours.
    "SET tcp_keepalives_idle = 20; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;"
    # Compiling the short statements of the store takes longer than running them.
    " SET jit = off"
)
_DETAIL: Final = "\nDETAIL:"
_GONE: Final = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03"})
# Whoever is stopped in the middle of a transaction must not keep all others from writing.
_MEMBER_SETTINGS: Final = "SET idle_in_transaction_session_timeout = '3s'"
# One function is one round trip, and its statements see what was committed before the lock.
_BEGIN_FUNCTION: Final = f"""
    CREATE FUNCTION roundtable_begin(member bigint) RETURNS text LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM {WRITE_ALONE};
      IF NOT EXISTS (SELECT FROM procrastinate_workers WHERE id = member) THEN
        RAISE SQLSTATE '{FENCED}';
      END IF;
      RETURN pg_current_xact_id()::text;
    END $$
"""
_BEGIN: Final = "SELECT pg_current_xact_id()::text"
_BEGIN_AMONG_OTHERS: Final = f"SELECT pg_current_xact_id()::text, {WRITE_ALONE}"
_SENTENCES: Final = {
    "28": StoreText.login_refused,
    "3D000": StoreText.no_database,
    "3F000": StoreText.no_schema,
    "42501": StoreText.right_refused,
    "25006": StoreText.server_read_only,
    "53100": StoreText.disk_full,
    "53300": StoreText.too_many_connections,
    "53": StoreText.short_of_resources,
    "55P03": StoreText.database_locked,
    FENCED: lambda _: StoreText.FENCED,
    "57014": StoreText.too_slow,
    "58": StoreText.server_disk_error,
    "XX001": StoreText.server_damaged,
    "XX002": StoreText.server_damaged,
}


@dataclass(slots=True)
class _Transaction:
    """What is needed to find out whether a commit without an answer succeeded."""

    number: str = ""
    committing: bool = False
    result: Any = None


class PostgresBackend:
    """One database, locked by an advisory lock of the only connection that writes.

    The lock ends with that connection, so a process that lost it cannot write: a new connection
    must take the lock first and check that no other process has held it in between.

    Workers of a fleet share the lock. Their transactions come one after the other, whoever they are
    from, and each begins with the question whether its worker still counts. A guest holds no lock:
    it may write only what has no holder.
    """

    def __init__(self, url: str, *, guest: bool = False, shared: bool = False) -> None:
        _require_driver()
        self._url, self._guest = url, guest
        self._begin = _BEGIN_AMONG_OTHERS if guest or shared else _BEGIN
        self._name = without_secrets(url)
        self._writer = _engine(self._connect_writer, 1)
        self._readers = _engine(
            self._connect,
            _READERS,
            isolation_level="REPEATABLE READ",
            execution_options={"postgresql_readonly": True},
        )
        self.engine = self._writer.sync_engine
        self.holding = Holding()
        self._lock = ServerLock(self._name)
        self._pulse = Pulse(self._lock, self._connect, self._pulse_ended) if shared else None
        self._lock_holder: object = None
        self._watch: LockWatch | None = None

    async def open(self, prepare: Callable[[Connection], None]) -> None:
        """Connect, take the lock, and refuse a server that is too old."""

        def work(conn: Connection) -> None:
            _require_suitable(conn, self._name)
            prepare(conn)

        try:
            await self._require_sessions()
            if self._pulse is not None:
                await self._pulse.open()
            await self._transact_once(work)
            self._watch = self._watched()
        except BaseException:
            await self.close()
            raise
        # Only the operator may see the server's address.
        self._name = StoreText.OUR_DATABASE

    def _watched(self) -> LockWatch | None:
        if self._pulse is not None:
            self._begin = f"SELECT roundtable_begin({self._pulse.number})"
            return LockWatch(self.holding, self._pulse.beat, beat=MEMBER_BEAT)
        return None if self._guest else LockWatch(self.holding, self._prove_lock)

    @property
    def member(self) -> int | None:
        """The number of this worker among others; None for a process that is none."""
        return self._pulse.number if self._pulse is not None else None

    def begin_term(self, conn: Connection) -> None:
        """Record a new holder, so that an earlier one learns that it lost the database."""
        if self._guest:
            return
        self._lock.begin_term(conn)
        if self._pulse is None:
            self._lock.fence_workers(conn)
        else:
            self._pulse.join(conn)

    async def transact(self, work: Callable[[Connection], _T]) -> _T:
        """Run the closure in a transaction; again if the connection broke before the commit."""
        return await _patiently(lambda: self._transact_once(work))

    def read_at_once(self, work: Callable[[Connection], _T]) -> None:
        """Every answer comes over the network."""

    async def read(self, work: Callable[[Connection], _T]) -> _T:
        """Run the closure on a snapshot of a read-only connection."""

        async def once() -> _T:
            async with self._readers.connect() as conn:
                return await conn.run_sync(work)

        return await _patiently(once)

    async def close(self) -> None:
        """Close every connection, which releases the lock."""
        watch, self._watch = self._watch, None
        if watch is not None:
            await watch.close()
        if self._pulse is not None:
            await self._pulse.close()
        for engine in (self._readers, self._writer):
            # A server that does not answer must not delay the shutdown.
            with suppress(TimeoutError):
                async with asyncio.timeout(_GOODBYE):
                    await engine.dispose()

    def explain(self, error: Exception) -> Exception:
        """The error to show people when the server is the cause."""
        return _explain(error, self._name)

    async def _require_sessions(self) -> None:
        """Raise if a pooler in between hands our sessions to others, and our lock with them."""
        async with AsyncExitStack() as closing:
            first = await self._borrow(closing)
            try:
                if await server_process(first) == first.get_server_pid():
                    return
                # Behind a pooler: as many connections as we need, each with a process of its own?
                async with asyncio.timeout(_PATIENCE):
                    others = [await self._borrow(closing) for _ in range(_READERS)]
                    shared = await _share_sessions([first, *others])
            except TimeoutError as error:
                few = StoreText.too_few_sessions(self._name, _READERS + 1)
                raise UnavailableError(few) from error
            except Exception as error:
                if _state(error) not in _LOST_STATEMENT:
                    raise
                shared = True
        if shared:
            raise UnavailableError(StoreText.pooled(self._name))

    async def _borrow(self, closing: AsyncExitStack) -> "asyncpg.Connection[Any]":
        connection = await self._connect()
        closing.callback(connection.terminate)
        return connection

    async def _transact_once(self, work: Callable[[Connection], _T]) -> _T:
        current = _Transaction()
        try:
            async with self._writer.connect() as conn:
                await conn.run_sync(_transact, work, current, self._begin)
        except Exception as error:
            if _state(error) == FENCED:
                self.holding.abandon(UnavailableError(StoreText.FENCED))
            if not (current.committing and _is_lost(error)):
                raise
            if not await self._was_kept(current.number, error):
                raise
        result: _T = current.result
        return result

    async def _was_kept(self, number: str, error: Exception) -> bool:
        """Whether a transaction was committed although its connection broke before the answer."""

        async def ask() -> str:
            async with self._writer.connect() as conn:
                if self._pulse is not None:
                    # Once this is ours, the transaction in question has ended on the server.
                    await conn.exec_driver_sql(f"SELECT {WRITE_ALONE}")
                status = f"SELECT pg_xact_status('{number}'::xid8)"
                found: str = (await conn.exec_driver_sql(status)).scalar_one()
                # This connection holds the lock, so the broken one has ended on the server.
                return found

        try:
            status = await _patiently(ask)
        except Exception:
            raise SharedFateError(error) from error
        if status == "in progress":
            raise SharedFateError(error) from error
        return status == "committed"

    async def _connect(self) -> "asyncpg.Connection[Any]":
        among_others = self._guest or self._pulse is not None
        return await connect(self._url, _MEMBER_STATEMENT if among_others else _SLOWEST_STATEMENT)

    async def _connect_writer(self) -> "asyncpg.Connection[Any]":
        connection = await self._connect()
        if self._guest or self._pulse is not None:
            await connection.execute(_MEMBER_SETTINGS)
            return connection
        try:
            await self._lock.take(connection)
        except BaseException:
            await connection.close(timeout=_PAUSE)
            raise
        self._lock_holder = connection
        connection.add_termination_listener(self._connection_ended)
        self.holding.regain()
        return connection

    def _connection_ended(self, ended: object) -> None:
        if self._watch is not None and ended is self._lock_holder:
            self._watch.connection_ended()

    def _pulse_ended(self, _: object) -> None:
        if self._watch is not None:
            self.holding.miss()

    async def _prove_lock(self) -> None:
        """Check that the connection still holds the lock, or take the lock again."""
        async with self._writer.connect() as conn:
            await conn.exec_driver_sql("SELECT 1")


async def _share_sessions(connections: "Sequence[asyncpg.Connection[Any]]") -> bool:
    """Whether open connections are ever served by one process, or one of them by several."""
    looks = [[await server_process(one) for one in connections] for _ in range(_LOOKS)]
    return len({tuple(look) for look in looks}) > 1 or len(set(looks[0])) < len(connections)


async def connect(url: str, slowest: float = _SLOWEST_STATEMENT) -> "asyncpg.Connection[Any]":
    """A connection of its own, with our settings and signature."""
    import asyncpg  # noqa: PLC0415 (an extra, and slow)

    try:
        connection = await asyncpg.connect(
            url,
            timeout=_PATIENCE,
            command_timeout=slowest,
            server_settings={"application_name": signature()},
        )
    except (asyncpg.InterfaceError, ValueError) as error:
        raise UnavailableError(StoreText.bad_url(str(error))) from error
    try:
        await connection.execute(_SETTINGS)
    except BaseException:
        connection.terminate()
        raise
    return connection


def _engine(creator: Callable[[], Awaitable[Any]], size: int, **options: Any) -> AsyncEngine:
    engine = create_async_engine(
        "postgresql+asyncpg://",
        async_creator=creator,
        pool_size=size,
        max_overflow=0,
        # Waits for the lock, as on SQLite.
        pool_timeout=None,
        # Errors must not carry people's text into a log.
        hide_parameters=True,
        **options,
    )
    event.listen(engine.sync_engine, "handle_error", _hide_row)
    return engine


def _hide_row(context: ExceptionContext) -> None:
    """Remove the server's DETAIL, which quotes the refused row."""
    driver = context.original_exception
    for error in (context.sqlalchemy_exception, driver, driver.__cause__):
        if error is not None and error.args:
            error.args = (str(error.args[0]).partition(_DETAIL)[0], *error.args[1:])
    vars(driver.__cause__ or driver).pop("detail", None)


def _transact(
    conn: Connection, work: Callable[[Connection], Any], current: _Transaction, begin: str
) -> None:
    with conn.begin():
        current.number = conn.exec_driver_sql(begin).scalar_one()
        current.result = work(conn)
        current.committing = True


async def _patiently(attempt: Callable[[], Awaitable[_T]]) -> _T:
    """Retry while the server is away; a restart takes only seconds."""
    deadline = asyncio.get_running_loop().time() + _PATIENCE
    while True:
        try:
            return await attempt()
        except Exception as error:
            if not _is_lost(error):
                raise
            if asyncio.get_running_loop().time() > deadline:
                raise SharedFateError(error) from error
        await asyncio.sleep(_PAUSE)


def _require_driver() -> None:
    """Raise if the Postgres driver is not installed."""
    try:
        import asyncpg  # noqa: F401, PLC0415 (an extra, and slow)
    except ImportError as error:
        raise UnavailableError(StoreText.NO_DRIVER) from error


def _require_suitable(conn: Connection, name: str) -> None:
    """Raise if the server is too old or the database is not in UTF-8."""
    version = int(conn.exec_driver_sql("SHOW server_version_num").scalar_one()) // 10_000
    if version < _OLDEST_SERVER:
        raise UnavailableError(StoreText.old_postgres(_OLDEST_SERVER, version, name))
    if conn.exec_driver_sql("SHOW server_encoding").scalar_one() != "UTF8":
        raise UnavailableError(StoreText.no_utf8(name))


def forbid_changes(conn: Connection, table: Table) -> None:
    """Make a table append-only by a trigger that refuses UPDATE, DELETE and TRUNCATE."""
    conn.exec_driver_sql(
        f"CREATE FUNCTION {table.name}_refuse_change() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN RAISE EXCEPTION '{table.name} is append-only'; END $$"
    )
    conn.exec_driver_sql(
        f"CREATE TRIGGER {table.name}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE"
        f" ON {table.name} FOR EACH STATEMENT EXECUTE FUNCTION {table.name}_refuse_change()"
    )


def create_queue(conn: Connection) -> None:
    """Make the tables and functions of procrastinate, and the beginning of a worker's writes."""
    if conn.exec_driver_sql("SELECT to_regclass('procrastinate_jobs')").scalar() is not None:
        return
    try:
        from procrastinate.schema import SchemaManager  # noqa: PLC0415 (slow, once for a database)
    except ImportError as error:
        raise UnavailableError(StoreText.NO_DRIVER) from error
    driver: Any = conn.connection.dbapi_connection
    driver.run_async(lambda connection: connection.execute(SchemaManager.get_schema()))
    conn.exec_driver_sql(_BEGIN_FUNCTION)


def _is_lost(error: Exception) -> bool:
    """Whether the connection is gone or could not be made, so that a retry may succeed."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    state = _state(error)
    return isinstance(error, OSError) or state[:2] == "08" or state in _GONE


def is_cut_off(error: Exception) -> bool:
    """Whether a connection beside the store lost the server, so that a retry may succeed."""
    import asyncpg  # noqa: PLC0415 (an extra, and slow)

    # The last one is how asyncpg says that a connection was cut between question and answer.
    ended = (asyncpg.InterfaceError, asyncpg.InternalClientError)
    return isinstance(error, (AwayError, *ended)) or _is_lost(error)


def _explain(error: Exception, name: str) -> Exception:
    """The error to show people when the server is the cause, else the error itself."""
    cause = error.cause if isinstance(error, SharedFateError) else error
    state = _state(cause)
    said = _SENTENCES.get(state) or _SENTENCES.get(state[:2])
    if _is_lost(cause):
        sentence: UnavailableError = AwayError(StoreText.unreachable(name))
    elif said is None:
        return cause
    else:
        sentence = UnavailableError(said(name))
    sentence.__cause__ = cause
    return sentence


def _state(error: Exception) -> str:
    original = error.orig if isinstance(error, DBAPIError) else error
    return getattr(original, "sqlstate", None) or ""
