"""Setting a server up: what holds now, what can be changed, and the lines to paste."""

from collections.abc import Mapping, Sequence
from typing import Final

OPTIONS: Final[Mapping[str, str]] = {
    "topics": "A channel where every message is to be a topic",
    "output": "The channel where all roundtables are to be held",
    "role": "The only role that is to start one",
    "cooldown": "Seconds a person is to wait between two starts",
}
"""What Discord shows beside each option of `/roundtable setup`."""

HEADING: Final = "**Roundtable settings of this server**"
_EVERYBODY: Final = "everybody"
ADMIN_CHANNEL: Final = "- From now on, I report problems to admins in this channel"
CHOICES: Final = (
    "**To change it**, use `/roundtable setup` again with any of its options:",
    "- `topics`: a channel where every message is a topic (each costs money)",
    "- `output`: the channel where all roundtables run",
    "- `role`: the only role that can start one",
    "- `cooldown`: seconds a person waits between two starts",
    "I then show the lines for panels.json. Use `/roundtable doctor` to look for problems.",
)
FILE_HAS_A_PROBLEM: Final = "panels.json has an error: fix it first (`/panel reload` shows it)."

PASTE_THIS: Final = (
    'Put this under `"servers"` in panels.json, replacing the entry for this server, and save: it '
    "takes effect in a moment."
)


def started_by(role_ids: Sequence[int]) -> str:
    """Who can start a roundtable; no role means everybody."""
    roles = " or ".join(f"<@&{role}>" for role in role_ids) or _EVERYBODY
    return f"- Started by `roundtable …` and `/roundtable start`, by {roles}"


def topic_channels(channel_ids: Sequence[int]) -> str:
    """Where people need no command."""
    return f"- Every message is a topic in {', '.join(f'<#{number}>' for number in channel_ids)}"


def held_in(channel_id: int | None) -> str:
    """Where roundtables are shown."""
    return f"- Held {f'in <#{channel_id}>' if channel_id else 'where it was asked for'}"


def pace(seconds: float, at_once: int) -> str:
    """How often roundtables may be started."""
    return f"- {seconds:g} s between two starts, {at_once} at once"
