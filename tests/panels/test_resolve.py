"""Which provider serves which model."""

import pytest

from bot.panels import Resolution, canonical, resolve_models, seats_now, suggest
from tests.panels.files import bent, loaded, shipped

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
        data["providers"]["ollama"].pop("apiKey")
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
        data["models"]["grok"]["routes"].append({"provider": "ollama", "model": "llama"})
        data["models"]["gpt-codex"]["routes"].append({"provider": "openai", "model": "llama"})

    assert canonical(loaded(bent(share)), "llama") is None


def test_a_mistyped_name_is_answered_with_the_nearest() -> None:
    """2.2#44."""
    config = loaded(shipped())
    assert suggest(config, "sonett")[0] == "sonnet"
    assert _with_keys().suggest("claude-opsu")[0] == "claude-opus"
    assert suggest(config, "qqqq") == ()


def test_seats_are_taken_by_the_model_then_its_fallback_then_nobody() -> None:
    """E21, E101."""
    config = loaded(bent(lambda d: d["panels"]["debate"]["agents"][3].pop("fallback")))
    secrets = {"ANTHROPIC_API_KEY": "secret"}
    found = resolve_models(config, secrets.get, EVERY_KIND, NO_LOCAL)
    seats = seats_now(config, found, "debate")
    assert [seat.standing for seat in seats] == ["primary", "fallback", "fallback", "empty"]
    assert seats[1].model is not None
    assert seats[1].model.key == "claude-sonnet"


def test_stand_ins_take_every_seat_in_a_rehearsal() -> None:
    seats = seats_now(loaded(shipped()), _with_keys(), "vote")
    assert {seat.standing for seat in seats} == {"rehearsal"}
