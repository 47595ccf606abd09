"""Why a call to a model failed, and what to do about it."""

from typing import Final

PROVIDER_REJECTED: Final = "The provider rejected the request; choose another model for this seat."
PROVIDER_FAILED: Final = "The provider failed; try again in a moment."
RATE_LIMITED: Final = "The provider is rate limiting us; wait a moment or lower its maxConcurrent."
OUT_OF_MONEY: Final = (
    "The provider's account is out of credit; top it up or choose another provider."
)
PROMPT_TOO_LONG: Final = (
    "The prompt does not fit into the model's context; choose a model with a larger context."
)
PROVIDER_DECLINED: Final = "The provider declined the request; rephrase the question."
BAD_KEY: Final = "The provider rejected the API key; check it in .env."
UNSENDABLE_KEY: Final = (
    "The provider's API key contains invalid characters; copy it into .env again."
)
UNSUPPORTED: Final = (
    "The model does not support part of the request; choose another model for this seat."
)
UNKNOWN_MODEL: Final = (
    "The provider does not know this model or URL; check its name and baseUrl in panels.json."
)
WRONG_ENDPOINT: Final = (
    "The provider serves this model at another endpoint; choose another model for this seat."
)
NOT_ALLOWED: Final = "The provider does not allow this call; check the key's permissions."
MOVED: Final = "The provider's URL has moved; correct its baseUrl in panels.json."
OVERLOADED: Final = "The provider is overloaded; try again in a moment."

DECLINED: Final = "The model declined to answer; rephrase the question."
ASKED_FOR_TOOL: Final = (
    "The model requested a tool call instead of answering; try again or choose another model."
)
TOO_LONG: Final = (
    "The answer was far longer than any prompt asks for, so it was cut off; try again or choose "
    "another model."
)
BROKE_OFF: Final = "The answer was cut off before its end; try again in a moment."
UNREADABLE: Final = "The provider sent an unreadable answer; try again in a moment."
NOTHING_SAID: Final = "The model returned an empty answer; try again or choose another model."
NO_ROOM_LEFT: Final = (
    "The model used all its output tokens before it wrote anything; allow it more output."
)
COULD_NOT_FINISH: Final = (
    "The model could not finish its answer; try again or choose another model."
)
LONGER_THAN_CONTEXT: Final = (
    "Prompt and answer do not fit into the model's context; choose a model with a larger context."
)
NO_GEMINI_NAME: Final = (
    "This is not a Gemini model name; write it in panels.json as Google does, without a vendor "
    "prefix."
)

TOO_MANY_CALLS: Final = "Too many calls to this provider were running; raise maxConcurrent."
NO_ANSWER_IN_TIME: Final = "The provider did not answer in time; check that it is running."
UNREACHABLE: Final = "The provider is unreachable; check that it is running and its baseUrl."
NOT_CALLABLE: Final = "The provider cannot be called as configured; check its baseUrl and key."
CONNECTION_BROKE: Final = "The connection to the provider was lost; try again in a moment."
WRONG_KIND: Final = "The provider's answer does not match its kind; check kind and baseUrl."


def quoting(sentence: str, status: int | None, said: str) -> str:
    """A failure with its HTTP status and the server's own words, where there are any."""
    number = f" (HTTP {status})" if status else ""
    return f"{sentence}{number}{it_said(said)}"


def it_said(said: str) -> str:
    """Somebody else's words after a sentence of ours, or nothing."""
    return f" It said: {said}" if said else ""


def read_only_a_part(tokens: int) -> str:
    """A server on this machine cut the prompt off."""
    return (
        f"The server truncated the prompt to {tokens} tokens; give it a larger context (Ollama: "
        "OLLAMA_CONTEXT_LENGTH=16384) and restart it."
    )


def did_not_begin(seconds: float) -> str:
    """No first word came."""
    return f"The model did not start to answer within {seconds:g} s; try again later."


def fell_silent(seconds: float) -> str:
    """The stream stalled."""
    return f"The model stopped writing for {seconds:g} s; try again later."


def did_not_finish(seconds: float) -> str:
    """The deadline passed while the model wrote."""
    return f"The model did not finish within {seconds:g} s; try again later."


def no_whole_answer(model: str, seconds: float) -> str:
    """The deadline passed, whatever the model did meanwhile."""
    return f"{model} did not finish its answer within {seconds:g} seconds."


def broke_off(model: str) -> str:
    """The stream of a model ended before its answer did."""
    return f"{model} stopped in the middle of its answer."


def without_text(model: str) -> str:
    """A model ended its answer without a word."""
    return f"{model} sent an empty answer."


def on_trial(kind: str) -> str:
    """Another call is testing a model that kept failing."""
    return f"The model kept failing ({kind}); a test call is running."


def resting(kind: str, seconds: int) -> str:
    """A model that kept failing is left alone for a while."""
    return f"The model kept failing ({kind}); it is retried in {seconds} s."


def resting_without_money(seconds: int) -> str:
    """A provider whose account is empty is left alone for a while."""
    return f"The provider's account was out of credit; it is retried in {seconds} s."


def in_the_queue(ahead: int) -> str:
    """The card's note on a call that waits in line; nothing when its turn has come."""
    return f"in the queue, {ahead} ahead" if ahead else ""
