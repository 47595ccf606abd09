"""A masked panel: A, B and C until the vote is over, then one message says who was who."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

from bot.app import App
from bot.playground.model import Channel, Message
from bot.record.masking import read_masked_record
from bot.reports.conclusion import details_text
from bot.stage.port import button_id
from bot.store.repositories.artifacts import ArtifactRepository
from bot.store.repositories.seats import SeatRepository
from tests.e2e.restart_harness import RestartHarness, restart_harness
from tests.e2e.scripted_models import ScriptedModels, scripted_playground

GIVEAWAY = "I am claude-opus, the Strategist, and unlike the Skeptic I like it."
ROLES = ("Strategist", "Skeptic", "User's Voice")
LETTERS = {"Panelist A", "Panelist B", "Panelist C"}


async def never(_: float) -> None:
    """Until the process ends."""
    await asyncio.Event().wait()


def visible(bench: RestartHarness, thread: Channel) -> str:
    """Everything Discord shows of a thread, names, faces, cards and buttons included."""
    return json.dumps([m | {"face": m.avatar_url} for m in bench.discord.messages(thread.id)])


async def minutes(app: App, run_id: str) -> str:
    kept = await app.store.read(lambda conn: ArtifactRepository(conn).of_run(run_id))
    return next(a.content for a in kept if a.name.startswith("minutes"))


def files(home: Path) -> str:
    return "".join(
        p.read_bytes().decode(errors="replace") for p in (home / "memory").rglob("*") if p.is_file()
    )


def gives_away(text: str, words: tuple[str, ...]) -> list[str]:
    return [word for word in words if word in text]


async def test_a_masked_vote_hides_names_and_models_until_it_closes_at_a_later_start(
    tmp_path: Path,
) -> None:
    """E13: card, voices, conclusion, minutes, files, follow-ups; the reveal comes once."""
    cast = ScriptedModels(ballots={"Skeptic": "coffee"})
    cast.says["r1:Strategist"] = lambda asked: f"{GIVEAWAY}\n\n{cast.written(asked)}"
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot(never) as app:
            thread = await bench.asked("roundtable --masked --quick --vote tea or coffee?")
            await app.run_service.idle()
            run = await app.run_service.last_in(thread.id)
            assert run
            record = await read_masked_record(app.store, run.id)
            hidden = (*ROLES, *await models_of(app, run.id))
            said = [m for m in bench.discord.messages(thread.id) if m.webhook_id]
            assert [m.author.name for m in said] == sorted(LETTERS), "letters, in their order"
            assert "I am masked, the Panelist" in visible(bench, thread)
            assert "**Panelist A** (masked until the end) said this" in await who_said(
                bench, said[0]
            )
            await answered(bench, await bench.write_in(thread, "roundtable status"))
            await answered(bench, await bench.write_in(thread, "roundtable show"))
            await bench.write_in(thread, "Skeptic, why?")
            await bench.write_in(thread, "Panelist B, why?")
            await bench.discord.until(lambda: len(voices(bench, thread)) == 4)
            await app.talk.idle()
            assert voices(bench, thread)[3:] == ["Panelist B"], "a real name calls nobody"
            assert await offered(bench, thread, run.id) == LETTERS
            seen = visible(bench, thread).replace("Skeptic, why?", "")
            for shown in (seen, await minutes(app, run.id), files(tmp_path), details_text(record)):
                assert gives_away(shown, hidden) == []
                assert "- Masked until" not in shown
            assert {seat.role for seat in record.seats} == LETTERS
            assert {asked.role for asked in cast.asked("r1:*")} == set(ROLES), "seated as usual"
        async with bench.bot(never, seconds_later=7200) as app:
            await bench.discord.until(lambda: bench.shown(thread, "Panelists revealed"))
            await app.run_service.people.settled()
            lines = bench.discord.messages(thread.id)[-1].content.splitlines()
            assert lines[0] == "🎭 **Panelists revealed**"
            assert [line[:16] for line in lines[1:]] == [f"- **{x}**" for x in sorted(LETTERS)]
            assert all(any(f"was **{role}**" in line for line in lines) for role in ROLES)
            assert gives_away(files(tmp_path), ROLES) == list(ROLES)
            was = re.findall(r"\*\*(.+?)\*\* was \*\*(.+?)\*\*", "\n".join(lines))
            told = ", ".join(f"{name} was {role}" for name, role in was)
            assert f"- Masked until the reveal: {told}\n" in files(tmp_path)
            await bench.write_in(thread, "Skeptic, why?")
            await bench.discord.until(lambda: voices(bench, thread)[-1] == "Skeptic")
        async with bench.bot(never, seconds_later=9000) as app:
            await app.run_service.resume_all()
            await app.run_service.people.settled()
        assert bench.count(thread, "Panelists revealed") == 1
        assert bench.count(thread, "🗳️ **People: Nobody voted") == 1


async def test_without_a_vote_the_masks_come_off_after_the_conclusion_or_a_stop(
    tmp_path: Path,
) -> None:
    """The slash command knows the flag, too; a meeting that was stopped is revealed as well."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        jonas, general = table.discord.person("Jonas"), table.discord.channel("general")
        options: dict[str, Any] = {"topic": "is it so?", "quick": True, "masked": True}
        await table.discord.slash(jonas.id, general.id, "roundtable start", options)
        held = await table.held(await table.concluded(await table.thread()))
        said = [m.content for m in table.said_in(held.thread) if not m.webhook_id]
        assert gives_away(held.conclusion, tuple(s.role for s in held.record.seats)) == []
        after = said[said.index(held.conclusion) + 1 :]
        assert after[0].startswith("🎭 **Panelists revealed**")
        assert [s["role"] for s in held.export["stages"]] == [s.role for s in held.record.seats]
        thinking = asyncio.Event()

        async def wait(_: object) -> str:
            await thinking.wait()
            return ""

        cast.says["r1:*"] = wait
        await table.say("roundtable --masked --quick is it really so?")
        thread = await table.thread(2)
        told = "The panel is masked: the panelists are revealed after the conclusion."
        await table.discord.until(lambda: any(told in m.text for m in table.said_in(thread)))
        assert "**Panelist B** · masked" in table.card(thread).text
        await table.reply_to(await table.write_in(thread, "roundtable stop"))
        said = [m.content for m in table.said_in(thread)]
        assert sum("Panelists revealed" in text for text in said) == 1


