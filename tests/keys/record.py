"""Writes tests/keys/catalogues: which ids each provider served on a day, and where that is written.

`python -m tests.keys.record` takes what the installed genai-prices knows and corrects it by the
providers' own pages, named below. Nobody's key is needed, so nothing here is a live answer.
"""

import json
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from genai_prices.data import providers

CATALOGUES = Path(__file__).parent / "catalogues"
DATE = "2026-11-17"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to take of the price list, and what the provider's pages say besides."""

    listed_as: str | None
    pages: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    """What every id begins with; the price list also names other vendors' models at Google."""


RECIPES = {
    "anthropic": Recipe(
        "anthropic",
        pages=("https://platform.claude.com/docs/en/api/models-list",),
        retired=("claude-2", "claude-v1", "claude-3-sonnet", "claude-3-5-sonnet"),
        also=("claude-haiku-4-5-20251001", "claude-opus-4-5-20251101"),
    ),
    "openai": Recipe(
        "openai",
        pages=("https://developers.openai.com/api/reference/resources/models",),
        retired=("ada", "babbage", "curie", "davinci", "moderation", "gpt-5.3", "computer-use"),
        also=("gpt-5.3-chat-latest", "gpt-5.5-2026-04-23", "omni-moderation-latest"),
    ),
    "gemini": Recipe(
        "google",
        pages=("https://ai.google.dev/api/models",),
        retired=("gemini-pro", "gemini-pro-1.5", "gemini-flash-1.5", "gemini-flash-1.5-8b"),
        also=("gemini-flash-latest", "gemini-flash-lite-latest"),
        only=("gemini-", "gemma-"),
    ),
    "xai": Recipe(
        "x-ai",
        pages=("https://docs.x.ai/developers/migration/may-15-retirement.md",),
        retired=(
            "grok-4-1-fast-reasoning",
            "grok-4-1-fast-non-reasoning",
            "grok-4-fast-reasoning",
            "grok-4-fast-non-reasoning",
            "grok-4-0709",
            "grok-code-fast-1",
            "grok-2-vision-1212",
            "grok-3",
            "grok-3-fast",
            "grok-3-mini",
            "grok-3-mini-fast",
            "grok-4.20",
        ),
        also=("grok-4.20-reasoning", "grok-4.20-non-reasoning", "grok-imagine-image"),
    ),
    "mistral": Recipe(
        "mistral",
        pages=("https://docs.mistral.ai/api/endpoint/models",),
        retired=("mistral-7b", "mistral-tiny", "mistral-large", "mistral-medium-2312"),
        also=("mistral-large-latest", "codestral-latest"),
        only=(
            "mistral-",
            "ministral-",
            "magistral-",
            "codestral",
            "pixtral",
            "voxtral",
            "devstral",
        ),
    ),
    "deepseek": Recipe(
        None,
        pages=("https://api-docs.deepseek.com/api/list-models",),
        also=("deepseek-flash", "deepseek-v4-pro", "deepseek-v4-flash"),
    ),
    "openrouter": Recipe(
        "openrouter",
        pages=("https://openrouter.ai/docs/api/api-reference/models/get-models",),
        retired=("x-ai/grok-4-fast", "x-ai/grok-code-fast-1"),
    ),
    "blockrun": Recipe(
        None,
        pages=(
            "https://github.com/BlockRunAI/model-catalog (catalog_version 2026.09.29.1)",
            "https://github.com/BlockRunAI/ClawRouter (src/proxy.ts, /v1/models)",
        ),
        also=tuple(
            "auto eco free premium opus sonnet haiku fable flash kimi grok "
            "anthropic/claude-fable-5 anthropic/claude-fable-5.1 anthropic/claude-haiku-4.5 "
            "anthropic/claude-opus-4.5 anthropic/claude-opus-4.7 anthropic/claude-opus-4.8 "
            "anthropic/claude-opus-5 anthropic/claude-opus-5.5 anthropic/claude-sonnet-4.5 "
            "anthropic/claude-sonnet-4.6 anthropic/claude-sonnet-5 anthropic/claude-sonnet-5.5 "
            "openai/gpt-5.6-sol openai/gpt-5.6-terra openai/gpt-5.6-luna google/gemini-3.1-pro "
            "google/gemini-3.6-flash google/gemini-3.5-flash-lite google/gemini-2.5-flash "
            "xai/grok-4.5 xai/grok-4.3 deepseek/deepseek-v4-pro "
            "deepseek/deepseek-v4-flash-vision-exp moonshot/kimi-k3 moonshot/kimi-k2.7 "
            "qwen/qwen3.8-flash qwen/qwen3.7-flash zai/glm-5.3 zai/glm-5.3-flash "
            "minimax/minimax-m3 free/mistral-large-3-675b free/qwen3.5-122b-a10b".split()
        ),
    ),
}


def catalogue(recipe: Recipe) -> dict[str, object]:
    """What one recipe gives."""
    known = {provider.id: provider for provider in providers}
    models = known[recipe.listed_as].models if recipe.listed_as else []
    ids = [model.id for model in models if not model.deprecated and not model.id.startswith("ft:")]
    taken = [i for i in ids if i not in recipe.retired and i.startswith(recipe.only or ("",))]
    prices = [f"genai-prices {version('genai-prices')}"] if recipe.listed_as else []
    return {
        "date": DATE,
        "sources": [*prices, *recipe.pages],
        "models": list(dict.fromkeys([*taken, *recipe.also])),
    }


if __name__ == "__main__":
    for name, recipe in RECIPES.items():
        text = json.dumps(catalogue(recipe), indent=1, ensure_ascii=False)
        (CATALOGUES / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
