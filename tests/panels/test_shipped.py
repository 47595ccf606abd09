from bot.panels import MODES, Timeouts, load_panels
from bot.panels.config import ModeName
from bot.panels.sections import Search
from tests.panels.panels_data import SHIPPED, shipped


def _pairs(mode: ModeName) -> list[tuple[str, str]]:
    return [(agent.role, agent.model) for agent in load_panels(SHIPPED).panels.of(mode).agents]


def test_debate_panel_pairs_models_and_roles() -> None:
    """E118: in the order they speak."""
    assert _pairs("debate") == [
        ("Advocate", "claude-opus"),
        ("Devil's Advocate", "gpt"),
        ("Analyst", "gemini-pro"),
        ("Contrarian", "grok"),
    ]


def test_build_panel_pairs_models_and_roles() -> None:
    """E119."""
    assert _pairs("build") == [
        ("Architect", "claude-opus"),
        ("Reviewer", "gemini-pro"),
        ("Engineer", "grok"),
        ("Implementer", "gpt"),
    ]


def test_redteam_panel_pairs_models_and_roles() -> None:
    """E120."""
    assert _pairs("redteam") == [
        ("Defender", "claude-opus"),
        ("Analyst", "gemini-pro"),
        ("Attacker", "grok"),
        ("Red Teamer", "gpt"),
    ]


def test_vote_panel_seats_the_four_models() -> None:
    """E121: none of them twice."""
    assert _pairs("vote") == [
        ("Strategist", "claude-opus"),
        ("Skeptic", "gemini-pro"),
        ("User's Voice", "grok"),
        ("Pragmatist", "gpt"),
    ]


def test_every_seat_has_a_fallback_and_a_perspective_of_its_own() -> None:
    """E122: the model that stands in is a steady one that sits nowhere itself."""
    panels = load_panels(SHIPPED).panels
    seats = [agent for mode in MODES for agent in panels.of(mode).agents]
    assert {agent.fallback for agent in seats} == {"claude-sonnet"}
    assert "claude-sonnet" not in {agent.model for agent in seats}
    perspectives = [agent.perspective for agent in seats]
    assert all(perspectives)
    assert len(set(perspectives)) == len(seats)


def test_every_route_of_a_model_leads_to_that_model() -> None:
    """E118 E119 E120 E121 E122: seats mean the newest of their line, names of the seeds one id."""
    models = load_panels(SHIPPED).models
    ids = {
        "claude-opus": {"claude-opus-*"},
        "claude-sonnet": {"claude-sonnet-*"},
        "claude-haiku": {"claude-haiku-*"},
        "gpt": {"gpt-*-sol", "gpt-*"},
        "gpt-mid": {"gpt-*-terra", "gpt-*-mini"},
        "gpt-small": {"gpt-*-luna", "gpt-*-nano"},
        "gemini-pro": {"gemini-*-argon", "gemini-*-pro*"},
        "gemini-flash": {"gemini-*-flash*"},
        "gemini-lite": {"gemini-*-flash-lite*"},
        "grok": {"grok-*"},
        "grok-mid": {"grok-4.3*", "grok-*-non-reasoning", "grok-*-fast*", "grok-*-fast"},
        "mistral-large": {"mistral-large-*"},
        "mistral-medium": {"mistral-medium-*"},
        "mistral-small": {"mistral-small-*"},
        "deepseek-pro": {"deepseek-*-pro"},
        "deepseek-flash": {"deepseek-*-flash", "deepseek-flash", "deepseek-*-flash*"},
        "opus-4.6": {"claude-opus-4-6", "claude-opus-4.6"},
        "gpt-5.3-codex": {"gpt-5.3-codex"},
        "gemini-3.1-pro": {"gemini-3.1-pro", "gemini-3.1-pro-preview"},
        "grok-4": {"grok-4", "grok-4-0709"},
    }
    makers = {"claude": "anthropic", "gpt": "openai", "gemini": "google", "grok": "xai"}
    makers |= {family: family for family in ("mistral", "deepseek")}
    gateways = {
        "blockrun": makers,
        "openrouter": makers | {"grok": "x-ai", "mistral": "mistralai"},
    }
    found: dict[str, set[str]] = {}
    for name, model in models.items():
        for route in model.routes:
            maker, _, id_ = route.model.rpartition("/")
            assert maker == gateways.get(route.provider, {}).get(model.family, ""), name
            found.setdefault(name, set()).add(id_)
    assert found == ids
    assert {name: model.stand_in for name, model in models.items() if model.stand_in} == {
        "opus-4.6": "claude-opus",
        "gpt-5.3-codex": "gpt",
        "gemini-3.1-pro": "gemini-pro",
        "grok-4": "grok",
    }


def test_agreement_ends_rounds_except_where_it_is_suspicious_or_a_second_ballot_is_due() -> None:
    """2.2#5."""
    panels = load_panels(SHIPPED).panels
    exits = {mode: panels.of(mode).early_exit for mode in MODES}
    assert exits == {
        "debate": True,
        "build": True,
        "redteam": False,
        "vote": False,
        "default": True,
    }


def test_four_analysts_design_a_meeting() -> None:
    """E40: the four premium models of the panels, each once."""
    config = load_panels(SHIPPED)
    assert config.meta.models == ("claude-opus", "gpt", "gemini-pro", "grok")


def test_budget_profile_has_two_models() -> None:
    """E19."""
    assert len(load_panels(SHIPPED).profiles["budget"].models) == 2


def test_timeouts_are_the_agreed_ones() -> None:
    """E40 E79 E84 E123, 2.2#22."""
    t = load_panels(SHIPPED).timeouts
    assert (t.search, t.meta, t.round, t.validation, t.synthesis, t.run) == (
        10,
        90,
        60,
        60,
        180,
        600,
    )


def test_a_search_asks_for_five_results_within_ten_seconds() -> None:
    """E33 E34: in the file, and where a file does not say it."""
    config = load_panels(SHIPPED)
    for search, timeouts in ((config.search, config.timeouts), (Search(), Timeouts())):
        assert (search.count, timeouts.search) == (5, 10)


def test_the_most_capable_model_concludes_unless_another_one_is_chosen() -> None:
    """E84."""
    assert load_panels(SHIPPED).synthesis.default == "claude-opus"


def test_the_file_says_what_the_defaults_are() -> None:
    """D10-D19: leaving a section of plain settings out changes nothing."""
    data = shipped()
    whole = load_panels(SHIPPED)
    for section in ("output", "trigger", "timeouts", "limits", "budgets", "arbiter", "followups"):
        assert type(getattr(whole, section))() == getattr(whole, section), section
        assert data[section]


def test_the_local_configuration_asks_nothing_of_the_network() -> None:
    """Issue 7: `make run LOCAL=1` works on a machine that reaches nothing but a package index."""
    config = load_panels(SHIPPED.with_name("panels.local.json"))
    assert {provider.kind for provider in config.providers.values()} == {"local"}
    assert config.search.provider == "off"
    roles = {mode: [agent.role for agent in config.panels.of(mode).agents] for mode in MODES}
    usual = load_panels(SHIPPED).panels
    assert roles == {mode: [agent.role for agent in usual.of(mode).agents] for mode in MODES}
