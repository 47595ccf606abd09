"""A conclusion goes to another channel only after somebody who may has approved it, and once."""

from pathlib import Path
from typing import Any

import pytest

from bot.access.admission import Asker
from bot.errors import UsageError
from bot.playground.model import Channel, Message
from bot.playground.server import EmbeddedDiscord
from bot.store import Event, EventType, Phase
from bot.store.log import events
from tests.e2e.playground_harness import FinishedRun, PlaygroundHarness, open_harness

DECISIONS = ("approve", "reject", "changes")


async def concluded(table: PlaygroundHarness) -> FinishedRun:
    return await table.hold("roundtable --quick --debate tea")


async def ask(table: PlaygroundHarness, held: FinishedRun, person: str = "Jonas") -> str:
    """Ask in the thread for the conclusion to be posted in #decisions."""
    target = table.discord.channel("decisions")
    said = await table.write_in(held.thread, f"roundtable post <#{target.id}>", person=person)
    return (await table.reply_to(said)).content


def card(table: PlaygroundHarness, thread: Channel) -> Message:
    return next(m for m in reversed(table.said_in(thread)) if "**🔐 Approval" in m.content)


async def press(table: PlaygroundHarness, thread: Channel, decision: str, person: str) -> Any:
    shown = card(table, thread)
    custom_id = next(i for i in shown.custom_ids if i.endswith(decision))
    return await table.discord.press(table.discord.person(person).id, shown.id, custom_id)


def elsewhere(table: PlaygroundHarness) -> list[Message]:
    return table.said_in(table.discord.channel("decisions"))


async def checkpoints(table: PlaygroundHarness, held: FinishedRun) -> list[str]:
    found: tuple[Event, ...] = await table.stored(
        lambda conn: events.history(conn, held.export["id"], EventType.ATTEMPT_CHECKPOINT)
    )
    return [event.payload["checkpoint"] for event in found if "checkpoint" in event.payload]


async def test_nothing_is_posted_elsewhere_before_an_approver_says_so(
    table: PlaygroundHarness,
) -> None:
    """B23 B30 2.2#32: the card has every line of 3.3, and only those allowed decide."""
    held = await concluded(table)
    answer = await ask(table, held)
    assert "moderators and admins can approve it there" in answer
    shown = card(table, held.thread)
    for line in ("phase completed", "attempt 1", "Asked by:", "Effect:** notify · key `post:rt_"):
        assert line in shown.content
    for line in ("Goal:** tea", "Accepted when:", "Reviews:", "Newest artifact:", "To undo it:"):
        assert line in shown.content
    assert [i.rpartition(":")[2] for i in shown.custom_ids] == list(DECISIONS)
    for decision in DECISIONS:
        refusal = await (await press(table, held.thread, decision, "Ines")).message()
        assert "Only moderators and admins" in refusal.content
    assert elsewhere(table) == []


async def test_an_approved_conclusion_is_posted_once_whatever_people_press(
    table: PlaygroundHarness,
) -> None:
    """B24 B33: the effect has its key; a second try is recorded and refused."""
    held = await concluded(table)
    await ask(table, held)
    before, ids = card(table, held.thread).id, card(table, held.thread).custom_ids
    answer = await (await press(table, held.thread, "approve", "Mara")).message()
    assert "Approved and done: https://" in answer.content
    posted = elsewhere(table)
    assert "🔧 META" in posted[-1].content
    assert not any(message.pings for message in posted)
    after = card(table, held.thread)
    assert after.id == before
    assert after.custom_ids == []
    assert "✅ Approved by" in after.content
    assert "already done and will not be repeated: https://" in await ask(table, held)
    pressed_late = ids[0].split(":")[1]
    mara = Asker(table.discord.person("Mara").id, may_manage=True)
    with pytest.raises(UsageError, match="will not be repeated"):
        await table.session.app.run_service.decide(pressed_late, "approved", mara)
    with pytest.raises(UsageError, match="already decided: approved by <@"):
        await table.session.app.run_service.decide(pressed_late, "rejected", mara)
    assert len(elsewhere(table)) == len(posted)
    assert await checkpoints(table, held) == [
        "resume_granted",
        "duplicate_effect_prevented",
        "duplicate_effect_prevented",
    ]


