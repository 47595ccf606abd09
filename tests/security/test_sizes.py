"""Issue 18, 3: answers have a size, whoever sends them and however they are packed."""

import asyncio
import gzip
import re
import sys
import zlib
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from bot.errors import UnavailableError
from bot.http.bounded import BoundedClient, TooLargeError
from bot.http.client import make_client
from bot.links.comments import Comments
from bot.links.references import Reference
from bot.models.adapters.acp import AcpPort, Harness, Workspaces, harness_environment
from bot.models.collect import collect, longest_answer
from bot.models.local_servers import find_local
from bot.models.registry import Catalogue
from bot.panels.sections import Links
from bot.search.port import SearchError
from bot.types.model_port import ErrorKind, ModelError
from tests.models.adapters.acp.agent_port import request as harness_request
from tests.models.dialects import DIALECTS, Dialect, OpenAI, request
from tests.models.replay_server import ReplayServer, Reply
from tests.panels.panels_data import alone, bent, loaded
from tests.search.search_services import SERVICES
from tests.security.flooding_server import Flood, flooding, watched_memory

pytestmark = pytest.mark.heavy

ANSWER_CHARS = 50_000
FILES_CHARS = 500_000
LARGEST_BODY = 8 * 1024 * 1024

ROOT = Path(__file__).resolve().parents[2]
HARNESS = Path(__file__).with_name("flooding_harness.py")
MOST_MEGABYTES = 24
PACKED = pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])


def words(dialect: Dialect) -> Flood:
    said = dialect.events("some more words ", ending="none")
    return Flood(next(event for event in said if b"more words" in event))


def thoughts(dialect: Dialect) -> Flood:
    said = dialect.events("x", thought="hm, " * 2000, ending="none")
    return Flood(next(event for event in said if b"hm, " in event))


FLOODS: dict[str, Callable[[Dialect], Flood]] = {
    "words": words,
    "thoughts": thoughts,
    "a line": lambda _: Flood(b"x" * 1000, begin=b"data: "),
    "lines of one event": lambda _: Flood(b"data: x\n"),
    "comments": lambda _: Flood(b": keep-alive\n"),
    "one object": lambda _: Flood(b"x" * 1000, "application/json", begin=b'{"text": "'),
}
FORMATS = [d for d in DIALECTS if not isinstance(d, OpenAI) or d.name == "openai"]
STREAMS = [(dialect, name) for dialect in FORMATS for name in ("words", "thoughts")]
STREAMS += [(OpenAI(), name) for name in FLOODS if name not in ("words", "thoughts")]
QUICK = {("words", "openai", False), ("thoughts", "anthropic", True), ("words", "gemini", True)}
QUICK |= {("thoughts", "responses", False), ("a line", "openai", False)}
QUICK |= {("lines of one event", "openai", True), ("comments", "openai", False)}
QUICK |= {("one object", "openai", True)}
"""Every format and every kind of flood once, half of them packed; the others are heavy."""
MATRIX = [
    pytest.param(
        dialect,
        name,
        packed,
        id=f"{dialect.name}-{name}-{'gzip' if packed else 'plain'}",
        marks=() if (name, dialect.name, packed) in QUICK else pytest.mark.heavy,
    )
    for dialect, name in STREAMS
    for packed in (False, True)
]


@pytest.mark.parametrize(("dialect", "name", "packed"), MATRIX)
async def test_an_answer_without_end_is_bad_output_and_fills_no_memory(
    dialect: Dialect, name: str, packed: bool
) -> None:
    """Whatever it is made of, packed or not; the connection is closed at once."""
    flood = FLOODS[name](dialect)
    flood.packed = packed
    async with flooding(flood) as url, make_client() as client:
        port = dialect.port(url, client)
        with watched_memory() as growth, pytest.raises(ModelError) as caught:
            await collect(port, request(deadline_seconds=30.0))
        await asyncio.wait_for(flood.left.wait(), 5)
    assert caught.value.kind is ErrorKind.BAD_OUTPUT
    assert growth.megabytes < MOST_MEGABYTES


