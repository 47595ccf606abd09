"""Who may start and stop a roundtable, how often, and how many run at once."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from bot.errors import NotAllowedError
from bot.messages.starting import AdmissionText
from bot.panels import PanelsConfig, Trigger
from bot.store import WAITING_FOR_PEOPLE, ApprovalStatus, EventType
from bot.store.log import events
from bot.store.repositories import servers
from bot.store.repositories.approvals import ApprovalRepository
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import Run
from bot.store.repositories.servers import ServerRepository, StartRepository
from bot.store.repositories.specs import SpecRepository

SPEND: Final = "spend_above_limit"
"""The effect of an approval that lets a run cost more than its limit."""


def _waits_for_a_person(conn: Connection, run_id: str) -> bool:
    """Whether the run waits for a person's decision and spends nothing meanwhile."""
    return SpecRepository(conn).waits(run_id) or _waits_for_consent(conn, run_id)


def _waits_for_consent(conn: Connection, run_id: str) -> bool:
    """Whether the starter or an approver is still to agree to the price."""
    asked = events.history(conn, run_id, EventType.CONSENT_ASKED)
    given = {event.key for event in events.history(conn, run_id, EventType.CONSENT_GIVEN)}
    if asked and asked[-1].key not in given:
        return True
    pending = ApprovalStatus.PENDING
    return any(
        one.effect == SPEND and one.status is pending
        for one in ApprovalRepository(conn).of_run(run_id)
    )


@dataclass(frozen=True, slots=True)
class Asker:
    """The person behind a request, as far as rights are concerned."""

    id: int
    role_ids: frozenset[int] = frozenset()
    may_manage: bool = False
    is_admin: bool = False
    """Whether they may manage the whole server."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """The state of a server at the time of a request."""

    running: int
    last_start: float | None
    first_over_by: float | None = None
    """When the oldest open run ends at the latest."""


def require_running(trigger: Trigger, paused_at: float | None) -> None:
    """Refuse new work while the bot is switched off or paused in a server."""
    if not trigger.enabled:
        raise NotAllowedError(AdmissionText.SWITCHED_OFF)
    if paused_at is not None:
        raise NotAllowedError(AdmissionText.paused(paused_at))


@dataclass(frozen=True, slots=True)
class Start:
    """Somebody wants a roundtable to begin in a server; `run_id` names the one to retry."""

    guild_id: int
    asker: Asker
    run_id: str = ""


def admit_start(conn: Connection, start: Start, config: PanelsConfig, now: float) -> None:
    """Refuse a start of any kind, or let it pass, inside the transaction that begins the run."""
    StartRepository(conn).lock_server(start.guild_id)
    check_start(conn, start, config, now)


def check_start(conn: Connection, start: Start, config: PanelsConfig, now: float) -> None:
    """The same check outside that transaction, for an early answer."""
    require_running(config.trigger, ServerRepository(conn).get(start.guild_id).paused_at)
    last = StartRepository(conn).last(start.guild_id, start.asker.id)
    # Retrying a run just started does not count as another start.
    counts = last is not None and last.run_id != start.run_id
    since = last.at if last is not None and counts else None
    traffic = _traffic_in(conn, start.guild_id, config, since, without=start.run_id)
    admit(start.asker, config.trigger, traffic, now)


def note_start(conn: Connection, start: Start, run_id: str, now: float) -> None:
    """Remember an admitted start, in the same transaction, so that the next one is refused."""
    StartRepository(conn).note(servers.StartRow(start.guild_id, start.asker.id, run_id, now))


def require_place(conn: Connection, run: Run, config: PanelsConfig, now: float) -> None:
    """Refuse to continue a run that waited for a person while too many others are running."""
    StartRepository(conn).lock_server(run.guild_id)
    traffic = _traffic_in(conn, run.guild_id, config, None, without=run.id)
    _require_room_for_one(config.trigger, traffic, now)


def _traffic_in(
    conn: Connection,
    guild_id: int,
    config: PanelsConfig,
    last_start: float | None,
    *,
    without: str = "",
) -> Traffic:
    """The open runs and the last start in a server; runs that wait for a person do not count."""
    found = [
        run
        for run in RunListRepository(conn).open_in(guild_id)
        if run.phase not in WAITING_FOR_PEOPLE and run.id != without
    ]
    if len(found) >= config.trigger.max_concurrent:
        found = [run for run in found if not _waits_for_a_person(conn, run.id)]
    oldest = found[0].created_at + config.timeouts.longest_run if found else None
    return Traffic(len(found), last_start, oldest)


def admit(asker: Asker, trigger: Trigger, traffic: Traffic, now: float) -> None:
    """Refuse a start with one sentence, or let it pass."""
    if trigger.allowed_role_ids and asker.role_ids.isdisjoint(trigger.allowed_role_ids):
        raise NotAllowedError(AdmissionText.only_for(trigger.allowed_role_ids))
    _require_room_for_one(trigger, traffic, now)
    ready = (traffic.last_start or 0) + trigger.cooldown_seconds
    # A start in the future means that the clock was set back; ignore it.
    if traffic.last_start is not None and traffic.last_start <= now < ready:
        raise NotAllowedError(AdmissionText.next_start(int(ready) + 1))


def _require_room_for_one(trigger: Trigger, traffic: Traffic, now: float) -> None:
    """Refuse while the server has its maximum of open runs."""
    if traffic.running < trigger.max_concurrent:
        return
    by = traffic.first_over_by
    over_by = by if by is not None and by > now else None
    raise NotAllowedError(AdmissionText.too_many(traffic.running, over_by))


def may_stop(asker: Asker, starter_id: int, trigger: Trigger) -> bool:
    """The starter, moderators and the configured roles may stop a run."""
    return (
        asker.id == starter_id
        or asker.may_manage
        or not asker.role_ids.isdisjoint(trigger.stop_role_ids)
    )