async def test_a_rejection_and_wished_changes_carry_a_reason_and_can_be_asked_again(
    table: PlaygroundHarness,
) -> None:
    """2.2#31: the run itself was concluded, so its phase stays."""
    held = await concluded(table)
    for decision, shown in (("reject", "⛔ Rejected"), ("changes", "✏️ Changes requested")):
        await ask(table, held)
        form = await press(table, held.thread, decision, "Mara")
        await form.answer()
        sent = await table.discord.submit(form, {"reason": "not <@1> yet @everyone"})
        assert "Saved." in (await sent.message()).content
        decided = card(table, held.thread)
        assert shown in decided.content
        assert "not @someone yet" in decided.content
        assert not decided.pings
        assert decided.custom_ids == []
    await ask(table, held)
    await (await press(table, held.thread, "approve", "Mara")).message()
    assert elsewhere(table)
    assert await checkpoints(table, held) == ["resume_blocked", "resume_blocked", "resume_granted"]


async def test_approver_roles_replace_the_moderators(tmp_path: Path) -> None:
    """B32: a role that panels.json names decides, and nobody else."""
    discord = EmbeddedDiscord()
    guild = next(iter(discord.world.guilds.values()))
    role = next(number for number, r in guild.roles.items() if r["name"] == "Roundtable")
    guild.members[discord.person("Ines").id].add(role)

    def adjust(config: Any) -> Any:
        trigger = config.trigger.model_copy(update={"approver_role_ids": (role,)})
        return config.model_copy(update={"trigger": trigger})

    async with open_harness(tmp_path, discord=discord, adjust=adjust) as table:
        held = await concluded(table)
        assert f"<@&{role}> can approve" in await ask(table, held)
        refusal = await (await press(table, held.thread, "approve", "Mara")).message()
        assert f"Only <@&{role}> can decide" in refusal.content
        await (await press(table, held.thread, "approve", "Ines")).message()
        assert elsewhere(table)


@pytest.mark.parametrize(
    ("channel", "reason"), [("off-limits", "can read"), ("forum", "is a forum")]
)
async def test_channels_the_asker_or_the_bot_cannot_use_are_refused(
    table: PlaygroundHarness, channel: str, reason: str
) -> None:
    held = await concluded(table)
    target = table.discord.channel(channel)
    said = await table.write_in(held.thread, f"roundtable post <#{target.id}>")
    assert reason in (await table.reply_to(said)).content


async def test_the_runs_own_channel_needs_no_approval_and_a_slash_command_asks_too(
    table: PlaygroundHarness,
) -> None:
    """2.2#32: the trigger channel is declared and pre-approved."""
    held = await concluded(table)
    general, jonas = table.discord.channel("general"), table.discord.person("Jonas")
    said = await table.write_in(held.thread, f"roundtable post <#{general.id}>")
    assert "is posted: https://" in (await table.reply_to(said)).content
    assert any("🔧 META" in m.content for m in table.said_in(general))
    asked = await table.discord.slash(
        jonas.id,
        general.id,
        "roundtable post",
        {"channel": str(table.discord.channel("decisions").id), "id": held.export["id"]},
    )
    assert "Approval requested in" in (await asked.message()).content


async def test_a_lost_right_is_told_on_the_card_and_can_be_tried_again(
    table: PlaygroundHarness,
) -> None:
    """B33: what was granted and could not be done is done later, once."""
    held = await concluded(table)
    await ask(table, held)
    decisions = table.discord.channel("decisions")
    world, bot = table.discord.world, table.discord.bot_user_id
    deny = {"id": str(bot), "type": 1, "allow": "0", "deny": str(1 << 11)}
    decisions.overwrites = [deny]
    world.announce_channel("CHANNEL_UPDATE", decisions)
    refusal = await (await press(table, held.thread, "approve", "Mara")).message()
    assert "no longer have Send Messages there" in refusal.content
    assert "The approved action failed" in card(table, held.thread).content
    decisions.overwrites = []
    world.announce_channel("CHANNEL_UPDATE", decisions)
    answer = await (await press(table, held.thread, "approve", "Mara")).message()
    assert "Approved and done" in answer.content
    assert len([m for m in elsewhere(table) if "🔧 META" in m.content]) == 1
    assert (await table.session.app.run_service.last_in(held.thread.id)).phase == Phase.COMPLETED  # type: ignore[union-attr]
