"""Messages that hardly ask for a meeting: typing errors, greetings, questions to other people."""

import difflib
import re
from dataclasses import dataclass
from typing import Final

from bot.messages.starting import DoubtText
from bot.request.languages import EDGES
from bot.request.options import choice_in
from bot.request.parse import (
    PLAIN_COMMANDS,
    RUN_COMMANDS,
    WORD_COMMANDS,
    Command,
    is_addressed,
    parse_command,
    without_trigger,
)

_COMMANDS: Final = sorted(PLAIN_COMMANDS | RUN_COMMANDS | WORD_COMMANDS | {"post"})
_SIMILAR: Final = 0.7
_FEWEST_WORDS: Final = 2
_LONGEST: Final = 400
_FEWEST_IN_TOPIC_CHANNEL: Final = 3
_MOST_OF_GREETING: Final = 4
_UNSPACED: Final = re.compile(r"[ぁ-ゖァ-ヺ一-鿿]")
_SIGNS_PER_WORD: Final = 2
_ID: Final = re.compile(r"rt_[0-9a-f]{8}", re.IGNORECASE)
_LIKE_ID: Final = re.compile(r"rt[_-]?\w{1,12}|#\S+|<#\d+>", re.IGNORECASE)
_POLITE: Final = frozenset(
    "please now it this that me all here again everything roundtable bitte jetzt s'il por ahora "
    "please! now!".split()
)
_GREETINGS: Final = frozenset(
    "hi hello hey hiya yo greetings morning thanks thank thx ty cheers ok okay lol ping hallo moin "
    "servus danke tschüss bonjour bonsoir salut merci hola buenas gracias olá oi obrigado obrigada "
    "ciao salve buongiorno grazie hoi dag bedankt dankjewel cześć hej dziękuję dzięki привет "
    "здравствуйте спасибо مرحبا مرحباً أهلا شكرا شكراً こんにちは おはよう こんばんは ありがとう "
    "你好 您好 嗨 谢谢 謝謝 안녕 안녕하세요 감사합니다 고마워".split()
)
_GOOD_DAY: Final = re.compile(
    r"(?:good (?:morning|evening|afternoon|night|day)|guten (?:morgen|tag|abend)|gute nacht|"
    r"buenos días|buenas (?:tardes|noches)|bom dia|boa (?:tarde|noite)|dzień dobry|"
    r"добр(?:ый|ое|ого) \w+|how are you|wie geht(?:'s| es)|who are you|what can you do)\b",
    re.IGNORECASE,
)
_BROADCAST: Final = re.compile(r"@(?:everyone|here)\b")
_TO_SOMEBODY: Final = re.compile(r"<@[!&]?\d{1,20}>|@(?!everyone|here)\w")
_TO_ANYBODY: Final = re.compile(
    r"(?:can|could|does|do|did|is|has|have|would|will|who|hi|hey|kann|könnte|hat|weiß|ist|"
    r"est-ce que|peut|puede|tiene|sabe|hay|pode|può|kan|weet|heeft|czy)? ?"
    r"\b(?:any(?:one|body)|some(?:one|body)|jemand|quelqu'un|alguien|alguém|qualcuno|iemand|ktoś|"
    r"кто-нибудь)\b(?! (?:should|must|ought))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a message is asked back, and the command that was probably meant."""

    text: str
    command: Command | None = None


def doubt_about(message: str) -> Doubt | None:
    """Why a message should not start a meeting by itself; None for a topic."""
    addressed = is_addressed(message)
    text = without_trigger(message).strip()
    words = text.split()
    if any(word.startswith("--") for word in words) or choice_in(text):
        return None  # whoever gives flags or names options knows what they ask for
    if len(text) > _LONGEST or not any(map(str.isalnum, _BROADCAST.sub("", text))):
        return None  # what is wrong with such a topic is said when it is read
    return (
        (_near_miss(words) if addressed else None)
        or _greeting(text, words)
        or _to_people(text)
        or _too_short(text, words, addressed=addressed)
    )


def _near_miss(words: list[str]) -> Doubt | None:
    """A command with a slip of the finger, or with something that it does not take."""
    first = words[0].strip(EDGES).lower() if words else ""
    near = difflib.get_close_matches(first, _COMMANDS, n=1, cutoff=_SIMILAR)
    about = [word for word in words[1:] if word.strip(EDGES).lower() not in _POLITE]
    if not near or len(about) > 1 or (about and not _LIKE_ID.fullmatch(about[0])):
        return None
    if near[0] == "post":
        return Doubt(DoubtText.POST)
    run_id = about[0].lower() if about and _ID.fullmatch(about[0]) else ""
    meant = f"{near[0]} {run_id}".strip()
    return Doubt(DoubtText.near_miss(" ".join(words)[:60], meant), parse_command(meant))


def _greeting(text: str, words: list[str]) -> Doubt | None:
    short = len(words) <= _MOST_OF_GREETING
    first = words[0].strip(EDGES).lower() if words else ""
    greets = first in _GREETINGS or _GOOD_DAY.match(text)
    return Doubt(DoubtText.GREETING, Command("help")) if short and greets else None


def _to_people(text: str) -> Doubt | None:
    to_people = _TO_SOMEBODY.match(text) or _TO_ANYBODY.match(text)
    return Doubt(DoubtText.TO_PEOPLE, Command("help")) if to_people else None


def _too_short(text: str, words: list[str], *, addressed: bool) -> Doubt | None:
    fewest = _FEWEST_WORDS if addressed else _FEWEST_IN_TOPIC_CHANNEL
    if max(len(words), len(_UNSPACED.findall(text)) // _SIGNS_PER_WORD) >= fewest:
        return None
    return Doubt(DoubtText.ONE_WORD if addressed else DoubtText.FEW_WORDS, Command("help"))
