"""What a search found, made fit to be quoted in prompts and shown to people."""

import enum
import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final
from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

from bot.messages.search import BriefingText, SearchText
from bot.prompting.closing_lines import strip_markers
from bot.prompting.text import cut_words, one_line, tidy
from bot.search.port import SearchResult
from bot.types.characters import clean

_LONGEST_URL: Final = 600
_HOST: Final = re.compile(r"(?:[a-z0-9_][a-z0-9_.-]*)?[a-z0-9]")
_KEPT: Final = "/?%:!$&+,;=~-._"
_LOST_AT_THE_END: Final = ".,;:!_"
"""What readers of a text, including our own cleaner, take for punctuation after a URL."""
SNIPPET_CHARS: Final = 300
_TITLE_CHARS: Final = 120
_DATE_CHARS: Final = 40
_READ_CHARS: Final = 4000
_EMPHASIS: Final = re.compile(r"</?(?:strong|b|em|i|mark|span)\b[^<>]{0,100}>", re.IGNORECASE)
_LABEL_OPENING: Final = re.compile(r"[\[【](?=\s{0,8}E\d)", re.IGNORECASE)
_SEARCH_WORDS: Final = 250
_DATE_LINE: Final = re.compile(r"[\s*_#>]{0,12}searched on\b[^\n]{0,80}(?:\n|\Z)", re.IGNORECASE)
_CITATION: Final = re.compile(r"[\[【]\s{0,4}(E\d[^\[\]【】\n]{0,80})[\]】]", re.IGNORECASE)
_LABEL: Final = re.compile(r"\bE(\d{1,3})\b", re.IGNORECASE)
_SWAPPED: Final = str.maketrans("<>[]`", "‹›()'")
_MARKUP: Final = re.compile(r"([\\*_~|])")


def printable_url(url: object) -> str | None:
    """The URL in plain ASCII, or None when it is no web address that people should be shown."""
    if not isinstance(url, str) or len(url) > _LONGEST_URL or not _is_whole(url.strip()):
        return None
    try:
        parts = urlsplit(url.strip())
        netloc = _netloc(parts)
    except ValueError:  # also what the IDNA codec raises
        return None
    if parts.scheme not in ("http", "https") or netloc is None:
        return None
    path, query, fragment = (quote(part, safe=_KEPT) for part in parts[2:])
    printed = _closed(urlunsplit((parts.scheme, netloc, path, query, fragment)))
    return printed if len(printed) <= _LONGEST_URL else None