async def answered(bench: RestartHarness, said: Message) -> None:
    """Until the bot replied to a command."""
    await bench.discord.until(
        lambda: any(m.reply_to == said.id for m in bench.discord.messages(said.channel_id))
    )


async def who_said(bench: RestartHarness, said: Message) -> str:
    ines = bench.discord.person("Ines").id
    return (await (await bench.discord.menu(ines, said.id, "Who said this?")).message()).content


def voices(bench: RestartHarness, thread: Channel) -> list[str]:
    return [m.author.name for m in bench.discord.messages(thread.id) if m.webhook_id]


async def models_of(app: App, run_id: str) -> tuple[str, ...]:
    panel = await app.store.read(lambda conn: SeatRepository(conn).of_run(run_id))
    return tuple(name for seat in panel for name in (seat.model, seat.wire_model))


async def offered(bench: RestartHarness, thread: Channel, run_id: str) -> set[str]:
    """Whom the form under the conclusion offers to ask."""
    wanted = button_id(run_id, "ask")
    post = next(m for m in bench.discord.messages(thread.id) if wanted in m.custom_ids)
    opened = await bench.discord.press(bench.discord.person("Ines").id, post.id, wanted)
    form = json.dumps((await opened.answer()).data)
    assert gives_away(form.casefold(), tuple(role.casefold() for role in ROLES)) == []
    return {letter for letter in LETTERS if letter in form}
