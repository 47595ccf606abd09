"""What the bot may not do somewhere, what that means for people, and how it is mended."""

from collections.abc import Iterable, Mapping
from typing import Final

from bot.words.counting import some

# Discord's own names, as its settings show them.
VIEW_CHANNEL: Final = "View Channel"
CREATE_POSTS: Final = "Create Posts"
SEND_MESSAGES: Final = "Send Messages"
SEND_IN_THREADS: Final = "Send Messages in Threads"
READ_HISTORY: Final = "Read Message History"
CREATE_THREADS: Final = "Create Public Threads"
MANAGE_WEBHOOKS: Final = "Manage Webhooks"
EMBED_LINKS: Final = "Embed Links"
ATTACH_FILES: Final = "Attach Files"
ADD_REACTIONS: Final = "Add Reactions"

WITHOUT: Final[Mapping[str, str]] = {
    VIEW_CHANNEL: "I cannot see the channel",
    SEND_IN_THREADS: "nobody can speak in threads",
    SEND_MESSAGES: "I cannot answer",
    READ_HISTORY: "I cannot make sure that nothing is posted twice",
    CREATE_THREADS: "roundtables run in the channel instead of threads",
    MANAGE_WEBHOOKS: "panelists speak in my own messages",
    EMBED_LINKS: "the card has no content",
    ATTACH_FILES: "minutes cannot be attached",
    ADD_REACTIONS: "I cannot react to confirm messages",
}
"""What the lack of each permission means."""

NO_THREADS: Final = "I cannot create threads here, so this roundtable runs in the channel."
NO_THREADS_IN_VOICE: Final = "Voice channels have no threads, so this roundtable runs in the chat."
NO_WEBHOOKS: Final = (
    "I cannot manage webhooks here, so panelists speak in my own messages, each starting with the "
    "panelist's name."
)
WEBHOOKS_FULL: Final = (
    "This channel has all 15 webhooks that Discord allows, so panelists speak in my own messages, "
    "each starting with the panelist's name: an admin can delete a webhook under Integrations in "
    "the channel's settings."
)
UNSURE: Final = "I cannot check read permissions with Discord right now: try again in a moment."

NOT_FOUND: Final = "cannot be found in this server"
NO_ORDINARY_MESSAGES: Final = "does not support normal messages"
IS_A_FORUM: Final = "is a forum (choose one of its posts instead)"

ALLOW_THEM: Final = "allow them for my role in the channel's settings"
WEBHOOKS_NOT_COUNTED: Final = "Cannot count webhooks"
ALLOW_WEBHOOKS: Final = f"allow {MANAGE_WEBHOOKS} for my role"
DELETE_A_WEBHOOK: Final = (
    "delete one under Integrations, otherwise panelists speak in my own messages"
)
INTENT_ON: Final = "The Message Content intent is enabled"
INTENT_OFF: Final = "The Message Content intent is disabled"
SWITCH_INTENT_ON: Final = (
    "enable it in the developer portal under Bot, otherwise only slash commands and mentions work"
)


def lacks(permissions: Iterable[str]) -> str:
    """Why a roundtable cannot be held in a channel, as the end of a sentence."""
    missing = " and ".join(permissions)
    return f"does not give me {missing} (an admin can allow it in the channel's settings)"


def output_unusable(fault: str) -> str:
    """The configured channel does not work, so another one is used."""
    return (
        f"The configured output channel {fault}, so this roundtable runs here: an admin can fix "
        "`output.target` in panels.json."
    )


def cannot_meet(fault: str) -> str:
    """No roundtable can be held where it was asked for."""
    return f"I cannot start a roundtable here: this channel {fault}."


def sees(seen: int, every: int) -> str:
    """How much of a server the bot sees."""
    return f"I can see {seen} of {every} channels"


def missing_in(permission: str, channels: Iterable[str]) -> str:
    """A permission that some channels do not give."""
    return f"{permission} is missing in {some(channels)}"


def allow_it(harm: str) -> str:
    """What the lack does, and where it is mended."""
    return f"{harm} there; allow it for my role in the channel's settings"


def lacking_here(permissions: Iterable[str]) -> str:
    """What the bot may not do where the doctor was called."""
    return f"Missing permissions here: {', '.join(permissions)}"


def given_here(permissions: Iterable[str]) -> str:
    """What the bot may do where the doctor was called."""
    return f"Permissions here: {', '.join(permissions)}"


def webhooks_left(left: int, most: int, channel: str, *, own: bool) -> str:
    """How many more webhooks a channel can have."""
    mine = ", and I already have mine" if own else ""
    return f"{left} of {most} webhooks are left in {channel}{mine}"
