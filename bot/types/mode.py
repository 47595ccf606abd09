"""The five modes of a roundtable."""

import enum


class Mode(enum.StrEnum):
    """What kind of meeting is held."""

    DEBATE = "debate"
    BUILD = "build"
    REDTEAM = "redteam"
    VOTE = "vote"
    DEFAULT = "default"
