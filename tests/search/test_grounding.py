"""A topic is looked up once, in time, and a failure never stops a roundtable."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.search.grounding import Grounder, query_for
from bot.search.port import SearchError, SearchPort, SearchResult
from bot.search.results import Findings, SearchStatus
from bot.types.model_port import ErrorKind
from tests.search.search_server import Reply, SearchServer
from tests.search.search_services import SERVICES

NOON = 1_793_707_200.0  # 2026-11-03 12:00 UTC
ROW = {"title": "Tabs", "url": "https://www.example.org/tabs", "content": "Fine."}
OTHER = {"title": "Spaces", "url": "https://example.net/", "content": "Also fine."}


@dataclass(slots=True)
class Time:
    """A clock that is moved by hand."""

    now: float = NOON

    def __call__(self) -> float:
        return self.now


@dataclass(slots=True)
class OddPort:
    """A search service that does whatever the test wants and counts how often."""

    act: Callable[[], tuple[SearchResult, ...]]
    queries: list[str] = field(default_factory=list)

    async def search(self, query: str, count: int) -> tuple[SearchResult, ...]:
        self.queries.append(query)
        return self.act()


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
def port(server: SearchServer, client: httpx.AsyncClient) -> SearchPort:
    server.reply = Reply(json={"results": [ROW, OTHER]})
    return SERVICES["tavily"].build(client, server.url)


@pytest.fixture
def grounder(port: SearchPort, clock: Time) -> Grounder:
    return Grounder(port, clock)


async def look_up(grounder: Grounder, topic: str = "Tabs or spaces?") -> Findings:
    return await grounder.look_up(topic, 5, 5.0)


async def test_results_are_numbered_and_dated(grounder: Grounder) -> None:
    """E33, E36."""
    findings = await look_up(grounder)
    assert findings.status is SearchStatus.OK
    assert findings.searched_on == "2026-11-03"
    assert [(r.label, r.title, r.host) for r in findings.results] == [
        ("E1", "Tabs", "example.org"),
        ("E2", "Spaces", "example.net"),
    ]


async def test_only_the_topic_leaves_the_house(grounder: Grounder, server: SearchServer) -> None:
    """E33."""
    await look_up(grounder, " Tabs\u200b or\n\nspaces,\t<@123456789012345678>? ")
    assert server.calls[0].body == {
        "query": "Tabs or spaces, ?",
        "max_results": 5,
        "search_depth": "basic",
    }


@given(st.text())
def test_a_query_is_the_beginning_of_the_topic_on_one_short_line(topic: str) -> None:
    query = query_for(topic)
    assert len(query) <= 400
    assert "\n" not in query
    assert set(query) <= set(topic) | {" "}


def test_a_long_topic_is_cut_at_a_word() -> None:
    """E33."""
    whole = "four " * 79 + "fives"
    assert (len(whole), query_for(whole)) == (400, whole)
    assert query_for(f"{whole}s") == whole.removesuffix(" fives")
    assert query_for("seventeen " * 100) == ("seventeen " * 40).strip()


def test_a_topic_without_blanks_is_cut_all_the_same() -> None:
    assert query_for("字" * 1000) == "字" * 400


async def test_the_same_topic_is_not_searched_again(
    grounder: Grounder, server: SearchServer
) -> None:
    """E35."""
    first = await look_up(grounder, "Tabs or spaces?")
    again = await look_up(grounder, "  tabs OR\nspaces ")
    assert again == first
    assert len(server.calls) == 1


async def test_another_topic_is_searched(grounder: Grounder, server: SearchServer) -> None:
    await look_up(grounder, "Tabs?")
    await look_up(grounder, "Spaces?")
    assert len(server.calls) == 2


async def test_another_count_is_searched(grounder: Grounder, server: SearchServer) -> None:
    few = await grounder.look_up("Tabs?", 1, 5.0)
    many = await grounder.look_up("Tabs?", 2, 5.0)
    assert (len(few.results), len(many.results)) == (1, 2)


async def test_an_old_result_is_searched_again(
    grounder: Grounder, server: SearchServer, clock: Time
) -> None:
    await look_up(grounder)
    clock.now += 899
    await look_up(grounder)
    assert len(server.calls) == 1
    clock.now += 1
    await look_up(grounder)
    assert len(server.calls) == 2


async def test_a_cached_result_keeps_the_day_it_was_made(port: SearchPort, clock: Time) -> None:
    grounder = Grounder(port, clock, cache_seconds=100_000)
    await look_up(grounder)
    clock.now += 86_400
    assert (await look_up(grounder)).searched_on == "2026-11-03"


async def test_the_cache_forgets_the_oldest(clock: Time) -> None:
    port = OddPort(lambda: ())
    grounder = Grounder(port, clock)
    for number in range(257):
        await look_up(grounder, f"topic {number}")
    await look_up(grounder, "topic 256")
    assert len(port.queries) == 257
    await look_up(grounder, "topic 0")
    assert len(port.queries) == 258


async def test_two_look_ups_at_once_make_one_request(
    grounder: Grounder, server: SearchServer
) -> None:
    """E35."""
    go = asyncio.Event()
    server.reply = Reply(json={"results": [ROW]}, hold=go)
    both = asyncio.gather(look_up(grounder), look_up(grounder, "tabs or spaces"))
    await server.asked.wait()
    go.set()
    first, second = await both
    assert first == second
    assert first.status is SearchStatus.OK
    assert len(server.calls) == 1


async def test_a_search_that_takes_too_long_is_given_up(
    grounder: Grounder, server: SearchServer
) -> None:
    """E34: the limit is the caller's, about 10 s."""
    server.reply = Reply(hold=asyncio.Event())
    findings = await grounder.look_up("Tabs?", 5, 0.05)
    assert findings.status is SearchStatus.FAILED
    assert "within 0.05 s" in findings.note


