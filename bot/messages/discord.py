"""Buttons, menus, and what Discord did not accept."""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.messages.counting import listed


class ButtonText:
    """Labels of buttons and message menus, titles of small forms, and what a press is "
    "answered with."""

    START: Final = "Start"
    CANCEL: Final = "Cancel"
    STOP: Final = "Stop"
    CONCLUDE: Final = "Conclude now"
    CLOSE_VOTE: Final = "Close the vote"
    USE_OPTIONS: Final = "Vote on these"
    EDIT_OPTIONS: Final = "Edit the options"
    OPTIONS_FIELD: Final = "One option per line, 2 to 8 of them"
    RETRY: Final = "Retry"
    ASK: Final = "Ask …"
    MINUTES: Final = "Minutes"
    DETAILS: Final = "Details"
    RUN_ANYWAY: Final = "Run it anyway"
    CHALLENGE: Final = "Challenge the conclusion"
    BUILD_IT: Final = "Build it"
    START_ANYWAY: Final = "Start a roundtable on it"
    OPEN_THREAD: Final = "Open the thread"
    TRY_IT: Final = "Try it"
    FORGET_ME: Final = "Forget me"

    TOO_LATE: Final = "Discord did not wait for the answer: try again."
    ASK_THIS_PANELIST: Final = "Ask this panelist"
    WHO_SAID_THIS: Final = "Who said this?"
    ROUNDTABLE_ON_THIS: Final = "Roundtable on this"

    REJECT_IT: Final = "Reject it"
    REQUEST_CHANGES: Final = "Request changes"
    WHY_NOT: Final = "Why not?"
    WHAT_HAS_TO_CHANGE: Final = "What should change?"

    GOAL_AND_RISKS: Final = "Goal and risks"
    SCOPE: Final = "Scope"
    INPUTS_AND_OUTPUTS: Final = "Inputs and outputs"
    ACCEPTANCE_CRITERIA: Final = "Acceptance criteria"

    ONLY_WHO_ASKED_FORGETS: Final = (
        "Only the person who asked for this can confirm it: type `roundtable forget` to "
        "remove your "
        "own data."
    )
    ONLY_READERS_VOTE: Final = "Only people who can read this thread can vote here."

    HOW_SURE: Final = "How sure are you?"
    SURENESS: Final[Mapping[int, str]] = {
        20: "20 %: just a guess",
        40: "40 %: not very sure",
        60: "60 %: fairly sure",
        80: "80 %: sure",
        100: "100 %: certain",
    }

    @staticmethod
    def command(name: str) -> str:
        """A button that carries out the command that was probably meant."""
        return f"roundtable {name}"

    @staticmethod
    def with_flag(flag: str) -> str:
        """A button that starts with the flag that was probably meant."""
        return f"Start with {flag}"

    @staticmethod
    def voted(choice: str) -> str:
        """A person's vote was taken."""
        return (
            f"🗳️ You voted for **{choice}**. Nobody else can see it; press another option to change "
            f"it. {ButtonText.HOW_SURE}"
        )

    @staticmethod
    def voted_surely(choice: str, percent: int) -> str:
        """A person said how sure of their vote they are."""
        return f"🗳️ You voted for **{choice}** and are {percent} % sure. Nobody else can see it."

    @staticmethod
    def spec_form(label: str, version: int) -> str:
        """Heads the form behind a button under a spec."""
        return f"{label}: spec v{version}"

    @staticmethod
    def broke(code: str) -> str:
        """An unexpected error; the code is also in the log."""
        return (
            f"Internal error in the bot: try again, and tell an admin the code `{code}` if "
            "it happens "
            "again."
        )


class PostText:
    """Posts that Discord rejected, and replacements for content it cannot show."""

    PLACE_GONE: Final = "its thread or channel no longer exists"
    NOT_TAKEN: Final = "Discord rejected the message"

    HELD_ELSEWHERE: Final = "this roundtable runs in another post"
    PANELISTS_SPEAK: Final = "panelists speak"

    INVITE_REMOVED: Final = "(invite removed)"
    SOME_ROLE: Final = "@a-role"
    SOME_PERSON: Final = "@someone"

    @staticmethod
    def right_lost(permissions: Sequence[str]) -> str:
        """Discord no longer lets the bot write there."""
        if not permissions:
            return "I no longer have permission to write there (an admin can restore it)"
        return (
            f"I no longer have {listed(permissions)} there (an admin can allow it for my "
            "role in the "
            "channel's settings)"
        )

    @staticmethod
    def status(number: int) -> str:
        """Discord refused without a word."""
        return f"Discord answered with status {number}"

    @staticmethod
    def message_failed(reason: str) -> str:
        """A post did not go out."""
        return f"A message could not be posted: {reason}."

    @staticmethod
    def card_failed(reason: str) -> str:
        """The live card did not go out."""
        return f"The card could not be posted: {reason}."

    @staticmethod
    def forum_post_failed(reason: str) -> str:
        """A forum did not take the roundtable."""
        return f"The post could not be opened: {reason}."

    @staticmethod
    def full_text_attached(name: str, chars: int) -> str:
        """Stands below the beginning of a text that would fill the thread."""
        return f"-# 📎 Shortened: the full text ({chars:,} characters) is attached as `{name}`."

    @staticmethod
    def code_attached(name: str, lines: int) -> str:
        """Stands where long code was."""
        return f"📎 `{name}` ({lines} lines, attached)"
