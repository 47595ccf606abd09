"""Reads a conclusion: its sections by emoji or by name; what code writes itself is dropped."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from bot.prompting.closing_lines import strip_markers
from bot.prompting.sections import (
    FoundHeading,
    Headings,
    Section,
    last_body,
    list_items,
    split_sections,
)
from bot.prompting.text import cut_words, one_line, tidy

_META: Final = "meta"
_CLAIM: Final = "claim"
_LOOKALIKES: Final = str.maketrans(
    "АВЕЅІЈКМНОРСТХавеѕіјкмнорстхΑΒΕΖΗΙΚΜΝΟΡΤΧαεικνορτχᴀᴇᴍᴛ",
    "ABESIJKMHOPCTXabesijkmhopctxABEZHIKMNOPTXaeiknoptxAEMT",
)


def _latin(text: str) -> str:
    """A text without accents, in which letters that look Latin are."""
    apart = unicodedata.normalize("NFKD", text)
    bare = "".join(c for c in apart if unicodedata.category(c) != "Mn")
    return unicodedata.normalize("NFC", bare).translate(_LOOKALIKES)


_META_NAMES: Final = (
    "META|METADATA|META INFO|META INFORMATION|METADATEN|METADATOS|METADONNEES|METADATI|METADADOS|"
    "МЕТАДАННЫЕ|МЕТАДАНІ|メタ|メタ情報|メタデータ|元数据|元信息|元資料|메타|메타데이터|"
    "메타 정보|ميتا|מטא|मेटा"
)
_CLAIM_NAMES: Final = (
    "VOTE|VOTES|VOTING|VOTE RESULT|VOTE RESULTS|VOTE COUNT|VOTING RESULT|VOTING RESULTS|TALLY|"
    "RESULT OF THE VOTE|FINAL TALLY|BALLOT|BALLOTS|ABSTIMMUNG|STIMMEN|VOTACIÓN|VOTOS|VOTAÇÃO|"
    "VOTAZIONE|ГОЛОСОВАНИЕ|ГОЛОСУВАННЯ|投票|投票结果|投票結果|투표|DISSENT|DISSENTS|"
    "DISSENTING OPINION|DISSENTING OPINIONS|DISSENTING VIEW|DISSENTING VIEWS|DISSENTING VOICES|"
    "MINORITY OPINION|MINORITY REPORT|ABWEICHENDE MEINUNG|DISIDENCIA|ОСОБОЕ МНЕНИЕ|反対意見|"
    "异议|異議|WHAT THE DEBATE CHANGED"
)
_CLAIMS_NAMES: Final = Headings(
    {_META: _latin(_META_NAMES).split("|"), _CLAIM: _latin(_CLAIM_NAMES).split("|")}
)
_META_SIGN: Final = "🔧"
_SIGN_LINE: Final = re.compile(r"[\s#*_>]{0,12}(?:-#\s{0,4})?[\s*_]{0,8}([🔧🗳✋])\ufe0f?(.{0,200})")
_LIST_ITEM: Final = re.compile(r"\s{0,20}[-+•*]\s")
# A line that says nothing but how many chose something.
_COUNT: Final = re.compile(
    r"[\s>*_+•-]{0,12}\S.{0,100}?"
    r"(?:[:：][\s*_]{0,4}\d{1,3}[\s*_]{0,4}(?:votes?\b.{0,200}|\([^()]{0,200}\d\s?%[^()]{0,200}\))"
    r"|wins with (?:the only vote|all \d{1,3} votes|\d{1,3} votes?, \d{1,3} ahead)"
    r"|with \d{1,3} votes? each"
    r"|\d{1,3} agree, \d{1,3} disagree.{0,200})[\s.*_]{0,8}"
)
_HEADING_WORDS: Final = 4
_LOOK: Final = 400

_Find = Callable[[str], FoundHeading | None]


def _without_claims(text: str, find: _Find, is_marked: Callable[[str], bool]) -> str:
    """The text without META, votes and dissents, whatever the alphabet of their names.

    `find` tells the sections of a conclusion, `is_marked` those that begin with their emoji: only
    such a one ends META, whose lines are named like sections.
    """
    kept: list[str] = []
    ends: Callable[[str], bool] | None = None
    for line in text.split("\n"):
        if ends is None and not line.strip():
            kept.append(line)
        elif ends is None or ends(line):
            ends = _dropped_until(line, lambda told: find(told) is not None, is_marked)
            if ends is None and not _COUNT.fullmatch(line[:_LOOK]):
                kept.append(line)
    return "\n".join(kept).strip()


def _dropped_until(
    line: str, is_section: Callable[[str], bool], is_marked: Callable[[str], bool]
) -> Callable[[str], bool] | None:
    """What ends the claim that a line begins, or None when it begins none."""
    sign, named = _SIGN_LINE.match(line), _CLAIMS_NAMES.find(_latin(line[:_LOOK]))
    if (named and named.key == _META) or (sign and sign[1] == _META_SIGN):
        return is_marked
    if sign:
        is_heading = len(sign[2].split()) <= _HEADING_WORDS
        return is_section if is_heading else lambda told: not told.strip() or is_section(told)
    # In a list it may be a point about votes, which is no claim to have counted them.
    if named and not _LIST_ITEM.match(line):
        return (lambda _: True) if named.inline else is_section
    return None


_TITLE_WORDS: Final = 10
SYNTHESIS_HEADINGS: Final[Mapping[str, str]] = {
    "consensus": "📊 CONSENSUS",
    "divergences": "⚡ DIVERGENCES",
    "blind_spots": "🔍 BLIND SPOTS",
    "recommendation": "🏆 RECOMMENDATION",
    "outlier": "💡 OUTLIER",
    "red_flags": "⚠️ RED FLAGS",
    "action_plan": "📈 ACTION PLAN",
    "overturn": "🔄 WHAT WOULD CHANGE IT",
}
_OPTIONAL: Final = frozenset({"overturn"})
"""Older conclusions do not have it, and one without it is whole."""
_MOST_REASONS: Final = 3
_NAMES: Final = Headings(
    {
        "title": ("TITLE",),
        "consensus": ("CONSENSUS",),
        "divergences": ("DIVERGENCES", "DIVERGENCE"),
        "blind_spots": ("BLIND SPOTS", "BLIND SPOT"),
        "recommendation": ("RECOMMENDATION", "RECOMMENDATIONS"),
        "outlier": ("OUTLIER", "OUTLIERS"),
        "red_flags": ("RED FLAGS", "RED FLAG"),
        "action_plan": ("ACTION PLAN",),
        "overturn": (
            *("WHAT WOULD CHANGE IT", "WHAT WOULD CHANGE THIS", "WOULD CHANGE IT"),
            *("WHAT WOULD CHANGE THE CONCLUSION", "WHAT WOULD OVERTURN IT", "OVERTURN"),
        ),
        "header": ("PANEL", "MODE", "ROUNDS", "PANEL / MODE / ROUNDS"),
    }
)
_EMOJI: Final[Mapping[str, str]] = {
    "🎯": "title",
    "📊": "consensus",
    "⚡": "divergences",
    "🔍": "blind_spots",
    "🔎": "blind_spots",
    "🏆": "recommendation",
    "💡": "outlier",
    "⚠": "red_flags",
    "📈": "action_plan",
    "🔄": "overturn",
    "🔁": "overturn",
    "📋": "header",
}
_EMOJI_LINE: Final = re.compile(rf"[\s#*_>]{{0,12}}([{''.join(_EMOJI)}])\ufe0f?[\s*_]{{0,8}}")
_HASH_TITLE: Final = re.compile(r"\s{0,3}#{1,3}\s{1,8}(\S.{0,300})")
_FOREIGN_NAME: Final = re.compile(r"[^:：\n]{1,40}[:：][\s*_]{0,8}")
_PLAN: Final = Headings(
    {"day": ("Next 24h", "Next 24 hours", "24h"), "week": ("Next 7d", "Next 7 days", "7d")}
)


@dataclass(frozen=True, slots=True)
class _Synthesis:
    """A conclusion taken apart; `missing` names absent sections, `text` is what may be shown."""

    title: str
    sections: Mapping[str, str]
    next_24h: tuple[str, ...]
    next_7d: tuple[str, ...]
    missing: tuple[str, ...]
    text: str


def parse_synthesis(answer: str) -> _Synthesis:
    """Take a conclusion apart; a text without any section is shown as it is, all missing."""
    text = _without_claims(strip_markers(tidy(answer)), _find, _is_marked)
    parts = split_sections(text, _find)
    title = _title(parts)
    sections = {key: last_body(parts, key) for key in SYNTHESIS_HEADINGS}
    sections["overturn"] = _first_reasons(sections["overturn"])
    filled = {key: body for key, body in sections.items() if body}
    plan = split_sections(filled.get("action_plan", ""), _PLAN.find)
    absent = [key for key in sections if not sections[key] and key not in _OPTIONAL]
    return _Synthesis(
        title=title,
        sections=filled,
        next_24h=list_items(last_body(plan, "day")),
        next_7d=list_items(last_body(plan, "week")),
        missing=(*(() if title else ("title",)), *absent),
        text=_shown(title, filled) if filled else text,
    )


def _first_reasons(body: str) -> str:
    """What would overturn the conclusion, as a list of at most three."""
    return "\n".join(f"- {item}" for item in (list_items(body) or (body,))[:_MOST_REASONS] if item)


def _is_marked(line: str) -> bool:
    return _EMOJI_LINE.match(line[:60]) is not None


def _shown(title: str, filled: Mapping[str, str]) -> str:
    blocks = [f"{SYNTHESIS_HEADINGS[key]}\n{body}" for key, body in filled.items()]
    return "\n\n".join([f"🎯 {title}", *blocks] if title else blocks)


def _find(line: str) -> FoundHeading | None:
    emoji = _EMOJI_LINE.match(line[:60])
    if emoji is None:
        return _NAMES.find(line)
    key = _EMOJI[emoji[1]]
    named = _NAMES.find(line)
    if named is not None and named.key == key:
        return named
    rest = line[emoji.end() :].strip(" *_#")
    return FoundHeading(key, rest if key == "title" else _inline(rest), weak=True)


def _inline(rest: str) -> str:
    """What follows a heading in another language on its own line."""
    foreign = _FOREIGN_NAME.match(rest[:60])
    if foreign:
        return rest[foreign.end() :]
    return "" if len(rest[:200].split()) <= _HEADING_WORDS else rest


def _title(parts: tuple[Section, ...]) -> str:
    """The title line, or a Markdown heading that stands before all sections."""
    body = last_body(parts, "title")
    if not body and parts and not parts[0].key:
        heading = _HASH_TITLE.match(parts[0].body)
        body = heading[1] if heading else ""
    return cut_words(one_line(body.split("\n")[0]).strip('*_#" '), _TITLE_WORDS)


_STEP: Final = re.compile(r"\s*+(?:[-*+•]|\d++[.)])\s++(?:\[[ xX]\]\s++)?(\S.*)")
_WHEN: Final = re.compile(
    r"\W*+(next\s+(?:24\s*h|7\s*d)\w*)(?:[\s*_]{0,4}\([^()\n]{0,60}\))?\W*(.*)$", re.IGNORECASE
)
_OWNER_WORDS: Final = (
    "owners?|verantwortlich(?:e[rn]?)?|zuständig|responsables?|encargad[oa]|responsável"
    "|responsáveis|responsabil[ei]|verantwoordelijke?|odpowiedzialn[ya]|ответственн(?:ый|ая|ые)"
    "|المسؤول|担当者?|責任者|负责人|負責人|责任人|담당자?"
)
"""The writer is asked for the English word, and may translate it all the same."""
_OWNER: Final = rf"[*_]{{0,3}}(?:{_OWNER_WORDS})[*_]{{0,3}}\s{{0,2}}[:：=][\s*_]{{0,4}}"
_INNER: Final = r"[^()\[\]\n]|[(\[][^()\[\]\n]{0,60}[)\]]"
_ASIDE: Final = re.compile(
    rf"(?:[\s,;–—-]{{0,3}}[(\[]|([(\[][^()\[\]\n]{{1,80}})[,;]\s{{0,2}})"
    rf"{_OWNER}((?:{_INNER}){{0,120}})([)\]])",
    re.IGNORECASE,
)
_TRAILING: Final = re.compile(
    rf"\s{{0,2}}[,;.|–—→-]\s{{0,2}}{_OWNER}([^\n]{{0,120}})$", re.IGNORECASE
)
_LEADING: Final = re.compile(rf"{_OWNER}([^\n:–—]{{1,60}}?)\s?[:–—]\s(\S.*)$", re.IGNORECASE)
_LEADING_LOOSELY: Final = re.compile(
    rf"{_OWNER}([^\n:–—,*_]{{1,60}})(?:,|[*_]{{1,3}})\s(\S.*)$", re.IGNORECASE
)
_ALONE: Final = re.compile(
    rf"(\s*+)[-*+•\d.)\[\]xX\s]*+{_OWNER}([^\n:–—]{{1,120}})$", re.IGNORECASE
)
_SHORT_NAME: Final = re.compile(r"[^\s,*]+(?: [^\s,*]+){0,3}[*_]{0,3}")
_EDGES: Final = " \t*_.,;，；、。\"'"
_HALF_WIDTH: Final = str.maketrans("（）［］【】：，；、。｜", "()[][]:,;,.|")
_NOBODY: Final = frozenset(
    (
        "|none|n/a|na|nobody|tbd|open|unknown|unassigned|unnamed|not named|not assigned"
        "|to be decided|to be assigned|if named|who, if named|offen|niemand|nicht benannt|nadie"
        "|sin asignar|por definir|personne|à définir|non attribué|a definir|ninguém|nessuno"
        "|da definire|未定|待定|无|なし|미정"
    ).split("|")
)


class PlanItem(NamedTuple):
    """A step of the action plan; `owner` is empty where the writer named nobody."""

    text: str
    when: str = ""
    owner: str = ""


def plan_items(section: str) -> tuple[PlanItem, ...]:
    """The steps of an action plan: what, by when, and by whom."""
    items: list[PlanItem] = []
    when = ""
    for line in section.splitlines():
        heading = _WHEN.match(line)
        if heading:
            when = heading[1]
        found = _STEP.match(f"- {heading[2]}" if heading else line)
        alone = _ALONE.match(line.rstrip())
        if alone and items and (alone[1] or (found and _SHORT_NAME.fullmatch(alone[2]))):
            items[-1] = items[-1]._replace(owner=_named(alone[2]))
            continue
        if not found:
            continue
        text, owner = split_owner(found[1].rstrip())
        items.append(PlanItem(text, when, owner))
    return tuple(items)


def is_list(section: str) -> bool:
    """Whether every line of a section is an item, or says by when those below it are due."""
    lines = [line for line in section.splitlines() if line.strip()]
    return all(_STEP.match(line) or _WHEN.match(line) for line in lines)


def split_owner(step: str) -> tuple[str, str]:
    """A step and who is to take it, as in "Call Olga (owner: Ines)"."""
    # One sign for one, so that what is found stands at the same place in the step.
    plain = step.translate(_HALF_WIDTH)

    def part(found: re.Match[str], group: int) -> str:
        return step[found.start(group) : found.end(group)]

    if led := _LEADING.match(plain) or _LEADING_LOOSELY.match(plain):
        return part(led, 2), _named(part(led, 1))
    if aside := _ASIDE.search(plain):
        kept = part(aside, 1) + part(aside, 3) if aside[1] else ""
        return f"{step[: aside.start()]}{kept}{step[aside.end() :]}".strip(), _named(part(aside, 2))
    if found := _TRAILING.search(plain):
        return step[: found.start()].strip(), _named(part(found, 1))
    return step, ""


def _named(owner: str) -> str:
    name = owner.strip(_EDGES)
    return "" if "<" in name or name.casefold() in _NOBODY else name
