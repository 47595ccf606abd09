"""The page's API: what a person in a browser sees and does."""

import base64
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest
from yarl import URL

from bot.playground.server import EmbeddedDiscord
from tests.playground.conftest import SmallBot, connected
from tests.playground.test_interactions import Panel, talkative


@dataclass
class Browser:
    """A page open as one person."""

    server: EmbeddedDiscord
    http: aiohttp.ClientSession
    socket: aiohttp.ClientWebSocketResponse
    person: int
    snapshot: dict[str, Any]

    async def post(self, action: str, **body: Any) -> dict[str, Any]:
        """Post an action as this person."""
        url = f"{self.server.url}/page/{action}"
        async with self.http.post(url, json={"as": str(self.person)} | body) as answer:
            return dict(await answer.json()) | {"status": answer.status}

    async def event(self, name: str) -> dict[str, Any]:
        """The next event of a name."""
        while (frame := await self.socket.receive_json(timeout=5))["t"] != name:
            pass
        return dict(frame["d"])


async def open_page(server: EmbeddedDiscord, name: str) -> Browser:
    http, person = aiohttp.ClientSession(), server.person(name).id
    socket = await http.ws_connect(f"{server.url}/page/live?as={person}")
    first = await socket.receive_json(timeout=5)
    assert first["t"] == "SNAPSHOT"
    return Browser(server, http, socket, person, first["d"])


@pytest.fixture
async def mara(server: EmbeddedDiscord) -> AsyncIterator[Browser]:
    page = await open_page(server, "Mara")
    yield page
    await page.socket.close()
    await page.http.close()


@pytest.fixture
async def jonas(server: EmbeddedDiscord) -> AsyncIterator[Browser]:
    page = await open_page(server, "Jonas")
    yield page
    await page.socket.close()
    await page.http.close()


def channel_id(server: EmbeddedDiscord, name: str = "general") -> str:
    return str(server.channel(name).id)


async def test_the_snapshot_shows_what_the_person_may_see(mara: Browser, jonas: Browser) -> None:
    def names(page: Browser) -> set[str]:
        return {channel["name"] for channel in page.snapshot["channels"]}

    assert names(mara) - names(jonas) == {"off-limits"}
    assert jonas.snapshot["guild"]["name"] == "The Table"
    assert {p["username"] for p in jonas.snapshot["people"]} >= {"Mara", "Jonas", "Ines"}


async def test_the_snapshot_has_messages_commands_and_powers(server: EmbeddedDiscord) -> None:
    await server.say(server.person("Mara").id, server.channel("general").id, "before")
    async with connected(server, talkative()):
        page = await open_page(server, "Jonas")
        general, snapshot = channel_id(server), page.snapshot
        assert [m["content"] for m in snapshot["messages"][general]] == ["before"]
        assert snapshot["unread"][general] == 1
        commands = {c["name"] for c in snapshot["commands"][snapshot["guild"]["id"]]}
        assert commands == {"roundtable", "Who said this?"}
        place = next(c for c in snapshot["channels"] if c["id"] == general)
        assert place["may"] == {
            "speak": True,
            "react": True,
            "attach": True,
            "thread": True,
            "manage": False,
        }
        await page.socket.close()
        await page.http.close()


async def test_people_can_be_listed(server: EmbeddedDiscord, mara: Browser) -> None:
    async with mara.http.get(f"{server.url}/page/people") as answer:
        people = (await answer.json())["people"]
    assert [person["username"] for person in people] == ["Mara", "Jonas", "Ines"]


async def test_a_sent_message_is_seen_by_others_with_its_pings(
    server: EmbeddedDiscord, mara: Browser, jonas: Browser
) -> None:
    text = f"hi <@{jonas.person}>"
    sent = await mara.post("send", channel_id=channel_id(server), text=text)
    seen = await jonas.event("MESSAGE_CREATE")
    assert (seen["id"], seen["content"], seen["author"]["username"]) == (sent["id"], text, "Mara")
    assert seen["pings"] == {"users": [str(jonas.person)], "roles": [], "everyone": False}


