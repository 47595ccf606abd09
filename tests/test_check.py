"""`roundtable check`: the report and its verdict."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.check import run_check
from bot.panels import PanelsConfig
from tests.panels.files import SHIPPED, bent

ADAPTERS = frozenset({"openai", "anthropic", "rehearsal"})


async def _nothing_local(_: PanelsConfig) -> Mapping[str, str]:
    return {
        "blockrun": "nothing answers at 127.0.0.1:8402: start Blockrun",
        "ollama": "nothing answers at 127.0.0.1:11434: start Ollama",
    }


async def _check(
    environ: dict[str, str] | None = None,
    panels: Path = SHIPPED,
    prompt_problems: list[str] | None = None,
) -> tuple[int, str]:
    lines: list[str] = []
    code = await run_check(
        lines.append,
        adapters=ADAPTERS,
        env_file=None,
        environ={"ROUNDTABLE_PANELS": str(panels), **(environ or {})},
        prompt_problems=lambda: prompt_problems or [],
        probe=_nothing_local,
    )
    return code, "\n".join(lines)


def _panels_file(folder: Path, data: dict[str, Any]) -> Path:
    file = folder / "panels.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    return file


def _flat(report: str) -> str:
    return " ".join(report.split())


async def test_without_any_key_it_is_ready_for_the_playground_with_stand_ins() -> None:
    code, report = await _check()
    assert code == 0
    assert "it will start in the playground" in report
    assert "labelled stand-ins will play every seat" in report
    assert report.endswith("Ready.")


async def test_with_a_token_it_starts_on_discord() -> None:
    _, report = await _check({"DISCORD_TOKEN": "abc.def.ghi"})
    assert "it will start on Discord" in report


async def test_every_provider_is_usable_or_says_why_not() -> None:
    _, report = await _check({"ANTHROPIC_API_KEY": "sk-ant-secret"})
    flat = _flat(report)
    assert "anthropic usable" in flat
    assert "openai not usable: OPENAI_API_KEY is not set: add it to .env" in flat
    assert "gemini not usable: this version has no adapter for kind 'gemini'" in flat
    assert "blockrun not usable: nothing answers at 127.0.0.1:8402: start Blockrun" in flat


async def test_every_model_shows_its_route_or_why_it_has_none() -> None:
    _, report = await _check({"ANTHROPIC_API_KEY": "sk-ant-secret"})
    flat = _flat(report)
    assert "claude-opus claude-opus-4-6 through anthropic" in flat
    assert "mistral-large not usable openrouter: OPENROUTER_API_KEY is not set" in flat


async def test_seats_show_who_would_sit_there_now() -> None:
    """E21."""
    _, report = await _check({"ANTHROPIC_API_KEY": "sk-ant-secret"})
    flat = _flat(report)
    assert "Advocate claude-opus through anthropic" in flat
    assert "Contrarian claude-sonnet through anthropic (fallback for grok)" in flat


async def test_a_fallback_of_the_same_family_is_named_as_such(tmp_path: Path) -> None:
    """E90."""

    def only_sonnet(data: dict[str, Any]) -> None:
        data["models"]["claude-opus"]["routes"] = [{"provider": "openrouter", "model": "opus"}]

    environ = {"ANTHROPIC_API_KEY": "sk-ant-secret"}
    _, report = await _check(environ, _panels_file(tmp_path, bent(only_sonnet)))
    assert "(fallback for claude-opus, same family)" in _flat(report)


async def test_missing_blockrun_is_a_warning_with_its_exact_words() -> None:
    """E102."""
    code, report = await _check({"ANTHROPIC_API_KEY": "sk-ant-secret"})
    assert code == 0
    assert (
        "Blockrun not available. Using budget panel. "
        "Full panel requires Blockrun at localhost:8402."
    ) in _flat(report)


async def test_blockrun_is_not_missed_when_another_provider_serves_its_models() -> None:
    _, report = await _check({"OPENROUTER_API_KEY": "sk-or-secret"})
    assert "Blockrun not available" not in report


async def test_every_part_is_checked_even_when_another_has_problems(tmp_path: Path) -> None:
    file = _panels_file(tmp_path, bent(lambda d: d["limits"].update(maxRounds=9)))
    problems = ["prompts/round1.md: no such file; restore it"]
    code, report = await _check({"ROUNDTABLE_LOG": "loud"}, file, problems)
    assert code == 1
    assert "- ROUNDTABLE_LOG: unknown value" in report
    assert "- limits.maxRounds: is 9; the maximum is 3" in report
    assert "- prompts/round1.md: no such file; restore it" in report
    assert report.endswith("Not ready: mend the problems above and check again.")


async def test_a_problem_of_a_prompt_alone_fails_the_check() -> None:
    code, report = await _check(prompt_problems=["prompts/x.md: empty; write it"])
    assert code == 1
    assert "Prompts: 1 problem" in report


async def test_a_panel_nobody_can_sit_on_fails_the_check(tmp_path: Path) -> None:
    file = _panels_file(tmp_path, bent(lambda d: d["providers"].pop("rehearsal")))
    code, report = await _check(panels=file)
    assert code == 1
    assert "panels.debate: nobody can take a seat" in report


async def test_a_literal_key_for_a_hosted_provider_is_a_warning(tmp_path: Path) -> None:
    hosted = {"kind": "openai", "baseUrl": "http://models.example.org/v1", "apiKey": "sk-literal"}
    file = _panels_file(tmp_path, bent(lambda d: d["providers"].update(hosted=hosted)))
    code, report = await _check(panels=file)
    assert code == 0
    assert "providers.hosted.apiKey: secrets belong in .env" in _flat(report)
    assert "providers.hosted.baseUrl: everything sent there can be read" in _flat(report)


async def test_placeholder_keys_on_this_machine_are_fine() -> None:
    _, report = await _check()
    assert "secrets belong in .env" not in report


async def test_panels_a_server_changed_are_shown(tmp_path: Path) -> None:
    override = {"panels": {"vote": {"agents": [{"role": "Judge", "model": "opus"}]}}}
    file = _panels_file(tmp_path, bent(lambda d: d.update(servers={"42": override})))
    _, report = await _check(panels=file)
    assert "vote (server 42)" in report
    assert "debate (server 42)" not in report


async def test_no_secret_is_ever_printed(tmp_path: Path) -> None:
    hosted = {"kind": "openai", "baseUrl": "https://models.example.org/v1", "apiKey": "sk-literal"}
    file = _panels_file(tmp_path, bent(lambda d: d["providers"].update(hosted=hosted)))
    environ = {"DISCORD_TOKEN": "abc.def.ghi", "ANTHROPIC_API_KEY": "sk-ant-secret"}
    _, report = await _check(environ, file)
    for secret in ("abc.def.ghi", "sk-ant-secret", "sk-literal", "x402"):
        assert secret not in report


async def test_the_report_fits_eighty_columns() -> None:
    _, report = await _check({"ANTHROPIC_API_KEY": "sk-ant-secret"})
    body = [line for line in report.splitlines() if not line.startswith("Panels file:")]
    assert max(map(len, body)) <= 80


async def test_the_search_service_is_named_or_why_there_is_none(tmp_path: Path) -> None:
    _, alone = await _check()
    assert "a rehearsal does not search the web" in alone
    _, keyed = await _check({"ANTHROPIC_API_KEY": "sk-a", "BRAVE_API_KEY": "b-key"})
    assert "through brave" in keyed
    _, free = await _check({"ANTHROPIC_API_KEY": "sk-a"})
    assert "through Tavily's free access" in _flat(free)
    off = _panels_file(tmp_path, bent(lambda data: data.update(search={"provider": "off"})))
    assert "turned off in panels.json" in (await _check(panels=off))[1]


async def test_real_models_come_with_a_warning_that_budgets_are_not_enforced() -> None:
    _, keyed = await _check({"ANTHROPIC_API_KEY": "sk-a"})
    assert "budgets: not enforced in this version" in _flat(keyed)
    _, rehearsed = await _check()
    assert "budgets" not in rehearsed
