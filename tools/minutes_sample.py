"""Writes docs/gallery/minutes-of-a-vote.md: a vote in which people speak, ask, and one dissents.

`python -m tools.minutes_sample` makes it anew. The real bot holds the scripted vote in the embedded
Discord while two people write in its thread.
"""

import asyncio
import tempfile
from pathlib import Path

from tests.e2e.playground_harness import PlaygroundHarness, open_harness

SAMPLE = Path(__file__).parents[1] / "docs" / "gallery" / "minutes-of-a-vote.md"
SECONDS_PER_ANSWER = 0.6
"""So much that people can speak while the panel thinks."""
FLOOR = (
    ("Ines", "Whatever we take, I am the one who has to restore it at night."),
    ("Jonas", "A confirmation sent twice is worse for us than one that comes late."),
)
QUESTION = ("Ines", "Skeptic, what if our disk is a network volume?")


async def held_minutes(home: Path) -> str:
    """The minutes of the vote, held in a folder."""
    async with open_harness(home, seconds_per_answer=SECONDS_PER_ANSWER) as table:
        await table.say("roundtable --vote Postgres or SQLite for our queue?")
        thread = await table.thread()
        await table.discord.until(lambda: "Round 1" in _shown(table))
        for person, words in (*FLOOR, QUESTION):
            await table.write_in(thread, words, person=person)
        await table.concluded(thread)
        await table.talked()
        read = await table.reply_to(await table.write_in(thread, "roundtable read"))
        (file,) = read.attachments
        return table.discord.world.files[int(file["id"])].content.decode()


def _shown(table: PlaygroundHarness) -> str:
    return "".join(m.text for t in table.discord.threads() for m in table.said_in(t))


def main() -> None:
    """Make the file anew."""
    with tempfile.TemporaryDirectory() as home:
        SAMPLE.write_text(asyncio.run(held_minutes(Path(home))), encoding="utf-8")


if __name__ == "__main__":
    main()
