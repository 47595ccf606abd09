"""What prompts and people read about a search: context, results, sources, citations."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bot.messages.search import BriefingText, SearchText
from bot.prompting.closing_lines import strip_markers
from bot.prompting.text import cut_words, tidy
from bot.search.results import Evidence, Findings, SearchStatus
from bot.types.characters import clean

_SEARCH_WORDS: Final = 250
_DATE_LINE: Final = re.compile(r"[\s*_#>]{0,12}searched on\b[^\n]{0,80}(?:\n|\Z)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SearchDigest:
    """The context block for prompts; `useful` is False when the search found nothing relevant."""

    text: str
    useful: bool


def parse_search_digest(answer: str, date: str) -> SearchDigest:
    """Read a briefing; the first line is always ours, whatever date the model wrote."""
    text = strip_markers(tidy(answer))
    stated = _DATE_LINE.match(text)
    facts = text[stated.end() :].strip() if stated else text
    if not facts or facts.strip(' *_."').casefold() == BriefingText.NOTHING_FOUND.casefold():
        return SearchDigest(BriefingText.NOTHING_FOUND, useful=False)
    return SearchDigest(
        f"{BriefingText.searched_on(date)}\n{cut_words(facts, _SEARCH_WORDS)}", useful=True
    )


_CITATION: Final = re.compile(r"[\[【]\s{0,4}(E\d[^\[\]【】\n]{0,80})[\]】]", re.IGNORECASE)
_LABEL: Final = re.compile(r"\bE(\d{1,3})\b", re.IGNORECASE)
_SWAPPED: Final = str.maketrans("<>[]`", "‹›()'")
_MARKUP: Final = re.compile(r"([\\*_~|])")


def context_text(findings: Findings | None, digest: str | None = None) -> str:
    """The value of CURRENT_CONTEXT; `digest` is the briefing a model wrote, None if it failed."""
    if findings is None or findings.status is SearchStatus.SKIPPED:
        return SearchText.NO_CONTEXT
    if findings.status is SearchStatus.FAILED:
        return SearchText.SEARCH_FAILED
    if findings.status is SearchStatus.EMPTY:
        return BriefingText.NOTHING_FOUND
    if digest and digest.strip():
        return parse_search_digest(digest, findings.searched_on).text
    snippets = cut_words(results_text(findings), _SEARCH_WORDS)
    return SearchText.searched_on(findings.searched_on, snippets)


def results_text(findings: Findings) -> str:
    """The value of RESULTS: each label at the start of a line, what was found indented below."""
    return "\n".join(_quoted(result) for result in findings.results)


def sources_text(findings: Findings, cited: Iterable[str] | None = None) -> str:
    """The source list the bot prints, a line each: all of them, or only those cited."""
    wanted = None if cited is None else set(cited)
    return "\n".join(
        f"{result.label} {_plain(result.title)} — {result.host} <{result.url}>"
        for result in findings.results
        if wanted is None or result.label in wanted
    )


def known_urls(findings: Findings) -> frozenset[str]:
    """The URLs that may stay clickable in what the bot posts."""
    return frozenset(result.url for result in findings.results)


def cited_labels(text: str) -> set[str]:
    """The labels cited in an answer, such as [E1] or [E1, E2]; they may name nothing we found."""
    return {
        f"E{int(label[1])}"
        for citation in _CITATION.finditer(text)
        for label in _LABEL.finditer(citation[1])
    }


def with_prior_context(context: str, synthesis: str) -> str:
    """The context with the conclusion of an earlier roundtable before it."""
    earlier = clean(synthesis).strip()
    return f"PRIOR ROUNDTABLE CONTEXT: {earlier}\n\n{context}" if earlier else context


def _quoted(result: Evidence) -> str:
    origin = f"{result.host}, {result.published}" if result.published else result.host
    head = f"[{result.label}] {result.title} ({origin})"
    return f"{head}\n  {result.snippet}" if result.snippet else head


def _plain(title: str) -> str:
    """A title that formats nothing but itself."""
    return _MARKUP.sub(r"\\\1", title.translate(_SWAPPED))
