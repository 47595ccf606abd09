"""What a search brought for one roundtable: a status and numbered evidence."""

import enum
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from bot.messages.search import SearchText
from bot.search.port import SearchResult
from bot.search.urls import host_of


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


def skipped(note: str = "") -> Findings:
    """No search was wanted."""
    return Findings(SearchStatus.SKIPPED, note=note)


def failed(day: str, note: str) -> Findings:
    """The search was tried and brought nothing."""
    return Findings(SearchStatus.FAILED, searched_on=day, note=note)


def found(results: Iterable[SearchResult], day: str) -> Findings:
    """The results, numbered E1, E2 and so on; none at all is an empty finding."""
    evidence = tuple(
        Evidence(f"E{number}", r.title, r.url, host_of(r.url), r.snippet, r.published)
        for number, r in enumerate(results, start=1)
    )
    if not evidence:
        return Findings(SearchStatus.EMPTY, searched_on=day, note=SearchText.NOTHING_USABLE)
    return Findings(SearchStatus.OK, evidence, day)
