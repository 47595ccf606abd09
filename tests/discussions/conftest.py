"""A service for discussions on a real store, with or without a model that looks at rounds."""

import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.discussions.document import ConclusionFolder
from bot.discussions.ports import DiscussionRequest
from bot.discussions.service import Discussions
from bot.discussions.thread import NoThread
from bot.discussions.views import Ended, ParticipantIn
from bot.meeting.dependencies import CoreDependencies
from bot.models.registry import ADAPTERS, ModelRegistry
from bot.money.prices import PriceBook
from bot.panels import parse_panels, resolve_models
from bot.prompting.templates import PromptBook
from bot.settings import SHIPPED_PROMPTS
from bot.store import DATABASE, Store
from tests.panels.panels_data import alone

ARCHITECT = ParticipantIn(profile="architect", role="Architect", perspective="structure")
OPERATOR = ParticipantIn(profile="operator", role="Operator", display_name="Olga")
CRITIC = ParticipantIn(profile="critic", role="Critic", priority=5)


def beginning(**changes: Any) -> DiscussionRequest:
    """Two participants, two rounds."""
    plain: dict[str, Any] = {
        "topic": "Split the service?",
        "participants": [ARCHITECT, OPERATOR],
        "context": "Six people, one repository.",
    }
    return DiscussionRequest(**plain | changes)


@asynccontextmanager
async def open_service(
    home: Path, model_url: str | None = None, clock: Callable[[], float] = time.time
) -> AsyncIterator[Discussions]:
    """The service; with a URL one model there looks at complete rounds."""
    data = alone()
    if model_url is not None:
        for name in data["providers"]:
            data["providers"][name] = {"kind": "openai", "baseUrl": model_url, "apiKey": "none"}
    config = parse_panels(json.dumps(data))
    resolution = resolve_models(config, lambda _: None, ADAPTERS, {})
    async with AsyncExitStack() as closing:
        store = await Store.open(home / DATABASE, clock=clock)
        closing.push_async_callback(store.close)
        registry = ModelRegistry(config.providers)
        closing.push_async_callback(registry.close)
        kit = CoreDependencies(
            store=store,
            book=PromptBook.load(SHIPPED_PROMPTS),
            registry=registry,
            config=config.for_server,
            resolution=lambda: resolution,
            prices=PriceBook(lambda: config, lambda: resolution),
            home=home,
        )
        yield Discussions(kit, NoThread(), ConclusionFolder(store, home / "conclusions"))


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Discussions]:
    async with open_service(tmp_path) as opened:
        yield opened


async def opened(service: Discussions, **changes: object) -> str:
    """The id of a new discussion."""
    return (await service.init(beginning(**changes))).discussion_id


def written(ended: Ended) -> str:
    """The file of a discussion that ended."""
    return Path(str(ended.output_path)).read_text(encoding="utf-8")


async def round_of(service: Discussions, run_id: str, *profiles: str) -> None:
    """Everybody speaks once."""
    for profile in profiles or ("architect", "operator"):
        await service.speak(run_id, profile, f"{profile} speaks.")
