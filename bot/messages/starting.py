"""Starting a roundtable: what was asked, who may, and what it will cost."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from bot.messages.counting import any_role, listed


class RequestText:
    """Errors and notes about a `roundtable …` command that cannot be parsed, or only in part."""

    EXAMPLES: Final[Mapping[str, str]] = {
        "--panel": "`--panel opus,grok,gemini`",
        "--context-from": "`--context-from 2026-05-01-our-queue`",
        "--link": "`--link https://github.com/owner/name/issues/12`",
        "--rounds": "`--rounds 2`",
        "--options": "`--options tea | coffee | water`",
    }
    """How each flag that takes a value is written."""

    NO_WORDS: Final = (
        "Your topic has no words: write what the panel should discuss after `roundtable`."
    )
    PANEL_WITHOUT_NAMES: Final = (
        f"`--panel` needs comma-separated model names: {EXAMPLES['--panel']}."
    )
    WRONG_ROUNDS: Final = f"A roundtable has 1 to 3 rounds: write {EXAMPLES['--rounds']}."
    WRONG_NAME: Final = (
        "`--context-from` takes the name of an earlier roundtable (lowercase letters, digits and "
        f"dashes): {EXAMPLES['--context-from']}."
    )
    SAME_OPTIONS: Final = (
        f"`--options` names an option twice: name each once, {EXAMPLES['--options']}."
    )
    NO_VALIDATION: Final = "`--quick` skips validation, so `--validate` has no effect here."

    @staticmethod
    def one_round_only(rounds: int | None) -> str:
        """More rounds were asked for than a quick roundtable holds."""
        return f"`--quick` runs one round, so `--rounds {rounds}` has no effect here."

    @staticmethod
    def wrong_options(number: int, least: int, most: int) -> str:
        """Too few or too many options were named."""
        return (
            f"`--options` names {least} to {most} options with `|` between them, and I read "
            f"{number}: {RequestText.EXAMPLES['--options']}."
        )

    @staticmethod
    def long_option(limit: int) -> str:
        """An option does not fit on a button."""
        return f"An option has at most {limit} characters: shorten the longest one."

    @staticmethod
    def options_without_vote(mode: str) -> str:
        """Options were named for a meeting that does not vote."""
        return f"`--options` names what is voted on: use `--vote` instead of `--{mode}`."

    @staticmethod
    def too_long(characters: int, limit: int) -> str:
        """The topic is longer than the server allows."""
        return (
            f"Your topic has {characters:,} characters and the limit is {limit:,}: shorten it, or "
            "post the long part as a separate message and write only the question here."
        )

    @staticmethod
    def too_many_modes(modes: Iterable[str]) -> str:
        """Two flags name different kinds of meeting."""
        named = " and ".join(f"`--{mode}`" for mode in modes)
        return f"A roundtable has only one mode, but you gave {named}: keep one of them."

    @staticmethod
    def needs_value(flag: str) -> str:
        """A flag that needs a value has none."""
        return f"`{flag}` needs a value: {RequestText.EXAMPLES[flag]}."

    @staticmethod
    def unknown_flag(flag: str, near: str | None, known: Iterable[str]) -> str:
        """A flag that does not exist; `near` is the one that was probably meant."""
        every = ", ".join(f"`{name}`" for name in known)
        hint = f"did you mean `{near}`?" if near else f"available flags: {every}."
        return (
            f"Unknown flag `{flag}`: {hint} (If your topic starts with dashes, put `--` before it.)"
        )


class DoubtText:
    """What is said to a message that hardly asks for a meeting."""

    POST: Final = (
        "`roundtable post` needs a channel that Discord knows: type `#` and choose it from the "
        "list, or use `/roundtable post`."
    )
    GREETING: Final = (
        "👋 I hold meetings of language models: type `roundtable` and a question, such as "
        "`roundtable Postgres or SQLite for our queue?`"
    )
    TO_PEOPLE: Final = (
        "This sounds like a question to people here, so I started nothing: leave out the name to "
        "ask the panel, or start it anyway."
    )
    ONE_WORD: Final = (
        "One word is little for a roundtable, so I started nothing: write what you want to know "
        "about it, or start it anyway."
    )
    FEW_WORDS: Final = (
        "Every message here starts a roundtable, but this one is very short, so I started nothing: "
        "write the question in a sentence, or start it anyway."
    )
    NOT_YOURS: Final = "Only the person who wrote the message can do this."
    GONE: Final = "That message is no longer stored: type it again."

    @staticmethod
    def near_miss(typed: str, meant: str) -> str:
        """A command with a typing error."""
        shown = typed.replace("`", "'")
        return f"I do not know `roundtable {shown}`: did you mean `roundtable {meant}`?"


class StartText:
    """Starting a roundtable: the slash command, its form, and the replies."""

    ROUNDTABLE: Final = "Hold a meeting of language models on a question."
    START: Final = "Hold a roundtable on a question."
    _QUICK: Final = "Three seats, one round"
    _VALIDATE: Final = "Let the panelists check the conclusion"
    _NO_SEARCH: Final = "Do not search the web first"
    OPTIONS: Final[Mapping[str, str]] = {
        "topic": "What the table should discuss; leave everything out for a form",
        "mode": "What kind of meeting; left out, it is read from your words",
        "quick": _QUICK,
        "rounds": "At most so many rounds; from 2 on two are held for sure",
        "panel": "Models with commas between, such as opus,grok — or budget",
        "validate": _VALIDATE,
        "no_search": _NO_SEARCH,
        "context_from": "The name of an earlier roundtable to build on",
        "link": "An issue to post the conclusion on, after approval",
        "masked": "Hide who the panelists are until the vote is over",
        "options": "What is voted on, with | between: tea | coffee | water",
    }
    """What Discord shows beside each option of `/roundtable start`."""

    FORM_TITLE: Final = "Hold a roundtable"
    FORM_TOPIC: Final = "What should the panel discuss?"
    FORM_MODE: Final = "What kind of meeting?"
    FORM_EXTRAS: Final = "Anything else?"
    FORM_PANEL: Final = "Your own panel, comma-separated"
    FORM_CONTEXT: Final = "Build on an earlier roundtable"
    EXAMPLE_TOPIC: Final = "Postgres or SQLite for our queue?"
    EXAMPLE_PANEL: Final = "opus,grok,gemini"
    EXAMPLE_CONTEXT: Final = "2026-05-01-our-queue"
    MODE_FROM_WORDS: Final = "Detect it from my words"
    EXTRAS: Final[Mapping[str, str]] = {
        "--quick": "Quick: three seats, one round",
        "--validate": _VALIDATE,
        "--no-search": _NO_SEARCH,
        "--masked": "Hide who the panelists are until the end",
    }
    """What the form calls the flags that have no field of their own."""

    IN_PRIVATE: Final = (
        "Roundtables only work in server channels: type `roundtable` and your question in a "
        "channel of a server we share."
    )
    NOT_LATE: Final = (
        "I was offline when you sent this, and I do not start roundtables late: please send "
        "it again."
    )
    NO_TEXT: Final = "This message has no text to discuss: choose another one."

    @staticmethod
    def meets_in(channel_id: int, price: str = "") -> str:
        """A roundtable was started; the price is a sentence, or nothing."""
        return f"The roundtable is in <#{channel_id}>. {price}".rstrip()

    @staticmethod
    def is_built_in(channel_id: int) -> str:
        """Somebody pressed Build it before."""
        return f"The build is already running, or has just finished, in <#{channel_id}>."

    @staticmethod
    def anchor(topic: str, mode: str, starter_id: int, outcome: str = "") -> str:
        """Stands in the channel where the thread begins; agents start without a person.

        It ends with what came out, once that is known.
        """
        who = f"asked by <@{starter_id}>" if starter_id else "started by agents"
        end = f"\n{outcome}" if outcome else ""
        return f"🎯 **Roundtable** · {mode} · {who}\n{topic}{end}"


class AdmissionText:
    """Why a roundtable is not started, or not where and how it was asked for."""

    SWITCHED_OFF: Final = (
        "Roundtable is not accepting new topics here right now (trigger.enabled in panels.json): "
        "ask an admin to enable it."
    )
    RESTARTING: Final = "The bot is restarting: try again in a minute."
    NO_SUCH_RUN: Final = "No roundtable with this id exists here: check the id."
    NOT_STORED: Final = "That roundtable is no longer stored: start it again with its topic."
    _DUPLICATE: Final = "♻️ Duplicate topic detected — reusing existing thread."
    NOTHING_TO_CHALLENGE: Final = (
        "The earlier conclusion was not found, so this roundtable starts without it: use "
        "`/roundtable list` to see what you can build on."
    )

    @staticmethod
    def duplicate(outcome: str) -> str:
        """The topic has a roundtable already, and what that came to."""
        return f"{AdmissionText._DUPLICATE}\n{outcome}".rstrip()

    @staticmethod
    def paused(since: float) -> str:
        """An admin paused the bot in this server."""
        return f"An admin paused Roundtable here <t:{since:.0f}:R>: try again after it is resumed."

    @staticmethod
    def only_for(role_ids: Sequence[int]) -> str:
        """The person has no role that can start roundtables."""
        return f"Only {any_role(role_ids)} can start a roundtable here: ask one of them."

    @staticmethod
    def too_many(running: int, over_by: float | None) -> str:
        """The limit of running roundtables is reached; `over_by` is when the oldest should end."""
        soon = "" if over_by is None else f" The oldest should finish <t:{over_by:.0f}:R>."
        return (
            f"{running} roundtables are already running in this server, which is the limit: try "
            f"again when one has finished.{soon}"
        )

    @staticmethod
    def next_start(moment: int) -> str:
        """The person's cooldown has not passed yet."""
        return f"You can start your next roundtable <t:{moment}:R>."

    @staticmethod
    def no_context(slug: str) -> str:
        """The conclusion to build on does not exist or is not readable for this person."""
        return (
            f"`--context-from {slug}` was not found, so this roundtable starts without it: use "
            "`/roundtable list` to see what you can build on."
        )

    @staticmethod
    def incomplete(missing: Sequence[str]) -> str:
        """The request lacks required parts."""
        return f"The request has no {', '.join(missing)}: try again with a topic."