async def test_who_waits_longer_gets_the_answer_another_gave_up_on(
    grounder: Grounder, server: SearchServer
) -> None:
    go = asyncio.Event()
    server.reply = Reply(json={"results": [ROW]}, hold=go)
    patient = asyncio.create_task(look_up(grounder, "Tabs?"))
    hasty = await grounder.look_up("Tabs?", 5, 0.05)
    go.set()
    assert hasty.status is SearchStatus.FAILED
    assert (await patient).status is SearchStatus.OK
    assert len(server.calls) == 1


async def test_a_cancelled_look_up_does_not_take_the_other_with_it(
    grounder: Grounder, server: SearchServer
) -> None:
    go = asyncio.Event()
    server.reply = Reply(json={"results": [ROW]}, hold=go)
    leaving, staying = (asyncio.create_task(look_up(grounder)) for _ in range(2))
    await server.asked.wait()
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    go.set()
    assert (await staying).status is SearchStatus.OK


async def test_a_search_nobody_waits_for_is_ended_and_can_be_made_again(
    grounder: Grounder, server: SearchServer
) -> None:
    server.reply = Reply(hold=asyncio.Event())
    alone = asyncio.create_task(look_up(grounder))
    await server.asked.wait()
    alone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await alone
    async with asyncio.timeout(5):
        await server.dropped.wait()
    server.reply = Reply(json={"results": [ROW]})
    assert (await look_up(grounder)).status is SearchStatus.OK


async def test_a_failure_is_in_the_findings_with_a_note_for_admins(
    grounder: Grounder, server: SearchServer
) -> None:
    """E34, E95."""
    server.reply = Reply(status=401)
    findings = await look_up(grounder)
    assert findings == Findings(
        SearchStatus.FAILED,
        searched_on="2026-11-03",
        note="Tavily rejected the key (HTTP 401); check TAVILY_API_KEY in .env.",
    )


async def test_a_failure_is_not_remembered(grounder: Grounder, server: SearchServer) -> None:
    server.reply = Reply(status=500)
    await look_up(grounder)
    server.reply = Reply(json={"results": [ROW]})
    assert (await look_up(grounder)).status is SearchStatus.OK


async def test_nothing_useful_is_empty_and_remembered(
    grounder: Grounder, server: SearchServer
) -> None:
    """E37."""
    server.reply = Reply(json={"results": [{"url": "javascript:alert(1)", "title": "x"}]})
    assert (await look_up(grounder)).status is SearchStatus.EMPTY
    assert (await look_up(grounder)).status is SearchStatus.EMPTY
    assert len(server.calls) == 1


async def test_a_topic_of_mentions_alone_is_not_sent(
    grounder: Grounder, server: SearchServer
) -> None:
    findings = await look_up(grounder, "<@123456789012345678> <#987654321098765432>")
    assert findings.status is SearchStatus.EMPTY
    assert not server.calls


async def test_search_switched_off_is_skipped(clock: Time) -> None:
    """E96."""
    findings = await look_up(Grounder(None, clock))
    assert findings.status is SearchStatus.SKIPPED
    assert findings.results == ()
    assert 'search.provider to "auto"' in findings.note


async def test_a_bug_in_an_adapter_costs_the_grounding_and_not_the_meeting(clock: Time) -> None:
    """E34 E95."""

    def crash() -> tuple[SearchResult, ...]:
        raise ZeroDivisionError

    findings = await look_up(Grounder(OddPort(crash), clock))
    assert findings.status is SearchStatus.FAILED


async def test_a_port_that_gives_too_much_is_cut_to_the_count(clock: Time) -> None:
    """E33."""
    hits = tuple(SearchResult("T", f"https://example.org/{n}", "S") for n in range(30))
    assert len((await look_up(Grounder(OddPort(lambda: hits), clock))).results) == 5


async def test_a_failing_look_up_shared_by_two_fails_for_both(clock: Time) -> None:
    def refuse() -> tuple[SearchResult, ...]:
        raise SearchError(ErrorKind.OVERLOADED, "Overloaded; try again.")

    port = OddPort(refuse)
    grounder = Grounder(port, clock)
    both = await asyncio.gather(look_up(grounder), look_up(grounder))
    assert [f.note for f in both] == ["Overloaded; try again."] * 2
    assert len(port.queries) == 1
