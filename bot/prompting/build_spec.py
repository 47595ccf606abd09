"""Reads the spec of a build, writes it out again, and says what makes it too weak to build."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Final

from bot.messages.delivery import BuildAnswerText
from bot.prompting.sections import Headings, last_body, list_items, split_sections
from bot.prompting.text import one_line, tidy

_GOAL_CHARS: Final = 600
_ITEM_CHARS: Final = 240
_MOST_ITEMS: Final = 12
_MOST_OUTPUTS: Final = 20
"""As many files as a build may have; what is left out here would be refused later."""
_LEAST_CRITERIA: Final = 3
_LEAST_CRITERION_CHARS: Final = 12
HEADINGS: Final = MappingProxyType(
    {
        "goal": "GOAL",
        "scope_in": "SCOPE IN",
        "scope_out": "SCOPE OUT",
        "inputs": "INPUTS",
        "outputs": "OUTPUTS",
        "acceptance_criteria": "ACCEPTANCE CRITERIA",
        "risks": "RISKS",
    }
)
_FINDER: Final = Headings(
    {
        "goal": ("GOAL", "GOALS"),
        "scope_in": ("SCOPE IN", "IN SCOPE"),
        "scope_out": ("SCOPE OUT", "OUT OF SCOPE"),
        "inputs": ("INPUTS", "INPUT"),
        "outputs": ("OUTPUTS", "OUTPUT"),
        "acceptance_criteria": ("ACCEPTANCE CRITERIA", "ACCEPTANCE CRITERION", "CRITERIA"),
        "risks": ("RISKS", "RISK"),
    }
)
_VAGUE: Final = re.compile(
    r"\b(?:good|nice|clean|easy|easily|simple|intuitive|user[- ]friendly|fast|quick|quickly|robust|"
    r"reliable|scalable|appropriate|properly|reasonable|adequate|efficient|modern|flexible|"
    r"works well|as expected|if possible|etc)\b",
    re.IGNORECASE,
)
_OBSERVABLE: Final = re.compile(
    r"\d|[`\"“‘]|\b(?:returns?|rejects?|refuses?|accepts?|shows?|prints?|writes?|stores?|contains?|"
    r"raises?|fails?|answers?|ends?|exits?|creates?|reads?|keeps?|counts?|lists?|names?|has|have|"
    r"never|every|each|only|without|after|before|when|passes)\b",
    re.IGNORECASE,
)
_PATH_WORD: Final = re.compile(r"[A-Za-z0-9_.+*/-]+")
_ANY_WORD: Final = re.compile(r"[\w.+*/-]+")
"""The same in all letters."""
_EMPHASIS: Final = re.compile(
    r"(?<![A-Za-z0-9_./*`-])(?P<stars>\*{1,3})(?=[\w.`])(?P<text>[^*\n]{1,240}?)(?<=[\w.`):])"
    r"(?P=stars)(?![A-Za-z0-9_./*])"
)
"""Words in bold or italics; the stars of a pattern stand otherwise."""
_QUOTED_PATH: Final = re.compile(r"`[A-Za-z0-9_.+-]+/[A-Za-z0-9_.+/-]+`")
_LONGEST_ENDING: Final = 12
_NO_FILE: Final = frozenset(
    "e.g i.e z.b d.h node.js next.js vue.js react.js express.js three.js asp.net".split()
)
"""Words that look like the name of a file and are none."""
_BARE_FILES: Final = frozenset(
    "Caddyfile CODEOWNERS Containerfile Dockerfile Gemfile Jenkinsfile Justfile LICENSE "
    "Makefile NOTICE Pipfile Procfile Rakefile Vagrantfile".split()
)
"""Files whose names have no ending."""


@dataclass(frozen=True, slots=True)
class BuildSpec:
    """What is to be built and how it is judged (B11)."""

    goal: str = ""
    scope_in: tuple[str, ...] = ()
    scope_out: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()


def parse_build_spec(answer: str) -> BuildSpec:
    """Take a spec apart; any text gives a result, and what is missing stays empty."""
    sections = split_sections(tidy(answer), _FINDER.find)
    body = {name: last_body(sections, name) for name in HEADINGS}
    listed = {name: _items(name, body[name]) for name in HEADINGS if name != "goal"}
    return BuildSpec(goal=one_line(body["goal"])[:_GOAL_CHARS].strip(), **listed)


def spec_text(spec: BuildSpec) -> str:
    """The spec as people read and edit it; reading it again gives the same spec."""
    return "\n".join(field_text(spec, name) for name in HEADINGS)


def field_text(spec: BuildSpec, name: str) -> str:
    """One heading of a spec with what stands under it."""
    value = getattr(spec, name)
    if name == "goal":
        return f"**GOAL:** {value}"
    numbered = name == "acceptance_criteria"
    marks = (f"{n}." if numbered else "-" for n in range(1, len(value) + 1))
    lines = [f"{mark} {item}" for mark, item in zip(marks, value, strict=True)]
    return "\n".join([f"**{HEADINGS[name]}:**", *lines])


def spec_weaknesses(spec: BuildSpec) -> tuple[str, ...]:
    """Why nobody may build from this spec yet; empty for a strong one (B12)."""
    missing = [
        BuildAnswerText.heading_missing(HEADINGS[field.name])
        for field in fields(spec)
        if not getattr(spec, field.name)
    ]
    misnamed = dict.fromkeys(_misnamed(spec))
    if misnamed:
        missing.append(BuildAnswerText.other_letters(misnamed))
    elif spec.outputs and not _names_a_file(spec):
        missing.append(BuildAnswerText.NO_FILE_NAMED)
    criteria = spec.acceptance_criteria
    if 0 < len(criteria) < _LEAST_CRITERIA:
        missing.append(BuildAnswerText.too_few_criteria(_LEAST_CRITERIA))
    return (*missing, *filter(None, map(_weak_criterion, range(1, len(criteria) + 1), criteria)))


def undeclared(spec: BuildSpec, names: Iterable[str]) -> tuple[str, ...]:
    """The files that the outputs of a spec do not name (B20).

    A folder (`tests/`, `src/limiter`) and a pattern (`*.md`) name what is in it. Where no file is
    named, as in specs from before that was asked for, there is nothing to compare with.
    """
    if not _names_a_file(spec):
        return ()
    declared = _paths(spec)
    return tuple(name for name in names if not any(_names(path, name) for path in declared))


def _paths(spec: BuildSpec) -> tuple[str, ...]:
    """Every word of the outputs that can be a path."""
    words = (word for item in _plain(spec) for word in _PATH_WORD.findall(item))
    return tuple(map(_trimmed, words))


def _plain(spec: BuildSpec) -> Iterator[str]:
    return (_EMPHASIS.sub(r"\g<text>", item) for item in spec.outputs)


def _trimmed(word: str) -> str:
    return word.removeprefix("./").rstrip(".-")


def _misnamed(spec: BuildSpec) -> Iterator[str]:
    """Paths with letters that the name of a file may not hold."""
    for item in _plain(spec):
        for found in _ANY_WORD.finditer(item):
            path = _trimmed(found[0].strip("*"))
            is_quoted = item[: found.start()].endswith("`")
            if not path.isascii() and _is_file(path) and (is_quoted or not _is_sentence(path)):
                yield path


def _is_sentence(words: str) -> bool:
    """Whether this is text without blanks, as in Chinese, around the name of a file."""
    inside = [path for path in _PATH_WORD.findall(words) if not path.startswith(".")]
    return any(map(_is_file, inside)) and any(unicodedata.category(c) == "Lo" for c in words)


def _names_a_file(spec: BuildSpec) -> bool:
    quoted = any(map(_QUOTED_PATH.search, spec.outputs))
    return quoted or any(map(_is_file, _paths(spec)))


def _is_file(path: str) -> bool:
    """Whether a word can only be a path; `input/output` alone is none, unless it is quoted."""
    if path.casefold() in _NO_FILE or path.startswith("//") or not path.strip("*./"):
        return False
    _, dot, ending = path.rpartition(".")
    is_ending = ending.isascii() and ending[:1].isalpha() and len(ending) <= _LONGEST_ENDING
    is_place = path.endswith("/") or "*" in path
    return bool(dot and is_ending) or is_place or path.rpartition("/")[2] in _BARE_FILES


def _names(path: str, name: str) -> bool:
    """Whether a path of the spec means this file; a bare name means it in any folder."""
    path, name = path.casefold(), name.casefold()
    if path.endswith("/"):
        return path != "/" and name.startswith(path)
    if "*" in path:
        # `**/` may also stand for no folder at all.
        patterns = (path, path.replace("**/", ""))
        return path.strip("*./") != "" and any(fnmatchcase(name, one) for one in patterns)
    # Without an ending it may also be a folder.
    folder, _, last = path.rpartition("/")
    is_below = bool(folder) and "." not in last and name.startswith(f"{path}/")
    return is_below or name == path or name.endswith(f"/{path}")


def _weak_criterion(number: int, text: str) -> str:
    if len(text) < _LEAST_CRITERION_CHARS:
        return BuildAnswerText.criterion_too_short(number)
    vague = _VAGUE.search(text)
    if vague and not _OBSERVABLE.search(text):
        return BuildAnswerText.criterion_vague(number, vague[0])
    return ""


def _items(name: str, body: str) -> tuple[str, ...]:
    """The items of a list; a line of its own that is no list is one item."""
    found = list_items(body) or tuple(filter(None, [one_line(body)]))
    kept = [one_line(item)[:_ITEM_CHARS].strip() for item in found]
    most = _MOST_OUTPUTS if name == "outputs" else _MOST_ITEMS
    return tuple(item for item in kept if item)[:most]
