"""Messages for admins: commands, panels, the doctor's findings, pausing."""

from collections.abc import Iterable, Sequence
from typing import Final

from bot.words.counting import counted, some

_MOST_NAMED: Final = 8
SETUP: Final = "Admins: see how this server is set up, and get the lines to change it."
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

_EMPTY_SEAT: Final = "empty"


def left_out(lines: int, where: str) -> str:
    """Ends an answer that is too long for one message."""
    return f"… and {lines} more lines{f': {where}' if where else '.'}"


def file_was_read(models: str) -> str:
    """A new panels.json holds."""
    return f"panels.json reloaded: {models}. Running roundtables keep their panel."


def models_usable(usable: int, named: int) -> str:
    """How many models a new panels.json can seat."""
    return f"{usable} of {named} configured models are usable"


def price_of_try(panel: str, price: str) -> str:
    """Comes before a panel is tried."""
    return f"The panel `{panel}` with `--quick`, in this channel. {price}"


def no_such_panel(name: str, hint: str) -> str:
    """A panel was asked for that panels.json cannot have."""
    return f"There is no panel '{name}': {hint}."


def panels_are(modes: Iterable[str]) -> str:
    """The hint when a name resembles no panel."""
    return f"the panels are {', '.join(f'`{mode}`' for mode in modes)}"


def panel_heading(mode: str, *, budget: bool) -> str:
    """Names a panel, and says when it is the cheap one."""
    return f"**{mode}**" + (", as the budget panel" if budget else "")


def panel_line(mode: str, seats: Iterable[tuple[str, str | None]], *, budget: bool) -> str:
    """A panel in a list of panels: each role with its model."""
    taken = (f"{role} ({model or _EMPTY_SEAT})" for role, model in seats)
    return f"{panel_heading(mode, budget=budget)}: {some(taken, 8)}"


def profile(name: str, models: Iterable[str]) -> str:
    """Models that can be asked for by one name."""
    return f"`--panel {name}`: {some(models)}"


def panel_settings(mode: str, speech_order: str, *, ends_early: bool) -> tuple[str, str]:
    """How a panel meets, and where that is written."""
    early = "ends early when the panel agrees" if ends_early else "runs every round"
    return (
        f"Speech order: {speech_order}; {early}.",
        f'In panels.json: `panels.{mode}`; a server\'s own: `servers."ID".panels.{mode}`.',
    )


def finding(what: str, fix: str) -> str:
    """One line of the doctor's; without a fix it is well."""
    return f"⚠️ {what}: {fix}" if fix else f"✅ {what}"


def problems(number: int) -> str:
    """Heads the doctor's findings."""
    return f"**{counted(number, 'problem')}**"


def fix_without_models(steps: Sequence[str]) -> str:
    """How a model becomes usable."""
    return f"{steps[0]}, or {_START_OLLAMA}" if steps else _START_OLLAMA


def models(usable: Iterable[tuple[str, str, str]]) -> str:
    """Which models are usable, each with the provider's id of it."""
    told = (f"{model} ({wire} through {provider})" for model, wire, provider in usable)
    return f"Models: {some(told, _MOST_NAMED)}"


def not_usable(model: str) -> str:
    """A model that no provider serves."""
    return f"{model} is not usable"


def search(state: str) -> str:
    """Where facts are looked up."""
    return f"{SEARCH}: {state}"


def budgets(limits: str) -> str:
    """What may be spent."""
    return f"Budgets: {limits}"


def database_fix(error: str) -> str:
    """Where to look when the database does not answer."""
    return f"check the log ({error}), then see 'When something is wrong' in docs/operations.md"


def database_answers(megabytes: int | None) -> str:
    """The database is well; only a file has a size."""
    size = " (Postgres)" if megabytes is None else f", {megabytes} MB"
    return f"The database responds{size}"


def disk_free(megabytes: int) -> str:
    """How much room there is."""
    return f"{megabytes} MB of disk space free"


def paused_by(person_id: int, at: float) -> str:
    """Who paused the server, and when."""
    return f"Paused by <@{person_id}> <t:{at:.0f}:R>"
