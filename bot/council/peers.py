"""What a panelist gets to read of the others: their digests, by role, in its own order."""

from collections.abc import Iterable, Mapping

from bot.council.shuffling import shuffled
from bot.prompting.voices import label_voices


def peer_order(
    reader: str, roles: Iterable[str], seed: int | str, round_number: int
) -> tuple[str, ...]:
    """The other roles, shuffled for this reader so that nobody is always read first."""
    others = (role for role in dict.fromkeys(roles) if role != reader)
    return shuffled(others, "peers", seed, round_number, reader)


def labelled_digests(digests: Mapping[str, str]) -> dict[str, str]:
    """The digests by role as others read them, each under its label; empty ones are left out."""
    return {role: label_voices([(role, text)]) for role, text in digests.items() if text.strip()}


def peer_digests(
    reader: str, labelled: Mapping[str, str], seed: int | str, round_number: int
) -> str:
    """The value of PEER_DIGESTS for one reader; empty when no peer has a digest (E112)."""
    order = peer_order(reader, labelled, seed, round_number)
    return "\n\n".join([labelled[role] for role in order])
