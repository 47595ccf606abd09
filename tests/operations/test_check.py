"""`roundtable check`: the report and its verdict."""

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.models.local_servers import LocalServers
from bot.operations.check import run_check
from bot.panels import PanelsConfig
from bot.panels.offers import Offer
from tests.panels.panels_data import SHIPPED, bent, server_at, shipped


class Offline(httpx.AsyncBaseTransport):
    """No provider can be asked, so the price list says what they have."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no network", request=request)


ADAPTERS = frozenset({"openai", "anthropic", "gemini", "rehearsal"})


LOCAL = {"blockrun": 8402, "ollama": 11434, "lmstudio": 1234, "vllm": 8000, "llamacpp": 8080}
NOTHING_LOCAL = {
    name: f"nothing is listening at 127.0.0.1:{port}: start {name.capitalize()}"
    for name, port in LOCAL.items()
}


async def _check(
    environ: dict[str, str] | None = None,
    panels: Path = SHIPPED,
    prompt_problems: list[str] | None = None,
    offers: Mapping[str, Offer] | None = None,
) -> tuple[int, str]:
    lines: list[str] = []
    found, wish = offers or {}, {"ROUNDTABLE_LOCAL": "on"} if offers else {}
    faults = {name: why for name, why in NOTHING_LOCAL.items() if name not in found}

    async def probe(_: PanelsConfig) -> LocalServers:
        return LocalServers(faults, found)

    code = await run_check(
        lines.append,
        adapters=ADAPTERS,
        env_file=None,
        environ={"ROUNDTABLE_PANELS": str(panels), **wish, **(environ or {})},
        prompt_problems=lambda: prompt_problems or [],
        probe=probe,
        connect=lambda: httpx.AsyncClient(transport=Offline()),
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
    assert "the bot will start in the playground" in report
    assert "labelled stand-ins take every seat" in _flat(report)
    assert report.endswith("Ready.")


async def test_it_says_which_panels_file_it_uses_and_how_to_get_one_to_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 22."""
    monkeypatch.chdir(tmp_path)
    _, report = await _check(panels=SHIPPED)
    assert f"Panels file: {SHIPPED}\nIt comes with Roundtable; `roundtable init`" in report
    own = _panels_file(tmp_path, shipped())
    _, report = await _check(panels=own)
    assert f"Panels file: {own}\n" in report
    assert "roundtable init" not in report


async def test_with_a_token_it_starts_on_discord() -> None:
    _, report = await _check({"DISCORD_TOKEN": "abc.def.ghi"})
    assert "the bot will start on Discord" in report


async def test_every_provider_is_usable_or_says_why_not() -> None:
    _, report = await _check({"ANTHROPIC_API_KEY": "sk-ant-secret"})
    flat = _flat(report)
    assert "anthropic usable" in flat
    assert "openai not usable: OPENAI_API_KEY is not set: add it to .env" in flat
    assert "blockrun not usable: nothing is listening at 127.0.0.1:8402: start Blockrun" in flat


async def test_every_model_shows_its_route_or_why_it_has_none() -> None:
    _, report = await _check({"ANTHROPIC_API_KEY": "sk-ant-secret"})
    flat = _flat(report)
    assert "claude-opus claude-opus-5-5 through anthropic" in flat
    assert "not usable grok, grok-mid and grok-4: needs xai, blockrun or openrouter" in flat


async def test_a_model_its_running_server_does_not_have_says_how_to_get_it(tmp_path: Path) -> None:
    route = {"provider": "ollama", "model": "llama3.3"}
    data = bent(lambda d: d["models"]["grok"].update(routes=[route]))
    data["providers"]["ollama"] = server_at(11434)
    file = _panels_file(tmp_path, data)
    _, report = await _check(panels=file, offers={"ollama": Offer(("llama3.2:latest",))})
    assert "ollama: it has no llama3.3: run `ollama pull llama3.3`" in _flat(report)


