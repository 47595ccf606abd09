"""Erasure: on a person's request, of deleted messages, of servers the bot left, by retention."""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from sqlalchemy import Connection

from bot.access.admission import Asker
from bot.discussions.document import ConclusionFolder
from bot.errors import UnavailableError, UsageError, UserError
from bot.floor import Edited
from bot.meeting.dependencies import Dependencies
from bot.messages.library import ForgetText
from bot.record.loader import DamagedRunError, naming_damaged_run
from bot.record.masking import read_masked_record
from bot.reports.files import remove_files, roundtables_folder, write_files
from bot.reports.minutes import minutes_text
from bot.runs.service import RunService
from bot.store.erasure import derived, erase
from bot.store.erasure.derived import Said
from bot.store.erasure.quotes import FORGOTTEN
from bot.store.repositories.artifacts import ArtifactRepository, FileRepository
from bot.store.repositories.ballots import BallotRepository
from bot.store.repositories.decisions import DecisionRepository
from bot.store.repositories.discussions import DiscussionRepository
from bot.store.repositories.inbound import InboundRepository
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.servers import ServerRepository, StartRepository
from bot.types import Sleep

_log = logging.getLogger(__name__)

_T = TypeVar("_T")

_DAY: Final = 86_400.0
_DAYS_AFTER_LEAVING: Final = 30
_SECONDS_BETWEEN_LOOKS: Final = 3600.0
STOP_ELSEWHERE: Final = "ROUNDTABLE_STOP"
SILENCE_ELSEWHERE: Final = "ROUNDTABLE_SILENCE"
"""What the process that holds another server is told, beside Discord's events."""
_SECONDS_BETWEEN: Final = 0.25
_LOOKS: Final = 60


