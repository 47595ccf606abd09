"""What a discussion may be opened with; every refusal says how to do it right."""

import re
from collections.abc import Sequence

from bot.council.discussions.views import Order, ParticipantIn
from bot.errors import UsageError
from bot.messages.discussions import DiscussionText
from bot.panels.names import role_fault, shown
from bot.prompting.cleaning import flat
from bot.store.discussions import Participant
from bot.store.speeches import COORDINATOR
from bot.store.vocabulary import TalkOrder
from bot.types.characters import clean

LEAST, MOST = 2, 20
LONGEST_TOPIC = 2_000
LONGEST_CONTEXT = 20_000
LONGEST_SPEECH = 20_000
LONGEST_POINT = 1_000
LONGEST_CREATOR = 60
MOST_ROUNDS = 3
_PROFILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


def checked_text(text: str, what: str, longest: int, *, empty: bool = False) -> str:
    """A text without control characters, neither empty nor too long."""
    # Far too long text is refused before it is cleaned.
    cleaned = text if len(text) > 4 * longest else clean(text).strip()
    if not cleaned and not empty:
        raise UsageError(DiscussionText.is_empty(what))
    if len(cleaned) > longest:
        raise UsageError(DiscussionText.is_too_long(what, len(cleaned), longest))
    return cleaned


def checked_name(name: str, what: str) -> str:
    """A name on one line under which Discord lets somebody speak."""
    plain = flat(checked_text(name, what, LONGEST_POINT))
    if fault := role_fault(plain):
        raise UsageError(DiscussionText.name_refused(what, shown(plain), fault))
    return plain


def checked_creator(name: str) -> str:
    """The name of a discussion's creator, shown after the coordinator's."""
    plain = checked_text(flat(name), "created_by", LONGEST_CREATOR)
    checked_name(DiscussionText.coordinator_name(plain), DiscussionText.A_NAME)
    return plain


def checked_rounds(max_rounds: int) -> int:
    """A number of rounds that a discussion may have (2.2#1)."""
    if not 1 <= max_rounds <= MOST_ROUNDS:
        raise UsageError(DiscussionText.wrong_rounds(max_rounds, MOST_ROUNDS))
    return max_rounds


def checked_order(order: Order) -> TalkOrder:
    """One of the four orders."""
    try:
        return TalkOrder(order)
    except ValueError:
        raise UsageError(DiscussionText.unknown_order(order)) from None


def checked_participants(given: Sequence[ParticipantIn]) -> tuple[Participant, ...]:
    """At least two, no profile twice, and nobody poses as the coordinator."""
    if not LEAST <= len(given) <= MOST:
        raise UsageError(DiscussionText.wrong_number(len(given), LEAST, MOST))
    people = tuple(_checked(person) for person in given)
    seen: set[str] = set()
    for person in people:
        if person.profile.casefold() in seen:
            raise UsageError(DiscussionText.profile_twice(person.profile))
        seen.add(person.profile.casefold())
    return people


def _checked(given: ParticipantIn) -> Participant:
    if not _PROFILE.fullmatch(given.profile):
        raise UsageError(DiscussionText.odd_profile(given.profile[:80]))
    if given.profile.casefold() == COORDINATOR:
        raise UsageError(DiscussionText.NAME_IS_TAKEN)
    role = checked_name(given.role, DiscussionText.A_ROLE)
    display_name = flat(clean(given.display_name[:1_000])) or role
    checked_name(DiscussionText.participant_name(role, display_name), DiscussionText.A_NAME)
    return Participant(
        profile=given.profile,
        role=role,
        perspective=checked_text(
            given.perspective, DiscussionText.A_PERSPECTIVE, 1_000, empty=True
        ),
        display_name=display_name,
        priority=max(-1000, min(1000, given.priority)),
    )
