"""The headings and lines of the file that a discussion leaves."""

from collections.abc import Iterable
from typing import Final

from bot.words.discussions import COORDINATOR

CONSENSUS: Final = "Consensus Points"
DISAGREEMENT: Final = "Disagreement Points"
ACTION_ITEMS: Final = "Action Items"
TRANSCRIPT: Final = "Detailed Transcript"
NONE_RECORDED: Final = "None recorded."
NOBODY_SPOKE: Final = "Nobody spoke."


def title(topic: str) -> str:
    """The title of the file."""
    return f"# Roundtable Conclusion: {topic}"


def section(name: str, text: str) -> str:
    """A section of the file."""
    return f"## {name}\n\n{text}"


def conclusion(text: str) -> str:
    """What the coordinator concluded."""
    return section("Conclusion", text)


def summary(
    *,
    topic: str,
    people: Iterable[str],
    rounds: tuple[int, int],
    began: str,
    ended: str,
    reason: str,
    link: str,
    run_id: str,
) -> str:
    """The facts at the top; the id is how the file is found again."""
    lines = [
        f"- Topic: {topic}",
        f"- Participants: {', '.join(people)}",
        f"- Rounds: {rounds[0]} of {rounds[1]}",
        f"- Date: {began}{f' to {ended}' if ended else ''}",
        f"- Ending: {reason}",
        *([f"- Link: {link}"] if link else []),
        id_line(run_id),
    ]
    return section("Summary", "\n".join(lines))


def id_line(run_id: str) -> str:
    """The line by which a file is known as this discussion's."""
    return f"- Id: {run_id}"


def participant(role: str, display_name: str) -> str:
    """A participant's name in the file."""
    return f"{role}({display_name})"


def coordinator(created_by: str) -> str:
    """The coordinator's name in the file."""
    return f"{COORDINATOR}({created_by})"


def task(text: str, *, has_owner: bool) -> str:
    """An action item; without an owner it belongs to the coordinator."""
    return f"- [ ] {text}" if has_owner else f"- [ ] {text} (owner: the coordinator)"


def round_head(number: int) -> str:
    """The heading of a round in the transcript."""
    return "### Opening" if number == 0 else f"### Round {number}"
