"""What must hold between the parts of the file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.panels.names import folded, role_fault
from tests.panels.panels_data import Data, bent, complaints, loaded, shipped


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda d: d["orchestrator"].update(model="claude-haikuu"), "orchestrator.model"),
        (lambda d: d["synthesis"].update(default="claude-opuss"), "synthesis.default"),
        (lambda d: d["meta"]["models"].append("grokk"), "meta.models[4]"),
        (lambda d: d["premium"].append("grokk"), "premium[6]"),
        (lambda d: d["allowlist"].append("grokk"), "allowlist[12]"),
        (lambda d: d["profiles"]["budget"]["models"].append("grokk"), "profiles.budget.models[2]"),
        (lambda d: d["profiles"]["stronger"].update(fallback="x9"), "profiles.stronger.fallback"),
        (lambda d: d["model_aliases"].update(o3="o3"), "model_aliases.o3"),
        (lambda d: d["models"]["grok-4"].update(standIn="grokk"), "models.grok-4.standIn"),
        (
            lambda d: d["panels"]["vote"]["agents"][2].update(fallback="grokk"),
            "panels.vote.agents[2].fallback",
        ),
    ],
)
def test_every_place_that_names_a_model_is_checked(change: object, place: str) -> None:
    assert callable(change)
    lines = complaints(bent(change))
    assert [line for line in lines if line.startswith(f"{place}: there is no model")], lines


def test_an_alias_may_stand_wherever_a_model_is_named_and_is_read_as_the_model() -> None:
    def shorten(data: Data) -> None:
        data["panels"]["debate"]["agents"][0].update(model="opus", fallback="SONNET")
        data["meta"]["models"] = ["codex"]
        data["models"]["grok-4"]["standIn"] = "gpt5"
        data["synthesis"]["default"] = "anthropic/claude-opus-4.6"

    config = loaded(bent(shorten))
    assert config.panels.debate.agents[0].model == "claude-opus"
    assert config.panels.debate.agents[0].fallback == "claude-sonnet"
    assert config.meta.models == ("gpt-5.3-codex",)
    assert config.models["grok-4"].stand_in == "gpt"
    assert config.synthesis.default == "opus-4.6"


def test_an_alias_of_an_alias_is_refused() -> None:
    data = bent(lambda d: d["model_aliases"].update(best="opus"))
    assert complaints(data) == [
        "model_aliases.best: 'opus' is itself an alias; write 'claude-opus' instead"
    ]


@pytest.mark.parametrize("name", ["grok", "GROK", "Budget"])
def test_an_alias_never_hides_a_model_or_a_profile(name: str) -> None:
    data = bent(lambda d: d["model_aliases"].update({name: "claude-opus"}))
    (line,) = complaints(data)
    assert line.startswith(f"model_aliases.{name}: has the same name as ")


@pytest.mark.parametrize("role", ["devils_advocate", "DEVIL’S ADVOCATE", "Devils Advocate"])
def test_roles_of_a_panel_differ_by_more_than_case_underscores_and_apostrophes(role: str) -> None:
    """3.1."""
    data = bent(lambda d: d["panels"]["debate"]["agents"][3].update(role=role))
    (line,) = complaints(data)
    assert line.startswith("panels.debate.agents[3].role: ")
    assert "too similar to the role of agents[1]" in line


def test_two_panels_may_share_a_role() -> None:
    roles = [a.role for _, panel in loaded(shipped()).panels.items() for a in panel.agents]
    assert roles.count("Analyst") == 2


@pytest.mark.parametrize(
    "role",
    [
        "A",
        "x" * 81,
        "Discord Expert",
        "CLYDE",
        "ｄｉｓｃｏｒｄ",
        "everyone",
        "Here",
        "a```b",
        "two\nlines",
        "zero\u200bwidth",
        "right\u202eleft",
        " padded",
        "@mods",
        "Cost: low",
        "[PROMPT]",
        "!!!",
        "Coordinator",
        "Roundtable",
        "",
    ],
)
def test_a_role_discord_or_the_score_format_would_refuse_is_refused(role: str) -> None:
    data = bent(lambda d: d["panels"]["debate"]["agents"][0].update(role=role))
    (line,) = complaints(data)
    assert line.startswith("panels.debate.agents[0].role: ")


@pytest.mark.parametrize(
    "role", ["Devil's Advocate", "Red_Teamer", "Adherent", "Ökonomin", "批評家", "x" * 80]
)
def test_ordinary_roles_are_accepted(role: str) -> None:
    assert role_fault(role) is None


@given(st.text(max_size=90))
def test_an_accepted_role_can_always_be_told_from_others(role: str) -> None:
    assert role_fault(role) is not None or folded(role)


def test_a_panel_has_no_more_seats_than_the_limit() -> None:
    data = bent(lambda d: d["limits"].update(maxSeats=3))
    lines = complaints(data)
    assert "panels.debate.agents: has 4 seats; limits.maxSeats is 3: remove 1" in lines


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda d: d["panels"]["vote"]["agents"][0], "panels.vote.agents[0].model"),
        (lambda d: d["panels"]["vote"]["agents"][0], "panels.vote.agents[0].fallback"),
        (lambda d: d["profiles"]["stronger"], "profiles.stronger.fallback"),
    ],
)
def test_the_orchestrator_takes_no_seat_not_even_as_a_fallback(change: object, place: str) -> None:
    """E7, E44."""
    assert callable(change)
    data = shipped()
    change(data)[place.rpartition(".")[2]] = "haiku"
    assert complaints(data) == [
        f"{place}: 'claude-haiku' is the orchestrator and cannot take a seat; choose another model"
    ]


def test_the_analysts_may_not_seat_the_orchestrator() -> None:
    """E44."""
    data = bent(lambda d: d["allowlist"].append("claude-haiku"))
    (line,) = complaints(data)
    assert line.startswith("allowlist[12]: 'claude-haiku' is the orchestrator")


def test_one_premium_model_sits_on_no_panel() -> None:
    """E46."""
    data = bent(lambda d: d.update(premium=d["premium"][:4]))
    (line,) = complaints(data)
    assert line.startswith("panels: every premium model has a seat on some panel")


def test_the_orchestrator_does_not_count_as_the_neutral_writer() -> None:
    """E46."""

    def swap(data: Data) -> None:
        data["premium"] = [*data["premium"][:4], "claude-haiku"]

    assert len(complaints(bent(swap))) == 1


def test_the_straight_path_fits_into_the_run() -> None:
    """2.2#22: 10 + 90 + 2 x 60 + 180 + 60 = 460; summaries are written beside that."""
    assert complaints(bent(lambda d: d["timeouts"].update(run=460))) == []
    (line,) = complaints(bent(lambda d: d["timeouts"].update(run=459)))
    assert line.startswith("timeouts.run: is 459; ")
    assert "raise it to 460" in line


