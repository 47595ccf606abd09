"""Whatever the network does to a send, people see it exactly once."""

import pytest

from bot.playground.faults import Fault
from tests.e2e.playground_harness import PlaygroundHarness

pytestmark = pytest.mark.heavy

ROUTES = {
    "bot message": ("POST", "channels/*/messages"),
    "webhook message": ("POST", "webhooks/*"),
    "thread": ("POST", "channels/*/messages/*/threads"),
    "card edit": ("PATCH", "channels/*/messages/*"),
    "webhook itself": ("POST", "channels/*/webhooks"),
}
FAULTS = {
    "502 before the effect": {"kind": "status", "status": 502},
    "502 after the effect": {"kind": "status", "status": 502, "after": True},
    "503 before the effect": {"kind": "status", "status": 503},
    "503 after the effect": {"kind": "status", "status": 503, "after": True},
    "reset before the effect": {"kind": "reset"},
    "reset after the effect": {"kind": "reset", "after": True},
    "429 with a delay": {"kind": "status", "status": 429, "seconds": 0.05},
    "429 of a proxy": {"kind": "status", "status": 429, "seconds": 0.05, "via": False},
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("route", ROUTES)
async def test_one_message_one_thread(table: PlaygroundHarness, route: str, fault: str) -> None:
    """Design 4: adopted from history, enforced by nonce, or found by the anchor's id."""
    method, pattern = ROUTES[route]
    table.discord.faults.add(Fault(method=method, route=pattern, **FAULTS[fault]))  # type: ignore[arg-type]
    await table.say("roundtable --quick --debate tea")
    thread = await table.concluded()
    assert table.discord.faults.struck
    assert len(table.discord.threads()) == 1
    said = table.said_in(thread)
    assert len({message.text for message in said}) == len(said)
    assert table.voices(thread) == [
        "Roundtable",
        "Advocate",
        "Devil's Advocate",
        "Analyst",
        "Roundtable",
    ]
    anchors = [m for m in table.said_in(table.discord.channel("general")) if m.author.bot]
    assert len(anchors) == 1
    assert "Concluded" in table.card(thread).text
