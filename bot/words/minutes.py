"""The minutes: headings and labels of the file that keeps everything that was said."""

from collections.abc import Sequence
from typing import Final

SUMMARY: Final = "## Summary"
CONSENSUS: Final = "Consensus Points"
DISAGREEMENT: Final = "Disagreement Points"
_ACTION_ITEMS: Final = "Action Items"
CONCLUSION: Final = "## Conclusion"
TRANSCRIPT: Final = "## Detailed Transcript"
STAGE_2: Final = "### Stage 2"
_NOBODY: Final = "nobody"
NOBODY_SPOKE: Final = "Nobody spoke."
REHEARSAL: Final = "- Rehearsal: no model is speaking."
_NONE: Final = "None recorded."


def heading(topic: str) -> str:
    """The first line of the file."""
    return f"# Roundtable Conclusion: {topic}"


def topic(text: str) -> str:
    """What it was about."""
    return f"- Topic: {text}"


def mode(name: str, workflow: str) -> str:
    """How it was held."""
    return f"- Mode: {name} · workflow: {workflow}"


def proposition(text: str) -> str:
    """What stances are about."""
    return f"- Proposition: {text}"


def design(text: str) -> str:
    """Who chose the panel."""
    return f"- Design: {text}"


def participants(seats: Sequence[tuple[str, str]]) -> str:
    """Who sat: (role, model)."""
    return f"- Participants: {', '.join(f'{r}({m})' for r, m in seats) or _NOBODY}"


def rounds(held: int, planned: int) -> str:
    """How many rounds were held."""
    return f"- Rounds: {held} of {planned}"


def date(began: str, ended: str) -> str:
    """When it was held."""
    return f"- Date: {began} to {ended}"


def ending(text: str) -> str:
    """How it ended."""
    return f"- Ending: {text}"


def line(text: str) -> str:
    """A line that speaks for itself."""
    return f"- {text}"


def run_id(text: str) -> str:
    """The id of the run."""
    return f"- Id: {text}"


def note(text: str) -> str:
    """A note that was also shown to people."""
    return f"- Note: {text}"


def numbered(title: str, points: Sequence[str]) -> str:
    """A section of numbered points."""
    listed = "\n".join(f"{number}. {point}" for number, point in enumerate(points, 1))
    return f"## {title}\n\n{listed or _NONE}"


def action_items(items: Sequence[tuple[str, str]]) -> str:
    """What is to be done by the starter: (text, when)."""
    listed = [f"- [ ] {text} (owner: the starter{f', {w}' if w else ''})" for text, w in items]
    return f"## {_ACTION_ITEMS}\n\n" + ("\n".join(listed) or _NONE)


def section(title: str, text: str) -> str:
    """A section of the conclusion."""
    return f"### {title}\n\n{text}"


def written_by(model: str) -> str:
    """Who wrote the conclusion."""
    return f"Written by {model}."


def round_title(number: int) -> str:
    """The heading of a round."""
    return f"### Round {number}"


def rolling_summary(text: str) -> str:
    """What a round came to."""
    return f"**Rolling summary**: {text}"


def speaker(role: str, model: str) -> str:
    """Who speaks."""
    return f"**{role}({model})**"


def said(who: str, text: str) -> str:
    """What a panelist said."""
    return f"{who}: {text}"


def did_not_speak(who: str, problem: str, stance: str, *, late: bool) -> str:
    """A panelist without an answer."""
    kept = " · a late answer is kept and not counted" if late else ""
    return f"{who}: did not speak — {problem} · stance {stance}{kept}"


def stance(value: str) -> str:
    """The stance below what a panelist said."""
    return f"_Stance: {value}_"


def message_link(url: str) -> str:
    """A link to where it was said."""
    return f"[message]({url})"
