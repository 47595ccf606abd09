"""Reads the text form `roundtable [flags] topic` into a request."""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bot.errors import UsageError
from bot.messages.starting import RequestText
from bot.request.modes import clean_topic, detect_mode
from bot.request.options import named_options
from bot.types.characters import clean
from bot.types.mode import Mode


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for, with the mode settled."""

    topic: str
    mode: Mode
    mode_forced: bool = False
    quick: bool = False
    panel: tuple[str, ...] = ()
    validate: bool = False
    search: bool = True
    context_from: str | None = None
    link: str | None = None
    rounds: int | None = None
    masked: bool = False
    options: tuple[str, ...] = ()
    """What is voted on, where the person named it."""
    offers_build: bool = False
    """Whether its words sound like a build that nobody asked for."""
    reopens: bool = False
    """Whether it looks again at what another run decided, because of `news`."""
    news: str = ""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """One of the exact words that are commands rather than topics."""

    name: str
    run_id: str | None = None
    channel_id: int | None = None
    text: str = ""
    """What else was said, where a command takes words."""


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag as it was given."""

    name: str
    value: str | None = None


ROUNDS = ("1", "2", "3")
_MODE_FLAGS = {f"--{mode.value}": mode for mode in Mode if mode is not Mode.DEFAULT}
_SWITCHES = frozenset({*_MODE_FLAGS, "--quick", "--validate", "--no-search", "--masked"})
FLAGS = tuple(sorted(_SWITCHES | RequestText.EXAMPLES.keys()))

PLAIN_COMMANDS = frozenset({"help", "list", "quiet", "costs", "record", "forget"})
RECORD_ACTIONS = frozenset({"show", "export", "join", "leave"})
RUN_COMMANDS = frozenset({"conclude", "stop", "retry", "status", "show", "read", "end", "export"})
WORD_COMMANDS = frozenset({"resolve", "reopen"})
"""Commands that take words; without an id they are commands only where a roundtable lives."""

_ASKS_HELP = frozenset({"-h", "-?", "?", "--help", "—help", "/help"})
_TRIGGER = re.compile(r"\s*roundtable(?=\s|$)", re.IGNORECASE)
_CHANNEL = re.compile(r"<#(\d{1,20})>")
_RUN_ID = re.compile(r"rt_[0-9a-f]{8}")
_WORD = re.compile(r"\S+")
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_DASHES = ("--", "—", "–")
_END_OF_OPTIONS = re.compile(r"\n|\s--\s")
_ONE_OPTION = re.compile(r"(?<!\s)\s*+(?:[\"“„«][^\"“”„«»\n]{1,80}[\"”“»]|\S++)")
_VALUE_AT_END = re.compile(r"\s(--(?:panel|context-from|link|rounds))[\s=](\S+)\s*$")
_OPTIONS_AT_END = re.compile(r"\s(?:--|—|–)options[\s=]([^|]+\|.+)$", re.IGNORECASE | re.DOTALL)


def without_mention(text: str, user_id: int) -> str:
    """A text without the mentions of somebody that it begins with."""
    return re.sub(rf"^(?:\s*<@!?{user_id}>)+", "", text).strip()


def is_addressed(text: str) -> bool:
    """Tell whether a message is a roundtable command at all."""
    return _TRIGGER.match(text) is not None


def begins_with_flag(text: str) -> bool:
    """Whether somebody gives a flag before the topic."""
    word = _WORD.search(without_trigger(text))
    return word is not None and _flag_name(word[0]) is not None


def parse_command(text: str) -> Command | None:
    """Recognise the exact command forms; everything else after `roundtable` is a topic."""
    typed = without_trigger(text).split()
    if not typed or (len(typed) == 1 and typed[0].lower() in _ASKS_HELP):
        return Command("help")
    if len(typed) == 1 and typed[0].lower() in PLAIN_COMMANDS | RUN_COMMANDS:
        return Command(typed[0].lower())
    if len(typed) == 2 and typed[0].lower() in RUN_COMMANDS and _RUN_ID.fullmatch(typed[1]):
        return Command(typed[0].lower(), typed[1])
    if len(typed) == 2 and typed[0].lower() == "record" and typed[1].lower() in RECORD_ACTIONS:
        return Command("record", text=typed[1].lower())
    return _word_command(typed) or _post_command(typed)


def _word_command(typed: Sequence[str]) -> Command | None:
    """`resolve [id] words`, `reopen [id] words`; whoever gives flags asks for a roundtable."""
    name, *words = typed
    if name.lower() not in WORD_COMMANDS or any(_flag_name(word) for word in words):
        return None
    run_id = words.pop(0) if words and _RUN_ID.fullmatch(words[0]) else None
    return Command(name.lower(), run_id, text=" ".join(words))


