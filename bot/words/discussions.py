"""What is said in and about discussions that agents hold: refusals, advice, posts and the file."""

from collections.abc import Iterable
from typing import Final

from bot.words.counting import counted

COORDINATOR: Final = "Coordinator"
A_PERSON: Final = "a person"
"""Who began a meeting, as agents are told; nobody's name goes out to programs."""

THE_TOPIC: Final = "The topic"
THE_CONTEXT: Final = "The context"
THE_SPEECH: Final = "The speech"
THE_CONCLUSION: Final = "The conclusion"
A_ROLE: Final = "A participant's role"
A_NAME: Final = "The name in Discord"
A_PERSPECTIVE: Final = "A perspective"
A_FINDING: Final = "A finding"

NAME_IS_TAKEN: Final = (
    "The profile 'coordinator' is reserved: choose another name for this participant."
)
NOT_FOUND: Final = "Discussion not found: call roundtable_list to see those you can read."
NO_CHANNEL_ID: Final = "`channel` is not a channel id: copy its digits from Discord."
NO_SUCH_CHANNEL: Final = "Channel not found: check its id and that the bot can read it."
CHANNEL_NEEDS_BOT: Final = (
    "A channel needs the running bot: start `roundtable run`, or leave `channel` out."
)
LINK_NEEDS_CHANNEL: Final = (
    "`link` needs `channel`: people approve the comment in the discussion's thread."
)
NOT_MARKDOWN: Final = "output_path must end in .md: the conclusion is a Markdown file."
ONLY_COORDINATOR_FINDS: Final = "Only the coordinator can give findings: leave them out."
FINDINGS_TOO_EARLY: Final = "No round is complete yet: give findings after the first round."

ALL_VOTED: Final = "all participants voted to end"
ROUNDS_USED_UP: Final = "the rounds are used up"
CONVERGED: Final = "the participants converged"
ENDED_BY_COORDINATOR: Final = "ended by the coordinator"
CANCELLED_BY_COORDINATOR: Final = "cancelled by the coordinator"

OPEN_IT: Final = (
    "Open with roundtable_speak as 'coordinator', then let every participant speak; the round "
    "ends when all have spoken."
)
ROUND_GOES_ON: Final = "The round is still running."
CONCLUDE_IT: Final = (
    "Call roundtable_summarize, write the conclusion, and pass it to roundtable_end."
)
WRITE_CONCLUSION: Final = (
    "Write the conclusion in Markdown and pass it to roundtable_end; points and the transcript "
    "are added to the file automatically."
)
NOTHING_MORE: Final = "This discussion has ended."


def is_empty(what: str) -> str:
    """The refusal of an empty text."""
    return f"{what} is empty: write at least one sentence."


def is_too_long(what: str, length: int, longest: int) -> str:
    """The refusal of a text that is too long."""
    return f"{what} has {length} characters: shorten it to at most {longest}."


def name_refused(what: str, name: str, why: str) -> str:
    """The refusal of a name that Discord would not take."""
    return f"{what} {name!r} {why}."


def wrong_rounds(given: int, most: int) -> str:
    """The refusal of a number of rounds."""
    return f"max_rounds is {given}: choose 1 to {most}."


def unknown_order(given: str) -> str:
    """The speech order is unknown."""
    return f"speech_order {given!r} is unknown: use fixed, random, priority or free."


def wrong_number(given: int, least: int, most: int) -> str:
    """The refusal of too few or too many participants."""
    return f"{given} participants were given: a discussion needs {least} to {most}."


def profile_twice(profile: str) -> str:
    """The refusal of two participants of one name."""
    return f"The profile {profile!r} is used twice: every participant needs a unique one."


def odd_profile(profile: str) -> str:
    """The refusal of a profile that cannot be a name."""
    return (
        f"The profile {profile!r} is not valid: use at most 64 letters, digits, dots, hyphens and "
        "underscores."
    )


def no_part_in_it(profile: str, known: Iterable[str]) -> str:
    """The profile to prompt is not a participant."""
    return (
        f"{profile!r} is not a participant of this discussion: its participants are "
        f"{', '.join(known)}."
    )


def may_not_speak(profile: str, known: Iterable[str]) -> str:
    """The speaker is not a participant."""
    names = ", ".join(known)
    return (
        f"{profile!r} is not a participant of this discussion: speak as one of {names} or as "
        "coordinator."
    )


def no_such_speech(speech_id: int) -> str:
    """The speech to answer does not exist."""
    return (
        f"reply_to {speech_id} is not a speech of this discussion: use a speech_id from "
        "roundtable_read."
    )


def is_over(status: str) -> str:
    """The refusal to go on with a discussion that ended."""
    return f"This discussion is {status}: open a new one with roundtable_init."


def ended_before(status: str) -> str:
    """The refusal to end a discussion once more."""
    return f"This discussion is already {status}: open a new one with roundtable_init."


def path_too_long(longest: int) -> str:
    """The path is too long."""
    return f"output_path is too long: use at most {longest} characters."


def path_outside(folder: str) -> str:
    """The refusal of a path that leads out of the folder."""
    return f"output_path is outside {folder}: leave it out, or choose a file inside that folder."


def not_written(path: str, why: str) -> str:
    """Why a conclusion is stored but has no file."""
    return (
        f"The conclusion could not be written to {path} ({why}): it is stored, and `roundtable "
        "export` writes it once the cause is fixed."
    )


def find_yourself(number: int) -> str:
    """The advice after a round that no model looks at."""
    return (
        f"Round {number} is complete. No model evaluates it: speak as coordinator with `findings` "
        "to record what was agreed, disputed and new."
    )


def round_begins(number: int) -> str:
    """The advice at the beginning of a round."""
    return f"Round {number} starts: let every participant read and speak."


def conclusion_is_in(path: str) -> str:
    """The advice after the end."""
    return f"The conclusion is in {path}."


def still_to_vote(profiles: Iterable[str]) -> str:
    """The advice after a vote that was not the last."""
    return f"Still to vote: {', '.join(profiles)}."


def coordinator_name(created_by: str) -> str:
    """The coordinator's name in the thread."""
    return f"{COORDINATOR} · {created_by}"


def participant_name(role: str, display_name: str) -> str:
    """A participant's name in the thread."""
    return f"{role} · {display_name}" if display_name not in ("", role) else role


def opening_post(roles: Iterable[str], rounds: int, held_by: str, link: str) -> str:
    """The first post of a discussion's thread."""
    about = f"\nAbout: <{link}>" if link else ""
    held = f"{counted(rounds, 'round')}, coordinated by {held_by}."
    return (
        f"🤝 Agents are discussing this: {', '.join(roles)}. {held}{about}\n"
        '-# What you write here reaches them as "from the floor".'
    )


def ending_post(reason: str, conclusion: str, *, concluded: bool) -> str:
    """The last post of a discussion's thread."""
    head = "🏁 The discussion is over" if concluded else "⏹️ The discussion was cancelled"
    text = f"{head}: {reason}."
    return f"{text}\n\n{conclusion}" if conclusion else text
