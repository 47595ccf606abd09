"""The rehearsal: a provider without a model that follows every format, deterministic and free."""

from bot.models.rehearsal.port import RehearsalPort
from bot.models.rehearsal.troubles import Trouble

__all__ = ["RehearsalPort", "Trouble"]