def without_trigger(text: str) -> str:
    """What stands after the word `roundtable`, or the text itself."""
    trigger = _TRIGGER.match(text)
    return text[trigger.end() :] if trigger else text


def _post_command(typed: Sequence[str]) -> Command | None:
    """`post [id] #channel`, in this order."""
    if len(typed) not in (2, 3) or typed[0].lower() != "post":
        return None
    channel = _CHANNEL.fullmatch(typed[-1])
    run_id = typed[1] if len(typed) == 3 else None
    if channel is None or (run_id and not _RUN_ID.fullmatch(run_id)):
        return None
    return Command("post", run_id, int(channel[1]))


def parse_request(text: str, topic_limit: int) -> Request:
    """Read a whole `roundtable …` line; raises UsageError with one sentence."""
    leading, rest = _leading_flags(without_trigger(text))
    rest, trailing = _trailing_flags(rest)
    return build_request(rest, [*leading, *trailing], topic_limit)


def build_request(topic: str, flags: Sequence[Flag], topic_limit: int) -> Request:
    """Put a topic and its flags together; the slash command comes in here, too."""
    modes = {_MODE_FLAGS[flag.name] for flag in flags if flag.name in _MODE_FLAGS}
    if len(modes) > 1:
        raise UsageError(RequestText.too_many_modes(sorted(modes)))
    if any(flag.name == "--options" for flag in flags) and modes - {Mode.VOTE}:
        raise UsageError(RequestText.options_without_vote(next(iter(modes))))
    cleaned = clean_topic(topic, topic_limit)
    mode = next(iter(modes), None) or _mode_of(cleaned, flags)
    sounds_like_build = mode is Mode.BUILD and not modes
    request = Request(
        topic=cleaned,
        # Only who asks for files gets files: else the table discusses, and offers to build.
        mode=Mode.DEFAULT if sounds_like_build else mode,
        mode_forced=bool(modes),
        offers_build=sounds_like_build,
    )
    for flag in flags:
        request = _apply(request, flag)
    return _settle(request)


def _mode_of(topic: str, flags: Sequence[Flag]) -> Mode:
    named = any(flag.name == "--options" for flag in flags)
    return Mode.VOTE if named else detect_mode(topic)


def _apply(request: Request, flag: Flag) -> Request:
    match flag.name:
        case "--quick":
            return replace(request, quick=True)
        case "--validate":
            return replace(request, validate=True)
        case "--no-search":
            return replace(request, search=False)
        case "--masked":
            return replace(request, masked=True)
        case "--panel":
            return replace(request, panel=_panel_names(flag.value or ""))
        case "--context-from":
            return replace(request, context_from=_slug(flag.value or ""))
        case "--link":
            return replace(request, link=flag.value)
        case "--options":
            return replace(request, options=named_options(clean(flag.value or "")))
        case "--rounds":
            return replace(request, rounds=_number_of_rounds(flag.value or ""))
    return request


def _settle(request: Request) -> Request:
    if request.quick and request.validate:
        notices = (*request.notices, RequestText.NO_VALIDATION)
        request = replace(request, validate=False, notices=notices)
    if request.quick and request.rounds not in (None, 1):
        notice = RequestText.one_round_only(request.rounds)
        request = replace(request, rounds=None, notices=(*request.notices, notice))
    return request


def _panel_names(value: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in value.split(",") if name.strip())
    if not names:
        raise UsageError(RequestText.PANEL_WITHOUT_NAMES)
    return names


def _number_of_rounds(value: str) -> int:
    if value not in ROUNDS:
        raise UsageError(RequestText.WRONG_ROUNDS)
    return int(value)


def _slug(value: str) -> str:
    if not _SLUG.fullmatch(value):
        raise UsageError(RequestText.WRONG_NAME)
    return value


def _leading_flags(text: str) -> tuple[list[Flag], str]:
    flags: list[Flag] = []
    while (word := _WORD.search(text)) and (name := _flag_name(word[0])):
        text = text[word.end() :]
        if name == "--":
            break
        flag, text = _read_flag(name, text)
        flags.append(flag)
    return flags, text


def _flag_name(word: str) -> str | None:
    """The flag a word stands for; phones turn two hyphens into one dash."""
    for dash in _DASHES:
        if word.startswith(dash):
            head, equals, value = word.removeprefix(dash).partition("=")
            name = f"--{head.lower()}"
            if dash == "--" or name in FLAGS:
                return f"{name}{equals}{value}"
    return None


