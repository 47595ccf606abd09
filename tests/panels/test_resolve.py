"""Which provider serves which model."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from bot.panels import MODES, Resolution, canonical, opposing, resolve_models, sitting, suggest
from bot.panels.config import ModeName
from bot.panels.machine import with_usual_servers
from bot.panels.offers import Offer
from tests.keys.recorded_lists import recorded
from tests.panels.panels_data import bent, loaded, server_at, shipped

EVERY_KIND = frozenset({"openai", "anthropic", "gemini", "acp", "local", "rehearsal"})
NO_LOCAL = {
    "blockrun": "nothing is listening at 127.0.0.1:8402: start Blockrun",
    "ollama": "nothing is listening at 127.0.0.1:11434: start Ollama",
}


def _no_secret(_: str) -> None:
    return None


def _with_keys(
    *names: str,
    adapters: frozenset[str] = EVERY_KIND,
    unreachable: dict[str, str] = NO_LOCAL,
    offers: Mapping[str, Offer] | None = None,
) -> Resolution:
    secrets = dict.fromkeys(names, "secret")
    return resolve_models(loaded(shipped()), secrets.get, adapters, unreachable, offers or {})


def _listed(*ids: str, provider: str = "") -> Offer:
    """A list as the provider itself gives it, as recorded or of these ids."""
    return Offer(ids or recorded(provider), chats_for_free=False, hosted=True)


BLOCKRUN = Offer(recorded("blockrun"), exact=False, chats_for_free=False)


def test_the_first_usable_route_wins() -> None:
    found = _with_keys("ANTHROPIC_API_KEY", "OPENROUTER_API_KEY").model("claude-opus")
    assert found is not None
    assert (found.provider, found.kind, found.wire_model) == (
        "anthropic",
        "anthropic",
        "claude-opus-5-5",
    )


def test_one_openrouter_key_serves_every_model() -> None:
    found = _with_keys("OPENROUTER_API_KEY", offers={"openrouter": _listed(provider="openrouter")})
    assert {key for key in found.reasons if found.model(key) is None} == set()
    assert {model.provider for model in found.models.values()} == {"openrouter"}
    assert not found.rehearsal


def test_a_missing_key_is_named_with_what_to_do() -> None:
    found = _with_keys("OPENAI_API_KEY")
    assert found.providers["anthropic"] == "ANTHROPIC_API_KEY is not set: add it to .env"
    assert found.why_not("opus") == (
        "anthropic: ANTHROPIC_API_KEY is not set: add it to .env",
        "blockrun: nothing is listening at 127.0.0.1:8402: start Blockrun",
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


def test_blockrun_serves_what_no_key_does_when_it_runs() -> None:
    """E22."""
    found = _with_keys("ANTHROPIC_API_KEY", unreachable={}, offers={"blockrun": BLOCKRUN})
    served = {key: (m.provider, m.wire_model) for key, m in found.models.items()}
    assert served["claude-opus"] == ("anthropic", "claude-opus-5-5")
    assert served["grok"] == ("blockrun", "xai/grok-4.5")
    assert served["gemini-pro"] == ("blockrun", "google/gemini-3.1-pro")
    assert served["gpt"] == ("blockrun", "openai/gpt-5.6-sol")


def test_models_lost_without_blockrun_are_known() -> None:
    """E102, 2.2#17."""
    lost = _with_keys("ANTHROPIC_API_KEY").lost_without("blockrun")
    assert {"gpt", "gemini-pro", "grok"} <= set(lost)
    assert not {"claude-opus", "opus-4.6"} & set(lost)
    assert _with_keys("OPENROUTER_API_KEY").lost_without("blockrun") == ()


def test_a_provider_that_refuses_the_key_serves_nothing() -> None:
    found = _with_keys("OPENAI_API_KEY", unreachable={**NO_LOCAL, "openai": "it rejected the key"})
    assert found.rehearsal
    assert found.providers["openai"] == "it rejected the key"


def test_an_exact_id_that_is_not_listed_is_named_with_the_nearest_that_is() -> None:
    route = {"provider": "openrouter", "model": "x-ai/grok-4"}
    config = loaded(bent(lambda data: data["models"]["grok"].update(routes=[route])))
    offers = {"openrouter": _listed(provider="openrouter")}
    found = resolve_models(config, {"OPENROUTER_API_KEY": "k"}.get, EVERY_KIND, NO_LOCAL, offers)
    assert found.model("grok") is None
    (reason,) = found.why_not("grok")
    assert reason.startswith("openrouter: it does not list x-ai/grok-4; the closest is x-ai/")


