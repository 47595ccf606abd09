"""Drops what a conclusion may not claim by itself: code writes votes, dissent and META."""

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from bot.prompting.sections import Found, Headings

META: Final = "meta"
_CLAIM: Final = "claim"
_LOOKALIKES: Final = str.maketrans(
    "АВЕЅІЈКМНОРСТХавеѕіјкмнорстхΑΒΕΖΗΙΚΜΝΟΡΤΧαεικνορτχᴀᴇᴍᴛ",
    "ABESIJKMHOPCTXabesijkmhopctxABEZHIKMNOPTXaeiknoptxAEMT",
)


def latin(text: str) -> str:
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
_NAMES: Final = Headings(
    {META: latin(_META_NAMES).split("|"), _CLAIM: latin(_CLAIM_NAMES).split("|")}
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

Find = Callable[[str], Found | None]


def without_claims(text: str, find: Find, is_marked: Callable[[str], bool]) -> str:
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
    sign, named = _SIGN_LINE.match(line), _NAMES.find(latin(line[:_LOOK]))
    if (named and named.key == META) or (sign and sign[1] == _META_SIGN):
        return is_marked
    if sign:
        is_heading = len(sign[2].split()) <= _HEADING_WORDS
        return is_section if is_heading else lambda told: not told.strip() or is_section(told)
    # In a list it may be a point about votes, which is no claim to have counted them.
    if named and not _LIST_ITEM.match(line):
        return (lambda _: True) if named.inline else is_section
    return None
