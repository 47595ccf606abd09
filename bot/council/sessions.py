"""The meetings this process runs or opens, and how it releases them."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bot.council.meeting import Meeting
from bot.errors import UnavailableError
from bot.messages.starting import AdmissionText

Hold = Callable[[Meeting, bool], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class _Session:
    meeting: Meeting
    task: asyncio.Task[None]


class Sessions:
    """One task for each meeting; `hold` is given the meeting, and whether a restart cut it off."""

    def __init__(self, hold: Hold) -> None:
        self._hold = hold
        self._running: dict[str, _Session] = {}
        self._opening: set[asyncio.Future[None]] = set()
        self.closing = False

    def __contains__(self, run_id: str) -> bool:
        return run_id in self._running

    def __len__(self) -> int:
        return len(self._running)

    def require_open(self) -> None:
        """Refuse new work while the process closes down."""
        if self.closing:
            raise UnavailableError(AdmissionText.RESTARTING)

    @contextmanager
    def opening(self) -> Iterator[None]:
        """Count a meeting that is not launched yet among those somebody may wait for."""
        under_way: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._opening.add(under_way)
        try:
            yield
        finally:
            self._opening.discard(under_way)
            under_way.set_result(None)

    def launch(self, meeting: Meeting, *, resumed: bool = False) -> None:
        """Hold the meeting in a task of its own."""
        if self.closing:
            return  # the next start resumes it
        run_id = meeting.run.id
        task = asyncio.create_task(self._hold(meeting, resumed), name=run_id)
        session = _Session(meeting, task)
        self._running[run_id] = session
        task.add_done_callback(lambda _: self._let_go(run_id, session))

    def _let_go(self, run_id: str, session: _Session) -> None:
        """A run that was retried at once has a new session by now, which stays."""
        if self._running.get(run_id) is session:
            del self._running[run_id]

    def wake(self, run_id: str) -> None:
        """Tell a run that waits for a person to look again."""
        if run_id in self._running:
            self._running[run_id].meeting.decided.set()

    def wake_all(self) -> None:
        """Tell every run to look again."""
        for run_id in self._running:
            self.wake(run_id)

    async def interrupt(self, run_id: str) -> Meeting | None:
        """Take a meeting off its task and return it; None where none is held."""
        session = self._running.get(run_id)
        if session is None:
            return None
        session.task.cancel()
        await asyncio.gather(session.task, return_exceptions=True)
        return session.meeting

    async def ended(self, run_id: str) -> None:
        """Wait until a run is not held any more."""
        if (ending := self.holding(run_id)) is not None:
            await asyncio.wait([ending])

    def holding(self, run_id: str) -> asyncio.Task[None] | None:
        """What holds a run now."""
        session = self._running.get(run_id)
        return session.task if session else None

    async def idle(self) -> None:
        """Wait until no meeting runs and none is being opened."""
        while self._running or self._opening:
            await asyncio.wait([*self._tasks(), *self._opening])

    def cancel_all(self) -> list[asyncio.Task[None]]:
        """Let every meeting stop where it is; returns what is still to end."""
        tasks = self._tasks()
        for task in tasks:
            task.cancel()
        return tasks

    def _tasks(self) -> list[asyncio.Task[None]]:
        return [session.task for session in self._running.values()]
