"""The model server keeps its own promises."""

import httpx
import pytest

from bot.prompting.templates import PromptBook
from bot.settings import SHIPPED_PROMPTS
from tests.prompting.sample_texts import VALUES
from tests.support.model_server import ModelServer, Script
from tests.support.rehearsed_answers import RehearsedAnswers


async def test_the_models_are_listed() -> None:
    async with ModelServer(models=("a", "b")) as server, httpx.AsyncClient() as client:
        listed = (await client.get(f"{server.url}/models")).json()
    assert [model["id"] for model in listed["data"]] == ["a", "b"]


async def test_scripts_are_used_in_turn_and_the_last_one_stays() -> None:
    async with ModelServer() as server, httpx.AsyncClient() as client:
        server.script("m", Script(status=503), Script(text="Now."))
        statuses = [
            (await client.post(f"{server.url}/chat/completions", json=BODY)).status_code
            for _ in range(3)
        ]
    assert statuses == [503, 200, 200]


async def test_an_answer_may_depend_on_the_request() -> None:
    async with (
        ModelServer(answer=lambda body: body["messages"][0]["content"].upper()) as server,
        httpx.AsyncClient() as client,
    ):
        answer = (await client.post(f"{server.url}/chat/completions", json=BODY)).json()
    assert answer["choices"][0]["message"]["content"] == "HI"


async def test_a_key_is_asked_for_when_there_is_one() -> None:
    async with ModelServer(key="k") as server, httpx.AsyncClient() as client:
        url = f"{server.url}/chat/completions"
        denied = await client.post(url, json=BODY)
        allowed = await client.post(url, json=BODY, headers={"Authorization": "Bearer k"})
    assert (denied.status_code, allowed.status_code) == (401, 200)


@pytest.mark.parametrize("template", VALUES)
def test_a_rendered_prompt_is_recognised_by_its_text(template: str) -> None:
    prompt = PromptBook.load(SHIPPED_PROMPTS).render(template, VALUES[template])
    system, user = (message.text for message in prompt.messages)
    found = RehearsedAnswers().prompt(system, user)
    assert found.template == template
    assert VALUES[template].items() <= found.values.items()


async def test_rehearsed_answers_follow_the_format_asked_for() -> None:
    prompt = PromptBook.load(SHIPPED_PROMPTS).render("round1", VALUES["round1"])
    messages = [{"role": m.voice, "content": m.text} for m in prompt.messages]
    answer = await RehearsedAnswers()({"model": "m", "messages": messages})
    assert "**SELF-DIGEST:**" in answer


BODY = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
