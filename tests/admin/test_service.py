"""Admins see which id a model means now."""

from bot.admin.service import model_findings, show_text
from bot.models.registry import ADAPTERS
from bot.panels import resolve_models
from tests.panels.panels_data import loaded, shipped

CONFIG = loaded(shipped())
NOTHING_HERE = dict.fromkeys(("blockrun", "ollama", "lmstudio", "vllm", "llamacpp"), "silent")
FOUND = resolve_models(CONFIG, {"ANTHROPIC_API_KEY": "k"}.get, ADAPTERS, NOTHING_HERE)


def test_a_panel_shows_the_id_of_each_seat() -> None:
    text = show_text(CONFIG, FOUND, "debate")
    assert "- **Advocate**: claude-opus, now claude-opus-5-5, through anthropic" in text
    assert "now claude-sonnet-5-5, through anthropic (fallback for gpt)" in text


def test_the_doctor_names_the_ids_and_only_what_seats_miss() -> None:
    usable, *missing = model_findings(CONFIG, FOUND)
    assert "claude-opus (claude-opus-5-5 through anthropic)" in usable.what
    assert [finding.what.partition(" ")[0] for finding in missing] == ["gpt", "gemini-pro", "grok"]