def _read_flag(name: str, rest: str) -> tuple[Flag, str]:
    name, equals, value = name.partition("=")
    if name in _SWITCHES and not equals:
        return Flag(name), rest
    if name not in RequestText.EXAMPLES:
        raise UnknownFlagError(name)
    if name == "--options":
        return _take_options(f"{value} {rest}" if equals else rest)
    if equals:
        return Flag(name, _folded(name, value)), rest
    return _take_value(name, rest)


def _take_options(rest: str) -> tuple[Flag, str]:
    """Options before the topic: up to the end of the line or `--`, else the last is one word."""
    end = _END_OF_OPTIONS.search(rest)
    if end and "|" in rest[: end.start()]:
        return Flag("--options", rest[: end.start()]), rest[end.end() :]
    last = _ONE_OPTION.match(rest, rest.rfind("|") + 1)
    if last is None:
        raise UsageError(RequestText.needs_value("--options"))
    return Flag("--options", rest[: last.end()]), rest[last.end() :]


def _take_value(name: str, rest: str) -> tuple[Flag, str]:
    value = ""
    while word := _WORD.search(rest):
        if not value and _flag_name(word[0]):
            break
        value += word[0]
        rest = rest[word.end() :]
        if name != "--panel" or not (value.endswith(",") or rest.lstrip().startswith(",")):
            break
    if not value:
        raise UsageError(RequestText.needs_value(name))
    return Flag(name, _folded(name, value)), rest


def _folded(name: str, value: str) -> str:
    """Names of models and roundtables ignore case; addresses do not."""
    return value if name in ("--link", "--options") else value.lower()


class UnknownFlagError(UsageError):
    """A flag that does not exist; `near` is the one that was probably meant, or empty."""

    def __init__(self, name: str) -> None:
        self.flag = name[:40]
        close = difflib.get_close_matches(self.flag, FLAGS, n=1, cutoff=0.5)
        self.near = _MEANINGS.get(self.flag.removeprefix("--")) or next(iter(close), "")
        super().__init__(RequestText.unknown_flag(self.flag, self.near or None, FLAGS))


_MEANINGS = {
    word: flag
    for flag, words in {
        "--quick": "fast short brief rapid speed small one-round simple".split(),
        "--masked": "anonymous anon blind hidden hide mask secret incognito".split(),
        "--vote": "poll election ballot decide choose pick survey".split(),
        "--options": "choices choice candidates between answers alternatives option".split(),
        "--debate": "argue discuss discussion pros-cons proscons opinion compare".split(),
        "--redteam": "attack risk risks security threat threats red-team red break".split(),
        "--build": "code implement make create develop write files".split(),
        "--validate": "check verify review validated proof confirm".split(),
        "--no-search": "offline nosearch no-web noweb without-search no-internet".split(),
        "--context-from": "context continue from based-on follow-up previous after".split(),
        "--link": "issue github gitlab url ticket".split(),
        "--rounds": "round turns depth iterations".split(),
        "--panel": "models model with using team seats panelists".split(),
    }.items()
    for word in words
}
"""What people call a flag that has another name, by meaning."""


def corrected(text: str, error: UnknownFlagError) -> str:
    """The text with the flag that was probably meant."""
    return re.sub(
        rf"(?:--|—|–){re.escape(error.flag[2:])}(?![\w-])", lambda _: error.near, text, count=1
    )


def _trailing_flags(text: str) -> tuple[str, list[Flag]]:
    """Take known flags off the end, where people often put them; unknown ones stay in the topic."""
    flags: list[Flag] = []
    found = True
    while found:
        text, switches = _switches_at_end(text)
        text, valued = _valued_at_end(text)
        found = bool(valued)
        flags += switches + valued
    return text, flags


def _switches_at_end(text: str) -> tuple[str, list[Flag]]:
    flags: list[Flag] = []
    for start, word in _words_from_end(text):
        name = (_flag_name(word) or "").split("=")[0]
        if name not in _SWITCHES:
            break
        flags.append(Flag(name))
        text = text[:start]
    return text, flags


def _valued_at_end(text: str) -> tuple[str, list[Flag]]:
    if valued := _VALUE_AT_END.search(text):
        return text[: valued.start()], [Flag(valued[1], _folded(valued[1], valued[2]))]
    if named := _OPTIONS_AT_END.search(text):
        return text[: named.start()], [Flag("--options", named[1])]
    return text, []


def _words_from_end(text: str) -> Iterator[tuple[int, str]]:
    spans = [(match.start(), match[0]) for match in _WORD.finditer(text)]
    return reversed(spans[1:])
