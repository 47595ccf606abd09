"""What stances are about: the analysts' sentence, else the topic's own, else the coordinator's."""

import re
from typing import Final

from bot.meeting.context import RunContext
from bot.meeting.questions import ModelCall
from bot.messages.meeting import CardText
from bot.messages.starting import PropositionText
from bot.prompting.short_answers import parse_proposition, stated
from bot.record.answer_codec import Reading
from bot.request.modes import choice_in
from bot.request.topic import plain_topic
from bot.types.mode import Mode

_PROPOSITION: Final = "proposition"
_QUOTED_CHARS: Final = 200
_YES_OR_NO: Final = re.compile(
    r"(?:should|must|can|could|will|would|may|might|shall|is|are|was|were|am|do|does|did|has|have)\b",
    re.IGNORECASE,
)


async def settle_proposition(meeting: RunContext, designed: str) -> str:
    """The sentence for a meeting, never the raw question; a vote needs none."""
    topic = meeting.run.topic
    if meeting.run.mode is Mode.VOTE:
        return designed
    options = choice_in(topic)
    if options and not all(option.casefold() in designed.casefold() for option in options):
        return PropositionText.choice(options)
    if sentence := designed or stated(topic):
        return sentence
    return await _phrased(meeting) or _last_resort(plain_topic(topic))


def _last_resort(text: str) -> str:
    """A sentence that can be agreed with, whatever was asked."""
    quoted = text if len(text) <= _QUOTED_CHARS else f"{text[:_QUOTED_CHARS]}…"
    yes_or_no = _YES_OR_NO.match(text) and text.endswith("?")
    return (
        PropositionText.answered_yes(quoted) if yes_or_no else PropositionText.clear_answer(quoted)
    )


async def _phrased(meeting: RunContext) -> str:
    """The coordinator's sentence; it is asked once, and a restart keeps its answer."""
    meeting.show(CardText.PHRASING)
    values = {"PROMPT": meeting.run.topic, "MODE": meeting.run.mode.value}
    ask = ModelCall(
        key=_PROPOSITION,
        purpose=_PROPOSITION,
        prompt=meeting.tools.book.render(_PROPOSITION, values, meeting.run.id),
        seconds=meeting.time.cap(meeting.config.timeouts.summary),
        models=meeting.tools.coordinators(meeting.run.guild_id),
    )
    reply = await meeting.caller.ask(ask, lambda _: Reading())
    return (parse_proposition(reply.answer.text) or "") if reply.answer else ""
