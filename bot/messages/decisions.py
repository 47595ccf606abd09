"""Decisions that come back: when to look again, what happened, what builds on them."""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.messages.counting import counted, listed


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


class RecordText:
    """How often panels, models and people were right in one server."""

    HEAD: Final = "📒 **The record of this server**"
    NOTHING: Final = (
        "No decision of this server is resolved yet: choose under a conclusion when to look at it "
        "again, or say what happened with `roundtable resolve`."
    )
    REHEARSED: Final = (
        "⚠️ These decisions come from rehearsals: no model was speaking, the figures are examples."
    )
    WHICH: Final = "What to do; left out, the record is shown"
    CHOICES: Final[Mapping[str, str]] = {
        "show": "show the record",
        "export": "export it as CSV and JSON",
        "join": "join: keep my own votes",
        "leave": "leave: remove my own votes",
    }
    JOINED: Final = (
        "You joined the record of this server: from now on your last vote in each roundtable is "
        "kept, and everybody here can see how often you were right. `roundtable record leave` or "
        "`roundtable forget` removes it."
    )
    JOINED_BEFORE: Final = (
        "You are in the record of this server already: `roundtable record leave` removes you."
    )
    LEFT: Final = "Your votes are removed from the record of this server, and none is kept."
    NOT_JOINED: Final = (
        "You are not in the record of this server: `roundtable record join` keeps your votes."
    )
    EXPORTED: Final = "📒 The resolved decisions of this server that can be read here:"
    FOOT: Final = (
        "-# `roundtable record export`: CSV and JSON · `roundtable record join`: your own votes, "
        "too · what it means: docs/how-sure.md"
    )
    PANEL: Final = "the panel"
    PLAIN: Final = "plain majority of the models"
    PICTURE: Final = "calibration.png"
    PICTURE_HEAD: Final = "How sure votes were, and how often right"
    AXIS_SAID: Final = "how sure the vote was said to be"
    AXIS_RIGHT: Final = "how often right"
    LEGEND: Final = (
        "on the line: right as often as said; below it: too sure",
        "the number in a dot is how many votes it stands for",
    )

    @staticmethod
    def known(decisions: int) -> str:
        """How much is known so far."""
        many = counted(decisions, "decision")
        if decisions < RecordText._HINT:
            return f"{many} resolved: too few to say. {RecordText._HINT} give a first hint."
        if decisions < RecordText._ENOUGH:
            return (
                f"{many} resolved: a first hint, no more. From {RecordText._ENOUGH} votes on they "
                "correct how sure a vote is."
            )
        return f"{many} resolved: enough to correct how sure a vote is."

    _HINT: Final = 30
    _ENOUGH: Final = 100

    @staticmethod
    def hits(who: str, right: int, held: int) -> str:
        """How often somebody was right."""
        share = f" ({round(100 * right / held)} %)" if held >= RecordText._SHARED_FROM else ""
        return f"- {who}: right in {right} of {held}{share}"

    _SHARED_FROM: Final = 10
    """Below that a percentage would promise more than it knows."""

    @staticmethod
    def people(when: str, most: tuple[int, int], ballots: tuple[int, int]) -> str:
        """People as a group, before or after the conclusion."""
        return (
            f"- people {when} the conclusion: most of them right in {most[0]} of {most[1]}, "
            f"{ballots[0]} of {counted(ballots[1], 'ballot')} right"
        )

    @staticmethod
    def sure(said: float, right: int, votes: int, brier: float) -> str:
        """What was said about how sure, what came of it, and the score of both."""
        return (
            f"- how sure: {round(100 * said)} % on average, right in {right} of {votes}; Brier "
            f"score {brier:.2f} (0 is perfect, saying 50 % every time gets 0.25)"
        )

    @staticmethod
    def votes(number: int) -> str:
        """Heads the lines about votes."""
        return f"**{counted(number, 'vote')}**"

    @staticmethod
    def by_model() -> str:
        """Heads the lines about models."""
        return "**By model**"

    @staticmethod
    def members() -> str:
        """Heads the lines about people who joined."""
        return "**People who joined the record**"

    @staticmethod
    def advice(right: int, wrong: int, mixed: int) -> str:
        """Conclusions of roundtables that were no votes."""
        return f"**Other conclusions**: {right} right, {wrong} wrong, {mixed} mixed"

    @staticmethod
    def unknown(number: int) -> str:
        """Decisions of which nobody can know."""
        return f"-# {counted(number, 'decision')} cannot be known and count for nothing."

    @staticmethod
    def more(models: int) -> str:
        """Models that are not listed."""
        return f"- and {counted(models, 'other model')}"

    @staticmethod
    def left_out(number: int) -> str:
        """Decisions that the export does not list."""
        return (
            f"{counted(number, 'decision')} of the record cannot be read here, or not any more, "
            "and is only counted."
            if number == 1
            else f"{number} decisions of the record cannot be read here, or not any more, and are "
            "only counted."
        )

    @staticmethod
    def percent(share: float) -> str:
        """A label of the picture."""
        return f"{round(100 * share)} %"

    @staticmethod
    def in_words(points: Sequence[tuple[float, float, int]]) -> str:
        """The picture for those who cannot see it."""
        told = [
            f"{counted(votes, 'vote')} said about {round(100 * said)} % and "
            f"{'was' if votes == 1 else 'were'} right in {round(100 * right)} %"
            for said, right, votes in points
        ]
        return f"How sure votes were, and how often they were right: {'; '.join(told)}."


class EarlierText:
    """What a roundtable builds on."""

    _WHY: Final = {
        "context": "Builds on an earlier conclusion",
        "challenge": "Challenges an earlier conclusion",
        "reopen": "Reopens an earlier decision",
        "build": "Builds what was discussed before",
    }

    @staticmethod
    def line(why: str, thread_id: int) -> str:
        """The earlier roundtable by its thread, which people can click."""
        return f"↩️ {EarlierText._WHY[why]}: <#{thread_id}>"

    @staticmethod
    def on_card(why: str, thread_id: int, title: str) -> str:
        """The same with its topic; cards are not stored."""
        return f"{EarlierText.line(why, thread_id)} ({title})"

    @staticmethod
    def in_minutes(why: str, url: str) -> str:
        """The same for a file."""
        return f"- [{EarlierText._WHY[why]}]({url})"