async def test_seats_show_who_would_sit_there_now_and_by_which_id() -> None:
    """E21: without Blockrun the other seats fall back."""
    _, report = await _check({"ANTHROPIC_API_KEY": "sk-ant-secret"})
    flat = _flat(report)
    assert "Advocate claude-opus, now claude-opus-5-5, through anthropic" in flat
    assert "now claude-sonnet-5-5, through anthropic (fallback for gpt)" in flat
    assert "Contrarian claude-sonnet" in flat


async def test_with_the_keys_of_three_vendors_it_says_what_is_still_missing() -> None:
    """2.2#17: three vendors sit, and only what Blockrun or another key would serve is lost."""
    keys = dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"), "sk-x")
    code, report = await _check(keys)
    flat = _flat(report)
    assert code == 0
    assert "Using budget panel" not in flat
    assert "full panel is available" not in flat
    assert "Most useful next step: add XAI_API_KEY to .env: serves grok." in flat
    assert "- add OPENROUTER_API_KEY to .env: serves grok" in flat
    assert "- start Blockrun: serves grok" in flat


async def test_with_one_openrouter_key_the_full_panel_can_sit() -> None:
    code, report = await _check({"OPENROUTER_API_KEY": "sk-or-secret"})
    flat = _flat(report)
    assert code == 0
    assert "The full panel is available: 4 model families." in flat
    assert "would also help" not in flat
    assert "Most useful next step" not in flat
    assert "degraded" not in flat


async def test_with_ollama_only_its_models_take_the_seats() -> None:
    """E21: distinct roles, said to be degraded, with what to do."""
    code, report = await _check(offers={"ollama": Offer(("llama3.2:latest", "qwen3:8b"))})
    flat = _flat(report)
    assert code == 0
    assert "ollama usable, has llama3.2:latest, qwen3:8b" in flat
    assert "the seats are taken by the models that ollama has: llama3.2 and qwen3:8b." in flat
    assert "Advocate llama3.2 through ollama (in place of claude-opus)" in flat
    assert "Devil's Advocate qwen3:8b through ollama (in place of gpt)" in flat
    assert "The panel is degraded" in flat
    assert "Most useful next step: add OPENROUTER_API_KEY to .env: serves claude-opus" in flat
    assert "stand-in" not in flat


async def test_with_one_model_only_every_role_is_kept_and_the_sameness_is_said() -> None:
    """E21."""
    _, report = await _check(offers={"ollama": Offer(("llama3.2:latest",))})
    flat = _flat(report)
    assert "every seat is taken by the llama family" in flat
    for role in ("Advocate", "Devil's Advocate", "Analyst", "Contrarian"):
        assert f"{role} llama3.2 through ollama" in flat


async def test_with_nothing_it_says_how_to_get_real_models() -> None:
    code, report = await _check()
    flat = _flat(report)
    assert code == 0
    assert "No model is usable, so labelled stand-ins take every seat." in flat
    assert "Most useful next step: add OPENROUTER_API_KEY to .env: serves claude-opus" in flat
    assert "- start Ollama and set ROUNDTABLE_LOCAL=on in .env: its models take" in flat


async def test_a_fallback_of_the_same_family_is_named_as_such(tmp_path: Path) -> None:
    """E90."""

    def only_sonnet(data: dict[str, Any]) -> None:
        data["models"]["claude-opus"]["routes"] = [{"provider": "openrouter", "model": "opus"}]
        data["models"]["grok"]["routes"] = [{"provider": "openai", "model": "grok"}]

    keys = dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"), "sk-x")
    _, report = await _check(keys, _panels_file(tmp_path, bent(only_sonnet)))
    assert "(fallback for claude-opus, same family)" in _flat(report)


async def test_missing_blockrun_is_said_once_where_everybody_else_sits() -> None:
    """2.2#17."""
    _, report = await _check({"ANTHROPIC_API_KEY": "sk-ant-secret"})
    said = "Blockrun not available. Full panel requires Blockrun at localhost:8402."
    assert _flat(report).count(said) == 1


