"""Draws the calibration picture of the gallery from made-up votes, as `roundtable record` would.

`python -m tools.record_picture` makes it anew.
"""

import random
from pathlib import Path

from bot.measures.track import ResolvedVote, TrackRecord
from bot.messages.decisions import RecordText
from bot.pictures.calibration import draw_calibration

TARGET = Path(__file__).resolve().parents[1] / "docs" / "gallery" / "record.png"
VOTES = 140


def sample() -> TrackRecord:
    """Votes of a panel that is a little too sure of itself; the same every time."""
    chance = random.Random(24)
    said = [chance.betavariate(4, 2.4) for _ in range(VOTES)]
    return TrackRecord(
        tuple(ResolvedVote(0, int(chance.random() > 0.88 * sure), 0, sure) for sure in said)
    )


def main() -> None:
    """Write the picture and say what it shows."""
    points = [(one.said, one.right, one.votes) for one in sample().bins]
    TARGET.write_bytes(draw_calibration(points))
    print(RecordText.in_words(points))


if __name__ == "__main__":
    main()
