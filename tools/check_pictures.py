"""Draws `roundtable check` as five people see it into docs/gallery.

`python -m tools.check_pictures` makes them anew.
The providers are the local servers of tests/keys with their recorded lists. A font of fixed width,
DejaVu Sans Mono, must be on the machine.
"""

import asyncio
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from tests.keys.checking import checked
from tests.keys.vendor_servers import Vendors

ROOT = Path(__file__).parents[1]
GALLERY = ROOT / "docs" / "gallery"
FONT, SIZE, LEADING, MARGIN = "DejaVuSansMono.ttf", 14, 19, 22
PAPER, INK, FAINT, GOOD, BAD = "#16181d", "#d7dae0", "#8b909c", "#7bd88f", "#ff7a72"


@dataclass(frozen=True, slots=True)
class Scene:
    """One person's machine."""

    name: str
    keys: tuple[str, ...] = ()
    environ: dict[str, str] = field(default_factory=dict)
    probes: bool = False

    @property
    def prompt(self) -> str:
        """What this person typed, behind what stands in .env."""
        known = [key for key in (*self.keys, *self.environ) if key.endswith("_KEY")]
        held = f"# .env: {', '.join(known)}" if known else "# .env is empty"
        return f"{held}\n$ roundtable check{' --probe' if self.probes else ''}"


SCENES = (
    Scene("nothing"),
    Scene("openai", ("OPENAI_API_KEY",), probes=True),
    Scene("three-vendors", ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY")),
    Scene("openrouter", ("OPENROUTER_API_KEY",)),
    Scene("refused", environ={"ANTHROPIC_API_KEY": "sk-ant-of-last-year"}),
)


def colour(line: str) -> str:
    """How a line is drawn."""
    if "refused" in line or "problem" in line or line.startswith("  - no panel"):
        return BAD
    if "answered after" in line or "usable, lists" in line or line.startswith("Ready"):
        return GOOD
    faint = line.startswith(("#", "$", "Panels file")) or "not usable" in line
    return FAINT if faint else INK


def draw(lines: Sequence[str], path: Path) -> None:
    """The lines as a terminal shows them."""
    font = ImageFont.truetype(FONT, SIZE)
    width = int(font.getlength("x" * 80)) + 2 * MARGIN
    picture = Image.new("RGB", (width, LEADING * len(lines) + 2 * MARGIN), PAPER)
    pen = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        pen.text((MARGIN, MARGIN + number * LEADING), line, font=font, fill=colour(line))
    picture.quantize(128).save(path, optimize=True)


async def main() -> None:
    """Draw every scene."""
    os.chdir(ROOT)
    async with Vendors() as vendors:
        for scene in SCENES:
            with tempfile.TemporaryDirectory() as home:
                _, lines = await checked(
                    vendors,
                    scene.keys,
                    Path(home),
                    ask_seats=scene.probes,
                    environ=scene.environ,
                    panels=Path("panels.json"),
                )
            lines = [line.replace(str(ROOT), "/srv/roundtable") for line in lines]
            draw([*scene.prompt.splitlines(), *lines], GALLERY / f"check-{scene.name}.png")


if __name__ == "__main__":
    asyncio.run(main())
