"""What is said about JSON of the wrong shape."""

import json
from typing import Any

import pytest

from bot.panels.shape import at
from tests.panels.panels_data import Data, bent, complaints, loaded, shipped


def _with(path: tuple[str | int, ...], value: Any) -> Data:
    data = shipped()
    at(data, path[:-1])[path[-1]] = value
    return data


def test_an_unknown_key_is_refused_with_the_nearest_known_one() -> None:
    data = _with(("panels", "debate", "agents", 1, "fallbak"), "claude-opus")
    assert complaints(data) == [
        "panels.debate.agents[1].fallbak: unknown key; did you mean 'fallback'?"
    ]


def test_an_unknown_key_like_no_other_is_refused_with_all_known_ones() -> None:
    (line,) = complaints(_with(("followups", "zzz"), 1))
    assert line == (
        "followups.zzz: unknown key; remove it (known here: openFloor, maxCallsPerEpoch, "
        "cooldownSeconds)"
    )


def test_an_unknown_key_inside_a_provider_is_compared_with_the_keys_of_its_kind() -> None:
    data = _with(("providers", "anthropic", "bseUrl"), "https://example.org")
    assert complaints(data) == ["providers.anthropic.bseUrl: unknown key; did you mean 'baseUrl'?"]


def test_every_problem_of_the_file_is_listed_at_once() -> None:
    def spoil(data: Data) -> None:
        data["limits"]["maxRounds"] = 4
        data["limits"]["maxSeets"] = 8
        data["panels"]["vote"]["agents"][0]["model"] = "opsu"
        data["models"]["grok"]["routes"][0]["provider"] = "blokrun"
        data["orchestrator"]["model"] = "opus"

    lines = complaints(bent(spoil))
    wanted = (
        "limits.maxRounds: is 4; the maximum is 3",
        "limits.maxSeets: unknown key; did you mean 'maxSeats'?",
        "panels.vote.agents[0].model: there is no model 'opsu'; did you mean 'opus'?",
        "models.grok.routes[0].provider: there is no provider 'blokrun'; did you mean 'blockrun'?",
        (
            "allowlist[0]: 'claude-opus' is the orchestrator and cannot take a seat; choose "
            "another model"
        ),
    )
    assert [line for line in wanted if line not in lines] == []


@pytest.mark.parametrize("mode", ["debate", "build", "redteam", "vote", "default"])
def test_every_panel_must_be_there(mode: str) -> None:
    data = bent(lambda d: d["panels"].pop(mode))
    assert [line for line in complaints(data) if line.startswith(f"panels.{mode}: missing")]


def test_a_missing_section_says_what_it_is_for() -> None:
    data = bent(lambda d: d.pop("orchestrator"))
    assert complaints(data) == [
        "orchestrator: missing; add it (The model that coordinates and never argues)"
    ]


def test_plain_settings_may_be_left_out() -> None:
    optional = ("output", "trigger", "timeouts", "limits", "budgets", "arbiter", "servers")
    data = bent(lambda d: [d.pop(section) for section in optional])
    assert loaded(data) == loaded(shipped())


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("trigger", "maxConcurrent"), "3", "is text; write a whole number"),
        (("trigger", "maxConcurrent"), True, "is true; write a whole number"),
        (("output", "plain"), 1, "is the number 1; write true or false"),
        (("output",), [], "is a list; write an object in { }"),
        (("premium",), {}, "is an object; write a list in [ ]"),
        (("timeouts", "round"), None, "is null; write a number"),
        (("timeouts", "round"), 0, "is 0; write a number above 0"),
        (("limits", "maxRounds"), 0, "is 0; the minimum is 1"),
        (("budgets", "perRunUsd"), -1, "is -1; the minimum is 0"),
        (("search", "provider"), "tavly", "is 'tavly'; did you mean 'tavily'?"),
        (("output", "autoArchiveMinutes"), 90, "is the number 90; use 60, 1440, 4320 or 10080"),
        (("panels", "vote", "speechOrder"), "loud", "is 'loud'; use 'fixed', 'random'"),
        (("meta", "models"), [], "has too few entries; add at least 1"),
        (("meta", "models"), ["opus"] * 9, "has 9 entries; the maximum is 8"),
        (("panels", "vote", "agents"), [], "has too few entries; add at least 1"),
        (("toolsets",), ["roundtables"], "did you mean 'roundtable'?"),
        (
            ("providers", "harness"),
            {"kind": "acp", "command": ["codex-acp"], "toolsets": ["roundtable"]},
            'add "network": true, or remove toolsets',
        ),
    ],
)
def test_a_wrong_value_says_what_to_write(
    path: tuple[str | int, ...], value: Any, said: str
) -> None:
    lines = complaints(_with(path, value))
    assert [line for line in lines if said in line], lines


@pytest.mark.parametrize(
    ("key", "value", "minimum"),
    [
        ("leaseMs", 999, 1000),
        ("settleMs", 249, 250),
        ("botReopenCooldownMs", -1, 0),
        ("epochIdleMs", 59_999, 60_000),
        ("maxBotHops", 0, 1),
        ("maxPromptChars", 3999, 4000),
    ],
)
@pytest.mark.parametrize("where", [("arbiter",), ("panels", "vote", "arbiter")])
def test_arbiter_values_below_their_clamp_are_refused_with_the_minimum(
    where: tuple[str, ...], key: str, value: int, minimum: int
) -> None:
    """3.2."""
    (line,) = complaints(_with((*where, key), value))
    assert line == f"{'.'.join((*where, key))}: is {value}; the minimum is {minimum}"


