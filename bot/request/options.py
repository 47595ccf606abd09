"""Options found in a question such as "Postgres or SQLite?", in thirteen languages."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from bot.errors import UsageError
from bot.messages.starting import RequestText
from bot.request.languages import EAST_ASIAN, EDGES, LANGUAGES, YES_NO, Language

LONGEST_OPTION = 60
_LEAST_OPTIONS, _MOST_OPTIONS = 2, 8
_MOST_OPTION_WORDS = 6
_LONGEST_SENTENCE = 700
# Text is read with single blanks only: patterns with runs of blanks are slow on long runs.
_SENTENCE = re.compile(r"(?<!\bvs)[.!?\n؟。？！]+\s*")
_QUESTION = ("?", "？", "؟")
_QUOTED = re.compile(r"[\"“”„«]([^\"“”„«»]{1,60})[\"“”»]|「([^「」]{1,60})」|『([^『』]{1,60})』")
_PIPE = "|"


def named_options(text: str) -> tuple[str, ...]:
    """The options of `--options A | B | C`; raises UsageError with one sentence."""
    named = tuple(filter(None, (_plain(part) for part in text.replace("\n", _PIPE).split(_PIPE))))
    if len({name.casefold() for name in named}) != len(named):
        raise UsageError(RequestText.SAME_OPTIONS)
    if not _LEAST_OPTIONS <= len(named) <= _MOST_OPTIONS:
        raise UsageError(RequestText.wrong_options(len(named), _LEAST_OPTIONS, _MOST_OPTIONS))
    if any(len(name) > LONGEST_OPTION for name in named):
        raise UsageError(RequestText.long_option(LONGEST_OPTION))
    return named


def _plain(part: str) -> str:
    return " ".join(part.split()).strip(" \"'`“”„«»")


def options_in(topic: str) -> tuple[str, ...]:
    """The options a topic such as "Postgres or SQLite for our queue?" names, or none."""
    return _found(topic, sure=False)


def choice_in(topic: str) -> tuple[str, ...]:
    """The things a topic asks to choose from, such as "A or B?"; none for "shall we or not?"."""
    return _found(topic, sure=True)


def yes_or_no(topic: str) -> tuple[str, ...]:
    """ "Yes" and "No" in the language of a topic that is answered so, or none."""
    text = " ".join(topic.split())
    script = _script_of(text)
    if script in EAST_ASIAN:
        from bot.request import east_asian  # noqa: PLC0415 (slow, for its readers alone)

        return YES_NO[script] if east_asian.asks_yes_or_no(text, script) else ()
    language, words = _language_of(text), _words(text)
    if language is None or not words:
        return ()
    known = LANGUAGES[language]
    first = words[0].strip(EDGES).casefold()
    opens = first in known.openers and first not in known.asks | _WHICH
    return YES_NO[language] if opens or _SURE_SIGN[language].search(text) else ()


def known_options(topic: str, named: Sequence[str] = ()) -> tuple[str, ...]:
    """What a vote is about, as far as code can tell: named, found in the topic, or yes and no."""
    return tuple(named) or options_in(topic) or yes_or_no(topic)


def yes_and_no(topic: str) -> tuple[str, str]:
    """The words for yes and no in the language of a topic, English where it is not known."""
    text = " ".join(topic.split())
    return YES_NO[_script_of(text) or _language_of(text) or "en"]


_WHICH: Final = frozenset(
    "which whether what welche welcher welches welchen welchem lequel laquelle quel quelle cuál "
    "cuáles qual quais quale quali welk welke która które który jaka jaki jakie какая какие какой "
    "какую أي أيهما".split()
)
_NEVER: Final = re.compile(r"(?!)")
_SURE_SIGN: Final = dict.fromkeys(LANGUAGES, _NEVER) | {
    "ru": re.compile(r"(?<!\w)\w++ ли ", re.IGNORECASE),
    "fr": re.compile(r"^est-ce que|-(?:on|nous|il|vous|je) ", re.IGNORECASE),
}
_LETTERS: Final = {
    "ja": re.compile(r"[ぁ-ゖァ-ヺ]"),
    "ko": re.compile(r"[가-힣]"),
    "zh": re.compile(r"[一-鿿]"),
    "ru": re.compile(r"[а-яё]", re.IGNORECASE),
    "ar": re.compile(r"[ء-ي]"),
}
_ANY_LETTER: Final = re.compile(r"[^\W\d_]")
_LEAST_SHARE: Final = 0.08


def _script_of(text: str) -> str | None:
    """The language whose own letters the text has, though it may quote names in others."""
    letters = len(_ANY_LETTER.findall(text))
    for language, pattern in _LETTERS.items():
        own = len(pattern.findall(text))
        if own and own >= _LEAST_SHARE * letters and not _only_quoted(text, language):
            return language
    return None


def _only_quoted(text: str, script: str) -> bool:
    """Whether a text of another language merely names something in these letters."""
    words = {word.strip(EDGES).casefold() for word in text.split()}
    others = (known.marks for name, known in LANGUAGES.items() if name not in ("ru", "ar"))
    return script in ("ja", "zh") and any(len(words & marks) > 1 for marks in others)


_SIGNS: Final = {
    "de": "äöüß",
    "fr": "èëœùîû",
    "es": "¿¡ñ",
    "pt": "ãõ",
    "it": "èìò",
    "pl": "ąćęłńśźż",
}
"""Letters that hardly any of the other languages here has."""
_COMMON_JOINS: Final = frozenset("o u of vs vs. versus contre contro".split())
"""Connectives that are other words in other languages, or the same everywhere."""


def _language_of(text: str) -> str | None:
    """The language whose own words a text has most of; its connectives count, too."""
    script = _script_of(text)
    if script is not None:
        return script if script in LANGUAGES else None
    scores = {name: _score(name, known, text) for name, known in LANGUAGES.items()}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] else None


def _score(name: str, known: Language, text: str) -> float:
    words = [word.strip(EDGES).casefold() for word in text.split()]
    own = sum(word in known.marks for word in words) + (
        words[:1] != [] and words[0] in known.openers - known.marks
    )
    signs = sum(sign in text.casefold() for sign in _SIGNS.get(name, ""))
    joins = [join for join in known.joins if join in words]
    joined = 0.5 if any(join not in _COMMON_JOINS for join in joins) else 0.0
    # A connective that other languages have, too, only decides between equals.
    known_by = own + 2 * signs + joined
    return known_by + (0.25 if known_by and joins else 0.0)


def _found(topic: str, *, sure: bool) -> tuple[str, ...]:
    text = " ".join(topic[: 4 * _LONGEST_SENTENCE].split())
    if not text.strip(EDGES):
        return ()
    script = _script_of(text)
    if sure and _ANYBODY.search(text):
        return ()
    if script in EAST_ASIAN:
        from bot.request import east_asian  # noqa: PLC0415 (slow, for its readers alone)

        # One needs no question mark there: the connective itself asks.
        refused = east_asian.is_clause if sure else east_asian.is_nothing
        return _usable(east_asian.pieces_in(text, script), refused)
    if sure and not text.endswith(_QUESTION):
        return ()
    language = _language_of(text)
    known = LANGUAGES[language or "en"]
    if sure and _is_open(text, known):
        return ()
    return _spaced(text, known, sure=sure) or _bare(text, language, sure=sure)


_ANYBODY: Final = re.compile(
    r"\b(?:any(?:one|body)|some(?:one|body)|jemand|quelqu'un|alguien|alguém|qualcuno|iemand|ktoś|"
    r"кто-нибудь|кто-то|кого)\b|لدي(?:ك|كم|نا)|(?:あり|い)ますか|吗[？?]?$|嗎[？?]?$|있(?:나요|습니까|어요)",
    re.IGNORECASE,
)
"""Who asks whether anybody has ideas or questions asks for no choice."""


def _usable(
    options: Iterable[str], refused: Callable[[str], bool] | None = None
) -> tuple[str, ...]:
    """The options, unless there are too few, too many, or one is missing, too long or refused."""
    listed = list(options)
    named = tuple(dict.fromkeys(option for option in listed if option))
    if not _LEAST_OPTIONS <= len(named) <= _MOST_OPTIONS or len(named) != len(listed):
        return ()
    if any(len(name) > LONGEST_OPTION or (refused and refused(name)) for name in named):
        return ()
    return named


def _is_open(text: str, known: Language) -> bool:
    """Whether a question asks how or why, and not what is better."""
    words = [word.strip(EDGES).casefold() for word in text.split()]
    return words[0] in known.asks and not any(word in known.judged for word in words)


def _bare(text: str, language: str | None, *, sure: bool) -> tuple[str, ...]:
    """ "Vue o React?" has no other word that tells its language; "of" is too common in English."""
    joins = ("o",) if language in (None, "es", "it") else ()
    if not sure and language in (None, "nl"):
        joins = (*joins, "of")
    words = text.strip(EDGES).split()
    at = next((n for n, word in enumerate(words) if word in joins), 0)
    before, after = words[:at], words[at + 1 :]
    most = 1 if sure else 2
    fits = 0 < len(before) <= most and 0 < len(after) <= most
    # "Comprar o carro?" has a verb and a Portuguese article.
    if not fits or (_INFINITIVE.search(before[-1]) and not _INFINITIVE.search(after[0])):
        return ()
    return () if after[0].casefold() in _NOT else _usable((" ".join(before), " ".join(after)))


_INFINITIVE: Final = re.compile(r"[aei]r[es]?$")
_NOT: Final = LANGUAGES["es"].no_things | LANGUAGES["it"].no_things | LANGUAGES["nl"].no_things


@lru_cache(maxsize=32)
def _patterns(joins: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What separates the options of a list, and what tells that there are any."""
    # A comma before "czy" begins a clause: "I do not know whether ...".
    after_comma = [join for join in joins if join != "czy"]
    either, listed = ("|".join(map(re.escape, words)) for words in (joins, after_comma))
    comma = r" ?[,;،؛] ?" + (r"(?!czy )" if "czy" in joins else "")
    split = re.compile(rf"{comma}(?:(?:{listed}) )?| (?:{either}) | ?/ ?", re.IGNORECASE)
    return split, re.compile(rf" (?:{either}) ", re.IGNORECASE)


