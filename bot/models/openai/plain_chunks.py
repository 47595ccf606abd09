"""Reads chunks that hold a piece of text and nothing else to look at, as nearly all chunks do."""

import json
import re
from typing import Any, Final

PIECE: Final = "chat.completion.chunk"
_CONTENT: Final = re.compile(r'"content"\s*:\s*(?=")')
_NOTHING: Final = "\0"
"""With what no chunk begins."""
_decode = json.JSONDecoder().raw_decode


def parsed(data: str) -> object:
    """Parse JSON with nothing around it: anything unreadable gives None."""
    try:
        value, end = _decode(data)
    except (ValueError, RecursionError):
        return None
    return value if end == len(data) else None


class PlainChunks:
    """Reads the chunks of one answer, which mostly differ in nothing but their text.

    So what stands around the text is remembered, and of a chunk with the same around it the text
    alone is parsed, in less than half the time.
    """

    def __init__(self) -> None:
        self._before = _NOTHING
        self._after = ""
        self._of_use = True

    def read(self, data: str) -> tuple[str, object]:
        """The text of a chunk that holds nothing else, or else nothing and all that it holds."""
        if data.startswith(self._before) and data.endswith(self._after):
            piece, end = _value(data, len(self._before))
            if piece and type(piece) is str and end == len(data) - len(self._after):
                self._of_use = True
                return piece, None
        chunk = parsed(data)
        text = _only_text(chunk)
        if text and self._of_use:
            self._learn(data, text)
        return text, chunk

    def _learn(self, data: str, text: str) -> None:
        """Remember what stands around the text, if another text there is all that would change.

        A server that changes more with each chunk is learned from once.
        """
        self._of_use = False
        key = _CONTENT.search(data)
        if key is None:
            return
        before, after = data[: key.end()], data[_value(data, key.end())[1] :]
        other = f"{text}, too"
        if _only_text(parsed(before + json.dumps(other) + after)) == other:
            self._before, self._after = before, after


def _value(data: str, start: int) -> tuple[object, int]:
    """The JSON value that begins there, and where it ends."""
    try:
        return _decode(data, start)
    except (ValueError, RecursionError):
        return None, start


def _only_text(chunk: Any) -> str:
    try:
        (choice,) = chunk["choices"]
        delta = choice["delta"]
        piece = delta["content"]
        told = choice.get("finish_reason") or choice.get("error") or chunk.get("usage")
    except (AttributeError, KeyError, TypeError, ValueError):
        return ""
    plain = chunk.get("object") == PIECE and "error" not in chunk and "type" not in chunk
    alone = len(delta) == 1 and type(piece) is str
    return piece if plain and alone and not told else ""
