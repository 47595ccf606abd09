"""The command line, `roundtable check`, backups, health, the database and the playground."""

import math
from collections.abc import Sequence
from typing import Final

from bot.messages.counting import counted, listed, some
from bot.messages.installing import with_extra


class CheckText:
    """What `roundtable check` says about the configuration, the models and the database."""

    SETTINGS: Final = "Settings (.env)"
    PANELS: Final = "Panels"
    PROMPTS: Final = "Prompts"
    DATABASE: Final = "Database"
    SHIPPED: Final = "It comes with Roundtable; `roundtable init` writes a copy here to edit."
    SEATS: Final = "Seats"
    PROVIDERS: Final = "Providers"
    MODELS: Final = "Models"
    SEATS_NOW: Final = "Seats now"
    WOULD_HELP: Final = "Any of these would also help:"
    NO_MODELS: Final = (
        "no model is available, so all seats are labelled stand-ins; add a working key to "
        ".env: one "
        "OPENROUTER_API_KEY covers all model families"
    )
    MONEY: Final = "Money"
    LIMITS: Final = "limits"
    SECOND_ROUND: Final = "second round"
    WEB_SEARCH: Final = "Web search"
    UNREPORTED_FAILURES: Final = "Unreported failures"
    WARNINGS: Final = "Warnings"
    _FINE: Final = "fine"
    READY: Final = "Ready."
    NOT_READY: Final = "Not ready: fix the problems above and run the check again."

    PROBE_SYSTEM: Final = "You are asked whether you can be reached."
    PROBE: Final = "[check]: Answer with the word ready and nothing else."
    NOT_USABLE: Final = "not usable"
    _PLAYED: Final = "replaced by stand-ins"
    REHEARSAL_IS_FREE: Final = "a rehearsal costs nothing"
    IN_THE_PLAYGROUND: Final = "DISCORD_TOKEN is not set: the bot will start in the playground."
    DISCORD: Final = "Discord"
    NO_DRIVER: Final = (
        f"ROUNDTABLE_DATABASE_URL: needs the extra postgres; {with_extra('postgres')}"
    )

    @staticmethod
    def part(name: str, problems: int) -> str:
        """A part that was checked, and how many problems it has."""
        return f"{name}: {counted(problems, 'problem') if problems else CheckText._FINE}"

    @staticmethod
    def panels_file(path: str) -> str:
        """Which file was read."""
        return f"Panels file: {path}"

    @staticmethod
    def provider_usable(models: Sequence[str]) -> str:
        """A provider that can be asked, with some of what it has."""
        return f"usable, has {some(models)}" if models else "usable"

    @staticmethod
    def harness_usable(where: str, advice: str) -> str:
        """A harness that can be started, and how it is."""
        return f"usable, {where}{f': {advice}' if advice else ''}"

    @staticmethod
    def provider_lists(models: int) -> str:
        """A provider elsewhere that took the key."""
        return f"usable, lists {counted(models, 'model')}"

    @staticmethod
    def provider_not_asked(why: str) -> str:
        """A provider elsewhere that could not be asked."""
        return f"usable, not verified; {why}"

    @staticmethod
    def would_add_most(step: str) -> str:
        """The one thing to do first."""
        return f"Most useful next step: {step}."

    @staticmethod
    def probing(models: int, price: str) -> str:
        """Comes before models are asked."""
        return f"Sending one short question to {counted(models, 'model')} for at most {price}:"

    @staticmethod
    def answered(seconds: float) -> str:
        """A model that works."""
        return f"answered after {seconds:.1f} s"

    @staticmethod
    def model_stood_in_for(model: str, wire_model: str) -> str:
        """A model that no provider serves, and its replacement."""
        return f"not served: {model} ({wire_model}) stands in"

    @staticmethod
    def provider_not_usable(why: str) -> str:
        """A provider that cannot be asked."""
        return f"{CheckText.NOT_USABLE}: {why}"

    @staticmethod
    def models_not_usable(models: Sequence[str], providers: Sequence[str]) -> str:
        """Models that no provider serves now."""
        return f"{listed(models)}: needs {listed(providers, 'or')}"

    @staticmethod
    def played(models: int) -> str:
        """A rehearsal."""
        return f"all {counted(models, 'model')}: {CheckText._PLAYED}"

    @staticmethod
    def model_through(wire_model: str, provider: str) -> str:
        """A model and its provider."""
        return f"{wire_model} through {provider}"

    @staticmethod
    def through(provider: str) -> str:
        """Who serves a model of a profile."""
        return f"through {provider}"

    @staticmethod
    def profile(name: str) -> str:
        """A profile, as people ask for it."""
        return f"--panel {name}"

    @staticmethod
    def key_in_panels(provider: str) -> str:
        """A warning about a secret in the wrong file."""
        return (
            f"providers.{provider}.apiKey: secrets belong in .env; use apiKeyEnv with a "
            "variable name "
            "instead"
        )

    @staticmethod
    def not_encrypted(provider: str) -> str:
        """A warning about an address that others can listen to."""
        return f"providers.{provider}.baseUrl: traffic to it is not encrypted; use https"

    @staticmethod
    def calls_undercut(where: str, calls: int, hops: int) -> str:
        """A warning about a limit that can never be reached."""
        return (
            f"{where}followups.maxCallsPerEpoch ({calls}) is below arbiter.maxBotHops ({hops}): "
            f"every turn takes a call, so a talk ends after at most {counted(calls, 'turn')}; "
            "raise the first or lower the second"
        )

    @staticmethod
    def starts_on(where: str) -> str:
        """Where the bot would start."""
        return f"DISCORD_TOKEN is set: the bot will start on {where}."

    @staticmethod
    def store_is(place: str) -> str:
        """Where everything is kept."""
        return f"ROUNDTABLE_DATABASE_URL is set: data is stored in {place}."

    @staticmethod
    def empty_panel(title: str) -> str:
        """A panel with no filled seat."""
        return f"panels.{title}: no seat can be filled; make one of its models usable"

    @staticmethod
    def unreported(run_id: str, reason: str) -> str:
        """A roundtable that failed in silence."""
        return (
            f"{run_id} failed and the failure could not be posted: {reason} (use `roundtable retry "
            f"{run_id}`)"
        )


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