@PACKED
async def test_an_error_without_end_is_the_error_that_its_status_says(packed: bool) -> None:
    flood = Flood(b"no, " * 250, "text/plain", status=503, packed=packed)
    async with flooding(flood) as url, make_client() as client:
        with watched_memory() as growth, pytest.raises(ModelError) as caught:
            await collect(OpenAI().port(url, client), request())
    assert caught.value.kind is ErrorKind.OVERLOADED
    assert growth.megabytes < MOST_MEGABYTES


async def test_an_answer_is_as_long_as_its_call_allows_and_what_came_is_counted() -> None:
    """The call's own limit of output counts where it is smaller; builds hold whole files."""
    assert longest_answer(request()) == ANSWER_CHARS
    assert longest_answer(request(max_output_tokens=100)) < 10_000
    async with ReplayServer() as server, make_client() as client:
        said = ["all of it. " * 1000] * 30
        server.play(Reply(parts=OpenAI().events(*said)))
        with pytest.raises(ModelError) as caught:
            await collect(OpenAI().port(server.url, client), request())
        server.play(Reply(parts=OpenAI().events(*said)))
        builds = replace(request(), prompt=replace(request().prompt, template="build-files"))
        answer = await collect(OpenAI().port(server.url, client), builds)
    assert caught.value.kind is ErrorKind.BAD_OUTPUT
    assert ANSWER_CHARS < caught.value.chars_written <= len("".join(said))
    assert answer.text == "".join(said)
    assert len(answer.text) < FILES_CHARS


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "bare deflate"])
async def test_what_is_packed_as_we_asked_for_is_read(encoding: str) -> None:
    stream = OpenAI().stream("Hello, ", "packed ", "world.")
    bare = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = {
        "gzip": gzip.compress(stream),
        "deflate": zlib.compress(stream),
        "bare deflate": bare.compress(stream) + bare.flush(),
    }[encoding]
    halves = [packed[: len(packed) // 2], packed[len(packed) // 2 :]]
    headers = {"Content-Encoding": encoding.rsplit(maxsplit=1)[-1]}
    async with ReplayServer() as server, make_client() as client:
        server.play(Reply(parts=halves, headers=headers))
        answer = await collect(OpenAI().port(server.url, client), request())
        asked = server.calls[0].headers["Accept-Encoding"]
    assert answer.text == "Hello, packed world."
    assert asked == "gzip, deflate"


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "rot13"])
async def test_what_is_packed_in_another_way_is_refused(encoding: str) -> None:
    async with ReplayServer() as server, make_client() as client:
        server.play(Reply(parts=[b"x" * 100], headers={"Content-Encoding": encoding}))
        with pytest.raises(ModelError) as caught:
            await collect(OpenAI().port(server.url, client), request())
    assert caught.value.kind is ErrorKind.NETWORK


@PACKED
@pytest.mark.parametrize("service", SERVICES)
async def test_search_results_without_end_are_no_results(service: str, packed: bool) -> None:
    flood = Flood(b'{"url": "https://e.org/"}, ', "application/json", b'{"results": [', packed)
    async with flooding(flood) as url, make_client() as client:
        with watched_memory() as growth, pytest.raises(SearchError) as caught:
            await SERVICES[service].build(client, url).search("tabs or spaces", 5)
    assert caught.value.kind is ErrorKind.BAD_OUTPUT
    assert growth.megabytes < MOST_MEGABYTES


@PACKED
async def test_a_price_list_without_end_says_nothing(packed: bool) -> None:
    priced = b'{"id": "a", "pricing": {"prompt": "1", "completion": "1"}}, '
    flood = Flood(priced, "application/json", b'{"data": [', packed)
    async with flooding(flood) as url, make_client() as client:
        with watched_memory() as growth:
            assert await Catalogue(url, lambda: client).prices() == {}
    assert growth.megabytes < 2 * LARGEST_BODY / 1024**2 + MOST_MEGABYTES


