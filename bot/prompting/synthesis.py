"""Reads a conclusion: eight sections by emoji or by name; what code writes itself is dropped."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bot.prompting.claims import without_claims
from bot.prompting.cleaning import one_line, tidy
from bot.prompting.lists import list_items
from bot.prompting.markers import strip_markers
from bot.prompting.sections import Found, Headings, Section, last_body, split_sections
from bot.prompting.words import cut_words

TITLE_WORDS: Final = 10
SYNTHESIS_HEADINGS: Final[Mapping[str, str]] = {
    "consensus": "📊 CONSENSUS",
    "divergences": "⚡ DIVERGENCES",
    "blind_spots": "🔍 BLIND SPOTS",
    "recommendation": "🏆 RECOMMENDATION",
    "outlier": "💡 OUTLIER",
    "red_flags": "⚠️ RED FLAGS",
    "action_plan": "📈 ACTION PLAN",
}
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
    "📋": "header",
}
_EMOJI_LINE: Final = re.compile(rf"[\s#*_>]{{0,12}}([{''.join(_EMOJI)}])\ufe0f?[\s*_]{{0,8}}")
_HASH_TITLE: Final = re.compile(r"\s{0,3}#{1,3}\s{1,8}(\S.{0,300})")
_FOREIGN_NAME: Final = re.compile(r"[^:：\n]{1,40}[:：][\s*_]{0,8}")
_HEADING_WORDS: Final = 4
_PLAN: Final = Headings(
    {"day": ("Next 24h", "Next 24 hours", "24h"), "week": ("Next 7d", "Next 7 days", "7d")}
)


@dataclass(frozen=True, slots=True)
class Synthesis:
    """A conclusion taken apart; `missing` names absent sections, `text` is what may be shown."""

    title: str
    sections: Mapping[str, str]
    next_24h: tuple[str, ...]
    next_7d: tuple[str, ...]
    missing: tuple[str, ...]
    text: str


def parse_synthesis(answer: str) -> Synthesis:
    """Take a conclusion apart; a text without any section is shown as it is, all missing."""
    text = without_claims(strip_markers(tidy(answer)), _find, _is_marked)
    parts = split_sections(text, _find)
    title = _title(parts)
    sections = {key: last_body(parts, key) for key in SYNTHESIS_HEADINGS}
    filled = {key: body for key, body in sections.items() if body}
    plan = split_sections(filled.get("action_plan", ""), _PLAN.find)
    absent = [key for key in sections if not sections[key]]
    return Synthesis(
        title=title,
        sections=filled,
        next_24h=list_items(last_body(plan, "day")),
        next_7d=list_items(last_body(plan, "week")),
        missing=(*(() if title else ("title",)), *absent),
        text=_shown(title, filled) if filled else text,
    )


def _is_marked(line: str) -> bool:
    return _EMOJI_LINE.match(line[:60]) is not None


def _shown(title: str, filled: Mapping[str, str]) -> str:
    blocks = [f"{SYNTHESIS_HEADINGS[key]}\n{body}" for key, body in filled.items()]
    return "\n\n".join([f"🎯 {title}", *blocks] if title else blocks)


def _find(line: str) -> Found | None:
    emoji = _EMOJI_LINE.match(line[:60])
    if emoji is None:
        return _NAMES.find(line)
    key = _EMOJI[emoji[1]]
    named = _NAMES.find(line)
    if named is not None and named.key == key:
        return named
    rest = line[emoji.end() :].strip(" *_#")
    return Found(key, rest if key == "title" else _inline(rest), weak=True)


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
    return cut_words(one_line(body.split("\n")[0]).strip('*_#" '), TITLE_WORDS)
