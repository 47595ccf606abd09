"""Who may start and stop a roundtable, how often, and how many run at once."""

from dataclasses import dataclass

from bot.errors import NotAllowedError
from bot.panels import Trigger
from bot.words import admission as words


@dataclass(frozen=True, slots=True)
class Asker:
    """The person behind a request, as far as rights are concerned."""

    id: int
    role_ids: frozenset[int] = frozenset()
    may_manage: bool = False


@dataclass(frozen=True, slots=True)
class Traffic:
    """What is going on in a server when somebody asks."""

    running: int
    last_start: float | None
    first_over_by: float | None = None
    """When the oldest that runs is over at the latest, if nothing fails."""


def require_running(trigger: Trigger, paused_at: float | None) -> None:
    """Refuse new work while the bot is switched off or paused in a server."""
    if not trigger.enabled:
        raise NotAllowedError(words.SWITCHED_OFF)
    if paused_at is not None:
        raise NotAllowedError(words.paused(paused_at))


def admit(asker: Asker, trigger: Trigger, traffic: Traffic, now: float) -> None:
    """Refuse a start with one sentence, or let it pass."""
    if trigger.allowed_role_ids and asker.role_ids.isdisjoint(trigger.allowed_role_ids):
        raise NotAllowedError(words.only_for(trigger.allowed_role_ids))
    if traffic.running >= trigger.max_concurrent:
        by = traffic.first_over_by
        over_by = by if by is not None and by > now else None
        raise NotAllowedError(words.too_many(traffic.running, over_by))
    ready = (traffic.last_start or 0) + trigger.cooldown_seconds
    # A start that lies ahead is the work of a clock that jumped; nobody waits for that.
    if traffic.last_start is not None and traffic.last_start <= now < ready:
        raise NotAllowedError(words.next_start(int(ready) + 1))


def may_stop(asker: Asker, starter_id: int, trigger: Trigger) -> bool:
    """The starter, moderators and the configured roles may stop a run."""
    return (
        asker.id == starter_id
        or asker.may_manage
        or not asker.role_ids.isdisjoint(trigger.stop_role_ids)
    )
