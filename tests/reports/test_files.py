"""Files are written whole, under names of their own, and can be written again."""

import json
from pathlib import Path

from bot.measures.agreement import Agreement
from bot.reports.files import file_stem, scorecard_line, write_files
from tests.record.sample_record import record


def test_the_name_is_date_and_topic() -> None:
    """E92."""
    assert file_stem(record()) == "2023-11-14-should-we-adopt-uv"


def test_writing_again_changes_nothing_and_keeps_one_scorecard_line(tmp_path: Path) -> None:
    """2.2#27."""
    first = [path.read_text() for path in write_files(tmp_path, "x", record())]
    again = [path.read_text() for path in write_files(tmp_path, "x", record())]
    assert first == again
    assert len((tmp_path / "scorecard.jsonl").read_text().splitlines()) == 1


def test_two_runs_have_two_scorecard_lines(tmp_path: Path) -> None:
    write_files(tmp_path, "x", record())
    write_files(tmp_path, "y", record(run_id="rt_ffffffff"))
    assert len((tmp_path / "scorecard.jsonl").read_text().splitlines()) == 2


def test_the_percentage_is_text_in_the_file_and_a_number_in_the_scorecard(tmp_path: Path) -> None:
    """2.2#41 E94."""
    file, _ = write_files(tmp_path, "x", record(agreement=Agreement(pct=67.5)))
    assert json.loads(file.read_text())["consensus_pct"] == "67.5%"
    assert scorecard_line(record(agreement=Agreement(pct=67.5)))["consensus_pct"] == 67.5


def test_other_scripts_are_readable_in_the_file(tmp_path: Path) -> None:
    file, _ = write_files(tmp_path, "x", record(topic="猫か犬か"))
    assert "猫か犬か" in file.read_text(encoding="utf-8")
