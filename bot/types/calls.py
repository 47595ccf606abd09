"""What every layer says about a model call: prompt, messages, usage and kinds of error."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Voice = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt as every wire format knows it."""

    voice: Voice
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered prompt together with what it was rendered from.

    Providers that speak to a model send `messages`; the rehearsal provider, which has no model,
    reads `template` and `values` instead of taking prose apart. `shared` says after how many
    characters of the last message the beginnings end that other prompts have, too.
    """

    template: str
    values: Mapping[str, str]
    messages: tuple[Message, ...]
    shared: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What the call used; `cost_usd` is None, never 0, when the provider did not say.

    `output_tokens` holds `reasoning_tokens`, which were paid and never shown.
    """

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    cost_usd: float | None = None
    reasoning_tokens: int = 0
    odd: bool = field(default=False, compare=False)
    """Whether the provider reported figures that no call can have; they were capped."""


class ErrorKind(enum.StrEnum):
    """Why a call failed; each kind has one retry rule."""

    RATE_LIMITED = "rate limited"
    OUT_OF_MONEY = "out of money"
    OVERLOADED = "overloaded"
    NETWORK = "network"
    TIMEOUT = "timeout"
    CONTEXT_EXCEEDED = "context exceeded"
    UNSUPPORTED_PARAMETER = "unsupported parameter"
    REFUSED = "refused"
    NOT_AUTHORISED = "not authorised"
    BAD_OUTPUT = "bad output"
