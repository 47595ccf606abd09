"""What belongs to one server cannot be touched from another, whatever id is pressed there."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from discord import Permissions

from bot.messages.library import LibraryText
from bot.playground import _messages as messages
from bot.playground._interactions import SUBMIT, Interaction
from bot.playground.server import EmbeddedDiscord
from bot.playground.world import ChannelPlan, GuildPlan, PersonPlan, the_table
from bot.store import ApprovalStatus
from bot.store.repositories.approvals import ApprovalRepository
from bot.store.repositories.runs import RunRepository
from cogs import approvals as approval_items
from cogs import buttons, decisions, menus
from cogs.components import PersistentItem
from tests.e2e.playground_harness import PlaygroundHarness, open_harness

pytestmark = pytest.mark.heavy

NOWHERE = "rt_00000000"
ACTIONS = (
    *(
        "stop",
        "conclude",
        "close",
        "options:edit",
        "options:use",
        "retry",
        "minutes",
        "details",
        "again",
        "challenge",
        "start",
        "cancel",
        "ask",
        "build",
    ),
    *("look", "outcome:0", "outcome:early", "reopen"),
    *("vote:before:0", "vote:after:1", "sure:before", "spec:1:accept", "spec:1:edit"),
)
DECISIONS = ("approve", "reject", "changes")
FORMS = {
    "spec:1:edit:form": "wish",
    "spec:1:changes:form": "wish",
    "look:form": "date",
    "reopen:form": "news",
}
"""Each with one of its fields."""
MENUS = (":sure:before", ":look")


@dataclass(frozen=True, slots=True)
class Abroad:
    """A concluded vote with a pending approval, and a channel of another server."""

    table: PlaygroundHarness
    run: str
    approval: str

    async def press(self, custom_id: str, person: str) -> str:
        """Press a button of the bot's with any id in the other server."""
        discord = self.table.discord
        channel, bot = discord.channel("lounge"), discord.world.bot
        kind = {"type": 3, "options": [{"label": "70 %", "value": "70"}]}
        part = kind if custom_id.endswith(MENUS) else {"type": 2, "style": 1, "label": "Press"}
        row = {"type": 1, "components": [part | {"custom_id": custom_id}]}
        sender = messages.Sender(bot, Permissions.all().value, messages.PING_USERS, {})
        post = messages.post(channel, sender, {"content": "here", "components": [row]})
        chosen = ["70"] if custom_id.endswith(MENUS) else []
        pressed = await discord.press(discord.person(person).id, post.id, custom_id, chosen)
        return (await pressed.message()).content

    async def send(self, custom_id: str, field: str, person: str) -> str:
        """Send off a form with any id in the other server."""
        discord = self.table.discord
        text = {"type": 4, "custom_id": field, "value": "because", "id": 2}
        data = {"custom_id": custom_id, "components": [{"type": 18, "id": 1, "component": text}]}
        person_id, channel = discord.person(person).id, discord.channel("lounge")
        return (await Interaction(SUBMIT, person_id, channel, data).start().message()).content


@pytest.fixture
async def abroad(tmp_path: Path) -> AsyncIterator[Abroad]:
    """Otto owns the other server and moderates there; Jonas, who started the run, is in both."""
    people = (PersonPlan("Otto"), PersonPlan("Jonas"))
    away = GuildPlan("Away", "Otto", people, (ChannelPlan("lounge"),))
    discord = EmbeddedDiscord((the_table(), away))
    async with open_harness(tmp_path, discord=discord) as table:
        held = await table.hold("roundtable --quick --vote tea or coffee?")
        target = table.discord.channel("decisions")
        said = await table.write_in(held.thread, f"roundtable post <#{target.id}>")
        await table.reply_to(said)
        (asked,) = await table.stored(lambda conn: ApprovalRepository(conn).pending())
        yield Abroad(table, held.record.run_id, asked.id)


def all_items() -> list[type[PersistentItem[Any]]]:
    """Every item of the bot that is about a run or an approval."""
    known = (*buttons.RUN_BUTTONS, *decisions.DECISION_ITEMS, menus.AskButton)
    return [*known, approval_items.SpecButton, approval_items.ApprovalButton]


def test_every_item_is_tried() -> None:
    """A new button that is about a run has to be tried here, too."""

    def below(cls: type[Any]) -> set[type[Any]]:
        return {cls}.union(*map(below, cls.__subclasses__()))

    ids = [f"rt:{NOWHERE}:{action}" for action in ACTIONS]
    ids += [f"rt:apr_00000000:{decision}" for decision in DECISIONS]
    about_runs = {
        item
        for item in below(PersistentItem)
        if item.__module__.startswith("cogs.")
        and re.search("<run>|<approval>", item.__discord_ui_compiled_template__.pattern)
        and "(?!)" not in item.__discord_ui_compiled_template__.pattern
    }
    assert about_runs == set(all_items())
    for item in all_items():
        assert any(item.__discord_ui_compiled_template__.fullmatch(one) for one in ids), item


async def test_no_button_works_in_another_server(abroad: Abroad) -> None:
    """Not for its starter, nor for who moderates there; unknown ids get the same answer."""
    for person in ("Otto", "Jonas"):
        for run in (abroad.run, NOWHERE):
            told = {a: await abroad.press(f"rt:{run}:{a}", person) for a in ACTIONS}
            assert told == dict.fromkeys(ACTIONS, LibraryText.NOT_FOUND)
        for approval in (abroad.approval, "apr_00000000"):
            told = {d: await abroad.press(f"rt:{approval}:{d}", person) for d in DECISIONS}
            assert told == dict.fromkeys(DECISIONS, LibraryText.NOT_FOUND)
    await unchanged(abroad)


async def test_no_form_counts_in_another_server(abroad: Abroad) -> None:
    for person in ("Otto", "Jonas"):
        for form, field in FORMS.items():
            told = await abroad.send(f"rt:{abroad.run}:{form}", field, person)
            assert told == LibraryText.NOT_FOUND
        told = await abroad.send(f"rt:{abroad.approval}:reject:why", "reason", person)
        assert told == LibraryText.NOT_FOUND
    await unchanged(abroad)


async def test_no_command_reaches_another_server(abroad: Abroad) -> None:
    discord = abroad.table.discord
    for person in ("Otto", "Jonas"):
        more = {"resolve": {"answer": "tea"}, "reopen": {"news": "It rains."}}
        for command in ("stop", "retry", "conclude", *more):
            asked = await discord.slash(
                discord.person(person).id,
                discord.channel("lounge").id,
                f"roundtable {command}",
                {"id": abroad.run, **more.get(command, {})},
            )
            assert (await asked.message()).content == LibraryText.NOT_FOUND
    await unchanged(abroad)


async def unchanged(abroad: Abroad) -> None:
    """Nothing was decided, voted or started."""
    (asked,) = await abroad.table.stored(lambda conn: ApprovalRepository(conn).pending())
    assert (asked.id, asked.status) == (abroad.approval, ApprovalStatus.PENDING)
    run = await abroad.table.stored(lambda conn: RunRepository(conn).require(abroad.run))
    assert run.attempt == 1
    for table in ("ballots", "decisions"):
        count = f"SELECT count(*) FROM {table}"
        found = await abroad.table.stored(
            lambda conn, c=count: conn.exec_driver_sql(c).scalar()  # type: ignore[misc]
        )
        assert found == 0
    assert len(abroad.table.discord.threads()) == 1
