"""The command line and its help, gateways and workers, and the playground in a terminal."""

import math
from collections.abc import Sequence
from typing import Final

from bot.messages.counting import counted, duration_words


class CommandLineText:
    """What the command line says: its help, and what it prints while it works."""

    HELP: Final = "Roundtable holds meetings of language models where people already talk."
    RUN: Final = "Start the bot on Discord, or the playground when DISCORD_TOKEN is not set."
    PLAY: Final = "Start the playground: the real bot on an embedded Discord, without an account."
    CHECK: Final = (
        "Validate .env, panels.json and the prompts, ask the providers, show who would sit."
    )
    PROBE: Final = "Ask every model that would sit one short question; the price is said first."
    EXPORT: Final = "Write the files of every finished roundtable anew from the database."
    SETTINGS: Final = "Print what /roundtable setup stored, or load it; stop the bot first."
    LOAD_SETTINGS: Final = "A file of settings to store instead."
    BACKUP: Final = (
        "Copy the database, also while the bot runs; restoring is putting the copy in its place."
    )
    INIT: Final = (
        "Write panels.json, its schema and .env.example into the working directory, to be edited."
    )
    SMALL_MODEL: Final = (
        "Write the panels of the small model that runs in the process, and fetch that model "
        "(130 MB; needs the extra local)."
    )
    MCP: Final = "Offer the discussion tools to an agent over standard input and output (MCP)."
    APPROVE: Final = (
        "Show the conclusion of a linked discussion without a channel and post it once you agree; "
        "the bot is stopped meanwhile."
    )
    DISCUSSION_ID: Final = "The discussion: rt_…"
    YES: Final = "Agree without being asked."
    VERSION: Final = "Print the version."
    SAY: Final = "Type this line as a person."
    PORT: Final = "The page's port; left out, 8420 or any free one."
    NO_BROWSER: Final = "Do not open a browser."
    EXIT_WHEN_DONE: Final = "End when every roundtable has concluded."
    VERBOSE: Final = "Show every message of the playground in the terminal, too."
    LOCAL: Final = "Seat the models that servers on this machine have, such as Ollama."
    TARGET: Final = "The new file; left out, one beside it."

    PLAYGROUND_INSTEAD: Final = (
        "DISCORD_TOKEN is not set, so this is the playground: no account or key needed."
    )
    PLAYGROUND_CLOSED: Final = "the playground was closed"
    """Why a roundtable of an earlier playground ended."""

    NOT_CONFIGURED: Final = "DISCORD_TOKEN is not set: add it to .env."
    LOGIN_REFUSED: Final = (
        "Discord rejected DISCORD_TOKEN: copy it again from the developer portal."
    )
    NO_INTENT: Final = (
        "The Message Content intent is disabled, so commands only work as /roundtable or with a "
        "mention of the bot, and replies to panelists are not seen: enable it for this bot in the "
        "developer portal under Bot, Privileged Gateway Intents, then restart"
    )
    UNREACHABLE: Final = (
        "Discord cannot be reached: check the network and Discord's status page, then start again."
    )
    _REFUSALS: Final = {
        4014: (
            "Discord refuses an intent of this bot even without Message Content: look at Bot, "
            "Privileged Gateway Intents in the developer portal, then start again."
        ),
    }
    INVITE: Final = "Use this link to invite the bot to a server:"

    @staticmethod
    def refused(code: int) -> str:
        """Discord has ended the connection for good, by the code it closed with."""
        if code == 4004:
            return CommandLineText.LOGIN_REFUSED
        other = f"Discord refuses how this Roundtable connects (code {code}): install a newer one."
        return CommandLineText._REFUSALS.get(code, other)

    DISK_FULL: Final = (
        "A disk is full: free some space, usually where ROUNDTABLE_HOME is, then try again."
    )

    @staticmethod
    def file_trouble(path: str, reason: str) -> str:
        """A file or folder that cannot be used."""
        return (
            f"{path} cannot be used ({reason}): check that it exists, its permissions and the "
            "disk, then try again."
        )

    @staticmethod
    def sharding(shards: int) -> str:
        """The bot is in so many servers that it starts again with more connections."""
        return f"Discord asks for {shards} shards: connecting again with {shards} connections"

    @staticmethod
    def no_sessions_left(seconds: float) -> str:
        """Connecting once more would make Discord reset the token."""
        hours = max(1, math.ceil(seconds / 3600))
        return (
            f"The bot was started too often today: Discord allows no further connection for "
            f"{counted(hours, 'hour')} and would reset DISCORD_TOKEN. Find out why it restarts, "
            "and start it again then."
        )

    @staticmethod
    def exported(number: int, folder: str) -> str:
        """Every file is written."""
        return f"{counted(number, 'roundtable')} written to {folder}."


_SILENT: Final = 4.0
"""Workers give a sign of life more often."""


