"""`roundtable init`: the shipped settings, written out to be edited."""

from collections.abc import Iterator
from pathlib import Path

from bot.errors import UnavailableError
from bot.files.shipped import shipped
from bot.messages.installing import StarterText

_COPIES = {"panels.json": "panels.json", "panels.schema.json": "panels.schema.json"}
_COPIES |= {".env.example": ".env.example"}
_SMALL_MODEL = {"panels.json": "panels.local.json"}


def write_starter_files(folder: Path, *, small_model: bool = False) -> Iterator[str]:
    """Copy the shipped files into a folder and say what became of each; none is replaced."""
    for name, source in (_COPIES | (_SMALL_MODEL if small_model else {})).items():
        target = folder / name
        try:
            with target.open("xb") as file:
                file.write(shipped(source).read_bytes())
        except FileExistsError:
            yield StarterText.kept(str(target))
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise UnavailableError(StarterText.not_written(str(target), why)) from error
        else:
            yield StarterText.written(str(target))
    yield StarterText.NEXT
