"""The rehearsal: a provider without a model that follows every format, deterministic and free."""

from bot.rehearsal.port import RehearsalPort, Trouble

__all__ = ["RehearsalPort", "Trouble"]