class SpecText:
    """The implied spec of a plain request: scope, outputs and acceptance criteria."""

    GOAL: Final = "the topic of the run"
    BOUNDS: Final = (
        "effects outside the thread and the trigger channel",
        "running what a model wrote",
    )
    OUTPUTS: Final = ("posts in the thread", "conclusion", "minutes", "JSON file", "scorecard line")
    CRITERIA: Final = (
        "at least one panelist answered",
        "the conclusion has every section",
        "no prompt was sent with an unfilled placeholder",
    )
    REPRESENTED: Final = "the panelists found themselves represented"
    RISKS: Final = (
        "a model may be wrong, slow or missing",
        "what was found on the web may be untrue",
    )
    TOPIC: Final = "the topic"
    EARLIER_CONCLUSION: Final = "an earlier conclusion"
    WEB_SEARCH: Final = "web search"

    @staticmethod
    def in_mode(mode: str) -> str:
        """The mode as part of the scope."""
        return f"mode {mode}"


class ConsentText:
    """Expensive roundtables: who has to approve the price, and the outcome."""

    EXPIRED: Final = "⌛ Nobody approved the price in time, so this roundtable did not start."
    NOTHING_WAITS: Final = "This request has already been answered."
    NOT_YOURS_TO_START: Final = "Only the person who asked for it can start it."
    NOT_YOURS_TO_CANCEL: Final = "Only the person who asked for it or a moderator can cancel it."
    NOT_DECIDED: Final = "nobody decided within a day"
    NOT_YOURS_TO_NAME: Final = "Only the person who asked for the vote can name its options."
    NO_OPTIONS: Final = "the options of the vote were not confirmed"
    OPTIONS_EXPIRED: Final = (
        "⌛ Nobody confirmed the options in time, so this vote did not start: type it again with "
        "`--options A | B`."
    )
    NOT_AGREED: Final = "the price was not approved"
    BEGINS: Final = "Starting now."
    CANCELLED: Final = "Cancelled: nothing more is spent."
    UNDO_SPENDING: Final = "press Stop on the card; what was already spent is not refunded"

    @staticmethod
    def starter_asked(price: str, calls: str, starter_id: int) -> str:
        """Asks the starter, on the card."""
        return f"this will cost about {price} for {calls}: <@{starter_id}>, press Start or Cancel."

    @staticmethod
    def approver_asked(price: str, calls: str, limit: str) -> str:
        """Tells on the card that an approver is asked."""
        return (
            f"this will cost about {price} for {calls}, above the limit of {limit}: an approver "
            "must approve it."
        )

    @staticmethod
    def options_asked(options: Sequence[str]) -> str:
        """Asks, on the card, whether these are the options of a vote."""
        named = " · ".join(f"**{option}**" for option in options)
        return f"the topic names no options. Proposed: {named}"

    @staticmethod
    def to_starter(text: str, starter_id: int) -> str:
        """Names who has to answer a question on the card."""
        return f"{text}. <@{starter_id}>, use them, edit them, or cancel."

    @staticmethod
    def cancelled_by(person_id: int, *, price: bool = True) -> str:
        """Posted in the thread when the run was cancelled while it waited for its starter."""
        why = "because of the price" if price else "before the vote began"
        return f"⏹️ Cancelled by <@{person_id}> {why}."

    @staticmethod
    def cannot_begin(why: str) -> str:
        """Posted in the thread when the price was approved but the run cannot start."""
        return f"⏹️ This roundtable cannot start now. {why}"

    @staticmethod
    def not_approved_by(person: str | None) -> str:
        """Posted in the thread when an approver rejected the price."""
        return f"⏹️ <@{person}> did not approve the price."

    @staticmethod
    def may_spend(channel_id: int, limit: str) -> str:
        """What an approval of a price led to."""
        return f"<#{channel_id}> may spend up to {limit}."

    @staticmethod
    def hold_for(price: str) -> str:
        """What an approver is asked for."""
        return f"run this roundtable for about {price}"


class PropositionText:
    """The sentence that stances are about, where code writes it."""

    @staticmethod
    def choice(options: Sequence[str]) -> str:
        """A question that names options, as something to agree with or to deny."""
        first, *others = options
        rest = listed(others, "or")
        return f"The better choice is {first} rather than {rest}; to disagree is to choose {rest}."

    @staticmethod
    def answered_yes(topic: str) -> str:
        """A question that is answered with yes or no."""
        return f"The answer to this is yes: “{topic}”"

    @staticmethod
    def clear_answer(topic: str) -> str:
        """A question that could not be phrased as a claim."""
        return f"One clear answer can be recommended to this: “{topic}”"


class ModeText:
    """What people call a mode."""

    _NAMES: Final = {"redteam": "red team", "default": "discussion"}

    @staticmethod
    def of(mode: str) -> str:
        """A mode in words."""
        return ModeText._NAMES.get(mode, mode)