class FleetText:
    """What is said where gateways and workers are processes of their own."""

    GATEWAY: Final = "Hear Discord for `roundtable worker`: a share of the shards; needs Postgres."
    WORKER: Final = (
        "Hold the meetings that `roundtable gateway` hears of; a second worker stands by."
    )
    FLEET: Final = "Print which gateways and worker are up, their shards, and what waits."
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
    def standing_by(holder: str) -> str:
        """Another worker is at work."""
        return f"Standing by: {holder} holds the meetings. This one takes over when it ends."

    @staticmethod
    def gateway(process: str, shards: Sequence[int], of: int) -> str:
        """One gateway."""
        which = ", ".join(map(str, shards)) or "none"
        return f"gateway  {process}: shards {which} of {of}"

    @staticmethod
    def worker(process: str, runs: int) -> str:
        """The worker that holds the meetings."""
        return f"worker   {process}: {counted(runs, 'roundtable')} under way"

    @staticmethod
    def silent(shards: Sequence[int]) -> str:
        """Shards that nobody serves."""
        return f"Not connected: {counted(len(shards), 'shard')} ({', '.join(map(str, shards))})"

    @staticmethod
    def waiting(events: int, seconds: float) -> str:
        """What no worker has taken yet."""
        since = f", the oldest for {seconds:.1f} s" if events else ""
        return f"inbox    {counted(events, 'event')} waiting{since}"


class StarterText:
    """What `roundtable init` says."""

    NEXT: Final = (
        "Edit panels.json, copy .env.example to .env for keys, then run `roundtable check`."
    )

    @staticmethod
    def written(path: str) -> str:
        """A file that is new."""
        return f"Written: {path}"

    @staticmethod
    def kept(path: str) -> str:
        """A file that was there."""
        return f"Already there, left as it is: {path}"

    @staticmethod
    def not_written(path: str, why: str) -> str:
        """A file that could not be made."""
        return (
            f"{path} could not be written ({why}): go to a folder you may write to and try again."
        )


class BackupText:
    """What is said about backups of the database."""

    IN_POSTGRES: Final = (
        "The data is in Postgres (ROUNDTABLE_DATABASE_URL): back it up with pg_dump."
    )

    @staticmethod
    def no_database(path: str) -> str:
        """There is nothing to back up."""
        return f"No database found at {path}: set ROUNDTABLE_HOME to the bot's data folder."

    @staticmethod
    def exists_already(path: str) -> str:
        """A backup never replaces a file."""
        return f"{path} already exists: choose another file name."

    @staticmethod
    def not_written(path: str, why: str) -> str:
        """The backup failed."""
        return (
            f"The backup {path} could not be written ({why}): check the disk and the folder's "
            "permissions, then try again."
        )

    @staticmethod
    def damaged(found: str) -> str:
        """Why a finished copy was thrown away."""
        return f"the copy is damaged: {found}"

    @staticmethod
    def done(path: str) -> str:
        """The backup is made."""
        return f"Backed up to {path}."


