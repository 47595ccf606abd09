"""An approval outlives the process: its buttons, its forms, and what was granted."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.app import App, Options, open_app
from bot.front.live import connected
from bot.front.session import for_the_playground
from bot.playground.model import Channel, Message
from bot.playground.server import EmbeddedDiscord
from bot.settings import load_settings
from bot.store import ApprovalStatus, Status
from bot.store.repositories.approvals import ApprovalRepository, NewApproval
from bot.store.vocabulary import Actor, SideEffect
from tests.panels.panels_data import ALONE, alone


@asynccontextmanager
async def bot_on(discord: EmbeddedDiscord, home: Path) -> AsyncIterator[App]:
    """The bot for a while, as between two restarts."""
    panels = alone()
    panels["providers"]["rehearsal"]["secondsPerAnswer"] = 0
    file = home / "panels.json"
    file.write_text(json.dumps(panels), encoding="utf-8")
    settings = load_settings(
        None, ALONE | {"ROUNDTABLE_HOME": str(home), "ROUNDTABLE_PANELS": str(file)}
    )
    options = Options(
        guild_ready_timeout=0.05,
        card_pace=0.02,
        adjust=lambda config: for_the_playground(config, discord),
    )
    with discord.redirected():
        async with open_app(settings, options) as app, connected(app, discord.token):
            yield app


def said(discord: EmbeddedDiscord, place: Channel, words: str) -> Message | None:
    return next((m for m in discord.messages(place.id) if words in m.content), None)


async def test_buttons_and_forms_work_after_a_restart_and_a_granted_effect_is_resumed(
    tmp_path: Path,
) -> None:
    """B31 B33: what was asked, and what was granted, outlives the process."""
    async with EmbeddedDiscord() as discord:
        jonas, mara = discord.person("Jonas").id, discord.person("Mara").id
        general, decisions = discord.channel("general"), discord.channel("decisions")
        async with bot_on(discord, tmp_path) as app:
            await discord.say(jonas, general.id, "roundtable --quick --debate tea")
            (thread,) = await discord.until(discord.threads)
            await app.run_service.idle()
            await discord.say(jonas, thread.id, f"roundtable post <#{decisions.id}>")
            card = await discord.until(lambda: said(discord, thread, "🔐 Approval needed"))
            assert card
            form = await discord.press(mara, card.id, card.custom_ids[1])
            await form.answer()
        async with bot_on(discord, tmp_path) as app:
            sent = await discord.submit(form, {"reason": "later"})
            assert "Saved." in (await sent.message()).content
            await discord.say(jonas, thread.id, f"roundtable post <#{decisions.id}>")
            await discord.until(lambda: said(discord, thread, "Approval needed"))
            (waiting,) = await app.store.read(lambda conn: ApprovalRepository(conn).pending())
            run = await app.run_service.last_in(thread.id)
            assert run
            assert run.status is Status.CONCLUDED
            grant = ApprovalStatus.APPROVED
            await app.store.write(
                lambda conn: ApprovalRepository(conn).resolve(
                    waiting.id, grant, str(mara), "", Actor.HUMAN, 1.0
                )
            )
        assert discord.messages(decisions.id) == []
        async with bot_on(discord, tmp_path):
            await discord.until(lambda: said(discord, decisions, "🔧 META"))
            await discord.until(lambda: said(discord, thread, "✅ Approved by"))
        count = len(discord.messages(decisions.id))
        async with bot_on(discord, tmp_path) as app:
            assert await app.store.read(lambda conn: ApprovalRepository(conn).unfinished()) == ()
        assert len(discord.messages(decisions.id)) == count


async def test_a_kill_between_a_request_and_its_card_loses_neither(tmp_path: Path) -> None:
    """B31: the request is stored first; the next start shows its card, once."""
    async with EmbeddedDiscord() as discord:
        jonas, general = discord.person("Jonas").id, discord.channel("general")
        async with bot_on(discord, tmp_path) as app:
            await discord.say(jonas, general.id, "roundtable --quick --debate tea")
            (thread,) = await discord.until(discord.threads)
            await app.run_service.idle()
            run = await app.run_service.last_in(thread.id)
            assert run
            wanted = NewApproval(
                *(run.id, "Post the conclusion", SideEffect.NOTIFY, "k", str(jonas)),
                effect="post_conclusion",
            )
            await app.store.write(
                lambda conn: ApprovalRepository(conn).request(wanted, Actor.ORCHESTRATOR, 1.0)
            )
        for _ in range(2):
            async with bot_on(discord, tmp_path):
                await discord.until(lambda: said(discord, thread, "🔐 Approval needed"))
        cards = [m for m in discord.messages(thread.id) if "🔐 Approval needed" in m.content]
        assert len(cards) == 1
