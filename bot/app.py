"""The composition root: builds everything, hands it in, closes it in reverse."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import discord
from discord.ext import commands

from bot.admin.steward import Steward
from bot.agents.in_bot import agents_served
from bot.chores import under_way
from bot.council.forgetting import Forgetting
from bot.council.service import Council
from bot.council.tools import Sleep, Tools
from bot.garbage import collection_held_back
from bot.models.desk import ADAPTERS, ModelDesk
from bot.models.surroundings import Surroundings
from bot.money.prices import PriceBook
from bot.panels import PanelsConfig, Resolution
from bot.panels.live import Adopt, LivePanels
from bot.panels.watching import PanelsWatch
from bot.prompting.templates import PromptBook
from bot.search.desk import SearchDesk
from bot.settings import SHIPPED_PROMPTS, Settings
from bot.stage.admins import tell_admins
from bot.stage.discord_stage import DiscordStage, StageSettings
from bot.stage.live_cards import SECONDS_BETWEEN_EDITS
from bot.store import Store
from bot.talk.clock import Clock, LoopClock
from bot.talk.service import Talk
from bot.talk.threads import Threads
from bot.words.command_line import PLAYGROUND_CLOSED
from cogs.admin import PanelCog
from cogs.approvals import ApprovalButton, ApprovalsCog
from cogs.ballots import BALLOT_ITEMS
from cogs.buttons import RUN_BUTTONS
from cogs.catching_up import CatchingUpCog
from cogs.command_sync import sync_if_changed
from cogs.desk import FrontDesk
from cogs.followups import AskButton, FollowupsCog
from cogs.menus import MenusCog
from cogs.privacy import ForgetButton, PrivacyCog
from cogs.roundtable import RoundtableCog
from cogs.specs import SpecButton, SpecsCog
from cogs.turn_arbiter import TurnArbiterCog

log = logging.getLogger(__name__)


# View Channel, Send Messages, Send Messages in Threads, Create Public Threads, Manage Webhooks,
# Embed Links, Attach Files, Read Message History, Add Reactions.
PERMISSIONS = discord.Permissions(309774634048)
LOGOUT_PATIENCE = 2.0
PERSISTENT = (*RUN_BUTTONS, *BALLOT_ITEMS, ApprovalButton, AskButton, ForgetButton, SpecButton)


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
    sleep: Sleep = asyncio.sleep
    chore_sleep: Sleep = asyncio.sleep


@dataclass(slots=True)
class App:
    """The parts of a running Roundtable."""

    settings: Settings
    panels: LivePanels
    watch: PanelsWatch
    store: Store
    council: Council
    talk: Talk
    bot: "RoundtableBot"
    tools: Tools
    options: Options
    steward: Steward
    forgetting: Forgetting

    @property
    def config(self) -> PanelsConfig:
        """What panels.json says now."""
        return self.panels.current

    @property
    def resolution(self) -> Resolution:
        """Which models are usable now."""
        return self.tools.resolution()


class RoundtableBot(commands.Bot):
    """The Discord client; it owns nothing but its connection and the cogs."""

    council: Council
    talk: Talk
    forgetting: Forgetting

    def __init__(self, home: Path, options: Options) -> None:
        intents = discord.Intents(
            guilds=True,
            guild_messages=True,
            dm_messages=True,
            message_content=options.reads_messages,
        )
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            guild_ready_timeout=options.guild_ready_timeout,
            max_ratelimit_timeout=60.0,
        )
        self._home = home
        self._options = options
        self._resumed = False
        self._desk: FrontDesk | None = None
        self._catching_up: CatchingUpCog
        self._taking_up: set[asyncio.Task[None]] = set()
        self.login_done = asyncio.Event()

    def seat(self, desk: FrontDesk) -> None:
        """Hand in what the cogs work with, before the bot is started."""
        self._desk = desk
        self.council, self.talk, self.forgetting = desk.council, desk.talk, desk.forgetting

    async def setup_hook(self) -> None:
        """Load the cogs and tell Discord about the commands if they changed."""
        if self._desk is None:
            raise RuntimeError("seat() comes before start()")
        self.add_dynamic_items(*PERSISTENT)
        commands_cog, arbiter = RoundtableCog(self, self._desk), TurnArbiterCog(self, self._desk)
        self._catching_up = CatchingUpCog(self, self._desk, arbiter.hear, commands_cog.on_message)
        followups, approvals = FollowupsCog(self, self._desk), ApprovalsCog()
        menus, panels = MenusCog(self, self._desk), PanelCog(self._desk)
        privacy = PrivacyCog(self, self._desk)
        voices = (commands_cog, panels, followups, arbiter, approvals, menus, self._catching_up)
        for cog in (*voices, privacy, SpecsCog()):
            await self.add_cog(cog)
        await sync_if_changed(self.tree, self._home)
        self.login_done.set()

    async def on_ready(self) -> None:
        """Hear what was said meanwhile, and go on with what a restart interrupted.

        Discord says READY again whenever the bot had to identify anew.
        """
        log.info("ready as %s in %d servers", self.user, len(self.guilds))
        task = asyncio.create_task(self._take_up(), name="take up")
        self._taking_up.add(task)
        task.add_done_callback(self._taking_up.discard)
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()

    async def leave_be(self) -> None:
        """Take nothing more up, because the bot is about to close; the next start does."""
        for task in tuple(self._taking_up):
            task.cancel()
        await asyncio.gather(*self._taking_up, return_exceptions=True)

    async def _take_up(self) -> None:
        await self._catching_up.look()
        await self._catching_up.catch_up(live=True)
        if not self._resumed:
            self._resumed = True
            await self.council.resume_all()
            await self.talk.recover()
        await self._catching_up.catch_up(live=False)

    async def on_message(self, message: discord.Message, /) -> None:
        """Leave messages to the cogs: there are no prefix commands."""


@asynccontextmanager
async def connected(app: App, token: str) -> AsyncIterator["asyncio.Task[None]"]:
    """Log in, wait until the bot is ready, and log out at the end; yields the connection."""
    connection = asyncio.create_task(app.bot.start(token))
    ready = asyncio.create_task(_first_ready(app.bot))
    try:
        await asyncio.wait({connection, ready}, return_when=asyncio.FIRST_COMPLETED)
        if connection.done():
            connection.result()
        watching = app.watch.run(app.options.chore_sleep)
        tools = agents_served(app.tools, app.council, app.settings, app.config)
        async with tools, under_way(watching, app.forgetting.run(app.options.chore_sleep)):
            yield connection
    finally:
        ready.cancel()
        await app.bot.leave_be()
        # Both go first, while the bot can still say that it takes nothing new; the council waits
        # for posts that are going out, whoever they are from.
        await app.talk.close()
        await app.council.close()
        closing = asyncio.create_task(app.bot.close())
        await asyncio.wait({closing}, timeout=LOGOUT_PATIENCE)
        for task in (closing, connection):
            task.cancel()
        await asyncio.gather(closing, connection, ready, return_exceptions=True)


async def _first_ready(bot: RoundtableBot) -> None:
    await bot.login_done.wait()
    await bot.wait_until_ready()


def invite_link(application_id: int) -> str:
    """The link with which an admin adds the bot, asking for exactly what it uses."""
    return discord.utils.oauth_url(
        application_id, permissions=PERMISSIONS, scopes=("bot", "applications.commands")
    )


@asynccontextmanager
async def open_app(settings: Settings, options: Options | None = None) -> AsyncIterator[App]:
    """Build the bot and everything it works with; close it all in reverse."""
    async with AsyncExitStack() as closing:
        with collection_held_back():
            app = await _build(settings, options or Options(), closing)
        yield app


async def _build(settings: Settings, options: Options, closing: AsyncExitStack) -> App:
    panels = LivePanels(settings.panels, options.adjust)
    config = panels.current
    book = PromptBook.load(SHIPPED_PROMPTS)
    around = Surroundings(config, settings.secret, ADAPTERS)
    await around.look()
    store = await Store.open(settings.database)
    closing.push_async_callback(store.close)
    desk = ModelDesk.for_config(config, settings.secret, settings.home, around.loading)
    closing.push_async_callback(desk.close)
    await desk.warm_up(around.resolution.usable)
    bot = RoundtableBot(settings.home, options)
    closing.push_async_callback(bot.close)
    stage = DiscordStage(bot, store, _stage_settings(panels, settings, options))
    closing.push_async_callback(stage.close)
    search = SearchDesk(
        config.search, settings.secret, rehearsal=lambda: around.resolution.rehearsal
    )
    closing.push_async_callback(search.close)
    prices = PriceBook(lambda: panels.current, lambda: around.resolution, desk.reported_prices)
    tools = Tools(
        store=store,
        stage=stage,
        book=book,
        desk=desk,
        search=search,
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
    council, talk = Council(tools), Talk(tools)
    closing.push_async_callback(talk.close)
    closing.push_async_callback(council.close)
    if not options.keep_unfinished:
        await council.give_up_unfinished(PLAYGROUND_CLOSED)
        await talk.give_up_waiting(PLAYGROUND_CLOSED)
    steward = Steward(
        panels=panels,
        resolution=tools.resolution,
        store=store,
        secret=settings.secret,
        home=settings.home,
        database=settings.database if isinstance(settings.database, Path) else None,
    )
    forgetting = Forgetting(tools, council)
    panels.adopt = _followers(desk, around, search)
    watch = PanelsWatch(panels, lambda text: tell_admins(bot, store, text))
    bot.seat(FrontDesk(council, talk, store, panels.for_server, steward, forgetting))
    return App(
        settings, panels, watch, store, council, talk, bot, tools, options, steward, forgetting
    )


def _followers(desk: ModelDesk, around: Surroundings, search: SearchDesk) -> Adopt:
    """What has to hear of a new configuration; nobody can come in between the first three."""

    async def adopt(config: PanelsConfig) -> None:
        desk.follow(config.providers)
        around.follow(config)
        search.follow(config.search)
        await around.look()
        await desk.warm_up(around.resolution.usable)

    return adopt


def _stage_settings(panels: LivePanels, settings: Settings, options: Options) -> StageSettings:
    return StageSettings(
        output=lambda guild_id: panels.for_server(guild_id).output,
        environment_channel=settings.output_channel,
        avatar=lambda guild_id, role: _avatar(panels.for_server(guild_id), role),
        face_url=options.face_url,
        card_pace=options.card_pace,
    )


def _avatar(config: PanelsConfig, role: str) -> str | None:
    """The picture that the file gives a role, on whatever panel."""
    panels = (getattr(config.panels, name) for name in type(config.panels).model_fields)
    agents = (agent for panel in panels if panel is not None for agent in panel.agents)
    return next((str(a.avatar) for a in agents if a.avatar and a.role == role), None)
