"""Who may ask panelists, how often and for how much, decided in the storing transaction."""

from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Connection

from bot.access.admission import require_running
from bot.errors import NotAllowedError
from bot.messages.talk import TalkText
from bot.money.budget_rules import require_followup_money
from bot.panels import PanelsConfig
from bot.store.repositories.followups import FollowUpRepository
from bot.store.repositories.servers import ServerRepository, StartRepository
from bot.talk.incoming import IncomingMessage

_SILENT_SECONDS: Final = 60.0
"""How long a refused person is not told again."""
_MOST_REMEMBERED: Final = 1000


def admit_question(
    conn: Connection, heard: IncomingMessage, config: PanelsConfig, now: float
) -> None:
    """Refuse a question with one sentence, inside the transaction that would store it."""
    StartRepository(conn).lock_server(heard.guild_id)
    require_running(config.trigger, ServerRepository(conn).get(heard.guild_id).paused_at)
    allowed = config.trigger.allowed_role_ids
    if allowed and heard.role_ids.isdisjoint(allowed):
        raise NotAllowedError(TalkText.only_for(allowed))
    last = FollowUpRepository(conn).last_heard(heard.guild_id, heard.author_id)
    ready = (last or 0.0) + config.followups.cooldown_seconds
    # As with starts: ignore times in the future after the clock was set back.
    if last is not None and last <= now < ready:
        raise NotAllowedError(TalkText.next_question(int(ready) + 1))
    require_followup_money(conn, heard.author_id, heard.guild_id, config.budgets, now)


@dataclass(slots=True)
class Refusals:
    """Remembers recent refusals, so that people are not told after every message."""

    _told: dict[tuple[int, int], float] = field(default_factory=dict)

    def is_news(self, heard: IncomingMessage, now: float) -> bool:
        """Whether the person was not told recently; marks them as told."""
        person = (heard.guild_id, heard.author_id)
        before = self._told.pop(person, None)
        if before is not None and before <= now < before + _SILENT_SECONDS:
            self._told[person] = before
            return False
        if len(self._told) >= _MOST_REMEMBERED:
            del self._told[next(iter(self._told))]
        self._told[person] = now
        return True
