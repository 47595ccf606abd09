"""What stances are about: the analysts' sentence, else the topic's own, else the coordinator's."""

import re
from typing import Final

from bot.council.calls import ModelCall, Reading
from bot.council.meeting import Meeting
from bot.prompting.proposition import as_proposition, parse_proposition
from bot.request import Mode, Request
from bot.request.choices import choice_in
from bot.request.topic import plain_topic
from bot.words import propositions as words
from bot.words.card import PHRASING

PROPOSITION: Final = "proposition"
QUOTED_CHARS: Final = 200
_WHO: Final = r"(?P<who>we|i|you|they|he|she|it|this|that|there|everybody|everyone|nobody)"
_VERB: Final = r"(?P<verb>should|must|can|could|will|would|may|might|shall|is|are|was|were|am)"
_ASKED: Final = re.compile(rf"{_VERB} {_WHO} (?P<rest>[^?]+)\?", re.IGNORECASE)
_OR_NOT: Final = " or not"
_YES_OR_NO: Final = re.compile(
    r"(?:should|must|can|could|will|would|may|might|shall|is|are|was|were|am|do|does|did|has|have)\b",
    re.IGNORECASE,
)
_EITHER: Final = re.compile(r"\bor\b", re.IGNORECASE)
_CLAIMED: Final = re.compile(rf"{_WHO} (?:{_VERB}|need|do|have)\b[^?]+", re.IGNORECASE)


async def settle_proposition(meeting: Meeting, designed: str) -> str:
    """The sentence for a meeting, never the raw question; a vote needs none."""
    topic = meeting.run.topic
    if meeting.run.mode is Mode.VOTE:
        return designed
    options = choice_in(topic)
    if options and not all(option.casefold() in designed.casefold() for option in options):
        return words.choice(options)
    if sentence := designed or stated(topic):
        return sentence
    return await _phrased(meeting) or _last_resort(plain_topic(topic))


def needs_phrasing(request: Request) -> bool:
    """Whether a model must be asked, where no analyst gives the sentence."""
    return request.mode is not Mode.VOTE and not stated(request.topic)


def stated(topic: str) -> str:
    """The proposition that an English topic of a plain shape states itself, or nothing."""
    text = " ".join(plain_topic(topic).split())
    if options := choice_in(topic):
        return words.choice(options)
    if asked := _ASKED.fullmatch(text):
        rest = asked["rest"].rstrip()
        if rest.casefold().endswith(_OR_NOT):
            rest = rest[: -len(_OR_NOT)].rstrip(" ,")
        claim = f"{asked['who'].capitalize()} {asked['verb'].lower()} {rest}."
        return "" if _EITHER.search(claim) else as_proposition(claim) or ""
    if _CLAIMED.fullmatch(text):
        return as_proposition(text) or ""
    return ""


def _last_resort(text: str) -> str:
    """A sentence that can be agreed with, whatever was asked."""
    quoted = text if len(text) <= QUOTED_CHARS else f"{text[:QUOTED_CHARS]}…"
    yes_or_no = _YES_OR_NO.match(text) and text.endswith("?")
    return words.answered_yes(quoted) if yes_or_no else words.clear_answer(quoted)


async def _phrased(meeting: Meeting) -> str:
    """The coordinator's sentence; it is asked once, and a restart keeps its answer."""
    meeting.show(PHRASING)
    values = {"PROMPT": meeting.run.topic, "MODE": meeting.run.mode.value}
    ask = ModelCall(
        key=PROPOSITION,
        purpose=PROPOSITION,
        prompt=meeting.tools.book.render(PROPOSITION, values, meeting.run.id),
        seconds=meeting.time.cap(meeting.config.timeouts.summary),
        models=meeting.tools.coordinators(meeting.run.guild_id),
    )
    reply = await meeting.caller.ask(ask, lambda _: Reading())
    return (parse_proposition(reply.answer.text) or "") if reply.answer else ""
