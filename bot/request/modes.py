"""The mode found in a topic, and what is done to its text."""

import hashlib
import re
import unicodedata

from bot.errors import UsageError
from bot.messages.starting import RequestText
from bot.request.options import choice_in
from bot.types.characters import clean
from bot.types.mode import Mode

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


_TITLE_LIMIT = 100
_TITLE_WORDS = 8
_SLUG_LIMIT = 60

_MENTIONS = re.compile(r"<(?:@[!&]?|#|a?:\w+:)\d+>|@(?:everyone|here)\b")
_MARKUP = re.compile(r"```\w*|[`*_~|>#\[\]\\]+")


def clean_topic(text: str, limit: int) -> str:
    """Return the topic without invisible characters, or say why it cannot be discussed."""
    if len(text) > 4 * limit:  # far too much is refused before it is cleaned
        raise UsageError(RequestText.too_long(len(text), limit))
    topic = clean(text).strip()
    if not any(char.isalnum() for char in _MENTIONS.sub("", topic)):
        raise UsageError(RequestText.NO_WORDS)
    if len(topic) > limit:
        raise UsageError(RequestText.too_long(len(topic), limit))
    return topic


def normalise_topic(topic: str) -> str:
    """Lower-case, collapse spaces and drop trailing punctuation, so that repeats are recognised."""
    collapsed = " ".join(topic.casefold().split())
    end = len(collapsed)
    while end and not collapsed[end - 1].isalnum():
        end -= 1
    return collapsed[:end] or collapsed


def topic_key(topic: str) -> str:
    """A fixed-length key of the normalised topic; it names the topic without holding its text."""
    return hashlib.blake2b(
        normalise_topic(topic).encode("utf-8", "replace"), digest_size=16
    ).hexdigest()


def _plain_words(topic: str) -> list[str]:
    return _MARKUP.sub(" ", _MENTIONS.sub(" ", topic)).split()


def plain_topic(topic: str) -> str:
    """The topic in one line, without markup and mentions."""
    return " ".join(_plain_words(topic))


def thread_title(topic: str, mode: Mode) -> str:
    """Name the thread: at most eight words of the topic, and the mode tag always whole."""
    words = _plain_words(topic) or topic.split()
    tag = "" if mode is Mode.DEFAULT else f"[[{mode.value.upper()}]]"
    room = _TITLE_LIMIT - len(f"🎯  {tag}")
    text = " ".join(words[:_TITLE_WORDS])
    cut = len(words) > _TITLE_WORDS or len(text) > room
    if cut:
        text = text[: room - 1].rstrip(" ,;:.-–—") + "…"
    return f"🎯 {text} {tag}".rstrip()


def topic_slug(topic: str) -> str:
    """A file-name-safe slug of `[a-z0-9-]`; topics in other scripts get a short hash."""
    ascii_text = unicodedata.normalize("NFKD", topic).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_text).strip("-")
    if len(slug) > _SLUG_LIMIT:
        slug = slug[:_SLUG_LIMIT].rsplit("-", 1)[0].strip("-") or slug[:_SLUG_LIMIT]
    return slug or f"topic-{topic_key(topic)[:8]}"
