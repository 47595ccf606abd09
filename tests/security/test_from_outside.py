"""Seen from outside: what people type is answered; what goes wrong is said once, with its cure."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.messages.discord import PermissionText
from bot.panels import PanelsConfig
from bot.playground.faults import EventFault, Fault
from bot.playground.model import Channel, Message
from bot.playground.server import EmbeddedDiscord
from bot.store import Phase
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.restart_harness import restart_harness
from tests.e2e.scripted_models import ScriptedModels, scripted_playground
from tests.e2e.test_bad_days import Day, day, forbid, remove
from tests.e2e.test_catching_up import at_once
from tests.support.time_travel import set_clock

pytestmark = pytest.mark.heavy

__all__ = ["day"]

QUICK = "roundtable --quick --debate is tea {}?"


async def missed(table: PlaygroundHarness, text: str, channel: str = "general") -> Message:
    """Somebody types, and Discord loses the event with the session."""
    table.session.app.bot.before_identify_hook = at_once  # type: ignore[method-assign]
    table.discord.faults.add(EventFault("drop", "MESSAGE_CREATE"))
    return await table.say(text, channel=channel)


async def new_session(table: PlaygroundHarness) -> None:
    """Discord has forgotten the session; the bot identifies anew and looks at what it missed."""
    bot = table.session.app.bot
    ready = bot.wait_for("ready", timeout=10)
    await table.discord.gateway.invalidate_sessions()
    await ready
    await asyncio.sleep(0)
    while resuming := [task for task in asyncio.all_tasks() if task.get_name() == "resume"]:
        await asyncio.wait(resuming)
    await table.session.app.run_service.idle()


@pytest.mark.parametrize("channel", ["general", "ask-the-table"])
async def test_a_start_typed_during_a_reconnect_is_taken_up_once(
    tmp_path: Path, channel: str
) -> None:
    """Also a topic in a dedicated channel; a second new session doubles nothing."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        await table.hold(QUICK.format("hot"))
        text = QUICK.format("cold") if channel == "general" else "--quick --debate is tea cold?"
        await missed(table, text, channel)
        await new_session(table)
        thread = await table.thread(2)
        await new_session(table)
        assert len(table.discord.threads()) == 2
        assert "cold" in thread.name
    assert len(cast.asked("r1:*")) == 6


async def test_a_start_typed_during_a_short_restart_is_taken_up_with_the_rights_of_its_person(
    tmp_path: Path,
) -> None:
    """A deployment takes seconds; who may not start is told so, as always."""
    roles: list[int] = []

    def only_for_some(config: PanelsConfig) -> PanelsConfig:
        trigger = config.trigger.model_copy(update={"allowed_role_ids": tuple(roles)})
        return config.model_copy(update={"trigger": trigger})

    async with restart_harness(tmp_path, ScriptedModels(), only_for_some) as bench:
        discord, general = bench.discord, bench.discord.channel("general")
        async with bench.bot() as app:
            await app.run_service.idle()
        guild = discord.world.guilds[bench.guild_id]
        jonas, ines = discord.person("Jonas"), discord.person("Ines")
        special = set(guild.roles) - guild.members[ines.id] - {guild.id}
        roles.append(special.pop())
        guild.members[jonas.id].add(roles[0])
        typed = await discord.say(jonas.id, general.id, QUICK.format("cold"))
        barred = await discord.say(ines.id, general.id, QUICK.format("green"))
        async with bench.bot() as app:
            reply = await discord.until(
                lambda: next((m for m in discord.messages(general.id) if m.reply_to), None)
            )
            await app.run_service.idle()
            (thread,) = discord.threads()
            run = await app.run_service.last_in(thread.id)
    assert run
    assert (run.starter_id, run.phase) == (typed.author.id, Phase.COMPLETED)
    assert reply
    assert reply.reply_to == barred.id


async def test_what_was_typed_longer_ago_starts_nothing(tmp_path: Path) -> None:
    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        typed = await missed(table, QUICK.format("cold"))
        store = table.session.app.store
        now = store.now()
        set_clock(store, lambda: now + 600.0)
        await new_session(table)
        assert table.discord.threads() == []
        assert not any(m.reply_to == typed.id for m in table.discord.messages(typed.channel_id))


async def test_quiet_channels_cost_no_request_after_a_reconnect(tmp_path: Path) -> None:
    """A server may have hundreds of channels; only those written to lately are read."""
    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        await missed(table, "roundtable help")
        reads = Fault("delay", "GET", "channels/*/messages", times=-1)
        table.discord.faults.add(reads)
        await new_session(table)
        general = table.discord.channel("general")
        read = {what for what in table.discord.faults.struck if "GET" in what}
    assert read == {f"delay GET channels/{general.id}/messages"}