@pytest.mark.parametrize(
    ("wire", "listed"),
    [
        ("claude-haiku-4-5", "claude-haiku-4-5-20251001"),
        ("x-ai/grok-4.7:online", "x-ai/grok-4.7"),
        ("GPT-5.5", "gpt-5.5"),
    ],
)
def test_an_exact_id_may_leave_out_what_providers_let_one_leave_out(wire: str, listed: str) -> None:
    assert _listed(listed).serves(wire)
    assert not _listed(listed).serves(f"{wire}-x")


def test_a_gateway_that_may_know_more_than_it_lists_is_asked_for_an_exact_id() -> None:
    route = {"provider": "blockrun", "model": "xai/grok-4"}
    config = loaded(bent(lambda data: data["models"]["grok"].update(routes=[route])))
    found = resolve_models(config, _no_secret, EVERY_KIND, {}, {"blockrun": BLOCKRUN})
    assert found.models["grok"].wire_model == "xai/grok-4"


def test_the_newest_id_of_a_known_price_is_taken_for_no_other_may_be_called() -> None:
    offers = {"anthropic": _listed("claude-opus-9", "claude-opus-5-5")}
    config = loaded(shipped())

    def known(_: object, wire: str) -> bool:
        return wire == "claude-opus-5-5"

    secrets = {"ANTHROPIC_API_KEY": "k"}
    found = resolve_models(config, secrets.get, EVERY_KIND, NO_LOCAL, offers, known)
    assert found.models["claude-opus"].wire_model == "claude-opus-5-5"
    told = replace(offers["anthropic"], priced=frozenset({"claude-opus-9"}))
    found = resolve_models(config, secrets.get, EVERY_KIND, NO_LOCAL, {"anthropic": told}, known)
    assert found.models["claude-opus"].wire_model == "claude-opus-9"


@pytest.mark.parametrize(
    ("name", "provider", "served"),
    [
        ("opus-4.6", "anthropic", "claude-opus-4-6"),
        ("gpt-5.3-codex", "openai", "gpt-5.3-codex"),
        ("gemini-3.1-pro", "gemini", "gemini-3.1-pro-preview"),
        ("grok-4", "xai", "grok-4.7"),
        ("opus-4.6", "blockrun", "anthropic/claude-opus-5.5"),
        ("gemini-3.1-pro", "blockrun", "google/gemini-3.1-pro"),
        ("grok-4", "openrouter", "x-ai/grok-4.7"),
    ],
)
def test_a_seeds_name_means_that_model_or_the_newest_of_its_line(
    name: str, provider: str, served: str
) -> None:
    config = loaded(shipped())
    offer = BLOCKRUN if provider == "blockrun" else _listed(provider=provider)
    secrets = {f"{provider.upper()}_API_KEY": "k"}
    local = {} if provider == "blockrun" else NO_LOCAL
    found = resolve_models(config, secrets.get, EVERY_KIND, local, {provider: offer}).model(name)
    assert found is not None
    assert found.wire_model == served


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
    assert found.why_not("mistral")[0] == "mistral: MISTRAL_API_KEY is not set: add it to .env"


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
        ("anthropic/claude-opus-4.6", "opus-4.6"),
        ("gpt-5.3-codex", "gpt-5.3-codex"),
        ("gpt-codex", "gpt"),
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
        data["models"]["gpt"]["routes"].append({"provider": "openai", "model": "llama"})

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


def test_seats_without_their_model_take_the_family_that_sits_least() -> None:
    """2.2#17: those that have their own model are counted first."""
    found = _with_keys("ANTHROPIC_API_KEY", "OPENAI_API_KEY")
    now = sitting(loaded(shipped()), found, "redteam")
    assert not now.budget
    assert [seat.model.key for seat in now.seats if seat.model] == [
        "claude-opus",
        "claude-sonnet",
        "gpt-mid",
        "gpt",
    ]


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("mode", MODES)
def test_small_panels_have_somebody_on_either_side(mode: ModeName, seats: int) -> None:
    agents = loaded(shipped()).panels.of(mode).agents
    chosen = opposing(agents, seats)
    assert len(chosen) == seats
    assert {"for", "against"} <= {agent.side for agent in chosen}
    assert sorted(chosen, key=agents.index) == list(chosen)


def test_a_panel_without_sides_gives_its_first_seats() -> None:
    def no_sides(data: dict[str, Any]) -> None:
        for agent in data["panels"]["redteam"]["agents"]:
            agent.pop("side", None)

    agents = loaded(bent(no_sides)).panels.redteam.agents
    assert opposing(agents, 2) == agents[:2]


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
    offers = {"blockrun": Offer(("acme/model-x",), exact=False, chats_for_free=False)}
    config = loaded(shipped())
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
