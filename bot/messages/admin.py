"""What admins read: panels, the doctor and set-up."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from bot.messages.counting import counted, listed, some
from bot.messages.meeting import RoundsText


class AdminText:
    """Messages for admins: commands, panels, the doctor's findings, pausing."""

    _MOST_NAMED: Final = 8
    SETUP: Final = "Admins: set this server up: channels, roles, language, budgets and panel."
    DOCTOR: Final = "Admins: look for problems, each with its fix."
    PAUSE: Final = "Admins: take nothing new in this server; what runs goes on to its end."
    RESUME: Final = "Admins: take new roundtables again."
    PANEL: Final = "See, reload and try the panels of panels.json."
    PANEL_LIST: Final = "Show every panel and who would sit on it now."
    PANEL_SHOW: Final = "Show one panel, seat by seat."
    PANEL_TRY: Final = "Put one question to one panel in this channel; its price comes first."
    PANEL_RELOAD: Final = "Read panels.json now instead of in a moment."
    WHICH_PANEL: Final = "Which panel"
    WHAT_TO_ASK: Final = "What to ask it"

    NOT_AN_ADMIN: Final = (
        "Only members with the Manage Server permission can use this: ask one of them."
    )

    FILE_UNCHANGED: Final = "panels.json has not changed."
    STAND_INS: Final = "every seat is a stand-in"
    PAUSED: Final = (
        "⏸️ Paused: no new roundtables start in this server and panelists answer no questions; "
        "running roundtables finish. Use `/roundtable resume` to accept new ones again."
    )
    NOT_PAUSED: Final = "Roundtable is not paused in this server: you can start roundtables."
    RESUMED: Final = "▶️ Resumed: you can start roundtables again."

    REST_OF_PROBLEMS: Final = "fix these first, then run it again"
    REST_OF_PANELS: Final = "run `roundtable check` on the bot's host to see all of it"
    ALL_WELL: Final = "**No problems found.**"

    NO_MODEL: Final = "No model is usable, so labelled stand-ins take every seat"
    _START_OLLAMA: Final = "start Ollama"
    SEARCH: Final = "Search"
    DATABASE_SILENT: Final = "The database does not respond"
    MAKE_ROOM: Final = "free some space before it is full"
    RESUME_FIX: Final = "use `/roundtable resume` to accept new roundtables again"
    SWITCHED_OFF: Final = "Disabled in panels.json"
    SWITCH_ON_FIX: Final = "set trigger.enabled to true"
    TAKES_NEW: Final = "New roundtables are accepted"
    SETTINGS_IGNORED: Final = "The stored settings of this server are not used"

    _EMPTY_SEAT: Final = "empty"

    @staticmethod
    def left_out(lines: int, where: str) -> str:
        """Ends an answer that is too long for one message."""
        return f"… and {lines} more lines{f': {where}' if where else '.'}"

    @staticmethod
    def file_was_read(models: str) -> str:
        """A new panels.json holds."""
        return f"panels.json reloaded: {models}. Running roundtables keep their panel."

    @staticmethod
    def models_usable(usable: int, named: int) -> str:
        """How many models a new panels.json can seat."""
        return f"{usable} of {named} configured models are usable"

    @staticmethod
    def price_of_try(panel: str, price: str) -> str:
        """Comes before a panel is tried."""
        return f"The panel `{panel}` with `--quick`, in this channel. {price}"

    @staticmethod
    def no_such_panel(name: str, hint: str) -> str:
        """A panel was asked for that panels.json cannot have."""
        return f"There is no panel '{name}': {hint}."

    @staticmethod
    def panels_are(modes: Iterable[str]) -> str:
        """The hint when a name resembles no panel."""
        return f"the panels are {', '.join(f'`{mode}`' for mode in modes)}"

    @staticmethod
    def panel_heading(mode: str, *, budget: bool) -> str:
        """Names a panel, and says when it is the cheap one."""
        return f"**{mode}**" + (", as the budget panel" if budget else "")

    @staticmethod
    def panel_line(mode: str, seats: Iterable[tuple[str, str | None]], *, budget: bool) -> str:
        """A panel in a list of panels: each role with its model."""
        taken = (f"{role} ({model or AdminText._EMPTY_SEAT})" for role, model in seats)
        return f"{AdminText.panel_heading(mode, budget=budget)}: {some(taken, 8)}"

    @staticmethod
    def profile(name: str, models: Iterable[str]) -> str:
        """Models that can be asked for by one name."""
        return f"`--panel {name}`: {some(models)}"

    @staticmethod
    def panel_settings(
        mode: str, speech_order: str, *, strict: bool, ends_early: bool, second_round: str
    ) -> tuple[str, str]:
        """How a panel meets, and where that is written."""
        speech_order += " (strict)" if strict else ""
        early = "ends early when the panel agrees" if ends_early else "runs every round"
        if mode == "vote" or ends_early:
            early += f"; second round {second_round}: {RoundsText.RULES[second_round]}"
        return (
            f"Speech order: {speech_order}; {early}.",
            f'In panels.json: `panels.{mode}`; a server\'s own: `servers."ID".panels.{mode}`.',
        )

    @staticmethod
    def finding(what: str, fix: str) -> str:
        """One line of the doctor's; without a fix it is well."""
        return f"⚠️ {what}: {fix}" if fix else f"✅ {what}"

    @staticmethod
    def problems(number: int) -> str:
        """Heads the doctor's findings."""
        return f"**{counted(number, 'problem')}**"

    @staticmethod
    def fix_without_models(steps: Sequence[str]) -> str:
        """How a model becomes usable."""
        return f"{steps[0]}, or {AdminText._START_OLLAMA}" if steps else AdminText._START_OLLAMA

    @staticmethod
    def models(usable: Iterable[tuple[str, str, str]]) -> str:
        """Which models are usable, each with the provider's id of it."""
        told = (f"{model} ({wire} through {provider})" for model, wire, provider in usable)
        return f"Models: {some(told, AdminText._MOST_NAMED)}"

    @staticmethod
    def not_usable(model: str) -> str:
        """A model that no provider serves."""
        return f"{model} is not usable"

    @staticmethod
    def search(state: str) -> str:
        """Where facts are looked up."""
        return f"{AdminText.SEARCH}: {state}"

    @staticmethod
    def budgets(limits: str) -> str:
        """What may be spent."""
        return f"Budgets: {limits}"

    @staticmethod
    def database_fix(error: str) -> str:
        """Where to look when the database does not answer."""
        return f"check the log ({error}), then see 'When something is wrong' in docs/operations.md"

    @staticmethod
    def database_answers(megabytes: int | None) -> str:
        """The database is well; only a file has a size."""
        size = " (Postgres)" if megabytes is None else f", {megabytes} MB"
        return f"The database responds{size}"

    @staticmethod
    def disk_free(megabytes: int) -> str:
        """How much room there is."""
        return f"{megabytes} MB of disk space free"

    @staticmethod
    def paused_by(person_id: int, at: float) -> str:
        """Who paused the server, and when."""
        return f"Paused by <@{person_id}> <t:{at:.0f}:R>"


