"""A discussion that sounds like a build delivers nothing, and can be built by a button."""

import asyncio
from pathlib import Path

from bot.playground.model import Channel, Message
from bot.store.repositories.servers import ServerRepository
from bot.types.mode import Mode
from tests.e2e.restart_harness import RestartHarness, restart_harness
from tests.e2e.scripted_models import ScriptedModels

WISH = "roundtable --quick design a rate limiter"


def conclusion(bench: RestartHarness, thread: Channel) -> Message:
    said = bench.discord.messages(thread.id)
    return next(m for m in said if any(name.endswith(":build") for name in m.custom_ids))


async def pressed(bench: RestartHarness, message: Message, person: str) -> str:
    who = bench.discord.person(person).id
    custom_id = next(name for name in message.custom_ids if name.endswith(":build"))
    return (await (await bench.discord.press(who, message.id, custom_id)).message()).content


async def test_words_lead_to_a_discussion_and_the_button_to_one_build(tmp_path: Path) -> None:
    """Issue 19 point 8, 2.2#43: after a restart, too, and once however many press."""
    cast = ScriptedModels()
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot() as app:
            thread = await bench.asked(WISH)
            await app.run_service.idle()
        assert cast.asked("spec") == []
        assert "[[" not in thread.name
        said = conclusion(bench, thread)
        async with bench.bot() as app:
            told = await asyncio.gather(*(pressed(bench, said, who) for who in ("Jonas", "Ines")))
            await app.run_service.idle()
            (build,) = [t for t in bench.discord.threads() if t.id != thread.id]
            run = await app.run_service.last_in(build.id)
            late = await pressed(bench, said, "Ines")
    assert build.name.endswith("[[BUILD]]")
    assert run is not None
    assert (run.mode, run.topic) == (Mode.BUILD, "design a rate limiter")
    assert all(f"<#{build.id}>" in one for one in (*told, late))
    assert late.startswith("The build is already running")
    assert cast.asked("spec")
    assert "A title" in cast.asked("r1:*")[-1].values["CURRENT_CONTEXT"], "builds on the conclusion"


async def test_who_may_not_start_roundtables_may_not_build(tmp_path: Path) -> None:
    """The same admission as for every other start."""
    cast = ScriptedModels()
    async with restart_harness(tmp_path, cast) as bench, bench.bot() as app:
        thread = await bench.asked(WISH)
        await app.run_service.idle()
        await app.store.write(lambda conn: ServerRepository(conn).pause(bench.guild_id, 1, 1.0))
        told = await pressed(bench, conclusion(bench, thread), "Ines")
        assert len(bench.discord.threads()) == 1
    assert told.startswith("An admin paused Roundtable here")


async def test_a_build_that_was_asked_for_offers_none(tmp_path: Path) -> None:
    cast = ScriptedModels()
    async with restart_harness(tmp_path, cast) as bench, bench.bot() as app:
        thread = await bench.asked("roundtable --quick --debate a rate limiter by design")
        await app.run_service.idle()
        ids = [name for m in bench.discord.messages(thread.id) for name in m.custom_ids]
    assert not any(name.endswith(":build") for name in ids)
