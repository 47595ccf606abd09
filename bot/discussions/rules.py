"""Whose turn it is, when a round is complete and when a discussion ends; no store, no clock."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set

from bot.errors import UsageError
from bot.measures.convergence import Convergence, should_stop
from bot.measures.speech_order import post_order
from bot.messages.discussions import DiscussionText
from bot.store.repositories.discussions import Discussion, Participant
from bot.store.repositories.findings import Finding
from bot.store.vocabulary import FindingKind
from bot.types.characters import clean

LONGEST_POINT = 1_000


def next_speaker(discussion: Discussion, spoken: Set[str]) -> str | None:
    """The first who has not spoken in this round; None where anybody may (order `free`)."""
    order = _speaking_order(discussion)
    return None if order is None else next((who for who in order if who not in spoken), None)


def _speaking_order(discussion: Discussion) -> tuple[str, ...] | None:
    """The profiles in the order of this round, or None when there is no order."""
    people = discussion.active
    return post_order(
        discussion.speech_order.value,
        [person.profile for person in people],
        {person.profile: person.priority for person in people},
        discussion.run.seed,
        discussion.current_round,
    )


def voice_names(people: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What (profile, role) is called among the others: the role, unless several have it."""
    known = dict(people)
    shared = Counter(known.values())
    return {
        profile: f"{role} ({profile})" if shared[role] > 1 else role
        for profile, role in known.items()
    }


def waiting_for(people: Sequence[Participant], spoken: Set[str]) -> tuple[str, ...]:
    """Who the round still waits for."""
    return tuple(person.profile for person in people if person.profile not in spoken)


def convergence_history(findings: Mapping[int, Sequence[Finding]]) -> tuple[Convergence, ...]:
    """The measure of every round somebody looked at (C20, C21)."""
    return tuple(_measured(number, found) for number, found in findings.items())


def _measured(number: int, found: Sequence[Finding]) -> Convergence:
    def count(kind: FindingKind) -> int:
        return sum(finding.kind is kind for finding in found)

    return Convergence(
        number,
        consensus=count(FindingKind.CONSENSUS),
        disagreement=count(FindingKind.DISAGREEMENT),
        new_points=count(FindingKind.NEW_POINT),
    )


def reason_to_end(
    discussion: Discussion, history: Sequence[Convergence], complete_round: int
) -> str | None:
    """Why the discussion ends after a complete round, or None (C22)."""
    if should_stop(history, complete_round):
        return DiscussionText.CONVERGED
    return DiscussionText.ROUNDS_USED_UP if complete_round >= discussion.max_rounds else None


def everybody_wants_to_end(discussion: Discussion) -> bool:
    """Whether every active participant voted for the end."""
    return bool(discussion.active) and all(person.wants_end for person in discussion.active)


def checked_text(text: str, what: str, longest: int, *, empty: bool = False) -> str:
    """A text without control characters, neither empty nor too long."""
    # Far too long text is refused before it is cleaned.
    cleaned = text if len(text) > 4 * longest else clean(text).strip()
    if not cleaned and not empty:
        raise UsageError(DiscussionText.is_empty(what))
    if len(cleaned) > longest:
        raise UsageError(DiscussionText.is_too_long(what, len(cleaned), longest))
    return cleaned
