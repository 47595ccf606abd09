"""The composition root: builds everything, hands it in, closes it in reverse."""

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from bot.admin.outlook import offer_line
from bot.admin.service import AdminService
from bot.commands.missed import MissedMessages
from bot.commands.service import Commands, TextCommands
from bot.meeting.dependencies import Dependencies, HeldServers
from bot.messages.command_line import CommandLineText
from bot.models.availability import Availability, KnownLists
from bot.models.local_servers import find_local
from bot.models.registry import ADAPTERS, ModelRegistry
from bot.money.prices import PriceBook
from bot.operations.logs import hide_in_logs
from bot.panels import PanelsConfig, Resolution
from bot.panels.live import Adjust, Adopt, LivePanels, PanelsWatch
from bot.panels.machine import only_usual_servers, with_usual_servers
from bot.privacy.forget import ForgetService
from bot.prompting.templates import PromptBook
from bot.reports.files import keep_files_private
from bot.runs.service import RunService
from bot.search.service import SearchService
from bot.settings import SHIPPED_PROMPTS, Settings
from bot.stage.card_board import SECONDS_BETWEEN_EDITS
from bot.stage.discord_stage import DiscordStage, StageSettings
from bot.stage.notices import tell_admins
from bot.stage.persistence import RequestPace
from bot.stage.personas import fence
from bot.store import Store
from bot.talk.service import TalkService
from bot.threads.driver import Clock, LoopClock
from bot.threads.threads import Threads
from bot.types import Sleep
from cogs.client import RoundtableBot
from cogs.services import CogServices


class _Closable(Protocol):
    async def close(self) -> None: ...


_PartT = TypeVar("_PartT", bound=_Closable)


@dataclass(frozen=True, slots=True)
class Options:
    """What a front end may choose about the bot it runs."""

    face_url: Callable[[str], str] | None = None
    """Where faces are served; None uploads them to Discord."""
    guild_ready_timeout: float = 2.0
    card_pace: float = SECONDS_BETWEEN_EDITS
    floor_clock: Clock = field(default_factory=LoopClock)
    adjust: Callable[[PanelsConfig], PanelsConfig] = lambda config: config
    keep_unfinished: bool = True
    reads_messages: bool = True
    """Whether Discord lets the bot read what is not addressed to it."""
    shards: int = 1
    """Over how many connections to Discord the bot's servers are spread."""
    fed_by_gateways: bool = False
    """Whether other processes hear Discord and hand this one the events, through Postgres."""
    panels_used: Callable[[str], None] = lambda _: None
    """Told a short name of the panels.json that is used, where several processes share it."""
    requests_per_second: float | None = None
    """How many requests to Discord are made with the bot's token; it allows 50."""
    sleep: Sleep = asyncio.sleep
    chore_sleep: Sleep = asyncio.sleep


@dataclass(slots=True)
class App:
    """The parts of a running Roundtable."""

    settings: Settings
    panels: LivePanels
    watch: PanelsWatch
    store: Store
    run_service: RunService
    talk: TalkService
    bot: RoundtableBot
    deps: Dependencies
    options: Options
    steward: AdminService
    forgetting: ForgetService
    around: Availability
    offer: str
    """What runs on this machine and nobody asked for, in one line; empty when nothing does."""

    @property
    def config(self) -> PanelsConfig:
        """What panels.json says now."""
        return self.panels.current

    @property
    def resolution(self) -> Resolution:
        """Which models are usable now."""
        return self.deps.resolution()


@asynccontextmanager
async def open_app(settings: Settings, options: Options | None = None) -> AsyncIterator[App]:
    """Build the bot and everything it works with; close it all in reverse."""
    async with AsyncExitStack() as closing:
        app = await _build(settings, options or Options(), closing)
        gc.freeze()  # what was built lives as long as the process; no collection looks at it again
        yield app


@dataclass(frozen=True, slots=True)
class _Opened:
    """What reaches out of the process, and has to be closed."""

    around: Availability
    store: Store
    registry: ModelRegistry
    bot: RoundtableBot
    stage: DiscordStage
    search: SearchService


