"""Where a roundtable is shown: the configured channel, the environment's, or where it was asked."""

from pathlib import Path
from typing import Any

from bot.panels import PanelsConfig
from bot.playground.server import EmbeddedDiscord
from tests.e2e.playground_harness import Adjust, PlaygroundHarness, open_harness


def output(**changes: Any) -> Adjust:
    def adjust(config: PanelsConfig) -> PanelsConfig:
        return config.model_copy(update={"output": config.output.model_copy(update=changes)})

    return adjust


async def asked_and_answered(table: PlaygroundHarness) -> str:
    """Ask in #general and return the name of the thread's parent."""
    await table.say("roundtable --quick --debate tea")
    thread = await table.concluded()
    assert thread.parent_id
    return table.discord.world.channel(thread.parent_id).name


async def test_the_configured_channel_wins_and_the_asker_is_told_where(tmp_path: Path) -> None:
    """E2 E3."""
    discord = EmbeddedDiscord()
    target = discord.channel("decisions").id
    async with open_harness(tmp_path, discord=discord, adjust=output(target=target)) as table:
        said = await table.say("roundtable --quick --debate tea")
        thread = await table.concluded()
        reply = await table.reply_after(said)
        assert thread.parent_id == target
        assert reply.content.startswith(f"The roundtable is in <#{thread.id}>.")


async def test_the_environment_names_a_channel(tmp_path: Path) -> None:
    """E2 2.2#48."""
    discord = EmbeddedDiscord()
    environ = {"ROUNDTABLE_OUTPUT_CHANNEL": str(discord.channel("decisions").id)}
    async with open_harness(tmp_path, discord=discord, environ=environ) as table:
        assert await asked_and_answered(table) == "decisions"


async def test_the_file_wins_over_the_environment(tmp_path: Path) -> None:
    """2.2#48."""
    discord = EmbeddedDiscord()
    environ = {"ROUNDTABLE_OUTPUT_CHANNEL": str(discord.channel("decisions").id)}
    target = discord.channel("ask-the-table").id
    async with open_harness(
        tmp_path, discord=discord, environ=environ, adjust=output(target=target)
    ) as table:
        assert await asked_and_answered(table) == "ask-the-table"


async def test_without_configuration_it_is_shown_where_it_was_asked(
    table: PlaygroundHarness,
) -> None:
    """E4."""
    assert await asked_and_answered(table) == "general"


async def test_a_bad_target_falls_back_and_admins_alone_are_told_once(tmp_path: Path) -> None:
    """2.2#48: people can do nothing about the configuration."""
    told = "The configured output channel cannot be found"
    async with open_harness(tmp_path, adjust=output(target=123)) as table:
        mara, admins = table.discord.person("Mara"), table.discord.channel("ask-the-table")
        await (await table.discord.slash(mara.id, admins.id, "roundtable setup")).message()
        assert await asked_and_answered(table) == "general"
        thread = await table.thread()
        assert not any(told in message.text for message in table.said_in(thread))
        await table.hold("roundtable --quick --debate coffee")
        assert sum(told in message.text for message in table.said_in(admins)) == 1


async def test_without_threads_everything_is_posted_in_the_channel(tmp_path: Path) -> None:
    """E3 2.2#47."""
    async with open_harness(tmp_path, adjust=output(use_threads=False)) as table:
        await table.reply_after(await table.say("roundtable --quick --debate tea"))
        await table.session.app.run_service.idle()
        general = table.said_in(table.discord.channel("general"))
        assert table.discord.threads() == []
        assert "🔧 META" in general[-2].content
        assert "may not" not in table.card(table.discord.channel("general")).text


async def test_a_command_inside_a_thread_runs_there(table: PlaygroundHarness) -> None:
    ines, general = table.discord.person("Ines"), table.discord.channel("general")
    thread = await table.discord.open_thread(ines.id, general.id, "our talk")
    await table.discord.say(ines.id, thread.id, "roundtable --quick --debate tea")
    await table.discord.until(lambda: any("META" in m.text for m in table.said_in(thread)))
    assert [c.id for c in table.discord.threads()] == [thread.id]


async def test_a_plain_card_is_an_embed(tmp_path: Path) -> None:
    async with open_harness(tmp_path, adjust=output(plain=True)) as table:
        await table.say("roundtable --quick --debate tea")
        thread = await table.concluded()
        assert table.card(thread).embeds
        assert "Concluded after" in table.card(thread).text