async def test_files_are_sent_as_base64(server: EmbeddedDiscord, mara: Browser) -> None:
    file = {"name": "plan.txt", "base64": base64.b64encode(b"the plan").decode()}
    await mara.post("send", channel_id=channel_id(server), text="see", files=[file])
    seen = await mara.event("MESSAGE_CREATE")
    path = URL(seen["attachments"][0]["url"]).path
    async with mara.http.get(server.url + path) as answer:
        assert await answer.read() == b"the plan"


async def test_messages_are_edited_deleted_and_reacted_to(
    server: EmbeddedDiscord, mara: Browser
) -> None:
    sent = await mara.post("send", channel_id=channel_id(server), text="tpyo")
    await mara.post("edit", message_id=sent["id"], text="typo")
    assert (await mara.event("MESSAGE_UPDATE"))["content"] == "typo"
    await mara.post("react", message_id=sent["id"], emoji="👍")
    assert (await mara.event("MESSAGE_REACTION_ADD"))["emoji"]["name"] == "👍"
    await mara.post("react", message_id=sent["id"], emoji="👍", on=False)
    await mara.event("MESSAGE_REACTION_REMOVE")
    await mara.post("delete", message_id=sent["id"])
    assert (await mara.event("MESSAGE_DELETE"))["id"] == sent["id"]


async def test_refusals_are_one_sentence(server: EmbeddedDiscord, jonas: Browser) -> None:
    refused = await jonas.post("send", channel_id=channel_id(server, "off-limits"), text="hello")
    assert refused == {"status": 403, "error": "Missing Access: there is no such channel here."}


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("send", {"channel_id": "x", "text": "hello"}),
        ("send", {"text": "hello"}),
        ("dance", {}),
        ("edit", {"message_id": 1, "text": "x", "more": 1}),
    ],
)
async def test_nonsense_is_refused(jonas: Browser, action: str, body: dict[str, Any]) -> None:
    refused = await jonas.post(action, **body)
    assert refused["status"] == 400
    assert refused["error"]


async def test_older_messages_come_on_request(server: EmbeddedDiscord, jonas: Browser) -> None:
    mara = server.person("Mara").id
    said = [await server.say(mara, server.channel("general").id, f"m{n}") for n in range(4)]
    page = await jonas.post("history", channel_id=channel_id(server), before=str(said[2].id))
    assert [m["content"] for m in page["messages"]] == ["m0", "m1"]
    hidden = await jonas.post("history", channel_id=channel_id(server, "off-limits"))
    assert hidden["status"] == 403


async def test_reading_and_threads_and_posts(server: EmbeddedDiscord, mara: Browser) -> None:
    general, forum = channel_id(server), channel_id(server, "forum")
    sent = await mara.post("send", channel_id=general, text="topic")
    assert (await mara.post("typing", channel_id=general))["status"] == 200
    assert (await mara.post("read", channel_id=general))["status"] == 200
    thread = await mara.post("thread", channel_id=general, name="side", message_id=sent["id"])
    seen = await mara.event("THREAD_CREATE")
    assert (seen["id"], seen["may"]["speak"]) == (thread["id"], True)
    post = await mara.post("post", channel_id=forum, title="Which?", text="This?", tags=["open"])
    assert (await mara.event("THREAD_CREATE"))["id"] == post["id"]
    page = await open_page(server, "Mara")
    assert page.snapshot["unread"][post["id"]] == 1
    await page.socket.close()
    await page.http.close()


async def test_buttons_and_ephemeral_answers(
    server: EmbeddedDiscord, bot: SmallBot, mara: Browser, jonas: Browser
) -> None:
    sent = await bot.text_channel("general").send("panel", view=Panel())
    pressed = await mara.post("press", message_id=str(sent.id), custom_id="whisper")
    whisper = await mara.event("MESSAGE_CREATE")
    while not whisper["ephemeral"]:
        whisper = await mara.event("MESSAGE_CREATE")
    answer = await mara.event("INTERACTION_ANSWER")
    assert (answer["interaction_id"], answer["kind"]) == (pressed["id"], "message")
    assert answer["message_id"] == whisper["id"]
    await mara.post("send", channel_id=channel_id(server), text="out loud")
    heard = [await jonas.event("MESSAGE_CREATE") for _ in range(2)]
    assert [m["content"] for m in heard] == ["panel", "out loud"]


