"""The search before the first word: found, cited, printed, cached, or honestly missing."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.search.results import Findings
from bot.search.service import SearchService
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.scripted_models import FAIL, ScriptedModels, quick_timeouts, scripted_playground
from tests.search.search_server import Reply, SearchServer

FOUND = {
    "results": [
        {
            "title": "Blue sky",
            "url": "https://sky.example/blue",
            "content": "The sky is blue.",
            "publishedDate": "2026-01-02",
        },
        {"title": "Green sea", "url": "https://sea.example/green", "content": "The sea is not."},
    ]
}
FAILED = "No real-time data available (search failed or timed out)."
USELESS = "No relevant real-time data found"
NONE = "No real-time context available."


def searxng(panels: dict[str, Any]) -> None:
    panels["search"] = {"provider": "searxng", "count": 3}


class Place:
    """A table whose searches go to a server of the test."""

    def __init__(
        self, table: PlaygroundHarness, cast: ScriptedModels, server: SearchServer
    ) -> None:
        self.table, self.cast, self.server = table, cast, server


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    cast = ScriptedModels()
    adjust = quick_timeouts(search=1.0)
    async with SearchServer() as server:
        server.reply = Reply(json=FOUND)
        environ = {"SEARXNG_URL": server.url}
        async with scripted_playground(
            tmp_path, cast, edit_panels=searxng, adjust=adjust, environ=environ
        ) as table:
            yield Place(table, cast, server)


async def test_what_was_found_is_condensed_cited_and_printed_with_its_sources(
    place: Place,
) -> None:
    """E33 E36 E38: one search, one digest, in the meta-panel's and every opening prompt."""
    place.cast.says["r1:Judge"] = lambda asked: place.cast.written(asked).replace("seen", "[E1]")
    held = await place.table.hold("roundtable --debate the sky is blue")
    (search,) = place.server.calls
    assert search.query["q"] == "the sky is blue"
    (digest,) = place.cast.asked("digest")
    assert "[E1] Blue sky (sky.example, 2026-01-02)" in digest.values["RESULTS"]
    context = "Searched on 2026-01-01.\nThe sky is blue [E1]."
    informed = place.cast.asked("meta:*") + place.cast.asked("r1:*")
    assert len(informed) == 7
    for asked in informed:
        assert context.splitlines()[1] in asked.values["CURRENT_CONTEXT"]
        assert "Searched on 20" in asked.values["CURRENT_CONTEXT"]
    assert "The sky is blue [E1]" not in place.cast.asked("r2:Judge")[0].text
    assert "E1 Blue sky — sky.example <https://sky.example/blue>" in held.conclusion
    assert "sea.example" not in held.conclusion
    assert len(held.calls) == 1 + 4 + 2 * 3 + 2 + 1


async def test_a_search_is_asked_for_so_many_results_in_so_much_time(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E33 E34: as panels.json says, for the topic as it was typed."""
    asked: list[tuple[object, ...]] = []
    usual = SearchService.look_up

    async def look_up(service: SearchService, *what: Any) -> Findings:
        asked.append(what)
        return await usual(service, *what)

    monkeypatch.setattr(SearchService, "look_up", look_up)
    await place.table.hold("roundtable --quick --debate the sky is blue")
    assert asked == [("the sky is blue", 3, 1.0)]


async def test_the_same_topic_is_searched_once(place: Place) -> None:
    """E35: another mode on the same topic reuses what was found."""
    await place.table.hold("roundtable --quick --debate the sky is blue")
    second = await place.table.hold("roundtable --quick --redteam The sky is blue!")
    assert len(place.server.calls) == 1
    assert second.record.findings
    assert "The sky is blue [E1]" in place.cast.asked("r1:Attacker")[0].text


async def test_a_digest_that_fails_leaves_the_results_themselves(place: Place) -> None:
    """E36: the briefing is lost, the evidence is not."""
    place.cast.says["digest"] = FAIL
    await place.table.hold("roundtable --quick --debate the sky is blue")
    context = place.cast.asked("r1:Analyst")[0].values["CURRENT_CONTEXT"]
    assert "[E2] Green sea (sea.example)" in context
    assert context.startswith("Searched on 20")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(status=500, json={}), FAILED),
        (Reply(json={"results": []}), USELESS),
        (Reply(hold=asyncio.Event()), FAILED),
    ],
    ids=["fails", "finds nothing", "hangs"],
)
async def test_a_search_without_result_stops_nothing_and_prompts_say_so(
    place: Place, reply: Reply, words: str
) -> None:
    """E33 E34 E37 E95 2.2#20: the exact words, in the meta-panel's prompts, too; no digest."""
    place.server.reply = reply
    held = await place.table.hold("roundtable --debate the sky is blue")
    assert held.export["ending"] == "concluded"
    assert not place.cast.asked("digest")
    for asked in place.cast.asked("meta:*") + place.cast.asked("r1:*"):
        assert asked.values["CURRENT_CONTEXT"].startswith(words)
    assert "🔗 SOURCES" not in held.conclusion
    told = "The web search failed, so the panel had no current facts."
    assert [told in text for text in (held.meta, held.card)] == [words == FAILED] * 2


async def test_no_search_asks_nobody(place: Place) -> None:
    """E17 E96 E110 2.2#20."""
    await place.table.hold("roundtable --quick --no-search --debate the sky is blue")
    assert place.server.calls == []
    assert NONE in place.cast.asked("r1:Analyst")[0].text
