"""What the starter says about a spec: accept it, edit it, or ask for another one."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection

from bot.council.admission import Asker, require_place
from bot.council.delivery.spec_state import CHANGES, EDIT, SpecState, keep_wish, state_of
from bot.council.setting_aside import set_aside_rest, stored_estimate
from bot.council.tools import Tools
from bot.errors import NotAllowedError, UsageError
from bot.messages.delivery import BuildText
from bot.prompting.build_spec import BuildSpec, parse_build_spec, spec_text, spec_weaknesses
from bot.store import Phase, runs, specs
from bot.store.runs import Run
from bot.store.specs import SpecDraft

WISH_LIMIT = 1500


@dataclass(frozen=True, slots=True)
class _Asked:
    run: Run
    state: SpecState
    draft: SpecDraft


class SpecDesk:
    """Takes decisions about specs; everything it knows is in the store."""

    def __init__(self, tools: Tools, take_up: Callable[[Run], None]) -> None:
        self._tools = tools
        self._take_up = take_up

    async def accept(self, run_id: str, version: int, asker: Asker) -> str:
        """Let the build begin; a spec that is too weak is refused."""

        def work(conn: Connection) -> None:
            asked = _require(conn, run_id, version, asker)
            if asked.state.weaknesses:
                raise UsageError(BuildText.spec_is_weak(asked.state.weaknesses[0]))
            specs.accept(conn, run_id, asked.draft, str(asker.id), self._tools.store.now())

        await self._go_on(run_id, work)
        return BuildText.spec_accepted(version)

    async def text_of(self, run_id: str, version: int, asker: Asker) -> BuildSpec:
        """The spec for a form; refuses somebody who may not edit it before they write."""
        found = await self._tools.store.read(lambda conn: _require(conn, run_id, version, asker))
        return parse_build_spec(found.draft.text)

    async def edit(self, run_id: str, version: int, asker: Asker, text: str) -> str:
        """Take an edited spec as the next version; it is shown again to be accepted."""
        spec = parse_build_spec(text)
        if weak := spec_weaknesses(spec):
            raise UsageError(BuildText.edit_refused(weak[0]))
        await self._replace(run_id, version, asker, EDIT, spec_text(spec))
        return BuildText.edit_taken(version + 1)

    async def change(self, run_id: str, version: int, asker: Asker, wish: str) -> str:
        """Have another version written that meets what was asked for."""
        if not wish.strip():
            raise UsageError(BuildText.SAY_WHAT_TO_CHANGE)
        await self._replace(run_id, version, asker, CHANGES, wish.strip()[:WISH_LIMIT])
        return BuildText.WRITTEN_ANEW

    async def _replace(self, run_id: str, version: int, asker: Asker, why: str, text: str) -> None:
        now = self._tools.store.now()

        def work(conn: Connection) -> None:
            _require(conn, run_id, version, asker)
            specs.replace(conn, run_id, version, why, now)
            if why == EDIT:
                specs.record(conn, run_id, text, str(asker.id), EDIT, now)
            else:
                keep_wish(conn, run_id, version, text, now)

        await self._go_on(run_id, work)

    async def _go_on(self, run_id: str, work: Callable[[Connection], None]) -> None:
        def write(conn: Connection) -> Run:
            work(conn)
            run, now = runs.require(conn, run_id), self._tools.store.now()
            config = self._tools.config(run.guild_id)
            require_place(conn, run, config, now)
            set_aside_rest(conn, run, stored_estimate(run), config.budgets, now)
            return run

        self._take_up(await self._tools.store.write(write))


def _require(conn: Connection, run_id: str, version: int, asker: Asker) -> _Asked:
    """The version, if it still waits and this is the person it waits for."""
    run = runs.get(conn, run_id)
    if run is None:
        raise UsageError(BuildText.NOT_STORED)
    if asker.id != run.starter_id and not asker.may_manage:
        raise NotAllowedError(BuildText.NOT_YOURS)
    state = state_of(conn, run_id)
    if state.accepted:
        raise UsageError(BuildText.ACCEPTED_BEFORE)
    if run.finished_at is not None or run.phase not in (Phase.SPEC_DRAFT, Phase.SPEC_REVIEW):
        raise UsageError(BuildText.ENDED_MEANWHILE)
    draft = state.draft
    if draft is None or draft.version != version or draft.replaced:
        raise UsageError(BuildText.NEWER_VERSION)
    return _Asked(run, state, draft)