async def test_commands_forms_menus_and_completion(server: EmbeddedDiscord, mara: Browser) -> None:
    general = channel_id(server)
    async with connected(server, talkative()):
        assert (await mara.event("COMMANDS_UPDATE"))["commands"]
        opened = await mara.post("slash", channel_id=general, command="roundtable form")
        form = await mara.event("INTERACTION_ANSWER")
        assert (form["interaction_id"], form["kind"]) == (opened["id"], "modal")
        values = {"topic": "Postgres?", "panel": ["classic"]}
        await mara.post("modal", interaction_id=opened["id"], values=values)
        said = await mara.event("MESSAGE_CREATE")
        assert said["content"] == "Postgres?, ['classic'], []"
        await mara.post("menu", message_id=said["id"], command="Who said this?")
        assert (await mara.event("MESSAGE_CREATE"))["content"].startswith("Roundtable: Postgres?")
        offered = await mara.post(
            "autocomplete",
            channel_id=general,
            command="roundtable start",
            options={"topic": "Post"},
            focused="topic",
        )
        assert offered["choices"] == [{"name": "Post!", "value": "Post"}]


async def test_somebody_elses_form_cannot_be_submitted(
    server: EmbeddedDiscord, mara: Browser, jonas: Browser
) -> None:
    async with connected(server, talkative()):
        general = channel_id(server)
        opened = await mara.post("slash", channel_id=general, command="roundtable form")
        await mara.event("INTERACTION_ANSWER")
        refused = await jonas.post("modal", interaction_id=opened["id"], values={})
        assert refused["status"] == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:{port}"}, 200),
        ({"Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example:{port}"}, 403),
    ],
)
async def test_only_our_own_page_gets_in(
    server: EmbeddedDiscord, headers: dict[str, str], status: int
) -> None:
    """discord.md 1.4#13"""
    sent = {key: value.format(port=server.port) for key, value in headers.items()}
    url = f"{server.url}/page/people"
    async with aiohttp.ClientSession() as http, http.get(url, headers=sent) as answer:
        assert answer.status == status


async def test_a_foreign_page_cannot_open_the_sockets(server: EmbeddedDiscord) -> None:
    """discord.md 1.4#13"""
    live = f"{server.url}/page/live?as={server.person('Mara').id}"
    async with aiohttp.ClientSession() as http:
        for url in (live, server.gateway_url):
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await http.ws_connect(url, origin="https://evil.example")


async def test_only_the_pages_own_files_are_served(server: EmbeddedDiscord) -> None:
    async with aiohttp.ClientSession() as http:
        for name in ("missing.js", "..%2Fserver.py", "..%2f..%2ferrors.py", "people.txt"):
            async with http.get(URL(f"{server.url}/page/{name}", encoded=True)) as answer:
                assert answer.status == 404


async def test_faults_are_ordered_over_the_page(server: EmbeddedDiscord, mara: Browser) -> None:
    url = f"{server.url}/page/faults"
    orders: list[dict[str, Any]] = [
        {"add": {"kind": "status", "route": "channels/*", "status": 503}},
        {"add": {"kind": "drop", "event": "MESSAGE_CREATE"}},
    ]
    for order in orders:
        async with mara.http.post(url, json=order) as answer:
            listed = await answer.json()
    assert [fault["status"] for fault in listed["http"]] == [503]
    assert [fault["event"] for fault in listed["events"]] == ["MESSAGE_CREATE"]
    async with mara.http.post(url, json={"clear": True}) as answer:
        assert (await answer.json())["http"] == []
    async with mara.http.post(url, json={"add": {"kind": "x", "colour": 1}}) as answer:
        assert answer.status == 400


async def test_a_resume_can_be_forced_over_the_page(
    server: EmbeddedDiscord, bot: SmallBot, mara: Browser
) -> None:
    async with mara.http.post(f"{server.url}/page/faults", json={"gateway": "resume"}):
        await bot.hear("resumed")


async def test_the_bot_is_told_apart_from_people(server: EmbeddedDiscord, mara: Browser) -> None:
    bots = {p["username"] for p in mara.snapshot["people"] if p["bot"]}
    assert bots == {"Roundtable", "Echo"}
