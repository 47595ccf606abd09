"""The five modes of a roundtable, and how one is detected from the words of a topic."""

import enum
import re

from bot.request.choices import choice_in


class Mode(enum.StrEnum):
    """What kind of meeting is held."""

    DEBATE = "debate"
    BUILD = "build"
    REDTEAM = "redteam"
    VOTE = "vote"
    DEFAULT = "default"

    @property
    def tag(self) -> str:
        """The mark a thread's title ends with."""
        return f"[[{self.value.upper()}]]"


# The order is also the order that settles a tie.
_WORDS = {
    Mode.DEBATE: (
        "pros/cons",
        "pros and cons",
        "tradeoff",
        "tradeoffs",
        "trade-off",
        "trade-offs",
        "should we",
        "ethics",
        "compare",
        "opinion",
        "better",
    ),
    Mode.BUILD: ("implement", "code", "architecture", "build", "design", "develop", "create"),
    Mode.REDTEAM: (
        "attack",
        "vulnerability",
        "vulnerabilities",
        "failure",
        "risk",
        "risks",
        "break",
        "threat",
        "threats",
        "exploit",
    ),
    Mode.VOTE: ("choose", "decide", "which one", "best option", "select", "recommend between"),
}


def _phrase_pattern(phrase: str) -> str:
    return r"\s+".join(re.escape(word) for word in phrase.split())


_PATTERNS = {
    mode: re.compile(rf"(?<!\w)(?:{'|'.join(map(_phrase_pattern, phrases))})(?!\w)")
    for mode, phrases in _WORDS.items()
}


def detect_mode(topic: str) -> Mode:
    """Pick the mode whose words occur most often in the topic, or `default` when none do.

    A topic that asks "A or B?" is a vote, whatever else its words say (2.2#43).
    """
    if choice_in(topic):
        return Mode.VOTE
    text = topic.casefold()
    hits = {mode: len(pattern.findall(text)) for mode, pattern in _PATTERNS.items()}
    best = max(hits, key=lambda mode: hits[mode])
    return best if hits[best] else Mode.DEFAULT
