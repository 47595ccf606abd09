"""In which order the answers of a round are posted; they are always generated together."""

from collections.abc import Mapping, Sequence

from bot.council.shuffling import shuffled
from bot.panels import SpeechOrder


def post_order(
    order: SpeechOrder,
    roles: Sequence[str],
    priorities: Mapping[str, int],
    seed: int | str,
    round_number: int,
) -> tuple[str, ...] | None:
    """The roles in posting order, or None when each is posted as soon as it is ready."""
    if order == "free":
        return None
    if order == "random":
        return shuffled(roles, "speech order", seed, round_number)
    if order == "priority":
        return tuple(sorted(roles, key=lambda role: -priorities.get(role, 0)))
    return tuple(roles)
