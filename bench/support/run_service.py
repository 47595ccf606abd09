"""The real runs, store and prompts on a quiet stage, with a panel of the benchmark's own."""

import gc
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.access.admission import Asker
from bot.meeting.dependencies import Dependencies
from bot.models.registry import ADAPTERS, Build, ModelRegistry
from bot.money.prices import PriceBook
from bot.panels import PanelsConfig, parse_panels, resolve_models
from bot.prompting.templates import PromptBook
from bot.request import Request
from bot.runs.requests import StartRequest
from bot.runs.service import RunService
from bot.search.service import SearchService
from bot.settings import SHIPPED_PANELS, SHIPPED_PROMPTS
from bot.store import DATABASE, Store
from bot.store.repositories.calls import Call, CallRepository
from bot.types.mode import Mode
from support.quiet_stage import QuietStage

COORDINATOR = "coordinator"
WRITER = "writer"
ANALYSTS = ("analyst-a", "analyst-b", "analyst-c", "analyst-d")
ROLES = (
    "Advocate",
    "Skeptic",
    "Engineer",
    "Economist",
    "Historian",
    "Operator",
    "Lawyer",
    "Newcomer",
)
TOPIC = "Should a small team keep its one service whole, or split it into several now?"


@dataclass(slots=True)
class Hall:
    """A run service, and what it works with."""

    run_service: RunService
    store: Store
    stage: QuietStage

    async def start_run(self, number: int, request: Request) -> str:
        """Start a run in a channel and by a person of its own; returns its id."""
        asker = Asker(id=number, role_ids=frozenset(), may_manage=False)
        started = await self.run_service.start_run(StartRequest(1, number, None, asker, request))
        return started.run_id

    async def calls(self, run_id: str) -> Sequence[Call]:
        """Every call the run's ledger holds."""
        return await self.store.read(lambda conn: CallRepository(conn).of_run(run_id))


def a_request(
    *, validate: bool = False, panel: Sequence[str] = (), rounds: int | None = None
) -> Request:
    """A full run without a search; with a panel of its own it needs no meta-panel."""
    return Request(
        TOPIC,
        Mode.DEBATE,
        mode_forced=True,
        search=False,
        validate=validate,
        panel=tuple(panel),
        rounds=rounds,
    )


def a_panel(seats: Sequence[str], base_url: str) -> PanelsConfig:
    """The settings of `panel_data`, read."""
    return parse_panels(json.dumps(panel_data(seats, base_url)))


def panel_data(seats: Sequence[str], base_url: str) -> dict[str, Any]:
    """The shipped settings with these models on the panel and nobody else to call.

    Every model has a provider of its own, so that no semaphore stands between the runs.
    """
    data: dict[str, Any] = json.loads(SHIPPED_PANELS.read_text(encoding="utf-8"))
    names = (*seats, *ANALYSTS, COORDINATOR, WRITER)
    data |= {
        "providers": {name: _provider(base_url) for name in names},
        "models": {name: _model(name) for name in names},
        "model_aliases": {},
        "orchestrator": {"model": COORDINATOR},
        "meta": {"models": list(ANALYSTS)},
        "synthesis": {"default": WRITER},
        "premium": [WRITER],
        "allowlist": [*seats, WRITER],
        "profiles": {"budget": {"models": list(seats[:2])}},
        "panels": {mode: _mode_panel(seats) for mode in data["panels"]},
    }
    data["trigger"] |= {"cooldownSeconds": 0, "maxConcurrent": 100}
    return data


def a_design(seats: Sequence[str], rounds: int) -> str:
    """What every analyst recommends: all seats in one stage."""
    rows = (
        f"- Model: {model} | Role: {role} | Task: Say what you would do."
        for model, role in zip(seats, ROLES, strict=False)
    )
    return "\n".join(
        (
            "**PROPOSITION:** The team should keep its one service whole for now.",
            "**TASK ASSESSMENT**\nType: decision\nComplexity: medium\nPrimary need: judgement",
            "**WORKFLOW TYPE:** parallel_debate",
            "**STAGES**\nStage 1:",
            *rows,
            f"**ROUNDS:** {rounds}, so that positions can move.",
            f"**SYNTHESIS MODEL:** {WRITER}",
            "**REASONING:** Several angles serve this question best.",
            "**ANTI-PATTERN:** One voice.",
        )
    )


def _provider(base_url: str) -> dict[str, Any]:
    return {"kind": "openai", "baseUrl": base_url, "apiKey": "none", "maxConcurrent": 256}


def _model(name: str) -> dict[str, Any]:
    routes = [{"provider": name, "model": name}]
    return {"routes": routes, "family": name, "tier": "premium" if name == WRITER else "mid"}


def _mode_panel(seats: Sequence[str]) -> dict[str, Any]:
    """Without early exit every planned round is held."""
    agents = [
        {"role": role, "model": model, "perspective": "an independent view"}
        for role, model in zip(ROLES, seats, strict=False)
    ]
    return {"earlyExit": False, "agents": agents}


@asynccontextmanager
async def open_hall(
    home: Path, config: PanelsConfig, build: Build | None = None
) -> AsyncIterator[Hall]:
    """Build the run service; `build` makes other adapters than the configured ones."""
    resolution = resolve_models(config, _no_secret, ADAPTERS, {})
    async with AsyncExitStack() as closing:
        store = await Store.open(home / DATABASE)
        closing.push_async_callback(store.close)
        registry = ModelRegistry(config.providers, build)
        closing.push_async_callback(registry.close)
        search = SearchService(config.search, _no_secret, rehearsal=lambda: True)
        closing.push_async_callback(search.close)
        stage = QuietStage()
        deps = Dependencies(
            store=store,
            stage=stage,
            book=PromptBook.load(SHIPPED_PROMPTS),
            registry=registry,
            search=search,
            config=config.for_server,
            resolution=lambda: resolution,
            prices=PriceBook(lambda: config, lambda: resolution),
            home=home,
        )
        run_service = RunService(deps)
        closing.push_async_callback(run_service.close)
        await run_service.warm_up()  # as the app does in the background, once it is connected
        gc.freeze()  # as the app does
        yield Hall(run_service, store, stage)


def _no_secret(_: str) -> None:
    """There are no keys here."""
