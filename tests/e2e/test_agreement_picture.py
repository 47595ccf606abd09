"""The agreement picture goes out with the conclusion, once, whatever the network does."""

import base64
import io
from pathlib import Path
from typing import Any

from PIL import Image

from bot.playground.faults import Fault
from bot.playground.model import Channel
from bot.store.repositories.artifacts import ArtifactRepository
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.scripted_models import (
    FAIL,
    ReceivedPrompt,
    ScriptedModels,
    conclusion,
    scripted_playground,
)


def pictures(table: PlaygroundHarness, thread: Channel) -> list[dict[str, Any]]:
    """The agreement pictures that people see in a thread."""
    shown = (file for message in table.said_in(thread) for file in message.attachments)
    return [file for file in shown if file["filename"] == "agreement.png"]


async def test_the_picture_survives_a_lost_send_and_says_the_same_in_words(tmp_path: Path) -> None:
    """Issue 8, 3: the second try attaches the bytes of the first, which the store keeps."""
    cast = ScriptedModels(stances={"Critic": "DISAGREE", "r2:Critic": "AGREE"})
    async with scripted_playground(tmp_path, cast) as table:

        def strike(_: ReceivedPrompt) -> str:
            table.discord.faults.add(Fault("reset", "POST", "channels/*/messages"))
            return conclusion("A title")

        cast.says["synthesis"] = strike
        held = await table.hold("roundtable --debate is it so?")
        assert table.discord.faults.struck
        (shown,) = pictures(table, held.thread)
        sent = table.discord.world.files[int(shown["id"])].content
        kept = await table.stored(lambda conn: ArtifactRepository(conn).of_run(held.record.run_id))
        drawn = next(artifact for artifact in kept if artifact.name == "agreement.png")
    assert "Critic moved to agree in round 2" in shown["description"]
    assert base64.b64decode(drawn.content) == sent
    assert Image.open(io.BytesIO(sent)).format == "PNG"
    assert set(held.record.agreements) == {2}
    assert held.record.agreements[2] == held.record.agreement


async def test_one_voice_alone_agrees_with_nobody(tmp_path: Path) -> None:
    """Issue 8, 3: there is a picture only where there is something to show."""
    cast = ScriptedModels(says={"r1:Critic": FAIL, "r1:Judge": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
        assert "META" in held.conclusion
        assert pictures(table, held.thread) == []
