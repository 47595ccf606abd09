"""The running bot asks providers for their lists when it starts, and keeps them."""

from pathlib import Path
from typing import Any

from tests.e2e.playground_harness import open_harness
from tests.models.test_lists import provider_that

FILE = "model-lists.json"


async def test_the_newest_model_of_the_list_is_taken_at_the_start(tmp_path: Path) -> None:
    listed = {"data": [{"id": "claude-opus-5"}, {"id": "claude-opus-7"}], "has_more": False}
    async with provider_that(lambda _: listed, "anthropic") as provider:

        def edit(panels: dict[str, Any]) -> None:
            panels["providers"]["anthropic"] = {
                "kind": "anthropic",
                "baseUrl": provider.base_url,
                "apiKeyEnv": "ANTHROPIC_API_KEY",
            }

        key = {"ANTHROPIC_API_KEY": "sk-test-0123456789"}
        async with open_harness(tmp_path, environ=key, edit_panels=edit) as table:
            models = table.session.app.resolution.models
    assert models["claude-opus"].wire_model == "claude-opus-7"
    assert "claude-sonnet" not in models
    assert "claude-opus-7" in (tmp_path / FILE).read_text(encoding="utf-8")