async def _build(settings: Settings, options: Options, closing: AsyncExitStack) -> App:
    panels = LivePanels(settings.panels, _adjust(settings, options))
    _hide_keys(settings, panels.current)
    book = PromptBook.load(SHIPPED_PROMPTS)
    opened = await _open(panels, settings, options, closing)
    deps = _dependencies(panels, book, opened, settings, options)
    services = _services(panels, opened, deps, settings, closing)
    run_service, talk, steward = services.run_service, services.talk, services.steward
    if not options.keep_unfinished:
        await run_service.abandon_unfinished(CommandLineText.PLAYGROUND_CLOSED)
        await talk.give_up_waiting(CommandLineText.PLAYGROUND_CLOSED)
    await steward.use_stored_settings()
    panels.adopt = _followers(opened, settings)
    tell = _admins_told(opened)
    watch = PanelsWatch(panels, tell, await _shared_panels(panels, steward, options, tell))
    opened.bot.services = services
    return App(
        settings,
        panels,
        watch,
        opened.store,
        run_service,
        talk,
        opened.bot,
        deps,
        options,
        steward,
        services.forgetting,
        opened.around,
        offer=await _offer(settings, panels.current, opened.around.resolution),
    )


def _services(
    panels: LivePanels,
    opened: _Opened,
    deps: Dependencies,
    settings: Settings,
    closing: AsyncExitStack,
) -> CogServices:
    """What people's commands, messages and presses reach."""
    talk = _closed_with(closing, TalkService(deps))
    run_service = _closed_with(closing, RunService(deps))
    forgetting = ForgetService(deps, run_service)
    reads_messages = opened.bot.intents.message_content
    commands = Commands(
        run_service, talk, forgetting, panels.for_server, reads_messages=reads_messages
    )
    return CogServices(
        run_service=run_service,
        talk=talk,
        steward=_steward(panels, deps, settings),
        forgetting=forgetting,
        commands=commands,
        text_commands=TextCommands(commands, talk, opened.store, panels.for_server),
        missed=MissedMessages(opened.store),
        held=deps.held,
    )


def _hide_keys(settings: Settings, config: PanelsConfig) -> None:
    hide_in_logs(settings.redactions(config.secret_names(), config.literal_keys()))


def _admins_told(opened: _Opened) -> Callable[[str], Awaitable[None]]:
    """How admins are told something; of several workers, the one that does the chores tells it."""

    async def tell(text: str) -> None:
        if opened.bot.does_chores:
            await tell_admins(opened.bot, opened.store, text)

    return tell


async def _shared_panels(
    panels: LivePanels,
    steward: AdminService,
    options: Options,
    tell: Callable[[str], Awaitable[None]],
) -> Callable[[], Awaitable[None]] | None:
    """Looks at what other workers found in their panels.json, where there may be some."""
    if not options.fed_by_gateways:
        return None
    from bot.fleet.panels import FleetPanels  # noqa: PLC0415 (few run on several machines)

    shared = FleetPanels(
        steward.store, panels, steward.use_stored_settings, tell, options.panels_used
    )
    await shared.look()
    return shared.look


def _adjust(settings: Settings, options: Options) -> Adjust:
    """The file as it is used: with the local servers it does not name, if they are wanted."""
    if settings.local != "on":
        return options.adjust
    return lambda config: options.adjust(with_usual_servers(config))


async def _offer(settings: Settings, config: PanelsConfig, resolution: Resolution) -> str:
    """Look at ports that nobody named only where it may help, and seat nothing found there."""
    if settings.local is not None or not resolution.rehearsal:
        return ""
    return offer_line((await find_local(only_usual_servers(config))).offers)


async def _open(
    panels: LivePanels, settings: Settings, options: Options, closing: AsyncExitStack
) -> _Opened:
    settings.make_home()
    config = panels.current
    around = Availability(config, settings.secret, ADAPTERS)
    registry = ModelRegistry.for_config(config, settings.secret, settings.home, around.loading)
    _closed_with(closing, registry)
    around.lists = KnownLists(registry.client, settings.secret, settings.home)
    await around.start()
    shared = options.fed_by_gateways
    store = _closed_with(closing, await Store.open(settings.database, shared=shared))
    keep_files_private(settings.home)
    await registry.warm_up(around.resolution.usable)
    own, webhooks = _paces(settings, options, closing)
    bot = _closed_with(closing, _client(settings, options, store, own))
    stage = DiscordStage(bot, store, _stage_settings(panels, settings, options, webhooks))
    _closed_with(closing, stage)
    search = SearchService(
        config.search, settings.secret, rehearsal=lambda: around.resolution.rehearsal
    )
    _closed_with(closing, search)
    return _Opened(around, store, registry, bot, stage, search)