async def test_missing_blockrun_is_a_warning_with_its_exact_words(tmp_path: Path) -> None:
    """E102."""
    file = _panels_file(tmp_path, bent(lambda d: d.update(withoutBlockrun="budget")))
    code, report = await _check({"ANTHROPIC_API_KEY": "sk-ant-secret"}, file)
    assert code == 0
    assert "debate, as the budget panel" in _flat(report)
    assert (
        "Blockrun not available. Using budget panel. "
        "Full panel requires Blockrun at localhost:8402."
    ) in _flat(report)


@pytest.mark.parametrize("keys", [{"OPENROUTER_API_KEY": "sk-or-secret"}, {}])
async def test_blockrun_is_not_missed_where_others_serve_its_models_or_nobody_speaks(
    keys: dict[str, str],
) -> None:
    """E22: another provider has them, or the whole panel is rehearsed."""
    _, report = await _check(keys)
    assert "Blockrun not available" not in report


async def test_every_part_is_checked_even_when_another_has_problems(tmp_path: Path) -> None:
    file = _panels_file(tmp_path, bent(lambda d: d["limits"].update(maxRounds=9)))
    problems = ["prompts/round1.md: no such file; restore it"]
    code, report = await _check({"ROUNDTABLE_LOG": "loud"}, file, problems)
    assert code == 1
    assert "- ROUNDTABLE_LOG: unknown value" in report
    assert "- limits.maxRounds: is 9; the maximum is 3" in report
    assert "- prompts/round1.md: no such file; restore it" in report
    assert report.endswith("Not ready: fix the problems above and run the check again.")


async def test_a_problem_of_a_prompt_alone_fails_the_check() -> None:
    code, report = await _check(prompt_problems=["prompts/x.md: empty; write it"])
    assert code == 1
    assert "Prompts: 1 problem" in report


async def test_a_panel_nobody_can_sit_on_fails_the_check(tmp_path: Path) -> None:
    file = _panels_file(tmp_path, bent(lambda d: d["providers"].pop("rehearsal")))
    code, report = await _check(panels=file)
    assert code == 1
    assert "panels.debate: no seat can be filled" in report


async def test_a_literal_key_for_a_hosted_provider_is_a_warning(tmp_path: Path) -> None:
    hosted = {"kind": "openai", "baseUrl": "http://models.example.org/v1", "apiKey": "sk-literal"}
    file = _panels_file(tmp_path, bent(lambda d: d["providers"].update(hosted=hosted)))
    code, report = await _check(panels=file)
    assert code == 0
    assert "providers.hosted.apiKey: secrets belong in .env" in _flat(report)
    assert "providers.hosted.baseUrl: traffic to it is not encrypted" in _flat(report)


async def test_placeholder_keys_on_this_machine_are_fine() -> None:
    _, report = await _check()
    assert "secrets belong in .env" not in report


async def test_calls_that_run_out_before_the_turns_do_are_a_warning(tmp_path: Path) -> None:
    """D16: the lower limit holds, and nobody should have to find that out in a thread."""
    _, report = await _check()
    assert "maxCallsPerEpoch" not in report

    def edit(data: dict[str, Any]) -> None:
        data["followups"] = {"maxCallsPerEpoch": 16}
        data["arbiter"] = {"maxBotHops": 16}
        data["panels"]["vote"]["arbiter"] = {"maxBotHops": 17}
        data["servers"] = {"42": {"followups": {"maxCallsPerEpoch": 3}}}

    code, report = await _check(panels=_panels_file(tmp_path, bent(edit)))
    assert code == 0
    flat = _flat(report)
    assert "- followups.maxCallsPerEpoch (16) is below arbiter.maxBotHops (17)" in flat
    assert "- servers.42: followups.maxCallsPerEpoch (3) is below arbiter.maxBotHops (16)" in flat
    assert "a talk ends after at most 3 turns; raise the first or lower the second" in flat
    assert flat.count("is below arbiter.maxBotHops") == 3

    def off(data: dict[str, Any]) -> None:
        edit(data)
        data["arbiter"]["enabled"] = False

    _, report = await _check(panels=_panels_file(tmp_path, bent(off)))
    assert "maxCallsPerEpoch" not in report


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