def test_the_budget_profile_must_exist() -> None:
    """E102."""
    data = bent(lambda d: d["profiles"].pop("budget"))
    assert [line for line in complaints(data) if line.startswith("profiles.budget.models: missing")]


def test_a_model_is_listed_once() -> None:
    data = bent(lambda d: d["premium"].append("mistral"))
    assert complaints(data) == ["premium[6]: 'mistral-large' is listed twice; remove one"]


def test_a_panels_own_arbiter_settings_win_over_the_files() -> None:
    data = bent(lambda d: d["panels"]["vote"].update(arbiter={"maxBotHops": 2}))
    config = loaded(data)
    assert config.arbiter_for("vote").max_bot_hops == 2
    assert config.arbiter_for("vote").lease_ms == config.arbiter.lease_ms
    assert config.arbiter_for("debate").max_bot_hops == 16


def test_the_names_of_secrets_are_known_for_redaction() -> None:
    assert loaded(shipped()).secret_names() == (
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "XAI_API_KEY",
        "MISTRAL_API_KEY",
        "DEEPSEEK_API_KEY",
        "OPENROUTER_API_KEY",
        "GITHUB_TOKEN",
        "GITLAB_TOKEN",
    )


def test_keys_written_into_the_file_are_known_for_redaction_unless_they_are_placeholders() -> None:
    hosted = {"kind": "openai", "baseUrl": "https://models.example.org/v1", "apiKey": "sk-literal"}
    config = loaded(bent(lambda d: d["providers"].update(hosted=hosted)))
    assert config.literal_keys() == ("sk-literal",)
