"""Taking a topic apart: what kind of thing it is, what it is about, between what it asks to choose.

English topics are read for their grammar; every other topic is quoted and never inflected.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.rehearsal.phrase_book import phrases
from bot.rehearsal.phrase_types import Kind
from bot.rehearsal.text import clean, cut, fold

_QUOTE_CHARS = 72
_PHRASE_CHARS = 64
_OPTION_CHARS = 44
_OPTION_WORDS = 7
_NOUN_CHARS, _NOUN_WORDS, _MAX_NOUNS = 36, 3, 4
_EDGES = ".,;:!?'’…-/"
MAX_OPTIONS = 10


def _any(*choices: str) -> str:
    return f"(?:{'|'.join(choices)})"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_WE = _any("we", "i", "you", "they", "one", "our team", "the team")
_MODAL = _any("should", "shall", "must", "may")
_TIERS = _any("better", "best", "faster", "safer", "cheaper")
_SOMEONE = _any("someone", "somebody", "an attacker", "anyone", "you", "we")
_HOLES = _any("vulnerabilities", "weaknesses", "holes", "flaws", "risks", "weak spots")
_DANGERS = _any("risks?", "threats?", "failure modes?", "vulnerabilit(?:y|ies)", "dangers?")

_POLITE = _pattern(
    "^"
    + _any("please", "hey", "ok", "so", "let'?s", "help (?:me|us)(?: to)?", "(?:can|could) you")
    + "[, ]+"
)
_PLAN = _pattern(
    "^"
    + _any(
        f"{_MODAL} {_WE}",
        "is it (?:wise|right|time|worth it|a good idea|okay|ok) to",
        "do we (?:need|have) to",
    )
    + r"\s+(?P<rest>\S.*)$"
)
_HOW = _pattern(
    rf"^how (?:do|should|can|could|would|to|might)(?: {_WE})?\s+(?P<rest>\S.*)$",
)
_MAKING = _pattern(
    r"^(?:design|build|implement|create|develop|write|architect|draft|make|code|set up|sketch"
    r"|prototype)\s+(?P<thing>\S.*)$"
)
_DOING = _pattern(
    r"^(?P<action>(?:migrate|refactor|improve|move|switch|replace|reduce|introduce|adopt|launch"
    r"|scale|speed up|fix|deploy|extend|split|rewrite)\s+\S.*)$"
)
_TARGET = _pattern(
    rf"^(?:how (?:could|would|can|might) {_SOMEONE} )?"
    + _any(
        "attack",
        "break(?: into)?",
        "exploit",
        "red[- ]?team",
        "hack",
        "threat[- ]model",
        "stress[- ]test",
        "poke holes in",
        "abuse",
        f"find (?:the |all |any )?{_HOLES} (?:in|of|with)",
        "what (?:could|can|might|would) (?:go wrong|break|fail) (?:with|in|on|at)",
        rf"what are the (?:\w+ )?{_DANGERS} (?:of|in|to|with)",
        f"(?:the )?{_DANGERS} (?:of|in|to|with)",
    )
    + r"\s+(?P<thing>\S.*)$"
)
_YESNO = _pattern(
    r"^(?:is|are|was|were|do|does|did|will|would|can|could|should|shall|must|may|has|have|had|am)"
    r"(?:n't)?\b"
)
_LEAD_IN = _pattern(
    "^"
    + _any(
        r"(?:which|what)\b[^:,?]*[:,]",
        f"(?:which|what) (?:is|are) {_TIERS}[:,]?",
        "(?:is|would) it (?:be )?better to",
        f"{_TIERS}(?: option)?[:,]",
        f"(?:should|shall|do|would|can) {_WE}(?: rather)?",
        f"(?:choose |decide )?whether (?:to|{_WE} should)",
        "(?:choose|decide|pick|select|vote|recommend|compare)(?: between)?[:,]?",
        "are|is",
    )
    + r"\s+"
)
_CHOOSING_VERB = _pattern(
    r"^(?:use|choose|pick|take|buy|adopt|prefer|learn|select|go with|go for|get|have|switch to"
    r"|deploy on|build on|write it in|host on)\s+"
)
_BETWEEN = _pattern(r"\bbetween\s++(?P<x>\S.{0,200}?)(?<!\s)\s++and\s++(?P<y>\S.*)$")
_ALTERNATIVE = _pattern(r"\s(?:or|vs\.?|versus)\s")
_OR = _pattern(r",?(?<!\s)\s++(?:or|vs\.?|versus)\s++|(?<!\s)\s*+,\s++")
_TAIL = _pattern(
    r"(?<!\s)\s++(?:for|in|as|when|given|if|at|on|with|better|first|next|this|now)\b.*$"
)
_OR_NOT = _pattern(r",?(?<!\s)\s++or\s++not\b.*$")
_NOUN_PHRASE = _pattern(r"^(?:a|an|the|our|your|my|this|that|these|their|its)\s")
_BULLET = re.compile(r"^\s*(?:[-*•‣]|\(?\d{1,2}[.)]|\(?[A-Za-z][.)])\s+")
_BREAK = re.compile(
    r"\s(?:that|which|so that|using|with|and|because|while|where|when|without)\s|[,;:–—]"
)
_PERSONS = {"my": "your", "i": "you", "me": "you", "mine": "yours", "myself": "yourself"}


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic taken apart; `thing` is a noun phrase and `action` an infinitive without "to"."""

    text: str
    kind: Kind
    quote: str
    thing: str
    action: str
    options: tuple[str, ...]
    nouns: tuple[str, ...]
    """The words of the topic that carry something, at least one."""

    @property
    def key(self) -> str:
        """What makes two writings of the same topic one topic."""
        return self.text.casefold()

    @property
    def is_technical(self) -> bool:
        """True when the topic is about software."""
        return not phrases().words.technical.isdisjoint(fold(self.text).split())

    @property
    def is_a_system(self) -> bool:
        """True when the topic is about something an intruder could attack."""
        return self.is_technical or not phrases().words.security.isdisjoint(fold(self.text).split())


