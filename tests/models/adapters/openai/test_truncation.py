"""A server on this machine that reads only a part of the prompt is found out."""

from bot.models.adapters.openai.chat import least_tokens
from bot.types.model_port import ErrorKind, Message, Prompt
from tests.models.adapters.openai.conftest import MakePort, error_of, request, text_of
from tests.support.model_server import ModelServer, Script

SHORTEST_CONTEXT = 1000

PROSE = "The members of the panel should weigh what they know against what they assume. " * 400


def used(tokens: int) -> Script:
    return Script(text="Yes.", usage={"prompt_tokens": tokens, "completion_tokens": 2})


async def test_an_answer_to_half_a_prompt_is_a_failure_that_says_what_to_do(
    server: ModelServer, make_port: MakePort
) -> None:
    """providers 1.1: Ollama truncates in silence."""
    server.script("model", used(4096))
    error = await error_of(make_port(), request(PROSE))
    assert error.kind is ErrorKind.CONTEXT_EXCEEDED
    assert "truncated the prompt to 4096 tokens" in str(error)
    assert "OLLAMA_CONTEXT_LENGTH" in str(error)


async def test_an_answer_to_the_whole_prompt_stands(
    server: ModelServer, make_port: MakePort
) -> None:
    server.script("model", used(len(PROSE) // 5))
    assert await text_of(make_port(), request(PROSE)) == "Yes."


async def test_counts_no_context_is_as_short_as_are_not_believed(
    server: ModelServer, make_port: MakePort
) -> None:
    """A server that counts only what was not in its cache has not cut anything off."""
    server.script("model", used(SHORTEST_CONTEXT - 1))
    assert await text_of(make_port(), request(PROSE)) == "Yes."


def test_runs_of_the_same_sign_do_not_make_a_prompt_long() -> None:
    drawn = Prompt("round1", {}, (Message("user", "-" * 20_000 + " " * 20_000 + "=" * 20_000),))
    assert least_tokens(drawn) < 10
