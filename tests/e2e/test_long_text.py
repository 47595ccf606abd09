"""A panelist who writes tables and whole programs can still be read."""

from pathlib import Path

from tests.e2e.scripted_models import ReceivedPrompt, ScriptedModels, scripted_playground

CODE = "\n".join(f"line_{number} = {number}" for number in range(240))
TABLE = "| Tool | Speed |\n|---|---|\n| uv | fast |"


async def test_a_table_is_a_list_and_a_program_is_a_file(tmp_path: Path) -> None:
    """Issue 8, 7: the file goes up with the voice that wrote it, and the store keeps it."""
    cast = ScriptedModels()

    def verbose(asked: ReceivedPrompt) -> str:
        said = f"**EVIDENCE / REASONING:**\n{TABLE}\n```python\n{CODE}\n```\n"
        return cast.written(asked).replace("**EVIDENCE / REASONING:** seen", said)

    cast.says["r1:Critic"] = verbose
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
        said = [m for m in table.said_in(held.thread) if m.author.name == "Critic"]
        first = next(message for message in said if "📎" in message.content)
        (file,) = [file for message in said for file in message.attachments]
        sent = table.discord.world.files[int(file["id"])].content.decode()
    assert "📎 `code-1.py` (240 lines, attached)" in first.content
    assert "- **uv** — Speed: fast" in first.content
    assert "line_7" not in first.content
    assert sent == f"{CODE}\n"
    assert "line_239 = 239" in table.minutes()[0]