class HealthText:
    """Texts of the health page and its metrics, for the operator."""

    OK: Final = "ok"
    FAILING: Final = "failing"
    CONNECTED: Final = "connected"
    NOT_CONNECTED: Final = "not connected"
    ANSWERS: Final = "answers"
    DOES_NOT_ANSWER: Final = "does not answer"
    WORKING: Final = "working"
    STANDING_BY: Final = "standing by"
    WAITING: Final = "waiting for the database"
    WRONG_NAME: Final = "Use 127.0.0.1 or localhost."

    UP: Final = "1 while connected to Discord; a worker: while it holds the meetings."
    RUNNING: Final = "Roundtables under way now."
    LATENCY: Final = "Discord's heartbeat."
    SHARD_LATENCY: Final = "Discord's heartbeat by shard."
    SHARD_SILENT: Final = "Since when a shard hears nothing, by shard."
    INBOX: Final = "Events that no worker has taken."
    OLDEST: Final = "How long the oldest of them waits."
    PROCESSES: Final = "Gateways and workers that are up."
    UPTIME: Final = "Since the start."
    RUNS: Final = "Roundtables by phase."
    CALLS: Final = "Model calls by provider, model and how they ended."
    CALL_SECONDS: Final = "How long model calls took, by provider and model."
    DATABASE_UP: Final = "1 while the database answers."
    TOKENS: Final = "Tokens read and written by models."
    CACHED_TOKENS: Final = "Tokens read that providers took from their caches."
    COST: Final = "What the calls with a known price cost."
    WITHOUT_PRICE: Final = "Calls whose price is unknown and therefore in no sum."
    POSTS: Final = "Posts by state."

    @staticmethod
    def port_taken(port: int, why: str) -> str:
        """The page cannot be served."""
        return (
            f"Cannot listen on ROUNDTABLE_HEALTH_PORT {port} ({why}): choose another port, "
            "or leave it "
            "blank for no health page."
        )


