"""Reading a request: which seat speaks, about what, and between which options."""

import re
from collections.abc import Mapping, Sequence

from bot.rehearsal.dice import Dice
from bot.rehearsal.digests import read_ballots
from bot.rehearsal.phrase_book import phrases
from bot.rehearsal.phrase_types import PLACES, Kind, Voice
from bot.rehearsal.seat import RehearsedSeat
from bot.rehearsal.text import clean, fold, role_key, role_name
from bot.rehearsal.topic import Topic, listed_options, take_apart
from bot.types.model_port import ModelRequest

_VOTE = "vote"
_YES_NO = ("Yes", "No")
_ANYTHING_ELSE = "anything else"
_AGAINST = re.compile(
    r"\b(?:against|attack|object|doubt|critici[sz]e|sceptic|skeptic|break)", re.IGNORECASE
)
_IN_FAVOUR = re.compile(
    r"\b(?:in favou?r|argues for|support|defend|promot|champion)", re.IGNORECASE
)
_UNSAFE_IN_BALLOT = re.compile(r"[\[\]|\r\n]+")
_VOTED = re.compile(r"\bThesis:\W*For (?P<option>[^:\n]{1,80}?):")
_REMEMBERED = ("SELF_DIGEST", "PEER_DIGESTS", "ROUND_ANSWERS", "ROUND1_SUMMARIES", "OWN_TURNS")


def seat_of(request: ModelRequest, seed: int) -> RehearsedSeat:
    """The seat that a request asks to speak."""
    book, values = phrases(), request.prompt.values
    mode = _mode(values)
    ballots = _ballots(values) if mode == _VOTE else ()
    role = role_name(values.get("ROLE", ""))
    voice = book.voice_for(role) or _guest_voice(role, values.get("PERSPECTIVE", ""))
    return RehearsedSeat(
        seed=seed,
        model=request.model,
        template=request.prompt.template,
        values=values,
        role=role,
        mode=mode,
        topic=_topic(values, mode, ballots),
        ballots=ballots,
        voice=voice,
        temper=Dice("temper", request.model).pick(book.manners.tempers),
    )


def _mode(values: Mapping[str, str]) -> str:
    """The mode as given; prompts without one are about a vote when ballots are in sight."""
    given = clean(values.get("MODE", "")).casefold()
    in_sight = values.get("OPTIONS", "").strip() or _options_voted_for(values)
    return given or (_VOTE if in_sight else "")


def _guest_voice(role: str, perspective: str) -> Voice:
    """The voice of a role unknown here; it leans as its perspective says, else by its name."""
    lean = Dice("lean", role_key(role)).between(-0.7, 0.7)
    if _AGAINST.search(perspective):
        lean = -0.6
    elif _IN_FAVOUR.search(perspective):
        lean = 0.6
    return Voice(int(Dice("place", role_key(role)).between(0, PLACES)), lean, "")


def _topic(values: Mapping[str, str], mode: str, ballots: Sequence[str]) -> Topic:
    said = values.get("PROMPT", "") or values.get("PROPOSITION", "")
    if not ballots:
        return take_apart(said, mode)
    if _is_yes_or_no(ballots):
        return _without_options(take_apart(said, mode))
    return take_apart(said, mode, [clean(option) or "the option" for option in ballots])


def _without_options(topic: Topic) -> Topic:
    if topic.kind is not Kind.CHOICE:
        return topic
    return Topic(topic.text, Kind.YESNO, topic.quote, topic.quote, "", (), topic.nouns)


def _ballots(values: Mapping[str, str]) -> tuple[str, ...]:
    """What can be voted for: the options given, else those seen in digests and in the topic."""
    given = listed_options(values.get("OPTIONS", "")) or _options_in_sight(values)
    safe = _distinct([" ".join(_UNSAFE_IN_BALLOT.sub(" ", o).split()) or "option" for o in given])
    if _is_yes_or_no(safe):
        return safe if len(safe) == len(_YES_NO) else _YES_NO
    return safe if len(safe) > 1 else (*safe, _ANYTHING_ELSE)


def _options_in_sight(values: Mapping[str, str]) -> tuple[str, ...]:
    """What was voted for, and what the topic offers unless the vote was about something else."""
    voted = _distinct(_options_voted_for(values))
    offered = take_apart(values.get("PROMPT", "")).options
    known = {fold(option) for option in offered}
    agrees = all(fold(option) in known for option in voted)
    return _distinct((*voted, *offered)) if agrees else voted


def _options_voted_for(values: Mapping[str, str]) -> list[str]:
    text = "\n".join(values.get(name, "") for name in _REMEMBERED)
    cast = [b.option for b in read_ballots(values.get("BALLOTS", "")).values() if b.option]
    return [*cast, *(found["option"].strip() for found in _VOTED.finditer(text))]


def _distinct(options: Sequence[str]) -> tuple[str, ...]:
    return tuple({fold(option) or option: option for option in reversed(options)}.values())[::-1]


def _is_yes_or_no(options: Sequence[str]) -> bool:
    return {fold(option) for option in options} <= {fold(option) for option in _YES_NO}