@pytest.mark.parametrize("given", [1234567890123456789, "1234567890123456789"])
def test_discord_ids_may_be_numbers_or_strings(given: int | str) -> None:
    assert loaded(_with(("output", "target"), given)).output.target == 1234567890123456789


@pytest.mark.parametrize("given", ["#general", "12a", "", "-1", -1, 0, 1.5, True, "9" * 30, "١٢٣"])
def test_anything_else_is_no_discord_id(given: Any) -> None:
    (line,) = complaints(_with(("trigger", "channelIds"), [given]))
    assert line.startswith("trigger.channelIds[0]: is not a Discord id")


def test_an_unknown_kind_of_provider_is_refused_with_the_nearest() -> None:
    lines = complaints(_with(("providers", "openai", "kind"), "opnai"))
    assert lines == [
        "providers.openai.kind: 'opnai' is not a provider kind; did you mean 'openai'?"
    ]


def test_a_provider_without_a_kind_is_told_the_kinds() -> None:
    data = bent(lambda d: d["providers"]["openai"].pop("kind"))
    assert "providers.openai.kind: missing; use one of acp, anthropic" in complaints(data)[0]


def test_a_provider_that_needs_a_key_must_name_it() -> None:
    data = bent(lambda d: d["providers"]["anthropic"].pop("apiKeyEnv"))
    assert complaints(data) == [
        'providers.anthropic: has no API key; add "apiKeyEnv" with the name of a variable in .env'
    ]


def test_a_provider_has_one_key_only() -> None:
    data = _with(("providers", "openai", "apiKey"), "abc")
    assert complaints(data) == ["providers.openai: has both apiKeyEnv and apiKey; keep apiKeyEnv"]


@pytest.mark.parametrize("url", ["api.example.org", "ftp://example.org", "http://", "https://a b"])
def test_a_base_url_must_be_one(url: str) -> None:
    (line,) = complaints(_with(("providers", "openai", "baseUrl"), url))
    assert line.startswith("providers.openai.baseUrl: is not a URL")


def test_a_key_written_where_its_name_belongs_is_refused_and_never_repeated() -> None:
    lines = complaints(_with(("providers", "openai", "apiKeyEnv"), "sk-proj-very-secret"))
    assert "write a name such as OPENAI_API_KEY" in lines[0]
    assert "very-secret" not in "".join(lines)


def test_a_password_in_a_url_is_refused_and_never_repeated() -> None:
    data = _with(("providers", "openai", "baseUrl"), "https://me:hunter22@example.org/v1")
    (line,) = complaints(data)
    assert "put secrets into .env" in line
    assert "hunter22" not in line


def test_a_literal_key_never_shows_in_the_configuration() -> None:
    assert "x402" not in repr(loaded(shipped()))


def test_names_that_could_not_be_typed_after_panel_are_refused() -> None:
    data = _with(("model_aliases", "my opus"), "claude-opus")
    (line,) = complaints(data)
    assert line == (
        "model_aliases['my opus']: is not a valid name; use letters, digits and . _ : / - without "
        "spaces"
    )


def test_control_characters_of_the_file_are_not_printed() -> None:
    (line,) = complaints(_with(("limits", "\x1b[31mred"), 1))
    assert "\x1b" not in line


@pytest.mark.parametrize(
    "avatar", ["http://example.org/a.png", "data:image/png;base64,AA", "a.png"]
)
def test_an_avatar_is_https(avatar: str) -> None:
    data = _with(("panels", "debate", "agents", 0, "avatar"), avatar)
    assert complaints(data) == [
        "panels.debate.agents[0].avatar: is not a URL; write one that starts with https://"
    ]


def test_optional_keys_of_seats_and_models_are_read() -> None:
    def add(data: Data) -> None:
        seat = data["panels"]["debate"]["agents"][0]
        seat.update(avatar="https://example.org/a.png", priority=5)
        data["models"]["grok"]["price"] = {"inputPerMillion": 3, "outputPerMillion": 15.5}

    config = loaded(bent(add))
    assert config.panels.debate.agents[0].priority == 5
    price = config.models["grok"].price
    assert price is not None
    assert price.output_per_million == 15.5


def test_snake_case_is_no_substitute_for_the_key_of_the_file() -> None:
    data = bent(lambda d: d["output"].update(use_threads=d["output"].pop("useThreads")))
    assert complaints(data) == ["output.use_threads: unknown key; did you mean 'useThreads'?"]


def test_every_kind_of_provider_has_its_own_keys() -> None:
    def add(data: Data) -> None:
        data["providers"]["codex"] = {"kind": "acp", "command": ["codex", "acp"]}
        data["providers"]["small"] = {"kind": "local", "modelPath": "small.gguf", "threads": 2}

    assert {p.kind for p in loaded(bent(add)).providers.values()} == {
        "openai",
        "anthropic",
        "gemini",
        "acp",
        "local",
        "rehearsal",
    }


def test_any_json_value_anywhere_is_answered_with_sentences_not_with_a_crash() -> None:
    values: list[Any] = [None, 1, "x", [], {}, [[]], {"x": {"x": []}}, [None], {"": None}]
    for key in shipped():
        for value in values:
            lines = complaints({**shipped(), key: value})
            assert all(": " in line for line in lines), json.dumps({key: value})
