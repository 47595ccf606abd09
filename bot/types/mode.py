"""The five modes of a roundtable, and the orders in which its answers are posted."""

import enum
from typing import Literal

SpeechOrder = Literal["fixed", "random", "priority", "free"]


class Mode(enum.StrEnum):
    """What kind of meeting is held."""

    DEBATE = "debate"
    BUILD = "build"
    REDTEAM = "redteam"
    VOTE = "vote"
    DEFAULT = "default"