def take_apart(text: str, mode: str = "", options: Sequence[str] = ()) -> Topic:
    """A topic taken apart; `options` are the given ones (vote mode), else they are looked for."""
    plain = clean(text) or "this topic"
    asked = plain.endswith(("?", "？", "؟", "՞"))
    bare = _POLITE.sub("", plain.rstrip(" ?？؟!.。…"))
    bare = _OR_NOT.sub("", bare) or plain
    chosen = tuple(options) or _options_in(bare)
    kind, thing, action = _read(bare, asked, mode, bool(chosen))
    quote = f"“{cut(plain, _QUOTE_CHARS)}”"
    nouns = _nouns(bare, kind, action, chosen)
    topic = Topic(plain, kind, quote, thing or quote, action, chosen, nouns)
    return topic if kind is not Kind.TARGET else _target_in_mode(topic, mode)


def _target_in_mode(topic: Topic, mode: str) -> Topic:
    """Only systems are attacked, and only by a red team; elsewhere the target is a subject."""
    if mode == "redteam" and topic.is_a_system:
        return topic
    quote = topic.thing if topic.thing == topic.quote else f"“{topic.thing}”"
    return replace(topic, kind=Kind.SUBJECT, quote=quote, thing=quote)


def listed_options(lines: str) -> tuple[str, ...]:
    """The options of a vote as given, one a line."""
    found = (" ".join(_BULLET.sub("", line).split()) for line in lines.splitlines())
    return tuple(dict.fromkeys(option for option in found if option))[:MAX_OPTIONS]


def _read(bare: str, asked: bool, mode: str, is_choice: bool) -> tuple[Kind, str, str]:
    if is_choice:
        return Kind.CHOICE, "", ""
    for reader in (_as_target, _as_plan, _as_work):
        found = reader(bare)
        if found:
            return found
    if asked:
        return (Kind.YESNO if _YESNO.match(bare) else Kind.OPEN), "", ""
    return _as_bare(bare, mode)


