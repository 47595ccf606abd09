"""The five modes of a roundtable."""

import enum


class Mode(enum.StrEnum):
    """What kind of meeting is held."""

    DEBATE = "debate"
    BUILD = "build"
    REDTEAM = "redteam"
    VOTE = "vote"
    DEFAULT = "default"

    @property
    def tag(self) -> str:
        """The mark a thread's title ends with; none where nobody chose a mode."""
        return "" if self is Mode.DEFAULT else f"[[{self.value.upper()}]]"