def foreign_webhooks(discord: EmbeddedDiscord, channel: Channel, count: int) -> None:
    """Integrations of other people."""
    for _ in range(count):
        number = discord.world.ids.next()
        owner = discord.person("Mara").wire()
        hook = {"id": str(number), "type": 1, "name": "CI", "user": owner, "application_id": None}
        discord.world.webhooks[number] = hook | channel.where()


async def test_a_channel_full_of_foreign_webhooks_says_why_panelists_speak_as_the_bot(
    tmp_path: Path,
) -> None:
    """Once in the thread, with the cure; Discord is asked once and not for every post."""
    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        discord, general = table.discord, table.discord.channel("general")
        foreign_webhooks(discord, general, 15)
        discord.faults.add(Fault("delay", "*", f"channels/{general.id}/webhooks", times=-1))
        held = await table.hold(QUICK.format("hot"))
        said = [message.content for message in table.said_in(held.thread)]
        assert said.count(PermissionText.WEBHOOKS_FULL) == 1
        assert "delete a webhook under Integrations" in PermissionText.WEBHOOKS_FULL
        assert held.voices == ()
        headed = [text for text in said if text.startswith("**Advocate**")]
        assert headed
        assert said.index(PermissionText.WEBHOOKS_FULL) < said.index(headed[0])
        assert len(discord.faults.struck) == 2  # a look at those there are, and one attempt
        again = await table.hold(QUICK.format("cold"))
        texts = [message.content for message in table.said_in(again.thread)]
        assert texts.count(PermissionText.WEBHOOKS_FULL) == 1
        assert len(discord.faults.struck) == 2


def with_every_event(discord: EmbeddedDiscord) -> None:
    remove(discord, discord.channel("general"))


def with_the_channels_event_alone(discord: EmbeddedDiscord) -> None:
    """As Discord tells it: a channel takes its threads with it."""
    discord.faults.add(EventFault("drop", "THREAD_DELETE", times=-1))
    remove(discord, discord.channel("general"))


def without_any_event(discord: EmbeddedDiscord) -> None:
    """The bot learns of it when it posts."""
    discord.faults.add(EventFault("drop", "*_DELETE", times=-1))
    remove(discord, discord.channel("general"))


@pytest.mark.parametrize(
    "delete", [with_every_event, with_the_channels_event_alone, without_any_event]
)
async def test_a_channel_deleted_in_mid_run_costs_one_line_of_the_log(
    day: Day, caplog: pytest.LogCaptureFixture, delete: Callable[[EmbeddedDiscord], None]
) -> None:
    """No stack trace; the run has failed, and its starter reads in private how to go on."""
    bad, peace = await day.begin()
    run = await day.run_of(bad.id)
    caplog.clear()
    delete(day.discord)
    day.waiting.set()
    told = await day.private("⚠️ This roundtable failed")
    await day.phase_is(run.id, Phase.FAILED)
    await day.others_conclude(peace)
    await day.table.session.app.run_service.idle()
    ours = [r for r in caplog.records if r.name.startswith(("bot.", "cogs."))]
    assert [r.exc_info for r in ours if r.exc_info] == []
    (line,) = [r.getMessage() for r in ours if r.levelno >= logging.WARNING]
    assert run.id in line
    assert f"`roundtable retry {run.id}`" in told.content
    assert "It continues in" in await day.retried("decisions", run.id)
    await day.phase_is(run.id, Phase.COMPLETED)


@pytest.mark.parametrize(
    ("lost", "named"),
    [
        (("send_messages_in_threads",), "I no longer have Send Messages in Threads there"),
        (("view_channel", "send_messages_in_threads"), "I no longer have View Channel"),
        (("attach_files",), "I no longer have Attach Files there"),
    ],
)
async def test_after_a_lost_permission_its_starter_reads_which_and_how_to_retry(
    day: Day, lost: tuple[str, ...], named: str
) -> None:
    bad = await day.begin_alone()
    run, general = await day.run_of(bad.id), day.discord.channel("general")
    forbid(day.discord, general, *lost)
    day.waiting.set()
    places = (bad, general, day.discord.world.direct(day.discord.person("Jonas").id))
    told = await day.discord.until(
        lambda: next((m for p in places if (m := day.find(p, "⚠️ This roundtable failed"))), None)
    )
    assert told
    assert named in told.content
    assert "an admin can allow it for my role in the channel's settings" in told.content
    assert f"type `roundtable retry {run.id}`" in told.content
    await day.phase_is(run.id, Phase.FAILED)
    forbid(day.discord, general)
    assert f"<#{bad.id}>" in await day.retried("general", run.id)
    await day.seen(bad, "🔧 META")
    await day.phase_is(run.id, Phase.COMPLETED)
