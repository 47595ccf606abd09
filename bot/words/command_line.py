"""What the command line says: its help, and what it prints while it works."""

from typing import Final

from bot.words.counting import counted

HELP: Final = "Roundtable holds meetings of language models where people already talk."
RUN: Final = "Start the bot on Discord, or the playground when DISCORD_TOKEN is not set."
PLAY: Final = "Start the playground: the real bot on an embedded Discord, without an account."
CHECK: Final = "Validate .env, panels.json and the prompts, ask the providers, show who would sit."
PROBE: Final = "Ask every model that would sit one short question; the price is said first."
EXPORT: Final = "Write the files of every finished roundtable anew from the database."
BACKUP: Final = (
    "Copy the database, also while the bot runs; restoring is putting the copy in its place."
)
MCP: Final = "Offer the discussion tools to an agent over standard input and output (MCP)."
VERSION: Final = "Print the version."
SAY: Final = "Type this line as a person."
PORT: Final = "The page's port; left out, 8420 or any free one."
NO_BROWSER: Final = "Do not open a browser."
EXIT_WHEN_DONE: Final = "End when every roundtable has concluded."
LOCAL: Final = "Seat the models that servers on this machine have, such as Ollama."
TARGET: Final = "The new file; left out, one beside it."

PLAYGROUND_INSTEAD: Final = (
    "DISCORD_TOKEN is not set, so this is the playground: no account or key needed."
)
PLAYGROUND_CLOSED: Final = "the playground was closed"
"""Why a roundtable of an earlier playground ended."""

NOT_CONFIGURED: Final = "DISCORD_TOKEN is not set: add it to .env."
LOGIN_REFUSED: Final = "Discord rejected DISCORD_TOKEN: copy it again from the developer portal."
NO_INTENT: Final = (
    "The Message Content intent is disabled, so commands only work as /roundtable or with a "
    "mention of the bot, and replies to panelists are not seen: enable it for this bot in the "
    "developer portal under Bot, Privileged Gateway Intents, then restart"
)
INVITE: Final = "Use this link to invite the bot to a server:"


def exported(number: int, folder: str) -> str:
    """Every file is written."""
    return f"{counted(number, 'roundtable')} written to {folder}."