def _as_target(bare: str) -> tuple[Kind, str, str] | None:
    found = _TARGET.match(bare)
    thing = _phrase(found["thing"]) if found else ""
    return (Kind.TARGET, thing, "") if thing else None


def _as_plan(bare: str) -> tuple[Kind, str, str] | None:
    found = _PLAN.match(bare)
    action = _phrase(found["rest"]) if found else ""
    if not action or _YESNO.match(action):
        return None
    return Kind.PLAN, f"the plan to {action}", action


def _as_work(bare: str) -> tuple[Kind, str, str] | None:
    how = _HOW.match(bare)
    rest = how["rest"] if how else bare
    making, doing = _MAKING.match(rest), _DOING.match(rest)
    if making and (thing := _phrase(making["thing"])):
        return Kind.THING, thing, ""
    if doing and (action := _phrase(doing["action"])):
        action = action[0].lower() + action[1:]
        return Kind.PLAN, f"the plan to {action}", action
    return None


def _as_bare(bare: str, mode: str) -> tuple[Kind, str, str]:
    noun = _phrase(bare) if _NOUN_PHRASE.match(bare) and len(bare.split()) <= 8 else ""
    if noun:
        noun = noun[0].lower() + noun[1:]
    if mode == "build":
        return Kind.THING, noun, ""
    if mode == "redteam":
        return Kind.TARGET, noun, ""
    is_sentence = len(bare.split()) > 4 or bare.endswith(".")
    return (Kind.STATEMENT if is_sentence else Kind.SUBJECT), "", ""


def _phrase(text: str) -> str:
    """A phrase short enough to stand inside a sentence, or nothing."""
    text = " ".join(_PERSONS.get(word.lower(), word) for word in text.split())
    while len(text) > _PHRASE_CHARS:
        breaks = [found.start() for found in _BREAK.finditer(text) if found.start() > 12]
        if not breaks:
            return ""
        text = text[: breaks[-1]].rstrip(" ,;:")
    return text if _is_plain_latin(text) else ""


def _is_plain_latin(text: str) -> bool:
    return bool(text) and not re.search(r"[.!?…:;]\s|[^\x20-\u024f’‘–—€£]", text)


def _options_in(bare: str) -> tuple[str, ...]:
    between = _BETWEEN.search(bare)
    if between:
        return _checked([between["x"], between["y"]])
    if not _ALTERNATIVE.search(bare):
        return ()
    rest = _CHOOSING_VERB.sub("", _LEAD_IN.sub("", bare.rsplit(": ", 1)[-1]))
    return _checked(_OR.split(rest))


def _checked(parts: Sequence[str]) -> tuple[str, ...]:
    options = [part.strip(" ,;:") for part in parts]
    if len(options[-1].split()) > 1 and len(options[0].split()) < len(options[-1].split()):
        options[-1] = _TAIL.sub("", options[-1]) or options[-1]
    kept = tuple(dict.fromkeys(_you(option) for option in options if option))
    fits = all(len(o) <= _OPTION_CHARS and len(o.split()) <= _OPTION_WORDS for o in kept)
    return kept if 2 <= len(kept) <= MAX_OPTIONS and fits else ()


def _you(text: str) -> str:
    return " ".join(_PERSONS.get(word.lower(), word) for word in text.split())


def _nouns(bare: str, kind: Kind, action: str, options: Sequence[str]) -> tuple[str, ...]:
    """The phrases of a topic that carry something: words between common ones, no verb, no option.

    A plan's action begins with its verb; what is not English is one phrase.
    """
    text = action.partition(" ")[2] if kind is Kind.PLAN else bare
    known = {word for option in options for word in fold(option).split()}
    phrase: list[str] = []
    found: list[str] = []
    for word in [*(word.strip(_EDGES) for word in text.split()), ""]:
        if len(word) > 2 and word.casefold() not in phrases().words.common | known:
            phrase.append(word)
        elif phrase:
            found.append(cut(" ".join(phrase[-_NOUN_WORDS:]), _NOUN_CHARS))
            phrase = []
    return tuple(dict.fromkeys(found))[:_MAX_NOUNS] or (cut(bare, _NOUN_CHARS),)