def _spaced(text: str, known: Language, *, sure: bool) -> tuple[str, ...]:
    """The options of a sentence in a language with spaces between its words."""
    split, joined = _patterns(known.joins)
    sentences = (part for part in _SENTENCE.split(text) if len(part) <= _LONGEST_SENTENCE)
    sentence = next((part for part in sentences if joined.search(f" {part} ")), "")
    quoted = _quoted(sentence, split)
    if quoted:
        return _usable(quoted)
    _, colon, listed = sentence.rpartition(":")
    first, *others = split.split(listed if colon else sentence)
    if not others:
        return ()
    options = [_option(piece, known) for piece in others]
    if len(others) < 2 or not _only_asks(first, known):
        options.insert(0, "")
        pair = _parallel(first, others[0], known) if len(others) == 1 else None
        options[:2] = pair or (_first_option(first, others[0], known), options[1])
    if not sure:
        return _usable(options, lambda option: option.split()[0].casefold() in known.no_things)
    return _usable(options, lambda option: _is_no_thing(option, known))


def _quoted(sentence: str, split: re.Pattern[str]) -> list[str]:
    """Options in quotation marks, where nothing but a connective stands between them."""
    found = list(_QUOTED.finditer(sentence))
    gaps = [sentence[one.end() : two.start()] for one, two in pairwise(found)]
    if not gaps or not all(split.fullmatch(gap) or gap.strip() in ("、", ",") for gap in gaps):
        return []
    return [next(filter(None, one.groups())).strip(EDGES) for one in found]