def host_of(url: str) -> str:
    """The host to show beside a printable URL, without a leading www."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _sameness(url: str) -> tuple[str, str, str]:
    """The parts by which two URLs are the same page, without tracking parameters."""
    parts = urlsplit(url)
    wanted = [p for p in parts.query.split("&") if p and not p.startswith("utm_")]
    port = f":{parts.port}" if parts.port else ""
    return host_of(url) + port, parts.path.rstrip("/"), "&".join(wanted)


def _is_whole(url: str) -> bool:
    """Whether it has no spaces or invisible characters, which urlsplit would silently drop."""
    return clean(url) == url and not any(char.isspace() for char in url)


def _netloc(parts: SplitResult) -> str | None:
    """Host and port in ASCII; None without a host, or with a user name to mislead people."""
    if parts.username is not None or parts.password is not None or not parts.hostname:
        return None
    host = parts.hostname.encode("idna").decode("ascii").lower().rstrip(".")
    if not _HOST.fullmatch(host):
        return None
    return host if parts.port is None else f"{host}:{parts.port}"


def _closed(url: str) -> str:
    """The URL with its last character spelled so that it cannot be taken for punctuation."""
    return f"{url[:-1]}%{ord(url[-1]):02X}" if url[-1] in _LOST_AT_THE_END else url


class SearchStatus(enum.StrEnum):
    """How a search ended."""

    OK = "ok"
    EMPTY = "empty"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One result under the label by which answers cite it; its words are the web's."""

    label: str
    title: str
    url: str
    host: str
    snippet: str
    published: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """How the search ended, what it found, the UTC day it was made, and a note for admins.

    `searched_on` is YYYY-MM-DD, and empty when nothing was searched. The query is not kept, so
    nothing a person wrote gets into the event log.
    """

    status: SearchStatus
    results: tuple[Evidence, ...] = ()
    searched_on: str = ""
    note: str = ""

    @property
    def notices(self) -> tuple[str, ...]:
        """What people are told beside the results: a search that failed, and why (E34)."""
        return (SearchText.search_failed(self.note),) if self.status is SearchStatus.FAILED else ()

    def to_dict(self) -> dict[str, Any]:
        """The findings as JSON can hold them."""
        return {
            "status": self.status.value,
            "results": [asdict(result) for result in self.results],
            "searched_on": self.searched_on,
            "note": self.note,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Findings":
        """The findings that `to_dict` wrote."""
        return cls(
            status=SearchStatus(stored["status"]),
            results=tuple(Evidence(**result) for result in stored["results"]),
            searched_on=stored["searched_on"],
            note=stored["note"],
        )

    @classmethod
    def skipped(cls, note: str = "") -> "Findings":
        """No search was wanted."""
        return cls(SearchStatus.SKIPPED, note=note)

    @classmethod
    def failed(cls, day: str, note: str) -> "Findings":
        """The search was tried and brought nothing."""
        return cls(SearchStatus.FAILED, searched_on=day, note=note)

    @classmethod
    def found(cls, results: Iterable[SearchResult], day: str) -> "Findings":
        """The results, numbered E1, E2 and so on; none at all is an empty finding."""
        evidence = tuple(
            Evidence(f"E{number}", r.title, r.url, host_of(r.url), r.snippet, r.published)
            for number, r in enumerate(results, start=1)
        )
        if not evidence:
            return cls(SearchStatus.EMPTY, searched_on=day, note=SearchText.NOTHING_USABLE)
        return cls(SearchStatus.OK, evidence, day)


@dataclass(frozen=True, slots=True)
class Fields:
    """What a service calls the parts of a result."""

    title: str = "title"
    url: str = "url"
    snippet: str = "content"
    published: str = "published_date"


def read_results(
    rows: Iterable[Mapping[str, object]], fields: Fields, count: int
) -> tuple[SearchResult, ...]:
    """The first `count` usable results; whatever has a wrong type counts as missing."""
    chosen: dict[tuple[str, str, str], SearchResult] = {}
    for result in _usable(rows, fields):
        chosen.setdefault(_sameness(result.url), result)
        if len(chosen) >= count:
            break
    return tuple(chosen.values())


def tidy_text(text: object, limit: int) -> str:
    """One visible line of at most `limit` characters that cannot pass for a source number."""
    if not isinstance(text, str):
        return ""
    plain = one_line(html.unescape(_EMPHASIS.sub("", text[:_READ_CHARS])))
    line = _LABEL_OPENING.sub("(", plain)
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def _usable(rows: Iterable[Mapping[str, object]], fields: Fields) -> Iterator[SearchResult]:
    for row in rows:
        url = printable_url(row.get(fields.url))
        title = tidy_text(row.get(fields.title), _TITLE_CHARS)
        snippet = tidy_text(row.get(fields.snippet), SNIPPET_CHARS)
        if url and (title or snippet):
            published = tidy_text(row.get(fields.published), _DATE_CHARS)
            yield SearchResult(title or host_of(url), url, snippet, published)


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


def with_prior_context(context: str, synthesis: str, news: str = "") -> str:
    """The context with the conclusion of an earlier roundtable before it, and what is new since."""
    earlier, new = clean(synthesis).strip(), clean(news).strip()
    told = [
        *([f"PRIOR ROUNDTABLE CONTEXT: {earlier}"] if earlier else []),
        *([f"NEW SINCE THEN: {new}"] if new else []),
    ]
    return "\n\n".join([*told, context])


def _quoted(result: Evidence) -> str:
    origin = f"{result.host}, {result.published}" if result.published else result.host
    head = f"[{result.label}] {result.title} ({origin})"
    return f"{head}\n  {result.snippet}" if result.snippet else head


def _plain(title: str) -> str:
    """A title that formats nothing but itself."""
    return _MARKUP.sub(r"\\\1", title.translate(_SWAPPED))
