"""How closely cards follow their meetings, seen from Discord's side and at the bot's own pace."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.playground.faults import Fault
from bot.playground.model import Change, Message
from bot.stage.card_board import SECONDS_BETWEEN_EDITS
from tests.e2e.playground_harness import PlaygroundHarness, open_harness

pytestmark = pytest.mark.heavy

CARD = "### 🎯"
FURTHEST_BEHIND = 3.0
MANY = 20
THREAD_IN_FIVE_SECONDS = 5
ALL_IN_A_SECOND = 50


@dataclass
class Watch:
    """What Discord shows, and when: speeches as they appear, cards as they are edited."""

    speeches: dict[int, float] = field(default_factory=dict)
    edits: list[tuple[float, int, str]] = field(default_factory=list)

    def __call__(self, change: Change) -> None:
        message, now = change.message, time.monotonic()
        if message is None:
            return
        if change.name == "MESSAGE_CREATE" and is_speech(message):
            self.speeches[message.id] = now
        elif change.name == "MESSAGE_UPDATE" and message.text.startswith(CARD):
            self.edits.append((now, message.channel_id, message.text))

    def behind(self, speech: int) -> float:
        """How many seconds after a speech its card links to it."""
        linked = (at for at, _, text in self.edits if f"/{speech})" in text)
        return next(linked) - self.speeches[speech]


def is_speech(message: Message) -> bool:
    """Whether a panelist begins to speak here; later parts carry no note of the model."""
    return bool(message.webhook_id) and message.content.startswith("-# ")


def watched(table: PlaygroundHarness) -> Watch:
    """Watch from now on."""
    watch = Watch()
    table.discord.world.listeners.append(watch)
    return watch


def most_within(times: Iterable[float], seconds: float) -> int:
    """The most edits in any window of so many seconds."""
    known = list(times)
    return max(sum(start <= when < start + seconds for when in known) for start in known)


async def test_a_card_that_is_refused_again_and_again_is_never_far_behind(tmp_path: Path) -> None:
    """Issue 8: four edits in ten are refused for a moment."""
    refused = Fault("status", "PATCH", "channels/*/messages/*", 429, 0.4, times=-1, chance=0.4)

    def all_rounds(panels: dict[str, Any]) -> None:
        panels["panels"]["redteam"]["earlyExit"] = False

    async with open_harness(
        tmp_path, seconds_per_answer=1.0, card_pace=SECONDS_BETWEEN_EDITS, edit_panels=all_rounds
    ) as table:
        watch = watched(table)
        table.discord.faults.add(refused)
        held = await table.hold("roundtable --redteam should we self-host our mail?")
        assert table.discord.faults.struck
    assert len(watch.speeches) == len(held.voices) > 4
    assert max(map(watch.behind, watch.speeches)) <= FURTHEST_BEHIND
    assert "Concluded after" in watch.edits[-1][2]
    assert "Concluded after" in held.card


async def test_the_cards_of_twenty_meetings_stay_within_discords_limits(tmp_path: Path) -> None:
    """Issue 8: in any five seconds of a thread, and in any second of them all."""

    def roomy(panels: dict[str, Any]) -> None:
        panels["trigger"] |= {"cooldownSeconds": 0, "maxConcurrent": MANY}

    async with open_harness(
        tmp_path, seconds_per_answer=1.0, card_pace=SECONDS_BETWEEN_EDITS, edit_panels=roomy
    ) as table:
        watch = watched(table)
        for number in range(MANY):
            await table.say(f"roundtable --quick --debate is the {number}th idea good?")
        await table.thread(MANY)
        await table.concluded()
        cards = [table.card(thread).text for thread in table.discord.threads()]
    assert len(cards) == MANY
    assert all("Concluded after" in card for card in cards)
    threads = {thread for _, thread, _ in watch.edits}
    for thread in threads:
        mine = [at for at, where, _ in watch.edits if where == thread]
        assert most_within(mine, 5) <= THREAD_IN_FIVE_SECONDS
    assert len(threads) == MANY
    assert most_within((at for at, _, _ in watch.edits), 1) <= ALL_IN_A_SECOND
