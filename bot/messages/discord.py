"""Buttons, menus, permissions, and what Discord did not accept."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from bot.messages.counting import listed, some


class ButtonText:
    """Labels of buttons and message menus, titles of small forms, and answers to a press."""

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
        "Only the person who asked for this can confirm it: type `roundtable forget` to remove "
        "your own data."
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
            f"Internal error in the bot: try again, and tell an admin the code `{code}` if it "
            "happens again."
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
            f"I no longer have {listed(permissions)} there (an admin can allow it for my role in "
            "the channel's settings)"
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


class PermissionText:
    """What the bot may not do somewhere, what that means for people, and how it is mended."""

    # Discord's own names, as its settings show them.
    VIEW_CHANNEL: Final = "View Channel"
    CREATE_POSTS: Final = "Create Posts"
    SEND_MESSAGES: Final = "Send Messages"
    SEND_IN_THREADS: Final = "Send Messages in Threads"
    READ_HISTORY: Final = "Read Message History"
    CREATE_THREADS: Final = "Create Public Threads"
    MANAGE_WEBHOOKS: Final = "Manage Webhooks"
    EMBED_LINKS: Final = "Embed Links"
    ATTACH_FILES: Final = "Attach Files"
    ADD_REACTIONS: Final = "Add Reactions"

    WITHOUT: Final[Mapping[str, str]] = {
        VIEW_CHANNEL: "I cannot see the channel",
        SEND_IN_THREADS: "nobody can speak in threads",
        SEND_MESSAGES: "I cannot answer",
        READ_HISTORY: "I cannot make sure that nothing is posted twice",
        CREATE_THREADS: "roundtables run in the channel instead of threads",
        MANAGE_WEBHOOKS: "panelists speak in my own messages",
        EMBED_LINKS: "the card has no content",
        ATTACH_FILES: "minutes cannot be attached",
        ADD_REACTIONS: "I cannot react to confirm messages",
    }
    """What the lack of each permission means."""

    NO_THREADS: Final = "I cannot create threads here, so this roundtable runs in the channel."
    NO_THREADS_IN_VOICE: Final = (
        "Voice channels have no threads, so this roundtable runs in the chat."
    )
    NO_WEBHOOKS: Final = (
        "I cannot manage webhooks here, so panelists speak in my own messages, each starting with "
        "the panelist's name."
    )
    WEBHOOKS_FULL: Final = (
        "This channel has all 15 webhooks that Discord allows, so panelists speak in my own "
        "messages, each starting with the panelist's name: an admin can delete a webhook under "
        "Integrations in the channel's settings."
    )
    UNSURE: Final = "I cannot check read permissions with Discord right now: try again in a moment."

    NOT_FOUND: Final = "cannot be found in this server"
    NO_ORDINARY_MESSAGES: Final = "does not support normal messages"
    IS_A_FORUM: Final = "is a forum (choose one of its posts instead)"

    ALLOW_THEM: Final = "allow them for my role in the channel's settings"
    WEBHOOKS_NOT_COUNTED: Final = "Cannot count webhooks"
    ALLOW_WEBHOOKS: Final = f"allow {MANAGE_WEBHOOKS} for my role"
    DELETE_A_WEBHOOK: Final = (
        "delete one under Integrations, otherwise panelists speak in my own messages"
    )
    INTENT_ON: Final = "The Message Content intent is enabled"
    INTENT_OFF: Final = "The Message Content intent is disabled"
    SWITCH_INTENT_ON: Final = (
        "enable it in the developer portal under Bot, otherwise only slash commands and "
        "mentions work"
    )

    @staticmethod
    def lacks(permissions: Iterable[str]) -> str:
        """Why a roundtable cannot be held in a channel, as the end of a sentence."""
        missing = " and ".join(permissions)
        return f"does not give me {missing} (an admin can allow it in the channel's settings)"

    @staticmethod
    def output_unusable(fault: str) -> str:
        """Tells admins that the configured channel does not work, so others are used."""
        return (
            f"⚠️ The configured output channel {fault}, so roundtables run where they are asked "
            "for: choose another one with `/roundtable setup`, or fix `output.target` in "
            "panels.json."
        )

    @staticmethod
    def cannot_meet(fault: str) -> str:
        """No roundtable can be held where it was asked for."""
        return f"I cannot start a roundtable here: this channel {fault}."

    @staticmethod
    def sees(seen: int, every: int) -> str:
        """How much of a server the bot sees."""
        return f"I can see {seen} of {every} channels"

    @staticmethod
    def missing_in(permission: str, channels: Iterable[str]) -> str:
        """A permission that some channels do not give."""
        return f"{permission} is missing in {some(channels)}"

    @staticmethod
    def allow_it(harm: str) -> str:
        """What the lack does, and where it is mended."""
        return f"{harm} there; allow it for my role in the channel's settings"

    @staticmethod
    def lacking_here(permissions: Iterable[str]) -> str:
        """What the bot may not do where the doctor was called."""
        return f"Missing permissions here: {', '.join(permissions)}"

    @staticmethod
    def given_here(permissions: Iterable[str]) -> str:
        """What the bot may do where the doctor was called."""
        return f"Permissions here: {', '.join(permissions)}"

    @staticmethod
    def webhooks_left(left: int, most: int, channel: str, *, own: bool) -> str:
        """How many more webhooks a channel can have."""
        mine = ", and I already have mine" if own else ""
        return f"{left} of {most} webhooks are left in {channel}{mine}"
