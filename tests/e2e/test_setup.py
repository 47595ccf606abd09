"""`/roundtable setup`: forms that store, above panels.json, who may, and what a run keeps."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bot.access.admission import Asker
from bot.cli import app as command_line
from bot.panels import PanelsConfig
from bot.playground.errors import NotPermitted
from bot.playground.model import Message
from bot.store.repositories.servers import SettingsRepository
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.restart_harness import RestartHarness, restart_harness
from tests.e2e.scripted_models import ReceivedPrompt, ScriptedModels, scripted_playground

ADMIN, MEMBER = "Mara", "Ines"
Bench = PlaygroundHarness | RestartHarness


async def set_up(
    bench: Bench, options: Mapping[str, Any] | None = None, person: str = ADMIN
) -> Message:
    """What an admin sees in answer to the command."""
    who, where = bench.discord.person(person), bench.discord.channel("general")
    asked = await bench.discord.slash(who.id, where.id, "roundtable setup", dict(options or {}))
    return await asked.message()


async def fill(bench: Bench, shown: Message, form: str, values: Mapping[str, Any]) -> Message:
    """Open one of the forms under the answer, and send it off."""
    mara = bench.discord.person(ADMIN)
    opened = await bench.discord.press(mara.id, shown.id, f"rt:setup:{form}")
    await opened.answer()
    return await (await bench.discord.submit(opened, values)).message()


def role(bench: Bench, name: str) -> str:
    (guild,) = bench.discord.world.guilds.values()
    return next(str(number) for number, found in guild.roles.items() if found["name"] == name)


def config_of(bench: RestartHarness, app: Any) -> PanelsConfig:
    found: PanelsConfig = app.panels.for_server(bench.guild_id)
    return found


async def test_forms_store_everything_and_a_restart_keeps_it(tmp_path: Path) -> None:
    """2.2#32: channels, roles, language, panel and budgets; panels.json is not written."""
    async with restart_harness(tmp_path, ScriptedModels()) as bench:
        file = tmp_path / "panels.json"
        before = file.read_text(encoding="utf-8")
        decisions, table = (
            bench.discord.channel("decisions"),
            bench.discord.channel("ask-the-table"),
        )
        admin_role = role(bench, "Admin")
        async with bench.bot() as app:
            shown = await set_up(bench)
            assert "by everybody" in shown.content
            assert "Stored here" not in shown.content
            places = {
                "output": [str(decisions.id)],
                "topics": [str(table.id)],
                "starters": [admin_role],
                "approvers": [admin_role],
            }
            saved = await fill(bench, shown, "places", places)
            assert saved.content.startswith("✅ Saved.")
            assert f"- Held in <#{decisions.id}>" in saved.content
        async with bench.bot() as app:
            # A button of before the restart.
            rules = {"language": ["German"], "panel": ["budget"], "per_run": "1,50"}
            saved = await fill(bench, shown, "rules", rules)
            assert "Answers and conclusions are in German" in saved.content
            assert f"by <@{bench.discord.person(ADMIN).id}>" in saved.content
            config = config_of(bench, app)
            assert config.output.target == decisions.id
            assert config.trigger.channel_ids == (table.id,)
            assert config.trigger.allowed_role_ids == (int(admin_role),)
            assert config.trigger.approver_role_ids == (int(admin_role),)
            assert (config.language, config.panel) == ("German", "budget")
            assert config.budgets.per_run_usd == 1.5
            assert app.panels.for_server(1).language is None, "another server has the file's"
            panel = await app.steward.show_panel(Asker(1, is_admin=True), bench.guild_id, "debate")
            assert "Stored here, above panels.json: Channel of all roundtables" in panel
            mara = bench.discord.person(ADMIN)
            chosen = ["language", "output"]
            cleared = await bench.discord.press(mara.id, saved.id, "rt:setup:clear", chosen)
            assert "in the language of the topic" in (await cleared.message()).content
            config = config_of(bench, app)
            assert (config.language, config.output.target) == (None, None)
            assert config.panel == "budget"
            rows = await app.store.read(lambda conn: SettingsRepository(conn).all())
            assert rows[bench.guild_id].changed_by == mara.id
        assert file.read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"per_run": "-1"}, "Nothing was saved: budgets.perRunUsd"),
        ({"per_run": "much"}, "`much` is not an amount in dollars: write a number such as 2.50."),
        ({"per_server": "1e999"}, "`1e999` is not an amount in dollars"),
        ({}, "You chose nothing, so nothing was changed."),
    ],
)
async def test_what_panels_json_could_not_hold_is_refused_in_one_sentence(
    table: PlaygroundHarness, values: dict[str, Any], sentence: str
) -> None:
    told = (await fill(table, await set_up(table), "rules", values)).content
    assert told.startswith(sentence)
    assert "\n" not in told
    assert await table.stored(lambda conn: SettingsRepository(conn).all()) == {}


