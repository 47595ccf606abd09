"""Commands about existing runs: help, lists, reading, who said what, forgetting."""

from collections.abc import Sequence
from typing import Final

from bot.messages.counting import counted


class LibraryText:
    """The roundtables that were held: lists, statuses, files, and what cannot be found."""

    EMPTY_LIST: Final = (
        "There are no roundtables you can read yet: type `roundtable` and a question to start one."
    )
    EMPTY_IN_PUBLIC: Final = (
        "There are no roundtables in this channel: use `/roundtable list` to see those in other "
        "channels."
    )
    NOT_FOUND: Final = "Roundtable not found: use `/roundtable list` to see those you can read."
    NOT_FOUND_IN_PUBLIC: Final = (
        "Roundtable not found, or not readable by everyone here: use `/roundtable list` to see "
        "those you can read."
    )
    NONE_HERE: Final = (
        "There is no roundtable here: add its id (use `/roundtable list` to find it)."
    )
    DISCUSSION_OVER: Final = "The discussion has ended. Everything said stays in the thread."
    NO_DISCUSSION: Final = "This is not an agent discussion: use `roundtable stop` to end it."
    NOT_YOURS_TO_END: Final = (
        "Only its coordinator or a moderator can end this discussion: ask one of them."
    )
    OVER_ALREADY: Final = (
        "This discussion has already ended: use `roundtable show` to see its conclusion."
    )
    ENDED_BY_MODERATOR: Final = "ended by a moderator"
    LIST: Final = "**Roundtables**, newest first"
    FORGOTTEN: Final = "(topic removed)"
    AWAITING_APPROVAL: Final = "waiting for approval"
    FAILED_FOR_GOOD: Final = "failed permanently"
    NOT_CONCLUDED: Final = "did not conclude"
    CONCLUDED: Final = "concluded"
    RUNNING: Final = "running"
    BEING_CHOSEN: Final = "The panel is being chosen."

    @staticmethod
    def minutes_of(topic: str, status: str) -> str:
        """Shown with the attached minutes."""
        return f"📝 The minutes of **{topic}** ({status}):"

    @staticmethod
    def files_of(topic: str, status: str) -> str:
        """Shown with the attached files."""
        return f"📦 The files of **{topic}** ({status}):"

    @staticmethod
    def files_not_written(why: str) -> str:
        """The files could not be written."""
        return (
            f"The files of this roundtable could not be written ({why}): free some space or fix "
            "the folder's permissions, then run `roundtable export`."
        )

    @staticmethod
    def unreadable(run_id: str, why: str) -> str:
        """Shown instead of a roundtable with a damaged record."""
        return (
            f"The record of `{run_id}` is damaged and cannot be read ({why}): it is left out until "
            "the bot's operator restores it from a backup."
        )

    @staticmethod
    def missing_field(name: str) -> str:
        """What is wrong with a damaged record."""
        return f"its field `{name[:40]}` is missing"

    @staticmethod
    def discussion_shown(topic: str, conclusion: str) -> str:
        """The conclusion of a discussion of agents."""
        return f"## 🎯 {topic}\n{conclusion}"

    @staticmethod
    def choice_tail(status: str, run_id: str) -> str:
        """What follows the topic where an id is completed."""
        return f" · {status} · {run_id}"

    @staticmethod
    def list_line(
        topic: str, outcome: str, mode: str, channel_id: int, began: float, run_id: str
    ) -> str:
        """One entry of a list: what came out, and in small print where and when."""
        small = f"{mode} · <#{channel_id}> · <t:{began:.0f}:R> · `{run_id}`"
        return f"**{topic}** · {outcome}\n-# {small}"

    @staticmethod
    def status_line(mark: str, topic: str, mode: str, status: str) -> str:
        """The first line of a status."""
        return f"{mark} **{topic}** · {mode} · {status}"

    @staticmethod
    def started(began: float, starter_id: int, run_id: str, finished: float | None = None) -> str:
        """When and by whom it was started, and when it was over."""
        over = f", over <t:{finished:.0f}:R>" if finished is not None else ""
        return f"Started <t:{began:.0f}:R> by <@{starter_id}>{over} · `{run_id}`"

    @staticmethod
    def retries_itself(due_at: float) -> str:
        """A failed run that waits for its next attempt."""
        return f"It failed and will be retried automatically <t:{due_at:.0f}:R>."

    @staticmethod
    def can_be_retried(reason: str) -> str:
        """A run that did not conclude, and what to do."""
        return f"{reason} · type `roundtable retry` to continue."

    @staticmethod
    def progress(number: int, planned: int, answers: int, roles: Sequence[str]) -> str:
        """How far a meeting is."""
        seats = ", ".join(roles)
        return f"Round {number} of {planned} · {answers} of {len(roles)} answers · {seats}"

    @staticmethod
    def discussion_line(mark: str, topic: str, status: str) -> str:
        """The first line about a discussion of agents."""
        return f"{mark} **{topic}** · agent discussion · {status}"

    @staticmethod
    def discussion_progress(
        number: int, planned: int, waiting_for: Sequence[str], score: float | None
    ) -> str:
        """How far a discussion of agents is."""
        waiting = f" · waiting for {', '.join(waiting_for)}" if waiting_for else ""
        convergence = "" if score is None else f" · convergence {score}"
        return f"Round {number} of {planned}{waiting}{convergence}"

    @staticmethod
    def discussion_held_by(roles: Sequence[str], coordinator: str, run_id: str) -> str:
        """The participants of an agent discussion."""
        return f"{', '.join(roles)} · coordinated by {coordinator} · `{run_id}`"