@dataclass(frozen=True, slots=True)
class ForgetService:
    """Erases text from the store, the files and memory; the log and the figures stay."""

    deps: Dependencies
    run_service: RunService
    _later: set[asyncio.Task[None]] = field(default_factory=set)

    async def preview(self, person_id: int) -> str | None:
        """What forgetting a person would remove, as a sentence; None when there is nothing."""
        traces = await self.deps.store.scan(lambda conn: erase.traces_of(conn, person_id))
        if not traces and not await self._wrote(person_id):
            return None
        return ForgetText.will_remove(len(traces.started), len(traces.joined))

    async def forget(self, asker: Asker) -> str:
        """Remove everything a person wrote; returns what to tell them."""
        for run in await self.deps.store.scan(
            lambda conn: RunListRepository(conn).of_starter(asker.id)
        ):
            if run.finished_at is None:
                await self._stop(run, asker)
        store = self.deps.store
        traces = await store.scan(lambda conn: erase.traces_of(conn, asker.id))
        if not traces and not await self._wrote(asker.id):
            return ForgetText.NOTHING
        await self._silence(asker.id)
        # Files go first: a person who reads "removed" can rely on it, and a kill in between leaves
        # missing files rather than text that stays.
        await self._remove_files(traces.started)
        now, usual = store.now(), self.deps.book.texts

        def work(conn: Connection) -> Mapping[str, Sequence[Said]]:
            said = erase.said_by_person(conn, asker.id, traces.started)
            erase.erase_person(conn, asker.id, now, usual)
            return said

        said = await store.write(work)
        damaged = await self._write_files_anew((*traces.started, *traces.joined))
        for run_id in traces.joined:
            self._once_more(run_id, said.get(run_id, ()))
        _log.info("data of person %s was removed from %d runs", asker.id, len(traces.started))
        return ForgetText.forgotten(len(traces.started), len(traces.joined), damaged)

    async def message_deleted(self, message_id: int) -> None:
        """Erase a message and every quote of it."""
        usual = self.deps.book.texts
        await self._change(
            message_id,
            FORGOTTEN,
            lambda conn: erase.erase_message(conn, message_id, usual),
        )

    async def message_edited(self, message_id: int, text: str) -> None:
        """Erase the old text of a message like a deleted one, and store the new one."""
        if not text:
            await self.message_deleted(message_id)
            return
        now, usual = self.deps.store.now(), self.deps.book.texts
        await self._change(
            message_id, text, lambda conn: erase.reword(conn, message_id, text, now, usual)
        )

    async def thread_deleted(self, thread_id: int) -> None:
        """Erase what people said in a thread that is gone, also from the files of its runs."""
        run_ids = await self._write(lambda conn: erase.erase_thread(conn, thread_id))
        await self._write_files_anew(run_ids)

    async def _change(
        self, message_id: int, text: str, change: Callable[[Connection], str | None]
    ) -> None:
        store = self.deps.store
        known = await store.outlast(
            lambda: store.scan(lambda conn: InboundRepository(conn).get(message_id))
        )
        if known is None or known.content in ("", text):
            return
        self.deps.threads.note(known.channel_id, Edited(message_id, text))

        def work(conn: Connection) -> tuple[Said | None, str | None]:
            return erase.said_in_message(conn, message_id), change(conn)

        said, run_id = await self._write(work)
        if run_id is not None and said is not None:
            await self._write_files_anew([run_id])
            self._once_more(run_id, [said])

    async def _write(self, work: Callable[[Connection], _T]) -> _T:
        """Note what Discord says only once: a database that is away is waited for."""
        store = self.deps.store
        return await store.outlast(lambda: store.write(work))

    def _once_more(self, run_id: str, said: Sequence[Said]) -> None:
        """Erase again, because running answers may still repeat the erased text."""
        if said and (self.run_service.holds(run_id) or self.deps.late.awaits(run_id)):
            task = asyncio.create_task(self._when_over(run_id, said), name=f"forget {run_id}")
            self._later.add(task)
            task.add_done_callback(self._later.discard)

    async def _when_over(self, run_id: str, said: Sequence[Said]) -> None:
        await self.run_service.ended(run_id)
        await self._take_back(run_id, said)
        if self.deps.late.awaits(run_id):
            await self.deps.late.ended(run_id)
            await self._take_back(run_id, said)

    async def _take_back(self, run_id: str, said: Sequence[Said]) -> None:
        usual = self.deps.book.texts
        try:
            await self.deps.store.write(lambda conn: derived.take_back(conn, {run_id: said}, usual))
            await self._write_files_anew([run_id])
        except UserError:
            _log.warning(
                ("the bot shut down before text was removed from the conclusion of %s"), run_id
            )

    async def told(self, event: str, payload: Mapping[str, Any]) -> None:
        """Do in a server that this process holds what another one cannot do from outside."""
        if event == STOP_ELSEWHERE:
            with suppress(UsageError):  # it ended meanwhile
                await self.run_service.stop(payload["run_id"], Asker(payload["person_id"]))
        elif event == SILENCE_ELSEWHERE:
            for channel_id, message_id in payload["messages"]:
                self.deps.threads.note(channel_id, Edited(message_id, FORGOTTEN))

    async def _stop(self, run: Run, asker: Asker) -> None:
        """Stop a run, where another process holds its server by telling that one."""
        if run.guild_id in self.deps.held:
            await self.run_service.stop(run.id, asker)
            return
        payload = {"run_id": run.id, "person_id": asker.id}
        await self._tell_holder(run.guild_id, STOP_ELSEWHERE, payload)
        for _ in range(_LOOKS):
            await self.deps.sleep(_SECONDS_BETWEEN)
            now = await self.deps.store.read(lambda conn: RunRepository(conn).require(run.id))
            if now.finished_at is not None:
                return
        raise UnavailableError(ForgetText.STILL_RUNNING)

    async def _tell_holder(self, server: int, event: str, payload: Mapping[str, Any]) -> None:
        from bot.store.fleet.inbox import InboxRepository  # noqa: PLC0415 (slow, few)
        from bot.types.gateway_events import GatewayEvent  # noqa: PLC0415 (as above)

        told = GatewayEvent(event, json.dumps(payload), server=server)
        await self.deps.store.write(lambda conn: InboxRepository(conn).add([told]))

    async def left(self, guild_id: int) -> None:
        """The bot was removed from a server: its data is purged in 30 days, unless it returns."""
        now = self.deps.store.now()
        await self._write(lambda conn: ServerRepository(conn).leave(guild_id, now))

    async def joined(self, guild_id: int) -> None:
        """The bot is in a server again: nothing of it is purged."""
        await self._write(lambda conn: ServerRepository(conn).rejoin(guild_id))

    async def compare(self, present: frozenset[int]) -> None:
        """After an absence: note which known servers were left meanwhile, and which are back."""
        store, now = self.deps.store, self.deps.store.now()

        def work(conn: Connection) -> None:
            for guild_id in (*RunListRepository(conn).servers(), *erase.servers_with_words(conn)):
                if guild_id in present:
                    ServerRepository(conn).rejoin(guild_id)
                elif guild_id:
                    ServerRepository(conn).leave(guild_id, now)

        await store.write(work)

    async def tidy(self) -> None:
        """Purge servers that were left long ago, and runs past their retention.

        Also removes folders of harnesses that a kill has left behind after the end of their run.
        """
        store = self.deps.store
        for run_id in await self.deps.registry.workspaces.known():
            run = await store.scan(lambda conn, r=run_id: RunRepository(conn).get(r))  # type: ignore[misc]
            if run is None or run.finished_at is not None:
                await self.deps.registry.workspaces.discard(run_id)
        due = store.now() - _DAYS_AFTER_LEAVING * _DAY
        for guild_id in await store.scan(lambda conn: ServerRepository(conn).left_before(due)):
            await self._purge(guild_id)
        days = self.deps.config(None).privacy.retention_days
        if days is not None:
            await self._apply_retention(store.now() - days * _DAY)

    async def run(self, sleep: Sleep) -> None:
        """Tidy up now and every hour, until cancelled."""
        while True:
            try:
                await self.tidy()
            except UnavailableError as error:
                _log.warning("cleanup was left out, retrying in an hour: %s", error.text)
            except Exception:
                _log.exception("cleanup failed; retrying in an hour")
            await sleep(_SECONDS_BETWEEN_LOOKS)

    async def _purge(self, guild_id: int) -> None:
        store = self.deps.store
        run_ids = await store.scan(lambda conn: erase.runs_of_server(conn, guild_id))
        await self._erase_runs(run_ids)

        def rest(conn: Connection) -> None:
            erase.erase_inbound(conn, guild_id)
            StartRepository(conn).forget_server(guild_id)
            BallotRepository(conn).forget_server(guild_id)
            DecisionRepository(conn).forget_server(guild_id)
            ServerRepository(conn).forget(guild_id)

        await store.write(rest)
        _log.info("server %s was purged: %d runs", guild_id, len(run_ids))

    async def _apply_retention(self, before: float) -> None:
        store = self.deps.store
        old = await store.scan(lambda conn: erase.runs_over_before(conn, before))
        await self._erase_runs([run_id for run_id, _ in old])
        for guild_id in await store.scan(erase.servers_with_words):
            left = await store.write(lambda conn, g=guild_id: erase.erase_inbound(conn, g, before))  # type: ignore[misc]
            await self._write_files_anew(left)
        if old:
            _log.info("%d runs exceeded the retention period", len(old))

    async def _erase_runs(self, run_ids: Sequence[str]) -> None:
        store = self.deps.store
        for run_id in run_ids:
            await self._remove_files([run_id])
            now = store.now()
            await store.write(lambda conn, r=run_id, n=now: erase.erase_run(conn, r, n))  # type: ignore[misc]

    async def _wrote(self, person_id: int) -> bool:
        store = self.deps.store
        return await store.scan(
            lambda conn: (
                InboundRepository(conn).wrote(person_id) or BallotRepository(conn).joined(person_id)
            )
        )

    async def _silence(self, person_id: int) -> None:
        """Remove the erased text from the memory of live threads."""
        store, elsewhere = self.deps.store, dict[int, list[tuple[int, int]]]()
        for message in await store.scan(lambda conn: InboundRepository(conn).of_author(person_id)):
            if message.guild_id in self.deps.held:
                forgotten = Edited(message.message_id, FORGOTTEN)
                self.deps.threads.note(message.channel_id, forgotten)
            else:
                there = elsewhere.setdefault(message.guild_id, [])
                there.append((message.channel_id, message.message_id))
        for server, messages in elsewhere.items():
            await self._tell_holder(server, SILENCE_ELSEWHERE, {"messages": messages})

    async def _remove_files(self, run_ids: Sequence[str]) -> None:
        folder = roundtables_folder(self.deps.home)
        for run_id in run_ids:
            stem = await self.deps.store.scan(
                lambda conn, r=run_id: FileRepository(conn).name_of(r)  # type: ignore[misc]
            )
            async with self.deps.exporting:
                await asyncio.to_thread(remove_files, folder, stem, run_id)
            await self._remove_conclusion(run_id)
            await self.deps.registry.workspaces.discard(run_id)

    async def _remove_conclusion(self, run_id: str) -> None:
        held = await self.deps.store.scan(lambda conn: DiscussionRepository(conn).get(run_id))
        if held is not None:
            await self._conclusions().remove(held)

    def _conclusions(self) -> ConclusionFolder:
        folder = self.deps.conclusions or roundtables_folder(self.deps.home)
        return ConclusionFolder(self.deps.store, folder)

    async def _write_files_anew(self, run_ids: Sequence[str]) -> tuple[str, ...]:
        """Rewrite the files of runs and of those that build on them; returns the damaged ones."""
        built = await self.deps.store.scan(lambda conn: derived.heirs_of(conn, run_ids))
        damaged = list[str]()
        for run_id in dict.fromkeys((*run_ids, *built)):
            try:
                with naming_damaged_run(run_id):
                    await self._write_files_of(run_id)
            except DamagedRunError:
                damaged.append(run_id)
        return tuple(damaged)

    async def _write_files_of(self, run_id: str) -> None:
        folder, store = roundtables_folder(self.deps.home), self.deps.store
        held = await store.scan(lambda conn: DiscussionRepository(conn).get(run_id))
        if held is not None:
            if held.run.finished_at is not None and (held.conclusion or held.output_path):
                await self._conclusions().write(held)
            return
        if not (await store.scan(lambda conn: RunRepository(conn).require(run_id))).topic:
            return  # it was erased as a whole
        record = await read_masked_record(store, run_id)
        text = minutes_text(record)
        await store.write(lambda conn: ArtifactRepository(conn).write_minutes_anew(run_id, text))
        stem = await store.scan(lambda conn: FileRepository(conn).name_of(run_id))
        if stem is not None:  # else it is not over yet, and they are written when it is
            async with self.deps.exporting:
                await asyncio.to_thread(write_files, folder, stem, record)
