"""A model that must be loaded first gets the time for it; one that answered lately does not."""

from bot.models.local_servers import LOAD_SECONDS, LoadPatience
from tests.models.plays import FakeTime

KEPT_SECONDS = 240.0


def test_the_first_call_of_a_model_that_is_loaded_on_demand_may_take_longer() -> None:
    """providers 1.1: the first request may take tens of seconds."""
    time = FakeTime()
    patience = LoadPatience({"ollama"}, time)
    assert patience.extra_seconds("ollama", "llama3.2") == LOAD_SECONDS
    patience.answered("ollama", "llama3.2")
    assert patience.extra_seconds("ollama", "llama3.2") == 0.0
    assert patience.extra_seconds("ollama", "qwen3:8b") == LOAD_SECONDS
    time.now += KEPT_SECONDS
    assert patience.extra_seconds("ollama", "llama3.2") == LOAD_SECONDS


def test_hosted_models_get_no_time_on_top() -> None:
    assert LoadPatience({"ollama"}).extra_seconds("openai", "gpt") == 0.0
    assert LoadPatience().extra_seconds("ollama", "llama3.2") == 0.0
