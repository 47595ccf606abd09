"""Reads a follow-up: an answer, or the word by which a seat passes."""

import re
from dataclasses import dataclass
from typing import Final

from bot.messages.starting import PropositionText
from bot.prompting.closing_lines import strip_markers
from bot.prompting.sections import strip_mark
from bot.prompting.text import count_words, cut_words, one_line, plain_words, tidy
from bot.request import Request
from bot.request.modes import plain_topic
from bot.request.options import LONGEST_OPTION, choice_in, known_options
from bot.types.mode import Mode

NO_REPLY: Final = "NO_REPLY"
# A letter or digit before any bracket or fence: no marker and no decoration.
_SPEAKS: Final = re.compile(r"[^\[`a-zA-Z0-9]*[a-zA-Z0-9]")
_AROUND: Final = " \n\t*`\"'.“”"


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What to post; `silent` means that the seat passed and nothing may be posted."""

    text: str
    silent: bool


def parse_followup(answer: str) -> FollowUp:
    """Read a follow-up answer."""
    text = strip_markers(tidy(answer))
    return FollowUp("", silent=True) if is_no_reply(text) else FollowUp(text, silent=not text)


def is_no_reply(text: str) -> bool:
    """Whether a text is NO_REPLY and nothing else."""
    return len(text) < 200 and tidy(text).strip(_AROUND).upper() == NO_REPLY


def is_empty_answer(text: str) -> bool:
    """Whether an answer of a round says nothing, which means the seat failed (2.2#50)."""
    if is_no_reply(text):
        return True
    return _SPEAKS.match(text) is None and not strip_markers(tidy(text))


_DISSENT_WORDS: Final = 80


def parse_dissent(answer: str) -> str:
    """The dissent to print, "" when the seat wrote none."""
    text = strip_markers(tidy(answer))
    return "" if is_no_reply(text) else cut_words(text, _DISSENT_WORDS)


_LEAST_WORDS, _MOST_WORDS = 3, 60
_LABEL: Final = re.compile(r"[\s*_#>]{0,8}proposition[\s*_]{0,4}:[\s*_]{0,4}", re.IGNORECASE)
_QUOTES: Final = "\"'“”„«»*_ "
_WHO: Final = r"(?P<who>we|i|you|they|he|she|it|this|that|there|everybody|everyone|nobody)"
_VERB: Final = r"(?P<verb>should|must|can|could|will|would|may|might|shall|is|are|was|were|am)"
_ASKED: Final = re.compile(rf"{_VERB} {_WHO} (?P<rest>[^?]+)\?", re.IGNORECASE)
_OR_NOT: Final = " or not"
_EITHER: Final = re.compile(r"\bor\b", re.IGNORECASE)
_CLAIMED: Final = re.compile(rf"{_WHO} (?:{_VERB}|need|do|have)\b[^?]+", re.IGNORECASE)


def parse_proposition(answer: str) -> str | None:
    """The sentence a coordinator wrote, or None when it is no proposition."""
    text = strip_markers(tidy(answer)).strip()
    label = _LABEL.match(text)
    first = (text[label.end() :] if label else text).strip().split("\n\n")[0]
    return as_proposition(first.strip(_QUOTES))


def as_proposition(text: str) -> str | None:
    """The text in one line, unless it is a question, a blank, cut off, too short or too long."""
    line = one_line(text)
    cut_off = line.endswith(("…", "?", "？")) or (line.startswith("<") and line.endswith(">"))
    return line if _LEAST_WORDS <= count_words(line) <= _MOST_WORDS and not cut_off else None


def needs_phrasing(request: Request) -> bool:
    """Whether a model must be asked, where no analyst gives the sentence."""
    return request.mode is not Mode.VOTE and not stated(request.topic)


def needs_options(request: Request) -> bool:
    """Whether a model must propose what is voted on."""
    return request.mode is Mode.VOTE and not known_options(request.topic, request.options)


_MOST_PROPOSED: Final = 6
_BLANK: Final = re.compile(r"<[^<>]*>")
_JOINTS: Final = re.compile(r"[\s_‐-–-]+")
_EDGES: Final = " \t.,;:!?\"'`*_~«»“”„‘’"


def parse_options(answer: str) -> tuple[str, ...]:
    """The options a coordinator proposed, each once; none where there is no real choice."""
    spelled: dict[str, str] = {}
    for line in strip_markers(tidy(answer)).replace("|", "\n").splitlines():
        option = strip_mark(plain_words(line)).strip(_EDGES)
        filled = len(option) <= LONGEST_OPTION and not _BLANK.search(line)
        if filled and (key := _key(option)):
            spelled.setdefault(key, option)
    named = tuple(spelled.values())[:_MOST_PROPOSED]
    return named if len(named) > 1 else ()


def _key(option: str) -> str:
    """Case, joints and outer punctuation make no difference; `C`, `C++` and `C#` stay apart."""
    key = _JOINTS.sub(" ", option.casefold()).strip(f"{_EDGES}()")
    return key if any(character.isalnum() for character in key) else ""


def stated(topic: str) -> str:
    """The proposition that an English topic of a plain shape states itself, or nothing."""
    text = " ".join(plain_topic(topic).split())
    if options := choice_in(topic):
        return PropositionText.choice(options)
    if asked := _ASKED.fullmatch(text):
        rest = asked["rest"].rstrip()
        if rest.casefold().endswith(_OR_NOT):
            rest = rest[: -len(_OR_NOT)].rstrip(" ,")
        claim = f"{asked['who'].capitalize()} {asked['verb'].lower()} {rest}."
        return "" if _EITHER.search(claim) else as_proposition(claim) or ""
    if _CLAIMED.fullmatch(text):
        return as_proposition(text) or ""
    return ""
