"""The composition root: builds everything, hands it in, closes it in reverse."""

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from bot.admin.outlook import offer_line
from bot.admin.service import AdminService
from bot.commands.missed import MissedMessages
from bot.commands.service import Commands, TextCommands
from bot.meeting.dependencies import Dependencies
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
from bot.types.timing import Sleep
from cogs.client import RoundtableBot
from cogs.services import CogServices

_log = logging.getLogger(__name__)

_LOGOUT_PATIENCE = 2.0


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
async def connected(app: App, token: str) -> AsyncIterator["asyncio.Task[None]"]:
    """Log in, wait until the bot is ready, and log out at the end; yields the connection."""
    connection = asyncio.create_task(app.bot.start(token))
    ready = asyncio.create_task(_first_ready(app.bot))
    try:
        await asyncio.wait({connection, ready}, return_when=asyncio.FIRST_COMPLETED)
        if connection.done():
            connection.result()
        from bot.agents.in_bot import agents_served  # noqa: PLC0415 (slow, not for the start)

        watching = app.watch.run(app.options.chore_sleep)
        tools = agents_served(app.deps, app.run_service, app.settings, app.config)
        chores = [watching, app.around.ask_daily(app.options.chore_sleep), _warm_up(app)]
        if not app.options.fed_by_gateways:  # else one worker does it for all
            chores.append(app.forgetting.run(app.options.chore_sleep))
        async with tools, _under_way(*chores):
            yield connection
    finally:
        ready.cancel()
        await app.bot.stop_resuming()
        # Both go first, while the bot can still say that it takes nothing new; the runs wait
        # for posts that are going out, whoever they are from.
        await app.talk.close()
        await app.run_service.close()
        closing = asyncio.create_task(app.bot.close())
        await asyncio.wait({closing}, timeout=_LOGOUT_PATIENCE)
        for task in (closing, connection):
            task.cancel()
        await asyncio.gather(closing, connection, ready, return_exceptions=True)


@asynccontextmanager
async def health_served(app: App) -> AsyncIterator[None]:
    """The health page, where ROUNDTABLE_HEALTH_PORT asks for it."""
    port = app.settings.health_port
    if port is None:
        yield
        return
    from bot.operations.health import HealthSource, health_page  # noqa: PLC0415 (heavy)

    vitals = HealthSource(
        store=app.store,
        connected=app.bot.is_ready,
        running=lambda: app.run_service.running,
        latency=lambda: app.bot.latency,
        shard_latencies=app.bot.shard_latencies,
        role="worker" if app.options.fed_by_gateways else "run",
    )
    async with health_page(vitals, port, app.settings.health_host):
        yield


@asynccontextmanager
async def _under_way(*chores: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do chores until the end of the block; they end with it."""
    tasks = [asyncio.create_task(chore) for chore in chores]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _warm_up(app: App) -> None:
    try:
        await app.run_service.warm_up()
    except Exception:
        _log.exception("loading ahead failed; the first roundtable loads what it needs itself")


async def _first_ready(bot: RoundtableBot) -> None:
    await bot.login_done.wait()
    await bot.wait_until_ready()


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
    talk, run_service = (
        _closed_with(closing, TalkService(deps)),
        _closed_with(closing, RunService(deps)),
    )
    if not options.keep_unfinished:
        await run_service.abandon_unfinished(CommandLineText.PLAYGROUND_CLOSED)
        await talk.give_up_waiting(CommandLineText.PLAYGROUND_CLOSED)
    steward = _steward(panels, deps, settings)
    await steward.use_stored_settings()
    forgetting = ForgetService(deps, run_service)
    store, bot = opened.store, opened.bot
    panels.adopt = _followers(opened, settings)
    tell = _tell_once(opened, forgetting, deps, options)
    watch = PanelsWatch(panels, tell, await _shared_panels(panels, steward, options, tell))
    reads_messages = bot.intents.message_content
    commands = Commands(
        run_service, talk, forgetting, panels.for_server, reads_messages=reads_messages
    )
    bot.services = CogServices(
        run_service=run_service,
        talk=talk,
        steward=steward,
        forgetting=forgetting,
        commands=commands,
        text_commands=TextCommands(commands, talk, store, panels.for_server),
        missed=MissedMessages(store),
        held=deps.held,
    )
    return App(
        settings,
        panels,
        watch,
        store,
        run_service,
        talk,
        bot,
        deps,
        options,
        steward,
        forgetting,
        opened.around,
        offer=await _offer(settings, panels.current, opened.around.resolution),
    )


def _hide_keys(settings: Settings, config: PanelsConfig) -> None:
    hide_in_logs(settings.redactions(config.secret_names(), config.literal_keys()))


def _tell_once(
    opened: _Opened, forgetting: ForgetService, deps: Dependencies, options: Options
) -> Callable[[str], Awaitable[None]]:
    """How admins are told something; of several workers, the one that does the chores tells it."""
    bot, store = opened.bot, opened.store
    if not options.fed_by_gateways:
        return lambda text: tell_admins(bot, store, text)
    from cogs.inbox_client import InboxBot  # noqa: PLC0415 (few run on several machines)

    deps.held.only = set()
    if isinstance(bot, InboxBot):
        bot.chores = lambda: forgetting.run(options.chore_sleep)

    async def tell(text: str) -> None:
        if isinstance(bot, InboxBot) and bot.does_chores:
            await tell_admins(bot, store, text)

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
        avatar=lambda guild_id, role: _avatar(panels.for_server(guild_id), role),
        face_url=options.face_url,
        card_pace=options.card_pace,
        webhook_pace=pace,
    )


def _avatar(config: PanelsConfig, role: str) -> str | None:
    """The picture that the file gives a role, on whatever panel."""
    panels = (getattr(config.panels, name) for name in type(config.panels).model_fields)
    agents = (agent for panel in panels if panel is not None for agent in panel.agents)
    return next((str(a.avatar) for a in agents if a.avatar and a.role == role), None)