async def test_members_neither_see_nor_change_it(table: PlaygroundHarness) -> None:
    refused = "Only members with the Manage Server permission"
    assert (await set_up(table, {"cooldown": 5}, MEMBER)).content.startswith(refused)
    shown = await set_up(table)
    assert shown.only_for == table.discord.person(ADMIN).id
    assert await table.stored(lambda conn: SettingsRepository(conn).all()) == {}


async def test_options_of_the_command_are_stored_at_once(table: PlaygroundHarness) -> None:
    shown = await set_up(table, {"cooldown": 90})
    assert "- 90 s between two starts" in shown.content
    assert "Seconds between starts" in shown.content


async def test_a_run_keeps_the_language_and_the_panel_it_was_started_with(tmp_path: Path) -> None:
    """One short line in each prompt, only when a language is set."""
    cast = ScriptedModels()
    line = "Write in German, whatever the question's language"
    async with scripted_playground(tmp_path, cast) as table:
        shown = await set_up(table, {"cooldown": 0})
        plain = await table.hold("roundtable --debate --quick is it so?")
        assert not any(line in asked.text for asked in cast.heard)
        await fill(table, shown, "rules", {"language": ["German"], "panel": ["budget"]})

        async def changed_meanwhile(asked: ReceivedPrompt) -> str:
            await fill(table, shown, "rules", {"language": ["French"]})
            return cast.written(asked)

        cast.heard.clear()
        cast.says["r1:*"] = changed_meanwhile
        held = await table.hold("roundtable --debate is it really so?")
        assert [seat.model for seat in held.record.seats] != [s.model for s in plain.record.seats]
        asked = [one for one in cast.heard if not one.label.startswith("meta")]
        assert {"r1", "synthesis"} <= {one.label.partition(":")[0] for one in asked}
        assert all(line in one.text for one in asked)
        assert not cast.asked("meta:*"), "a panel that is named is not designed"


async def test_settings_that_no_longer_fit_the_file_are_reported_to_admins_alone(
    tmp_path: Path,
) -> None:
    async with scripted_playground(tmp_path, ScriptedModels()) as table:
        await fill(table, await set_up(table), "rules", {"panel": ["budget"], "per_run": "1"})
        file, app = tmp_path / "panels.json", table.session.app
        data = json.loads(file.read_text(encoding="utf-8"))
        data["limits"]["maxSeats"] = 5
        data["profiles"]["cheap"] = data["profiles"]["budget"]
        file.write_text(json.dumps(data), encoding="utf-8")
        await app.panels.reload()
        await fill(table, await set_up(table), "rules", {"panel": ["cheap"]})
        del data["profiles"]["cheap"]
        file.write_text(json.dumps(data), encoding="utf-8")
        await app.watch.look()
        await app.watch.look()
        general = table.discord.channel("general")
        told = [m.content for m in table.said_in(general)]
        assert sum("do not fit panels.json any more" in text for text in told) == 1
        assert app.panels.for_server(general.guild_id).panel is None


def test_the_command_line_prints_and_loads_what_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings move with a file, all of it or nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROUNDTABLE_HOME", str(tmp_path))
    run, file = CliRunner(), tmp_path / "settings.json"
    assert json.loads(run.invoke(command_line, ["settings"]).output) == {"servers": {}}
    wanted = {"servers": {"42": {"language": "Dutch", "trigger": {"channelIds": ["7"]}}}}
    file.write_text(json.dumps(wanted), encoding="utf-8")
    loaded = run.invoke(command_line, ["settings", "--load", str(file)])
    assert loaded.output == "Stored the settings of 1 server.\n"
    assert json.loads(run.invoke(command_line, ["settings"]).output) == wanted
    wrongs: tuple[Any, ...] = (
        {"servers": {"42": {"budgets": {"perRunUsd": -1}}}},
        {"servers": {"42": {"arbiter": {"debug": True}}}},
        {"servers": {"here": {}}},
        [],
    )
    for wrong in wrongs:
        file.write_text(json.dumps(wrong), encoding="utf-8")
        refused = run.invoke(command_line, ["settings", "--load", str(file)])
        assert refused.exit_code != 0
    assert json.loads(run.invoke(command_line, ["settings"]).output) == wanted


async def test_the_form_takes_only_what_the_selects_offer(table: PlaygroundHarness) -> None:
    """The embedded Discord refuses what a client of Discord's does not let people choose."""
    shown = await set_up(table)
    two = [str(table.discord.channel(name).id) for name in ("general", "decisions")]
    for form, values in (
        ("places", {"output": two}),
        ("places", {"topics": ["1"]}),
        ("places", {"starters": ["1"]}),
        ("rules", {"language": ["Klingon"]}),
    ):
        with pytest.raises(NotPermitted):
            await fill(table, shown, form, values)
