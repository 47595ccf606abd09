"""What tests about decisions do again and again: choose when to look, ask, answer, resolve."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, select

from bot.app import App
from bot.playground._interactions import Interaction
from bot.playground.model import Channel, Message
from bot.store.repositories.decisions import Decision, DecisionRepository
from bot.store.tables import runs
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.restart_harness import RestartHarness

Bench = RestartHarness | PlaygroundHarness

DAY: Final = 86_400.0
VOTE: Final = "roundtable --quick --vote tea or coffee?"
DEBATE: Final = "roundtable --quick --debate Should we adopt uv?"
ASKS: Final = "🔔 **What happened?**"


def with_action(said: list[Message], action: str) -> Message:
    """The newest message with such a button or menu."""
    return next(m for m in reversed(said) if any(i.endswith(f":{action}") for i in m.custom_ids))


async def press(
    bench: Bench, post: Message, action: str, person: str, values: Sequence[str] = ()
) -> Interaction:
    """Press a button of a post, or choose in a menu of it."""
    name = next(i for i in post.custom_ids if i.endswith(f":{action}"))
    return await bench.discord.press(bench.discord.person(person).id, post.id, name, values)


async def choose(bench: Bench, thread: Channel, when: str, person: str = "Jonas") -> Interaction:
    """Choose in the menu under the conclusion when to look again."""
    post = with_action(bench.discord.messages(thread.id), "look")
    return await press(bench, post, "look", person, [when])


async def chosen(bench: Bench, thread: Channel, when: str, person: str = "Jonas") -> str:
    """The same; returns what the person is told."""
    return (await (await choose(bench, thread, when, person)).message()).content


async def command(bench: Bench, person: str, name: str, **options: str) -> Message:
    """Use a slash command in #general; returns the answer to it."""
    who, where = bench.discord.person(person).id, bench.discord.channel("general").id
    return await (await bench.discord.slash(who, where, f"roundtable {name}", options)).message(10)


async def run_of(app: App, thread: Channel) -> str:
    """The id of the newest roundtable of a thread."""
    run = await app.run_service.last_in(thread.id)
    assert run
    return run.id


async def decided(
    bench: RestartHarness, app: App, topic: str = DEBATE, when: str = "week"
) -> tuple[Channel, str]:
    """Hold a roundtable and choose when to look again; its thread and its id."""
    thread = await bench.asked(topic)
    await app.run_service.idle()
    await chosen(bench, thread, when)
    return thread, await run_of(app, thread)


async def decision_of(app: App, run_id: str) -> Decision:
    """What is stored about a decision."""
    found = await app.store.read(lambda conn: DecisionRepository(conn).get(run_id))
    assert found
    return found


async def question(bench: RestartHarness, thread: Channel, number: int = 1) -> Message:
    """The question to the thread, once it was asked so often."""
    found = await bench.discord.until(
        lambda: [m for m in bench.discord.messages(thread.id) if ASKS in m.content][number - 1 :]
    )
    assert found
    return found[0]


async def answered(bench: RestartHarness, post: Message, answer: str, person: str) -> str:
    """Answer the question to the thread; returns what the person is told."""
    pressed = await press(bench, post, f"outcome:{answer}", person)
    return (await pressed.message()).content


async def vote_closed(table: PlaygroundHarness, thread: Channel) -> None:
    """Close the vote of people now and wait until it is counted."""
    await table.answer_in(thread, "roundtable conclude")
    await table.session.app.run_service.people.settled()


def repeat_decision(conn: Connection, run_id: str, times: int, *, wrong: str, guild: int) -> None:
    """As many resolved votes like this one, in which only one model was wrong."""
    columns = [c.name for c in runs.columns if c.name not in ("id", "guild_id")]
    own = conn.execute(select(runs).where(runs.c.id == run_id)).mappings().one()
    for n in range(times):
        name = f"rt_{guild % 16:x}{n:07x}"
        kept = {c: own[c] for c in columns} | {"id": name, "guild_id": guild}
        conn.execute(runs.insert().values(kept))
        facts = DecisionRepository(conn).get(run_id).facts  # type: ignore[union-attr]
        models = {model: int(model == wrong) for model in facts["models"]}
        DecisionRepository(conn).resolve(
            name, guild, "0", 1, {**facts, "models": models, "panel": n % 2}, float(n)
        )