def _is_no_thing(option: str, known: Language) -> bool:
    """Whether an option such as "not" or "can somebody break it" names nothing to choose."""
    words = [word.casefold() for word in option.split()]
    too_long = len(words) > _MOST_OPTION_WORDS
    return too_long or words[0] in known.openers | known.no_things or _only_asks(option, known)


def _only_asks(piece: str, known: Language) -> bool:
    """Whether a piece such as "Which is better" names nothing itself."""
    words = piece.strip(EDGES).split()
    common = known.openers | known.fillers | known.judged
    return all(word != "A" and word.casefold() in common for word in words)


def _words(piece: str) -> list[str]:
    return piece.strip(EDGES).split()


def _core(piece: str, known: Language) -> tuple[list[str], bool]:
    """The words of the first piece behind those that ask, and whether any did."""
    words = _words(piece)
    asked = bool(words) and words[0].casefold() in known.openers
    common = known.openers | known.fillers
    while len(words) > 1 and words[0].strip(EDGES).casefold() in common:
        words = words[1:]
    return words, asked


def _first_option(piece: str, second: str, known: Language) -> str:
    """The first option follows the words of the question: "should we meet on Tuesdays"."""
    words = _words(piece)
    link, *_ = second.split() or [""]
    if link.casefold() in known.links and link in words:
        words = words[len(words) - words[::-1].index(link) :]
    words, asked = _core(" ".join(words), known) if words else ([], False)
    asked = asked or _core(piece, known)[1]
    if asked:
        words = words[-max(1, len(_option(second, known).split())) :]
    return _option(" ".join(words), known)


