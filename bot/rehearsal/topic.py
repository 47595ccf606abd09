"""Taking a topic apart: what kind of thing it is, what it is about, between what it asks to choose.

English topics are read for their grammar; every other topic is quoted and never inflected.
"""

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.rehearsal import grammar
from bot.rehearsal.text import clean, cut, fold

QUOTE_CHARS = 72
PHRASE_CHARS = 64
OPTION_CHARS = 44
OPTION_WORDS = 7
MAX_OPTIONS = 10


class Kind(enum.Enum):
    """What a topic is, grammatically."""

    PLAN = "plan"
    CHOICE = "choice"
    THING = "thing"
    TARGET = "target"
    YESNO = "yes or no"
    OPEN = "open question"
    STATEMENT = "statement"
    SUBJECT = "subject"


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic taken apart; `thing` is a noun phrase and `action` an infinitive without "to"."""

    text: str
    kind: Kind
    quote: str
    thing: str
    action: str
    options: tuple[str, ...]
    word: str

    @property
    def key(self) -> str:
        """What makes two writings of the same topic one topic."""
        return self.text.casefold()

    @property
    def is_technical(self) -> bool:
        """True when the topic is about software."""
        return not grammar.TECHNICAL.isdisjoint(fold(self.text).split())

    @property
    def is_a_system(self) -> bool:
        """True when the topic is about something an intruder could attack."""
        return self.is_technical or not grammar.SECURITY.isdisjoint(fold(self.text).split())


def take_apart(text: str, mode: str = "", options: Sequence[str] = ()) -> Topic:
    """A topic taken apart; `options` are the given ones (vote mode), else they are looked for."""
    plain = clean(text) or "this topic"
    asked = plain.endswith(("?", "？", "؟", "՞"))
    bare = grammar.POLITE.sub("", plain.rstrip(" ?？؟!.。…"))
    bare = grammar.OR_NOT.sub("", bare) or plain
    chosen = tuple(options) or _options_in(bare)
    kind, thing, action = _read(bare, asked, mode, bool(chosen))
    quote = f"“{cut(plain, QUOTE_CHARS)}”"
    topic = Topic(plain, kind, quote, thing or quote, action, chosen, _word_of(bare))
    return topic if kind is not Kind.TARGET else _target_in_mode(topic, mode)


def _target_in_mode(topic: Topic, mode: str) -> Topic:
    """Only systems are attacked, and only by a red team; elsewhere the target is a subject."""
    if mode == "redteam" and topic.is_a_system:
        return topic
    quote = topic.thing if topic.thing == topic.quote else f"“{topic.thing}”"
    return replace(topic, kind=Kind.SUBJECT, quote=quote, thing=quote)


def listed_options(lines: str) -> tuple[str, ...]:
    """The options of a vote as given, one a line."""
    found = (" ".join(grammar.BULLET.sub("", line).split()) for line in lines.splitlines())
    return tuple(dict.fromkeys(option for option in found if option))[:MAX_OPTIONS]


def _read(bare: str, asked: bool, mode: str, is_choice: bool) -> tuple[Kind, str, str]:
    if is_choice:
        return Kind.CHOICE, "", ""
    for reader in (_as_target, _as_plan, _as_work):
        found = reader(bare)
        if found:
            return found
    if asked:
        return (Kind.YESNO if grammar.YESNO.match(bare) else Kind.OPEN), "", ""
    return _as_bare(bare, mode)


def _as_target(bare: str) -> tuple[Kind, str, str] | None:
    found = grammar.TARGET.match(bare)
    thing = _phrase(found["thing"]) if found else ""
    return (Kind.TARGET, thing, "") if thing else None


def _as_plan(bare: str) -> tuple[Kind, str, str] | None:
    found = grammar.PLAN.match(bare)
    action = _phrase(found["rest"]) if found else ""
    if not action or grammar.YESNO.match(action):
        return None
    return Kind.PLAN, f"the plan to {action}", action


def _as_work(bare: str) -> tuple[Kind, str, str] | None:
    how = grammar.HOW.match(bare)
    rest = how["rest"] if how else bare
    making, doing = grammar.MAKING.match(rest), grammar.DOING.match(rest)
    if making and (thing := _phrase(making["thing"])):
        return Kind.THING, thing, ""
    if doing and (action := _phrase(doing["action"])):
        action = action[0].lower() + action[1:]
        return Kind.PLAN, f"the plan to {action}", action
    return None


def _as_bare(bare: str, mode: str) -> tuple[Kind, str, str]:
    noun = _phrase(bare) if grammar.NOUN_PHRASE.match(bare) and len(bare.split()) <= 8 else ""
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
    text = " ".join(grammar.PERSONS.get(word.lower(), word) for word in text.split())
    while len(text) > PHRASE_CHARS:
        breaks = [found.start() for found in grammar.BREAK.finditer(text) if found.start() > 12]
        if not breaks:
            return ""
        text = text[: breaks[-1]].rstrip(" ,;:")
    return text if _is_plain_latin(text) else ""


def _is_plain_latin(text: str) -> bool:
    return bool(text) and not re.search(r"[.!?…:;]\s|[^\x20-\u024f’‘–—€£]", text)


def _options_in(bare: str) -> tuple[str, ...]:
    between = grammar.BETWEEN.search(bare)
    if between:
        return _checked([between["x"], between["y"]])
    if not grammar.ALTERNATIVE.search(bare):
        return ()
    rest = grammar.CHOOSING_VERB.sub("", grammar.LEAD_IN.sub("", bare.rsplit(": ", 1)[-1]))
    return _checked(grammar.OR.split(rest))


def _checked(parts: Sequence[str]) -> tuple[str, ...]:
    options = [part.strip(" ,;:") for part in parts]
    if len(options[-1].split()) > 1 and len(options[0].split()) < len(options[-1].split()):
        options[-1] = grammar.TAIL.sub("", options[-1]) or options[-1]
    kept = tuple(dict.fromkeys(_you(option) for option in options if option))
    fits = all(len(o) <= OPTION_CHARS and len(o.split()) <= OPTION_WORDS for o in kept)
    return kept if 2 <= len(kept) <= MAX_OPTIONS and fits else ()


def _you(text: str) -> str:
    return " ".join(grammar.PERSONS.get(word.lower(), word) for word in text.split())


def _word_of(bare: str) -> str:
    """The word of a topic that carries most: the longest one that is neither common nor a name."""
    candidates = [word.strip(".,;:!?'’…-/") for word in bare.split()]
    candidates = [w for w in candidates if len(w) > 3 and w.casefold() not in grammar.STOP]
    plain = [word for word in candidates if word.islower()]
    return cut(max(plain or candidates, key=len, default=bare), 28)