class FleetText:
    """What is said where gateways and workers are processes of their own."""

    GATEWAY: Final = "Hear Discord for `roundtable worker`: a share of the shards; needs Postgres."
    WORKER: Final = "Hold the meetings that gateways hear of, beside other workers; needs Postgres."
    FLEET: Final = "Print the gateways and workers that are up, what each serves, and what waits."
    NO_WORKER: Final = "Roundtable is restarting and did nothing: try again in a few seconds."
    NEEDS_INTENT: Final = (
        "The Message Content intent is disabled: gateways need it. Enable it for this bot in the "
        "developer portal under Bot, Privileged Gateway Intents."
    )
    NO_GATEWAY: Final = "No gateway is up: start `roundtable gateway`."
    NO_HOLDER: Final = "No worker is up: start `roundtable worker`."

    @staticmethod
    def versions(found: Sequence[str]) -> str:
        """An update is under way."""
        return f"Versions differ ({', '.join(found)}): restart the processes of the older one."

    @staticmethod
    def files_differ(found: Sequence[str]) -> str:
        """Workers use different files; it lasts only where one of them refuses the newest."""
        return (
            f"Workers use different panels.json: {', '.join(found)}. If this stays, the log of one "
            "says why it refuses the newest."
        )

    @staticmethod
    def panels_refused(problems: str) -> str:
        """A worker cannot use the file of another one, perhaps because it has an older version."""
        return f"A worker cannot use the panels.json that another one uses: update it. {problems}"

    @staticmethod
    def gateway(process: str, shards: Sequence[int], of: int) -> str:
        """One gateway."""
        which = ", ".join(map(str, shards)) or "none"
        return f"gateway  {process}: shards {which} of {of}"

    @staticmethod
    def worker(process: str, servers: Sequence[int], threads: Sequence[int], silent: float) -> str:
        """One worker, its roundtables and the servers it holds; 0 is what is written in private."""
        which = ", ".join(map(str, servers)) or "none"
        runs = counted(len(threads), "roundtable")
        under_way = f"{runs} under way"
        if threads:
            under_way += f" in threads {', '.join(map(str, threads))}"
        sign = f", no sign for {silent:.0f} s" if silent > _SILENT else ""
        return f"worker   {process}: {under_way}, servers {which}{sign}"

    @staticmethod
    def alone(process: str, runs: int) -> str:
        """`roundtable run`, which needs no others."""
        return f"alone    {process}: {counted(runs, 'roundtable')} under way"

    @staticmethod
    def waiting_servers(servers: int, seconds: float) -> str:
        """What no worker has taken yet."""
        since = f", the oldest for {max(seconds, 0):.1f} s" if servers else ""
        return f"wake-ups {counted(servers, 'server')} waiting{since}"

    @staticmethod
    def silent(shards: Sequence[int]) -> str:
        """Shards that nobody serves."""
        return f"Not connected: {counted(len(shards), 'shard')} ({', '.join(map(str, shards))})"

    @staticmethod
    def waiting(events: int, seconds: float) -> str:
        """What no worker has heard yet."""
        since = f", the oldest for {seconds:.1f} s" if events else ""
        return f"inbox    {counted(events, 'event')} waiting{since}"


class PlaygroundText:
    """Texts of the playground in a terminal."""

    NO_KEY: Final = "No key is set: this is a rehearsal, no model is speaking."
    EXAMPLES_ARE_SCRIPTED: Final = (
        "No model is speaking here: the three examples are scripted, and on any other topic a "
        "rehearsal panel speaks."
    )
    SMALL_MODEL: Final = "A very small model is speaking here: what it says means little."
    HOW_TO_STOP: Final = "Open it in a browser. Ctrl+C stops; `-v` shows every message here, too."
    WAITING: Final = "waiting for a question …"
    NEWER_FILE: Final = "another version of Roundtable wrote the file"
    NO_TEXT: Final = "(no text)"

    @staticmethod
    def address(url: str) -> str:
        """Where the page is."""
        return f"Roundtable playground: {url}"

    @staticmethod
    def status(url: str, state: str) -> str:
        """The line at the bottom of a terminal, which keeps the address in view."""
        return f"{url} · {state}"

    @staticmethod
    def away(seconds: int) -> str:
        """How far away a point in time is."""
        if seconds < 0:
            return f"{duration_words(-seconds)} ago"
        return f"in {duration_words(seconds)}"

    @staticmethod
    def going_on(running: int) -> str:
        """How many roundtables are held now."""
        return f"{counted(running, 'roundtable')} under way" if running else PlaygroundText.WAITING

    @staticmethod
    def set_aside(why: str, path: str) -> str:
        """The earlier messages cannot be read."""
        return (
            f"The playground's earlier messages could not be read ({why}): they were set aside "
            f"as {path}, and the playground starts empty."
        )

    @staticmethod
    def not_kept(why: str) -> str:
        """The messages cannot be written."""
        return (
            f"The playground's messages are not kept from now on ({why}): check the disk and the "
            "folder's permissions, then restart."
        )

    @staticmethod
    def port_taken(port: int, why: str) -> str:
        """The playground cannot be served; port 0 stands for any free one."""
        where = f"port {port}" if port else "any port"
        return (
            f"The playground cannot listen on {where} ({why}): choose another with --port, or "
            "leave --port out to take any free one."
        )

    @staticmethod
    def accepts(person: str, answer: str) -> str:
        """The playground accepts a build's spec by itself."""
        return f"{person} presses Accept: {answer}"

    @staticmethod
    def file(name: str) -> str:
        """Stands for an attachment."""
        return f"[file: {name}]"