def _paces(
    settings: Settings, options: Options, closing: AsyncExitStack
) -> tuple[RequestPace | None, RequestPace | None]:
    """The pace of requests with the bot's token, and of those of webhooks."""
    rate = options.requests_per_second
    if rate is None:
        return None, None
    if not options.fed_by_gateways or settings.discord_token is None:
        return RequestPace(rate), RequestPace(rate, of_webhooks=True)
    from bot.fleet.pace import SharedRequests  # noqa: PLC0415 (few run on several machines)

    shared = _closed_with(closing, SharedRequests(str(settings.database)))
    own = shared.of_token(settings.discord_token.get_secret_value())
    return (
        RequestPace(rate, shared=own),
        RequestPace(rate, shared=shared.of_webhooks(), of_webhooks=True),
    )


def _client(
    settings: Settings, options: Options, store: Store, pace: RequestPace | None
) -> RoundtableBot:
    trace = fence(store.holding, pace)
    common: dict[str, Any] = {
        "reads_messages": options.reads_messages,
        "guild_ready_timeout": options.guild_ready_timeout,
    }
    if options.fed_by_gateways:
        from bot.fleet.servers import ServerFeed  # noqa: PLC0415 (few run on several machines)
        from cogs.inbox_client import InboxBot  # noqa: PLC0415

        return InboxBot(settings.home, trace, feed=ServerFeed(store), **common)
    if options.shards > 1:
        from cogs.shards import ShardedBot  # noqa: PLC0415 (few bots have that many servers)

        return ShardedBot(settings.home, trace, shard_count=options.shards, **common)
    return RoundtableBot(settings.home, trace, **common)


def _closed_with(closing: AsyncExitStack, part: _PartT) -> _PartT:
    closing.push_async_callback(part.close)
    return part


def _dependencies(
    panels: LivePanels, book: PromptBook, opened: _Opened, settings: Settings, options: Options
) -> Dependencies:
    around, registry = opened.around, opened.registry
    prices = PriceBook(lambda: panels.current, lambda: around.resolution, registry.reported_prices)
    return Dependencies(
        store=opened.store,
        stage=opened.stage,
        book=book,
        registry=registry,
        search=opened.search,
        config=panels.for_server,
        resolution=prices.usable,
        prices=prices,
        look_again=around.look_again,
        home=settings.home,
        secret=settings.secret,
        conclusions=settings.conclusions,
        sleep=options.sleep,
        threads=Threads(options.floor_clock),
        held=HeldServers(set() if options.fed_by_gateways else None),
    )


def _steward(panels: LivePanels, deps: Dependencies, settings: Settings) -> AdminService:
    return AdminService(
        panels=panels,
        resolution=deps.resolution,
        store=deps.store,
        secret=settings.secret,
        home=settings.home,
        database=settings.database if isinstance(settings.database, Path) else None,
    )


def _followers(opened: _Opened, settings: Settings) -> Adopt:
    """What has to hear of a new configuration; nobody can come in between the first four."""

    async def adopt(config: PanelsConfig) -> None:
        _hide_keys(settings, config)
        opened.registry.follow(config.providers)
        opened.around.follow(config)
        opened.search.follow(config.search)
        await opened.around.start()
        await opened.registry.warm_up(opened.around.resolution.usable)

    return adopt


def _stage_settings(
    panels: LivePanels, settings: Settings, options: Options, pace: RequestPace | None
) -> StageSettings:
    return StageSettings(
        output=lambda guild_id: panels.for_server(guild_id).output,
        environment_channel=settings.output_channel,
        avatar=lambda guild_id, role: panels.for_server(guild_id).avatar_of(role),
        face_url=options.face_url,
        card_pace=options.card_pace,
        webhook_pace=pace,
    )
