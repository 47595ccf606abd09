"""The one fixed closing instruction of every panel prompt: a stance, or in vote mode a ballot."""

from typing import Final

from bot.request.modes import Mode

STANCE_LINE: Final = """\
The very last line of your answer is your stance toward the proposition. Write it in exactly this
form, with AGREE, DISAGREE or NEUTRAL in place of X, and nothing after it:
[STANCE: X]"""

BALLOT_LINE: Final = """\
The very last line of your answer is your ballot. The option is copied from the list of options, the
confidence is a whole number from 0 to 100, the reason has at most twenty words. Write the line in
exactly this form, and nothing after it:
[BALLOT: option | confidence | reason]"""


def closing_line(mode: str) -> str:
    """The instruction that ends the system part of a panel prompt."""
    return BALLOT_LINE if mode == Mode.VOTE else STANCE_LINE


def closing_subject(mode: str) -> str:
    """The placeholder that the closing instruction speaks about and therefore needs."""
    return "OPTIONS" if mode == Mode.VOTE else "PROPOSITION"