class SetupText:
    """Setting a server up: what holds now, what can be changed, and what was stored."""

    OPTIONS: Final[Mapping[str, str]] = {
        "topics": "A channel where every message is to be a topic",
        "output": "The channel where all roundtables are to be held",
        "role": "The only role that is to start one",
        "cooldown": "Seconds a person is to wait between two starts",
    }
    """What Discord shows beside each option of `/roundtable setup`."""

    NAMES: Final[Mapping[str, str]] = {
        "output": "Channel of all roundtables",
        "topics": "Topic channels",
        "starters": "Roles that can start",
        "approvers": "Roles that can approve",
        "cooldown": "Seconds between starts",
        "language": "Language",
        "panel": "Panel",
        "per_run": "Dollars for a roundtable",
        "per_person": "Dollars per person and day",
        "per_server": "Dollars of the server per day",
    }
    """What each setting is called."""
    LANGUAGES: Final = (
        *("Arabic", "Bengali", "Chinese", "Czech", "Danish", "Dutch", "English", "Finnish"),
        *("French", "German", "Greek", "Hindi", "Indonesian", "Italian", "Japanese", "Korean"),
        *("Polish", "Portuguese", "Russian", "Spanish", "Swedish", "Thai", "Turkish"),
        *("Ukrainian", "Vietnamese"),
    )
    """What the form offers; panels.json takes any other as well."""

    HEADING: Final = "**Roundtable settings of this server**"
    _EVERYBODY: Final = "everybody"
    ADMIN_CHANNEL: Final = "- From now on, I report problems to admins in this channel"
    HOW_TO_CHANGE: Final = (
        "Change them with the buttons; a field left empty stays as it is. Running roundtables keep "
        "their design. `/roundtable doctor` looks for problems."
    )
    PLACES: Final = "Channels and roles"
    RULES: Final = "Language, panel, budgets"
    CLEAR: Final = "Back to panels.json …"
    NOTHING_CHOSEN: Final = "You chose nothing, so nothing was changed."
    SAVED: Final = "✅ Saved."
    EXAMPLE_AMOUNT: Final = "such as 2.50"

    @staticmethod
    def no_amount(typed: str) -> str:
        """A budget that is no number."""
        return f"`{typed}` is not an amount in dollars: write a number such as 2.50."

    @staticmethod
    def refused(problem: str) -> str:
        """A value that panels.json could not have either."""
        return f"Nothing was saved: {problem}."

    @staticmethod
    def unknown_server(name: str) -> str:
        """A settings file names a server by something that is no id."""
        return f"'{name}' is not the id of a server: use the file that `roundtable settings` wrote."

    @staticmethod
    def unknown_setting(guild_id: int, names: Sequence[str]) -> str:
        """A settings file sets what `/roundtable setup` cannot."""
        return (
            f"servers.{guild_id}: {listed(names)} cannot be stored: write it into panels.json "
            "instead."
        )

    NO_SETTINGS_FILE: Final = (
        'This is no settings file: it needs {"servers": {…}}, as `roundtable settings` prints it.'
    )

    @staticmethod
    def loaded(servers: int) -> str:
        """Settings were read from a file."""
        return f"Stored the settings of {counted(servers, 'server')}."

    @staticmethod
    def approved_by(role_ids: Sequence[int]) -> str:
        """Who can approve effects and budgets."""
        roles = " or ".join(f"<@&{role}>" for role in role_ids)
        return f"- Effects and budgets are approved by {roles or 'admins'}"

    @staticmethod
    def language(name: str) -> str:
        """The language models are asked to write in."""
        return f"- Answers and conclusions are in {name or 'the language of the topic'}"

    @staticmethod
    def panel(name: str) -> str:
        """Who sits when nobody names a panel."""
        return f"- Panel: {f'`{name}`' if name else 'that of the mode'}, unless `--panel` names one"

    @staticmethod
    def budgets(limits: str) -> str:
        """What may be spent."""
        return f"- Budgets: {limits}"

    @staticmethod
    def stored(names: Sequence[str], person_id: int, at: float) -> str:
        """What is stored above panels.json, and who changed it last."""
        who = f"<@{person_id}>" if person_id else "the operator"
        return f"-# Stored here, above panels.json: {listed(names)} · by {who} <t:{at:.0f}:R>"

    @staticmethod
    def started_by(role_ids: Sequence[int]) -> str:
        """Who can start a roundtable; no role means everybody."""
        roles = " or ".join(f"<@&{role}>" for role in role_ids) or SetupText._EVERYBODY
        return f"- Started by `roundtable …` and `/roundtable start`, by {roles}"

    @staticmethod
    def topic_channels(channel_ids: Sequence[int]) -> str:
        """Where people need no command."""
        return (
            f"- Every message is a topic in {', '.join(f'<#{number}>' for number in channel_ids)}"
        )

    @staticmethod
    def held_in(channel_id: int | None) -> str:
        """Where roundtables are shown."""
        return f"- Held {f'in <#{channel_id}>' if channel_id else 'where it was asked for'}"

    @staticmethod
    def pace(seconds: float, at_once: int) -> str:
        """How often roundtables may be started."""
        return f"- {seconds:g} s between two starts, {at_once} at once"
