"""Reads the text out of chunks that differ in nothing else from one before them."""

import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Final, NamedTuple

_TEXT_BEGINS: Final = re.compile(r'"content"\s*:\s*"')


class Envelope(NamedTuple):
    """What stands before and after the text in the chunks of an answer.

    Most servers repeat it word for word, so that there is no need to parse it with every chunk.
    """

    before: str
    after: str

    def text_in(self, data: str) -> str:
        """The text of a chunk that has these surroundings; nothing where they are others."""
        if not data.startswith(self.before):
            return ""
        try:
            text, end = scanstring(data, len(self.before))
        except ValueError:
            return ""
        # Where the text ends, its closing quotation mark has been read.
        fits = end - 1 == len(data) - len(self.after) and data.endswith(self.after)
        return str(text) if fits else ""


def envelope_of(data: str) -> Envelope | None:
    """What surrounds the first text in a chunk; whether that is the answer's own is not known."""
    found = _TEXT_BEGINS.search(data)
    if found is None:
        return None
    begin = found.end()
    try:
        _, end = scanstring(data, begin)
    except ValueError:
        return None
    return Envelope(data[:begin], data[end - 1 :])