class StoreText:
    """What is said about the database: why it cannot be used, and what to do."""

    CLOSED: Final = "Roundtable is shutting down: try again after the restart."
    OTHER_FOLDER: Final = "set ROUNDTABLE_HOME to another folder"
    NEEDS_POSTGRES: Final = (
        "Several processes share Postgres: set ROUNDTABLE_DATABASE_URL, or use `roundtable run`, "
        "which is one process."
    )
    OTHER_DATABASE: Final = "set ROUNDTABLE_DATABASE_URL to another database"
    NO_DRIVER: Final = (
        f"ROUNDTABLE_DATABASE_URL needs the extra postgres: {with_extra('postgres')}, or remove "
        "the setting to store everything in a file."
    )
    OUR_DATABASE: Final = "Roundtable's database"
    """What people are told it is called; where it lies is its operator's affair."""
    ANOTHER_PROCESS: Final = "another process"
    DISCUSSION_OPEN: Final = "the discussion is open"

    @staticmethod
    def too_new(found: int, known: int, elsewhere: str) -> str:
        """A later version has written the database."""
        return (
            f"The database was written by a newer Roundtable (schema version {found}, this one "
            f"supports {known}): install the newer one, or {elsewhere}."
        )

    @staticmethod
    def too_old(found: int, known: int) -> str:
        """Only the worker brings the database to this version."""
        return (
            f"The database has schema version {found} and this Roundtable needs {known}: start "
            "`roundtable worker` of this version first."
        )

    @staticmethod
    def process(number: str) -> str:
        """Who holds the file."""
        return f"process {number}"

    @staticmethod
    def process_on(number: int, host: str) -> str:
        """Who holds the database on a server."""
        return f"{StoreText.process(str(number))} on {host}"

    @staticmethod
    def in_use(name: str, holder: str, elsewhere: str) -> str:
        """Another Roundtable holds the database."""
        return f"{name} is already in use by {holder}: stop that process first, or {elsewhere}."

    @staticmethod
    def taken_over(name: str, holder: str) -> str:
        """Another Roundtable held the database while this one was cut off from it."""
        return (
            f"{name} was used by {holder} while this Roundtable had lost its lock: restart "
            "this one, "
            "and run only one at a time."
        )

    @staticmethod
    def lock_not_writable(path: str, reason: str | None) -> str:
        """The lock beside the file cannot be made."""
        return (
            f"{path} is not writable ({reason}): check the folder's permissions, or set "
            "ROUNDTABLE_HOME to another folder."
        )

    @staticmethod
    def no_folder(path: str, reason: str | None) -> str:
        """The folder of the file cannot be made."""
        return (
            f"The folder {path} cannot be created ({reason}): set ROUNDTABLE_HOME to a "
            "writable folder."
        )

    @staticmethod
    def old_sqlite(found: str) -> str:
        """The SQLite that came with Python is too old."""
        return f"Roundtable needs SQLite 3.37 or newer and found {found}: install a newer Python."

    @staticmethod
    def no_write_ahead_log(path: str) -> str:
        """The file lies on a disk that cannot lock, such as one of the network."""
        return (
            f"The disk of {path} does not support a write-ahead log: set ROUNDTABLE_HOME to "
            "a folder "
            "on a local disk."
        )

    @staticmethod
    def file_damaged(path: str) -> str:
        """The file is no sound database."""
        return (
            f"{path} is damaged: move it elsewhere together with its -wal and -shm files, "
            "then restore "
            "a backup or start with an empty database."
        )

    @staticmethod
    def disk_full(name: str) -> str:
        """Nothing more can be written."""
        return f"The disk of {name} is full: free some space, then try again."

    @staticmethod
    def file_read_only(path: str) -> str:
        """The file may not be written."""
        return f"{path} is read-only: give Roundtable write permission, then try again."

    @staticmethod
    def file_disk_error(path: str) -> str:
        """The disk of the file failed."""
        return (
            f"The disk of {path} reported an error: check the disk and its free space, then "
            "try again."
        )

    @staticmethod
    def file_not_opened(path: str) -> str:
        """The file cannot be opened."""
        return f"{path} cannot be opened: check that its folder exists and is writable."

    @staticmethod
    def file_locked(path: str) -> str:
        """Something else works on the file."""
        return f"{path} is locked by another program: close that program, then try again."

    @staticmethod
    def bad_url(reason: str) -> str:
        """The database URL is not valid."""
        return f"ROUNDTABLE_DATABASE_URL is not valid ({reason}): correct it."

    @staticmethod
    def old_postgres(oldest: int, found: int, name: str) -> str:
        """The server is too old."""
        return (
            f"Roundtable needs Postgres {oldest} or newer and found {found} at {name}: upgrade the "
            f"server, or {StoreText.OTHER_DATABASE}."
        )

    @staticmethod
    def no_utf8(name: str) -> str:
        """The database cannot hold every text."""
        return (
            f"{name} does not use UTF-8: create a database with ENCODING 'UTF8' and set "
            "ROUNDTABLE_DATABASE_URL to it."
        )

    @staticmethod
    def pooled(name: str) -> str:
        """A pooler lends the same session of the server to many."""
        return (
            f"{name} is behind a pooler that shares sessions, such as PgBouncer with pool_mode "
            "transaction, so that no process can hold it alone: set pool_mode to session, or set "
            "ROUNDTABLE_DATABASE_URL to the server itself."
        )

    @staticmethod
    def too_few_sessions(name: str, needed: int) -> str:
        """A pooler has no session left for a connection."""
        return (
            f"{name} is behind a pooler that has too few sessions: raise its default_pool_size to "
            f"{needed} or more, or set ROUNDTABLE_DATABASE_URL to the server itself."
        )

    @staticmethod
    def unreachable(name: str) -> str:
        """The server does not answer."""
        return (
            f"{name} is unreachable: check that the server is running and that "
            "ROUNDTABLE_DATABASE_URL "
            "is correct, then try again."
        )

    @staticmethod
    def server_damaged(name: str) -> str:
        """The server found its own files broken."""
        return f"{name} is damaged: restore a backup, or {StoreText.OTHER_DATABASE}."

    @staticmethod
    def login_refused(name: str) -> str:
        """The server does not let the user in."""
        return f"{name} rejected the user or password: correct ROUNDTABLE_DATABASE_URL."

    @staticmethod
    def no_database(name: str) -> str:
        """The server has no database of that name."""
        return f"{name} does not exist: create that database, or correct ROUNDTABLE_DATABASE_URL."

    @staticmethod
    def no_schema(name: str) -> str:
        """The user has no schema to make tables in."""
        return f"{name} has no usable schema: create one that is in the user's search_path."

    @staticmethod
    def right_refused(name: str) -> str:
        """The user may not do what the store needs."""
        return (
            f"The user lacks a permission on {name}: make it the owner of the database or "
            "its schema."
        )

    @staticmethod
    def server_read_only(name: str) -> str:
        """The server is a replica."""
        return f"{name} is read-only: set ROUNDTABLE_DATABASE_URL to the primary server."

    @staticmethod
    def too_many_connections(name: str) -> str:
        """The server has no place for one more."""
        return f"{name} accepts no more connections: raise its max_connections, then try again."

    @staticmethod
    def short_of_resources(name: str) -> str:
        """The server lacks memory or the like."""
        return f"{name} is short of memory or another resource: free some, then try again."

    @staticmethod
    def database_locked(name: str) -> str:
        """Something else works on the database."""
        return f"{name} is locked by another program: close that program, then try again."

    @staticmethod
    def too_slow(name: str) -> str:
        """A statement took longer than is allowed."""
        return f"{name} took too long to answer: try again, or check the server's load."

    @staticmethod
    def server_disk_error(name: str) -> str:
        """The disk of the server failed."""
        return f"The disk of {name} reported an error: check the server's disk, then try again."


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