class ReadText:
    """Slash commands about existing roundtables, and replies when there is none."""

    LIST: Final = "List the newest roundtables you can read."
    STATUS: Final = "Show where a roundtable stands."
    SHOW: Final = "Show what a roundtable concluded."
    READ: Final = "Get the minutes with everything that was said."
    EXPORT: Final = "Get the roundtable's files: minutes, a page to print, and JSON."
    END: Final = "End a discussion of agents."
    CONCLUDE: Final = "End the rounds now and have the conclusion written, or close its vote."
    STOP: Final = "Stop a roundtable and keep what was said."
    COSTS: Final = "Show what you spent, what is left today, and what a roundtable costs now."
    RETRY: Final = "Try a failed roundtable again; what was answered is kept."
    POST: Final = "Post a conclusion in another channel, once somebody approved it."
    RESOLVE: Final = "Say what became of a decision: which option was right, or too early."
    REOPEN: Final = "Look at a decision again because something is new."
    RECORD: Final = "Show how often panels, models and people were right in this server."
    QUIET: Final = "Silence the panel of this thread until somebody writes."
    HELP: Final = "Show what Roundtable can do."
    FORGET: Final = "Remove everything you wrote from the bot's store, files and later prompts."

    WHICH: Final = "The roundtable's id; left out, the one in this thread"
    WHICH_DISCUSSION: Final = "The discussion's id; left out, the one in this thread"
    WHAT_HAPPENED: Final = "What happened: an option, right, wrong, mixed, too early …"
    WHERE_TO_POST: Final = "Where the conclusion is to be posted"

    NONE_TO_CONCLUDE: Final = "There is no roundtable here: conclude it in its own thread."
    NONE_TO_RETRY: Final = "There is no roundtable here: retry it in its own thread."
    NONE_TO_POST: Final = "There is no roundtable here: write its id before the channel."

    @staticmethod
    def not_yet(command: str) -> str:
        """A command that this version does not have."""
        return (
            f"`roundtable {command}` is not available in this version: see `roundtable help` for "
            "available commands."
        )


class AuthorText:
    """Who said a message."""

    NOT_OURS: Final = (
        "This message does not belong to a roundtable: choose one from a panelist or the bot."
    )
    COORDINATOR: Final = "The coordinator"
    ROUNDTABLE_ITSELF: Final = "Roundtable itself"
    SOME_PANELIST: Final = "A panelist"
    NO_MODEL: Final = "no model"
    AFTER_THE_MEETING: Final = "in reply to a question after the meeting"
    AT_THE_END: Final = "at the end"

    @staticmethod
    def about(topic: str, run_id: str) -> str:
        """Which roundtable it was."""
        return f"**{topic}** · `{run_id}`"

    @staticmethod
    def by_agent(name: str, held_by: str, about_run: str) -> str:
        """A message of a discussion of agents."""
        return f"{name} said this in an agent discussion coordinated by {held_by}: {about_run}"

    @staticmethod
    def by_panelist(who: str, occasion: str, about_run: str) -> str:
        """A message of a panelist."""
        return f"{who} said this {occasion} of {about_run}"

    @staticmethod
    def conclusion_by(writer: str, about_run: str) -> str:
        """A conclusion."""
        return f"Roundtable posted this conclusion, written by {writer}, about {about_run}"

    @staticmethod
    def by_the_bot(about_run: str) -> str:
        """Everything else."""
        return f"Roundtable posted this itself, no model wrote it: {about_run}"

    @staticmethod
    def masked(name: str) -> str:
        """A panelist whose mask is on."""
        return f"**{name}** (masked until the end)"

    @staticmethod
    def stand_in(role: str, model: str) -> str:
        """A panelist of a rehearsal."""
        return f"**{role}**, a stand-in for {model}"

    @staticmethod
    def panelist(role: str, model: str, answered_by: str) -> str:
        """A panelist with its model, and the one that answered for it if that was another."""
        swapped = f", answered by {answered_by}" if answered_by else ""
        return f"**{role}** ({model}{swapped})"

    @staticmethod
    def in_round(number: str) -> str:
        """When it was said."""
        return f"in round {number}"

    @staticmethod
    def in_stage(number: str) -> str:
        """When it was said, in a later stage."""
        return f"in stage {number}"