def _parallel(first: str, second: str, known: Language) -> tuple[str, str] | None:
    """Two phrases of one build, "switch to Rust or stay on Go", are kept whole."""
    core, asked = _predicate(first, known), _core(first, known)[1]
    other = _words(second)
    verbs = _verb(core, known) and _verb(other, known)
    if asked and verbs and len(core) > 1 and len(other) > 1:
        return " ".join(core), " ".join(other)
    one, two = _tail_at(core, known), _tail_at(other, known)
    if not asked or not one or not two or one < two:
        return None
    end = next((n for n in range(two + 2, len(other)) if _is_tail(other[n], known)), len(other))
    return " ".join(core[one - two :]), " ".join(other[:end])


_SUBJECTS: Final = frozenset(
    "we i you they our team it wir ich man ihr nous on je vous que nosotros nós noi wij ik my "
    "мы я нам вам ли бы".split()
)


def _predicate(piece: str, known: Language) -> list[str]:
    """What a question says about whoever it asks."""
    words = _words(piece)
    while len(words) > 1 and words[0].casefold() in known.openers | _SUBJECTS:
        words = words[1:]
    return words


def _is_tail(word: str, known: Language) -> bool:
    return word.casefold() in known.tails


def _tail_at(words: list[str], known: Language) -> int:
    """Where what follows the thing itself begins; 0 for nowhere."""
    return next((n for n in range(1, len(words) - 1) if _is_tail(words[n], known)), 0)


def _verb(words: list[str], known: Language) -> bool:
    """Whether the words end with a verb, as German and Dutch questions do."""
    return bool(known.verb and words and re.fullmatch(rf"[a-zäöüß]+{known.verb}", words[-1]))


_FOR: Final = re.compile(r"لل?\w{3,}")
"""In Arabic "for" is a part of the word."""


def _option(piece: str, known: Language) -> str:
    words = _words(piece)
    while len(words) > 1 and words[0].casefold() in known.links:
        words = words[1:]
    for number, word in enumerate(words[1:], 1):
        if _is_tail(word, known) or (_FOR.fullmatch(word) and known.yes_no == YES_NO["ar"]):
            words = words[:number]
            break
    if len(words) > 1 and _verb(words, known):
        words = words[:-1]
    if len(words) > 2 and words[-2].casefold() == "the":
        words = words[:-2] if words[-1].casefold() in known.judged else words
    while len(words) > 1 and words[-1].casefold() in known.judged:
        words = words[:-1]
    return " ".join(words).strip(EDGES)