@PACKED
async def test_a_list_of_local_models_without_end_says_nothing(packed: bool) -> None:
    flood = Flood(b'{"id": "a"}, ', "application/json", b'{"data": [', packed)
    async with flooding(flood) as url:
        local = {"kind": "openai", "baseUrl": f"{url}/v1", "apiKey": "none"}
        config = loaded(bent(lambda data: data["providers"].update(extra=local), alone()))
        with watched_memory() as growth:
            found = await find_local(config, 10.0)
    assert "extra" in found.faults
    assert growth.megabytes < MOST_MEGABYTES


@PACKED
async def test_comments_without_end_are_not_looked_through(packed: bool) -> None:
    flood = Flood(b'{"body": "no"}, ', "application/json", b"[", packed)
    async with flooding(flood) as url, BoundedClient(trust_env=False) as client:
        issue = Reference.of("https://github.com/a/b/issues/12", Links())
        links = Links.model_validate({"github": {"apiUrl": url}})
        comments = Comments(links, lambda _: "token", client)
        with watched_memory() as growth, pytest.raises(UnavailableError, match="by hand"):
            await comments.post_once(issue, "key", "text")
    assert growth.megabytes < 2 * LARGEST_BODY / 1024**2 + MOST_MEGABYTES


async def test_a_whole_body_is_read_by_our_clients_up_to_a_limit() -> None:
    async with flooding(Flood(b"x" * 1000)) as url, make_client() as client:
        with pytest.raises(TooLargeError):
            await client.get(url)
    async with ReplayServer() as server, make_client() as client:
        packed = {"Content-Encoding": "gzip"}
        server.play(Reply(parts=[gzip.compress(b'{"a": 1}')], headers=packed, status=201))
        answer = await client.post(server.url, json={})
    assert (answer.status_code, answer.json()) == (201, {"a": 1})


@pytest.mark.parametrize("mode", ["line", "words", "thoughts"])
async def test_a_harness_that_writes_without_end_is_ended(mode: str, tmp_path: Path) -> None:
    command = (sys.executable, str(HARNESS), mode)
    harness = Harness(command, Workspaces(tmp_path), environment=harness_environment({}))
    port = AcpPort(harness, 1, grace=0.1)
    import_module("bot.models.adapters.acp.talk")  # which is large itself
    with watched_memory() as growth, pytest.raises(ModelError) as caught:
        await collect(port, harness_request("go on", seconds=60.0))
    await port.close()
    assert caught.value.kind is ErrorKind.BAD_OUTPUT
    assert growth.megabytes < 2 * MOST_MEGABYTES


UNBOUNDED = re.compile(
    r"\b(httpx\.(?:AsyncClient|Client|get|post|stream|request))\("
    r"|\.(aread|aiter_bytes|aiter_text|aiter_lines|iter_bytes)\("
    r"|\b(urlopen|urlretrieve|aiohttp\.request)\("
)


def unbounded_reads(source: str) -> list[str]:
    """Clients and reads that know no limit: what is fetched goes through bot.models.bounded."""
    return [next(filter(None, found.groups())) for found in UNBOUNDED.finditer(source)]


def test_nothing_is_fetched_without_a_limit() -> None:
    """Whoever adds a client or reads a body finds the bounded ones."""
    bad = "async with httpx.AsyncClient() as c:\n    await (await c.get(u)).aread()"
    assert unbounded_reads(bad) == ["httpx.AsyncClient", "aread"]
    sources = [p for folder in ("bot", "cogs") for p in (ROOT / folder).rglob("*.py")]
    found = {str(p.relative_to(ROOT)): unbounded_reads(p.read_text("utf-8")) for p in sources}
    assert {name: reads for name, reads in found.items() if reads} == {}
