"""Decisions that come back: when to look again, what happened, what replaced them."""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.messages.counting import listed


class AgainText:
    """Looking at a decision again: the menu, the question to the thread, the answers."""

    MENU: Final = "Look at this decision again …"
    TIMES: Final[Mapping[str, str]] = {
        "week": "in a week",
        "month": "in a month",
        "quarter": "in three months",
        "date": "on a date …",
        "never": "never",
    }
    FORM: Final = "Look again on a date"
    DATE_FIELD: Final = "The date, as 2026-12-24"

    RIGHT: Final = "Right"
    WRONG: Final = "Wrong"
    MIXED: Final = "Mixed"
    EARLY: Final = "Too early"
    UNKNOWN: Final = "Cannot be known"

    NEVER: Final = (
        "Nobody will be asked about this decision. `roundtable resolve` says what happened at any "
        "time."
    )
    ASKED_NO_MORE: Final = "🔔 This question is answered: see below."
    WRONG_DATE: Final = (
        "This is not a date that I can read: write it as year-month-day, such as 2026-12-24."
    )
    PAST_DATE: Final = "This date is not in the future: choose tomorrow or later."
    FAR_DATE: Final = "This date is more than ten years away: choose an earlier one."
    NOT_CONCLUDED: Final = (
        "This roundtable has no conclusion to look at again: wait for it, or use `roundtable retry`"
        " if it failed."
    )
    AGENTS: Final = (
        "This is a discussion of agents, which decides nothing: resolve a roundtable instead."
    )
    STILL_VOTING: Final = (
        "People may still vote on this: resolve it when their vote is over, or close the vote with "
        "`roundtable conclude`."
    )
    RESOLVED_BEFORE: Final = (
        "What happened is known already: `roundtable resolve` with another answer changes it."
    )
    NONE_HERE: Final = "There is no roundtable here: write its id before the answer."

    @staticmethod
    def only_for(approvers: str) -> str:
        """Somebody else wanted to answer or to choose the time."""
        return f"Only the person who started this roundtable and {approvers} can do that: ask them."

    @staticmethod
    def will_look(at: float) -> str:
        """When the thread will be asked."""
        return (
            f"🔔 This thread will be asked on <t:{at:.0f}:D> (<t:{at:.0f}:R>) what happened. "
            "Choose again to change that."
        )

    @staticmethod
    def asks(outcome: str, concluded_at: float, run_id: str, *, vote: bool) -> str:
        """The question to the thread."""
        question = "Which option was right?" if vote else "Was this conclusion right?"
        return (
            f"🔔 **What happened?** <t:{concluded_at:.0f}:R> this panel concluded:\n> {outcome}\n"
            f"{question} Whoever started it and approvers can answer, also with "
            f"`roundtable resolve {run_id} …`."
        )

    @staticmethod
    def too_early(at: float) -> str:
        """Somebody said that it was too early."""
        return f"🔔 Too early to say: this thread will be asked again on <t:{at:.0f}:D>."

    @staticmethod
    def no_such_answer(typed: str, answers: Sequence[str]) -> str:
        """A command with an answer that this decision does not have."""
        said = f"“{typed}” is no answer here" if typed else "The answer is missing"
        return f"{said}: write `roundtable resolve` and one of {listed(answers, 'or')}."

    @staticmethod
    def resolved(answer: str) -> str:
        """What the person who answered is told."""
        return f"Saved: {answer}. Answer again to change it."

    @staticmethod
    def option_was_right(option: str, person_id: int | None, chosen: str, *, right: bool) -> str:
        """What happened after a vote, for its thread."""
        panel = f"The panel had chosen {chosen}" if chosen else "The panel had not decided"
        sign, word = ("✅", "right") if right else ("❌", "wrong")
        verdict = f"{panel}: {word}." if chosen else f"{panel}."
        return f"{sign} **What happened: {option}**{AgainText._by(person_id)}. {verdict}"

    @staticmethod
    def advice_was(answer: str, person_id: int | None) -> str:
        """What happened after a roundtable that was no vote."""
        said = AgainText._ADVICE[answer]
        return f"{said[0]} **What happened: {said[1]}**{AgainText._by(person_id)}."

    _ADVICE: Final[Mapping[str, tuple[str, str]]] = {
        "right": ("✅", "the conclusion was right"),
        "wrong": ("❌", "the conclusion was wrong"),
        "mixed": ("➗", "the conclusion was partly right"),
        "unknown": ("❔", "it cannot be known, so it does not count"),
    }

    @staticmethod
    def _by(person_id: int | None) -> str:
        return f" (says <@{person_id}>)" if person_id else ""


class ReopenText:
    """A decision that is looked at again because something is new."""

    BUTTON: Final = "Reopen"
    FORM: Final = "Reopen this decision"
    FIELD: Final = "What is new?"
    NOTHING_NEW: Final = (
        "What is new is missing: write it after `roundtable reopen`, so that the panel can take it "
        "into account."
    )

    @staticmethod
    def too_long(chars: int, limit: int) -> str:
        """What is new is a book."""
        return f"What is new has {chars:,} characters: shorten it to at most {limit:,}."

    @staticmethod
    def supersedes(thread_id: int) -> str:
        """In the thread of the new conclusion."""
        return f"🔁 This conclusion supersedes the decision in <#{thread_id}>."

    @staticmethod
    def superseded(thread_id: int) -> str:
        """In the thread of the old one."""
        return (
            f"🔁 This decision was reopened and is superseded by the conclusion in <#{thread_id}>. "
            "Nobody will be asked about the old one."
        )

    @staticmethod
    def in_list(thread_id: int) -> str:
        """After the outcome of the old one, in a list."""
        return f"🔁 superseded by <#{thread_id}>"

    @staticmethod
    def in_file(url: str) -> str:
        """The same in the minutes."""
        return f"🔁 Superseded by [a later decision]({url})."
