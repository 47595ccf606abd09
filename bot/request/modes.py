"""Modes and options found in a topic, and what is done to its text."""

import hashlib
import re
import unicodedata

from bot.errors import UsageError
from bot.messages.starting import RequestText
from bot.types.characters import clean
from bot.types.mode import Mode

# They read text with single blanks only: patterns with runs of blanks are slow on long runs.
_SPLIT = re.compile(r" ?[,;] ?(?:or )?| (?:or|vs\.?|versus) | ?/ ?", re.IGNORECASE)
_JOINED = re.compile(r" (?:or|vs\.?|versus) ", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?\n]+\s*")
_OPENERS = frozenset(
    "are can could decide did do does is let's may might must shall should what when where whether "
    "which who why will would".split()
)
_FILLERS = frozenset(
    "a an and be better best between choose either for good have i it keep me more my need of one "
    "our pick please prefer recommend select stay switch take team than that the this to us use "
    "using want we with you your".split()
)
_LINKS = frozenset("a an at by for from in into of on the to with".split())
_TRAILING = re.compile(
    r" (?:for|in|on|at|with|when|as|if|from|during|because|this|next|to) .*", re.IGNORECASE
)
_OPEN_QUESTION = re.compile(
    r"\s*(?:how|why|when|where|who|whose|what(?!.*\b(?:better|best|prefer|choose|pick|rather)\b))\b",
    re.IGNORECASE | re.DOTALL,
)
_JUDGED = re.compile(r" (?:the )?(?:better|best|preferable)$", re.IGNORECASE)
_EDGES = " \t\n.,;:!?\"'`*_()[]«»“”„"
_NO_THINGS = frozenset("else less more no not so something yes".split())
LONGEST_OPTION = 60
_MOST_OPTION_WORDS = 6
_MOST_OPTIONS = 8


def options_in(topic: str) -> tuple[str, ...]:
    """The options a topic such as "Postgres or SQLite for our queue?" names, or none."""
    sentences = (" ".join(part.split()) for part in _SENTENCE.split(topic))
    sentence = next((part for part in sentences if _JOINED.search(f" {part} ")), "")
    _, colon, listed = sentence.rpartition(":")
    first, *others = _SPLIT.split(listed if colon else sentence)
    options = [_option(piece) for piece in others]
    if len(others) < 2 or not _only_asks(first):
        options.insert(0, _first_option(first, others[0] if others else ""))
    named = tuple(dict.fromkeys(option for option in options if option))
    usable = 2 <= len(named) <= _MOST_OPTIONS and len(named) == len(options)
    return named if usable and all(len(name) <= LONGEST_OPTION for name in named) else ()


def choice_in(topic: str) -> tuple[str, ...]:
    """The things a topic asks to choose from, such as "A or B?"; none for "shall we or not?"."""
    if not topic.rstrip().endswith("?") or _OPEN_QUESTION.match(topic):
        return ()
    options = options_in(topic)
    return () if any(map(_is_no_thing, options)) else options


def _is_no_thing(option: str) -> bool:
    """Whether an option such as "not" or "can somebody break it" names nothing to choose."""
    words = option.casefold().split()
    too_long = len(words) > _MOST_OPTION_WORDS
    return too_long or words[0] in _OPENERS | _NO_THINGS or _only_asks(option)


def _only_asks(piece: str) -> bool:
    """Whether a piece such as "Which is better" names nothing itself."""
    words = piece.strip(_EDGES).split()
    return all(word != "A" and word.casefold() in _OPENERS | _FILLERS for word in words)


def _first_option(piece: str, second: str) -> str:
    """The first option follows the words of the question: "should we meet on Tuesdays"."""
    words = piece.strip(_EDGES).split()
    link, *_ = second.split() or [""]
    if link.casefold() in _LINKS and link in words:
        words = words[len(words) - words[::-1].index(link) :]
    asked = bool(words) and words[0].casefold() in _OPENERS
    while len(words) > 1 and words[0].casefold() in _OPENERS | _FILLERS:
        words = words[1:]
    if asked:
        words = words[-max(1, len(_option(second).split())) :]
    return _option(" ".join(words))


def _option(piece: str) -> str:
    words = piece.strip(_EDGES).split()
    while len(words) > 1 and words[0].casefold() in _LINKS:
        words = words[1:]
    return _JUDGED.sub("", _TRAILING.sub("", " ".join(words)).strip(_EDGES)).strip(_EDGES)


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
    room = _TITLE_LIMIT - len(f"🎯  {mode.tag}")
    text = " ".join(words[:_TITLE_WORDS])
    cut = len(words) > _TITLE_WORDS or len(text) > room
    if cut:
        text = text[: room - 1].rstrip(" ,;:.-–—") + "…"
    return f"🎯 {text} {mode.tag}".rstrip()


def topic_slug(topic: str) -> str:
    """A file-name-safe slug of `[a-z0-9-]`; topics in other scripts get a short hash."""
    ascii_text = unicodedata.normalize("NFKD", topic).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_text).strip("-")
    if len(slug) > _SLUG_LIMIT:
        slug = slug[:_SLUG_LIMIT].rsplit("-", 1)[0].strip("-") or slug[:_SLUG_LIMIT]
    return slug or f"topic-{topic_key(topic)[:8]}"
