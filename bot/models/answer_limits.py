"""How large an answer may be, one limit for each way it can come."""

from typing import Final

from bot.types.model_port import ModelRequest

STREAM_BYTES: Final = 32 * 1024 * 1024
"""A whole event stream, decoded: some 100,000 tokens, thoughts included, each in its own event."""
EVENT_BYTES: Final = 1024 * 1024
"""One event, or one line, of a stream."""
WHOLE_BYTES: Final = 2 * 1024 * 1024
"""An answer that comes as one JSON object, decoded."""
ERROR_BYTES: Final = 64 * 1024
"""As much of an error's explanation is read."""
HARNESS_BYTES: Final = 64 * 1024 * 1024
"""All that a harness writes in one call, thoughts and tools included."""
HARNESS_LINE_BYTES: Final = 4 * 1024 * 1024
"""One message of a harness, which may hold a file."""

_ANSWER_CHARS: Final = 50_000
"""The text of an answer: several times what a prompt asks for, and read within 100 ms."""
_FILES_CHARS: Final = 500_000
"""The text of an answer that holds whole files."""
_CHARS_PER_TOKEN: Final = 16
"""No tokenizer packs prose more densely than that."""
_HOLDS_FILES: Final = frozenset({"build-files"})


def longest_answer(request: ModelRequest) -> int:
    """How many characters the answer may have; less where the call limits the output itself."""
    limit = _FILES_CHARS if request.prompt.template in _HOLDS_FILES else _ANSWER_CHARS
    if request.max_output_tokens is None:
        return limit
    return min(limit, request.max_output_tokens * _CHARS_PER_TOKEN)