async def test_the_database_is_named_without_its_password() -> None:
    url = "postgresql://ada:secret-word@db.example:5432/tables?sslmode=require"
    code, report = await _check({"ROUNDTABLE_DATABASE_URL": url})
    assert code == 0
    assert "Database: fine" in report
    assert "data is stored in postgresql://db.example:5432/tables." in _flat(report)
    assert "secret-word" not in report


async def test_a_database_without_its_driver_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    code, report = await _check({"ROUNDTABLE_DATABASE_URL": "postgresql://db/tables"})
    assert code == 1
    assert "needs the extra postgres; run `make install EXTRAS=postgres`" in _flat(report)


@pytest.mark.parametrize("url", [{}, {"ROUNDTABLE_DATABASE_URL": "postgresql://db/tables"}])
async def test_a_home_that_the_bot_could_not_use_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: dict[str, str]
) -> None:
    """Issue 23 point 7: said before the start; nothing is created, and a missing one is fine."""
    file, missing = tmp_path / "file", tmp_path / "a" / "b"
    file.write_text("", encoding="utf-8")
    assert (await _check({"ROUNDTABLE_HOME": str(missing), **url}))[0] == 0
    code, report = await _check({"ROUNDTABLE_HOME": str(file / "home"), **url})
    assert code == 1
    assert "cannot be created (Not a directory): set ROUNDTABLE_HOME to" in _flat(report)
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write everywhere
    code, report = await _check({"ROUNDTABLE_HOME": str(missing), **url})
    assert code == 1
    assert "cannot be created (Permission denied): set ROUNDTABLE_HOME to" in _flat(report)
    code, report = await _check({"ROUNDTABLE_HOME": str(tmp_path), **url})
    assert code == 1
    assert "is not writable (Permission denied): check the folder's" in _flat(report)
    assert not missing.parent.exists()


async def test_every_model_shows_its_price_and_meetings_what_they_cost() -> None:
    """E20: computed from the current prices of the configured panel."""
    _, keyed = await _check({"ANTHROPIC_API_KEY": "sk-ant-secret", "OPENROUTER_API_KEY": "k"})
    flat = _flat(keyed)
    assert "$4.00 per million tokens read, $20.00 written (price list)" in flat
    assert re.search(r"a full debate \$0\.\d\d–\$0\.\d\d · \d+–\d+ calls", flat)
    assert "a seat of grok $" in flat
    assert "$5.00 a day per person, $20.00 a day per server" in flat


async def test_a_rehearsal_costs_nothing() -> None:
    _, report = await _check()
    assert "a rehearsal costs nothing" in report
    assert "$" not in report


async def test_a_model_of_unknown_price_is_not_usable_and_its_seat_falls_back(
    tmp_path: Path,
) -> None:
    route = {"provider": "openrouter", "model": "x-ai/grok-4"}
    file = _panels_file(tmp_path, bent(lambda data: data["models"]["grok"].update(routes=[route])))
    _, report = await _check({"OPENROUTER_API_KEY": "k"}, file)
    flat = _flat(report)
    assert "the price of x-ai/grok-4 is unknown; set models.grok.price" in flat
    assert "(in place of grok)" in flat


async def test_a_provider_that_cannot_be_asked_is_told_apart_from_one_that_can() -> None:
    _, report = await _check({"ANTHROPIC_API_KEY": "sk-ant-secret"})
    said = "anthropic usable, not verified; its list of models could not be read: no answer"
    assert said in _flat(report)


async def test_without_any_key_it_says_plainly_that_no_panel_of_models_can_sit() -> None:
    code, report = await _check({"DISCORD_TOKEN": "abc.def.ghi"})
    assert code == 0
    assert "No model is usable, so labelled stand-ins take every seat." in _flat(report)
