"""Finds out that a server read only a part of the prompt and said nothing about it.

Ollama's compatible path cannot be told how much to read: what does not fit is cut off in silence.
The count of tokens it reports gives it away.
"""

import re
from typing import Final

from bot.models.port import ErrorKind, Prompt, Usage
from bot.models.reading import Failure
from bot.words import model_errors

MOST_CHARS_PER_TOKEN: Final = 5.5
"""No ordinary text has more characters in a token, whatever its language."""
SHORTEST_CONTEXT: Final = 1000
"""Below this nothing is suspected: no server is set up to read less."""
_RUN: Final = re.compile(r"(\W)\1+|\s+")


def least_tokens(prompt: Prompt) -> int:
    """How many tokens a prompt has at the least; runs of the same sign are one token."""
    signs = sum(len(_RUN.sub(" ", message.text)) for message in prompt.messages)
    return int(signs / MOST_CHARS_PER_TOKEN)


def truncated(usage: Usage | None, prompt: Prompt) -> Failure | None:
    """The failure of a server that read less than the prompt had."""
    if usage is None or usage.input_tokens < SHORTEST_CONTEXT:
        return None
    if usage.input_tokens >= least_tokens(prompt):
        return None
    text = model_errors.read_only_a_part(usage.input_tokens)
    return Failure(ErrorKind.CONTEXT_EXCEEDED, text)
