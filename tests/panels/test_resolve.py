"""Which provider serves which model."""

from typing import Any

import pytest

from bot.panels import Resolution, canonical, resolve_models, sitting, suggest
from bot.panels.offers import Offer
from bot.panels.usual_servers import with_usual_servers
from tests.panels.files import bent, loaded, server_at, shipped

EVERY_KIND = frozenset({"openai", "anthropic", "gemini", "acp", "local", "rehearsal"})
NO_LOCAL = {
    "blockrun": "nothing answers at 127.0.0.1:8402: start Blockrun",
    "ollama": "nothing answers at 127.0.0.1:11434: start Ollama",
}


def _no_secret(_: str) -> None:
    return None


def _with_keys(
    *names: str,
    adapters: frozenset[str] = EVERY_KIND,
    unreachable: dict[str, str] = NO_LOCAL,
) -> Resolution:
    secrets = dict.fromkeys(names, "secret")
    return resolve_models(loaded(shipped()), secrets.get, adapters, unreachable)


def test_the_first_usable_route_wins() -> None:
    found = _with_keys("ANTHROPIC_API_KEY", "OPENROUTER_API_KEY").model("claude-opus")
    assert found is not None
    assert (found.provider, found.kind, found.wire_model) == (
        "anthropic",
        "anthropic",
        "claude-opus-4-6",
    )


def test_one_openrouter_key_serves_every_model() -> None:
    found = _with_keys("OPENROUTER_API_KEY")
    assert found.reasons == {}
    assert {model.provider for model in found.models.values()} == {"openrouter"}
    assert not found.rehearsal


def test_a_missing_key_is_named_with_what_to_do() -> None:
    found = _with_keys("OPENAI_API_KEY")
    assert found.providers["anthropic"] == "ANTHROPIC_API_KEY is not set: add it to .env"
    assert found.why_not("opus") == (
        "anthropic: ANTHROPIC_API_KEY is not set: add it to .env",
        "openrouter: OPENROUTER_API_KEY is not set: add it to .env",
    )


def test_a_kind_without_an_adapter_is_not_usable() -> None:
    found = _with_keys("GEMINI_API_KEY", adapters=frozenset({"openai", "rehearsal"}))
    assert found.providers["gemini"] == "this version has no adapter for kind 'gemini'"


def test_a_provider_nobody_answers_for_is_not_usable() -> None:
    found = _with_keys("OPENAI_API_KEY")
    assert found.providers["blockrun"] == NO_LOCAL["blockrun"]
    assert not found.usable("blockrun")
    assert found.usable("openai")


def test_blockrun_serves_gemini_and_grok_when_it_runs() -> None:
    """E22."""
    found = _with_keys("ANTHROPIC_API_KEY", unreachable={})
    grok = found.model("grok")
    assert grok is not None
    assert (grok.provider, grok.wire_model) == ("blockrun", "xai/grok-4")


def test_models_lost_without_blockrun_are_known() -> None:
    """E102, 2.2#17."""
    assert _with_keys("ANTHROPIC_API_KEY").lost_without("blockrun") == ("gemini-pro", "grok")
    assert _with_keys("OPENROUTER_API_KEY").lost_without("blockrun") == ()


def test_without_any_provider_stand_ins_play_every_model_and_keep_its_kin() -> None:
    found = _with_keys()
    assert found.rehearsal
    assert set(found.models) == set(loaded(shipped()).models)
    opus = found.model("opus")
    assert opus is not None
    assert (opus.provider, opus.kind, opus.wire_model) == ("rehearsal", "rehearsal", "claude-opus")
    assert (opus.family, opus.tier) == ("claude", "premium")


def test_a_running_provider_that_serves_no_model_does_not_end_the_rehearsal() -> None:
    """Ollama may run on the machine of somebody who has no key and no route to it."""
    assert _with_keys(unreachable={"blockrun": "nothing answers"}).rehearsal


def test_without_a_rehearsal_provider_nothing_resolves_and_the_reasons_are_told() -> None:
    config = loaded(bent(lambda d: d["providers"].pop("rehearsal")))
    found = resolve_models(config, _no_secret, EVERY_KIND, NO_LOCAL)
    assert not found.rehearsal
    assert found.models == {}
    assert found.why_not("mistral") == (
        "openrouter: OPENROUTER_API_KEY is not set: add it to .env",
    )


def test_a_provider_without_a_key_needs_none() -> None:
    def open_server(data: dict[str, dict[str, dict[str, object]]]) -> None:
        data["providers"]["ollama"] = {"kind": "openai", "baseUrl": "http://127.0.0.1:11434/v1"}
        data["models"]["grok"]["routes"] = [{"provider": "ollama", "model": "grok-small"}]

    found = resolve_models(loaded(bent(open_server)), _no_secret, EVERY_KIND, {})
    grok = found.model("grok")
    assert grok is not None
    assert grok.provider == "ollama"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("claude-opus", "claude-opus"),
        ("Claude-Opus", "claude-opus"),
        ("opus", "claude-opus"),
        (" OPUS ", "claude-opus"),
        ("anthropic/claude-opus-4.6", "claude-opus"),
        ("gpt-5.3-codex", "gpt-codex"),
        ("opuss", None),
        ("", None),
    ],
)
def test_a_model_answers_to_its_key_its_alias_and_its_own_wire_id(
    name: str, key: str | None
) -> None:
    assert canonical(loaded(shipped()), name) == key


