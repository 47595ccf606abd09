"""The sentence that stances are about, where code writes it."""

from collections.abc import Sequence

from bot.words.counting import listed


def choice(options: Sequence[str]) -> str:
    """A question that names options, as something to agree with or to deny."""
    first, *others = options
    rest = listed(others, "or")
    return f"The better choice is {first} rather than {rest}; to disagree is to choose {rest}."


def answered_yes(topic: str) -> str:
    """A question that is answered with yes or no."""
    return f"The answer to this is yes: “{topic}”"


def clear_answer(topic: str) -> str:
    """A question that could not be phrased as a claim."""
    return f"One clear answer can be recommended to this: “{topic}”"