class ForgetText:
    """Forgetting what a person wrote."""

    NOTHING: Final = "I have nothing stored that you wrote."
    STILL_RUNNING: Final = (
        "A roundtable of yours in another server could not be stopped yet, so nothing was removed: "
        "try again in a minute."
    )
    _IN_DISCORD: Final = "Messages in Discord stay until you delete them there."

    @staticmethod
    def will_remove(started: int, joined: int) -> str:
        """Shown before the person confirms."""
        return (
            f"This removes {ForgetText._what(started, joined)} from my database, my files "
            "and future prompts. It "
            f"cannot be undone, and your running roundtables are stopped. {ForgetText._IN_DISCORD}"
        )

    @staticmethod
    def forgotten(started: int, joined: int, damaged: Sequence[str] = ()) -> str:
        """Shown afterwards; the files of `damaged` runs could not be rewritten."""
        text = f"Removed: {ForgetText._what(started, joined)}. {ForgetText._IN_DISCORD}"
        if not damaged:
            return text
        return (
            f"{text} The record of {', '.join(f'`{run_id}`' for run_id in damaged)} is damaged, so "
            "its files may still quote you: ask the bot's operator to remove them."
        )

    @staticmethod
    def _what(started: int, joined: int) -> str:
        return (
            f"{counted(started, 'roundtable')} you started, with everything said there, and what "
            f"you wrote in {counted(joined, 'other')} and elsewhere"
        )


class HelpText:
    """The help, which fits one screen."""

    HELP: Final = """\
**Roundtable** lets a panel of language models debate your question in a thread.
```
roundtable Postgres or SQLite for our queue?
roundtable --vote --quick tabs or spaces?
```
`--debate` `--build` `--redteam` `--vote` choose the mode (default: detected from your words) · \
`--options tea | coffee` what a vote is about
`--quick` three seats, one round · `--rounds 3` two or three rounds · `--panel opus,grok` your own \
panel · `--panel budget` two models
`--validate` check the conclusion · `--no-search` no web search · `--context-from NAME` build on \
an earlier one · `--link URL` post the conclusion on an issue after approval
`--masked` hide who is who until the vote is over. You can vote too, in private, with buttons.
**In its thread**, or with an id: `roundtable status` shows its progress, `show` its conclusion, \
`read` its minutes, `export` its files, `conclude` ends the rounds and writes the conclusion now, \
`post #channel` posts it elsewhere once approved, `retry` continues a failed one, \
`resolve tea` says later which option was right, `reopen` and what is new holds it again; \
`end` ends an agent discussion, `stop` ends it without a conclusion.
`roundtable list` the newest · `roundtable record` how often panels were right here, \
`record export` as files · `roundtable costs` what you spent and what a meeting costs \
now · `roundtable forget` removes what you wrote
What you write in the thread during the meeting reaches the panel in its next round.
Reply to a panelist or begin with its name (`Analyst, why?`) to ask it, mention the bot to \
ask everybody; `roundtable quiet` silences them.
Message menu: **Ask this panelist**, **Who said this?**, **Roundtable on this**.
All commands also work as `/roundtable …`; `/roundtable start` without options opens a form."""

    _CANNOT_READ_MESSAGES: Final = (
        "⚠️ I cannot read messages here, so use `/roundtable`, or mention me before the commands "
        "below; replies to panelists do not work. An admin can enable the Message Content intent.\n"
    )

    @staticmethod
    def help_text(*, reads_messages: bool) -> str:
        """The help as it is true for this bot."""
        return HelpText.HELP if reads_messages else HelpText._CANNOT_READ_MESSAGES + HelpText.HELP
