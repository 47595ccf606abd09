"""Problems with a spec or with files that a model wrote for a build."""

from typing import Final

NAME_TOO_LONG: Final = "its name is too long"
NAME_LEADS_AWAY: Final = "its name is not a plain relative path"
NAME_RESERVED: Final = "its name is reserved"
WRITTEN_TWICE: Final = "it appears twice"
EMPTY: Final = "it is empty"
NO_PLAIN_FILE: Final = "it is a link or not a regular file"
NO_TEXT: Final = "it is not UTF-8 text"


def refused(name: str, reason: str) -> str:
    """A file was not taken."""
    return f"`{name}` was rejected: {reason}"


def too_large(size: int, most: int) -> str:
    """A single file has too many bytes."""
    return f"it has {size:,} bytes; the limit is {most:,}"


def too_many(most: int) -> str:
    """There are more files than allowed."""
    return f"there are more than {most} files"


def all_too_large(most: int) -> str:
    """The files have too many bytes between them."""
    return f"the files have more than {most:,} bytes in total"


def heading_missing(heading: str) -> str:
    """A part of the spec is not there."""
    return f"{heading} is missing"


def too_few_criteria(least: int) -> str:
    """The spec could be met too easily."""
    return f"there are fewer than {least} acceptance criteria"


def criterion_too_short(number: int) -> str:
    """A criterion of a word or two."""
    return f"criterion {number} is too short to be tested"


def criterion_vague(number: int, word: str) -> str:
    """A criterion that cannot be checked."""
    return f"criterion {number} cannot be tested: it says “{word}” without saying how to check it"
