"""The failure of an attempt, with a message for people."""


class RunFailedError(Exception):
    """The attempt failed; the text says why in words for people.

    `asked` is how the keys of the calls begin that all failed.
    """

    def __init__(self, text: str, asked: str) -> None:
        super().__init__(text)
        self.asked = asked