def test_a_wire_id_that_two_models_share_means_neither() -> None:
    def share(data: dict[str, dict[str, dict[str, list[object]]]]) -> None:
        data["models"]["grok"]["routes"].append({"provider": "blockrun", "model": "llama"})
        data["models"]["gpt-codex"]["routes"].append({"provider": "openai", "model": "llama"})

    assert canonical(loaded(bent(share)), "llama") is None


def test_a_mistyped_name_is_answered_with_the_nearest() -> None:
    """2.2#44."""
    config = loaded(shipped())
    assert suggest(config, "sonett")[0] == "sonnet"
    assert _with_keys().suggest("claude-opsu")[0] == "claude-opus"
    assert suggest(config, "qqqq") == ()


def _without_blockrun(data: dict[str, Any]) -> None:
    for key in ("gemini-pro", "grok"):
        data["models"][key]["routes"] = [{"provider": "openrouter", "model": key}]


def test_seats_are_taken_by_the_model_then_its_fallback_then_anybody() -> None:
    """E21: one provider only."""

    def no_spare(data: dict[str, Any]) -> None:
        _without_blockrun(data)
        data["panels"]["debate"]["agents"][3].pop("fallback")

    config = loaded(bent(no_spare))
    secrets = {"ANTHROPIC_API_KEY": "secret"}
    found = resolve_models(config, secrets.get, EVERY_KIND, NO_LOCAL)
    seats = sitting(config, found, "debate").seats
    assert [seat.standing for seat in seats] == ["primary", "fallback", "fallback", "substitute"]
    assert [seat.model.key for seat in seats if seat.model] == [
        "claude-opus",
        "claude-sonnet",
        "claude-sonnet",
        "claude-opus",
    ]
    assert len({seat.role for seat in seats}) == 4


def test_without_any_model_the_seats_stay_empty() -> None:
    """E101."""
    config = loaded(bent(lambda data: data["providers"].pop("rehearsal")))
    found = resolve_models(config, _no_secret, EVERY_KIND, NO_LOCAL)
    assert {seat.standing for seat in sitting(config, found, "debate").seats} == {"empty"}


def test_stand_ins_take_every_seat_in_a_rehearsal() -> None:
    seats = sitting(loaded(shipped()), _with_keys(), "vote").seats
    assert {seat.standing for seat in seats} == {"rehearsal"}


def test_the_budget_panel_sits_where_only_blockrun_is_missing() -> None:
    """E102, 2.2#17."""
    now = sitting(loaded(shipped()), _with_keys("ANTHROPIC_API_KEY", "OPENAI_API_KEY"), "debate")
    assert now.budget
    assert [seat.wanted for seat in now.seats] == ["claude-sonnet", "gpt-codex"]


def test_what_a_server_here_has_takes_the_seats_when_nothing_else_is_usable() -> None:
    offers = {"ollama": Offer(("llama3.2:latest", "qwen3:8b"))}
    gone = {"blockrun": NO_LOCAL["blockrun"]}
    config = with_usual_servers(loaded(shipped()))
    found = resolve_models(config, _no_secret, EVERY_KIND, gone, offers)
    assert not found.rehearsal
    assert found.found == ("llama3.2", "qwen3:8b")
    model = found.model("llama3.2:latest")
    assert model is not None
    assert (model.provider, model.wire_model, model.family) == (
        "ollama",
        "llama3.2:latest",
        "llama",
    )
    assert found.model("claude-opus") is None
    now = sitting(config, found, "debate")
    assert not now.budget
    assert [seat.model.key for seat in now.seats if seat.model] == ["llama3.2", "qwen3:8b"] * 2


def test_what_a_server_here_has_is_left_alone_when_a_key_serves_the_panel() -> None:
    offers = {"ollama": Offer(("llama3.2:latest",))}
    secrets = {"OPENROUTER_API_KEY": "secret"}
    config = with_usual_servers(loaded(shipped()))
    found = resolve_models(config, secrets.get, EVERY_KIND, {}, offers)
    assert found.found == ()
    assert found.model("llama3.2") is None


def test_models_that_cost_money_are_not_taken_unasked() -> None:
    """providers 1.1: Blockrun pays with real money."""
    offers = {"blockrun": Offer(("openai/gpt-x",), exact=False, chats_for_free=False)}
    config = loaded(bent(_without_blockrun))
    found = resolve_models(config, _no_secret, EVERY_KIND, {}, offers)
    assert found.rehearsal


def test_a_model_the_server_does_not_have_is_named_with_how_to_get_it() -> None:
    route = {"provider": "ollama", "model": "llama3.3"}
    data = bent(lambda data: data["models"]["grok"].update(routes=[route]))
    data["providers"]["ollama"] = server_at(11434)
    config = loaded(data)
    offers = {"ollama": Offer(("llama3.2:latest",))}
    found = resolve_models(config, _no_secret, EVERY_KIND, {}, offers)
    assert found.why_not("grok") == ("ollama: it has no llama3.3: run `ollama pull llama3.3`",)


@pytest.mark.parametrize("wire", ["llama3.2", "llama3.2:latest", "LLAMA3.2"])
def test_the_tag_everybody_leaves_out_may_be_left_out(wire: str) -> None:
    assert Offer(("llama3.2:latest",)).serves(wire)
