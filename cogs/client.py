"""The Discord client: its connection, the cogs, and what a start takes up again."""

import asyncio
import logging
from pathlib import Path

import discord
from discord.ext import commands

from bot.council.forgetting import Forgetting
from bot.council.service import Council
from bot.stage.fence import fence
from bot.store.holding import Holding
from bot.talk.service import Talk
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
PERSISTENT = (*RUN_BUTTONS, *BALLOT_ITEMS, ApprovalButton, AskButton, ForgetButton, SpecButton)


class RoundtableBot(commands.Bot):
    """The Discord client; it owns nothing but its connection and the cogs."""

    council: Council
    talk: Talk
    forgetting: Forgetting

    def __init__(
        self, home: Path, holding: Holding, *, reads_messages: bool, guild_ready_timeout: float
    ) -> None:
        intents = discord.Intents(
            guilds=True,
            guild_messages=True,
            dm_messages=True,
            message_content=reads_messages,
        )
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            guild_ready_timeout=guild_ready_timeout,
            max_ratelimit_timeout=60.0,
            http_trace=fence(holding),
        )
        self._home = home
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

        Discord sends READY again whenever the bot had to identify again.
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
        await self._catching_up.take_up_commands()

    async def on_message(self, message: discord.Message, /) -> None:
        """Leave messages to the cogs: there are no prefix commands."""


def invite_link(application_id: int) -> str:
    """The link with which an admin adds the bot, asking for exactly what it uses."""
    return discord.utils.oauth_url(
        application_id, permissions=PERMISSIONS, scopes=("bot", "applications.commands")
    )
