"""What goes to the Gemini API, and what the adapter learns not to send."""

import pytest

from bot.models.adapters.gemini import model_path
from bot.types.model_port import ErrorKind, Message, ModelError, ModelRequest, Prompt
from tests.models.adapter_harness import SCHEMA, AdapterHarness, streamed
from tests.models.dialects import KEY, Gemini, request
from tests.models.replay_server import Reply, Seen, refusing

ANSWER = streamed(*Gemini().events("Yes."))


async def sent_by(bench: AdapterHarness, asked: ModelRequest) -> Seen:
    _, error = await bench.hear(ANSWER, asked=asked)
    assert error is None
    return bench.server.calls[-1]


def rejecting(message: str) -> Reply:
    error = {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}
    return refusing(400, {"error": error})


async def test_nothing_is_sent_that_nobody_set(bench: AdapterHarness) -> None:
    assert (await sent_by(bench, request())).body == {
        "contents": [{"role": "user", "parts": [{"text": "Tabs or spaces?"}]}],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
    }


async def test_the_key_travels_in_a_header(bench: AdapterHarness) -> None:
    seen = await sent_by(bench, request())
    assert seen.headers["x-goog-api-key"] == KEY
    assert seen.query == "alt=sse"


async def test_a_limit_that_was_set_is_sent(bench: AdapterHarness) -> None:
    body = (await sent_by(bench, request(max_output_tokens=300))).body
    assert body["generationConfig"] == {"maxOutputTokens": 300}


async def test_a_schema_is_sent_with_its_type(bench: AdapterHarness) -> None:
    body = (await sent_by(bench, request(json_schema=SCHEMA))).body
    assert body["generationConfig"] == {
        "responseMimeType": "application/json",
        "responseJsonSchema": SCHEMA,
    }


async def test_the_assistant_is_called_model(bench: AdapterHarness) -> None:
    messages = (Message("user", "a"), Message("assistant", "b"), Message("user", "c"))
    asked = ModelRequest("model-1", Prompt("x", {}, messages), "x", 10.0)
    body = (await sent_by(bench, asked)).body
    assert [turn["role"] for turn in body["contents"]] == ["user", "model", "user"]
    assert "systemInstruction" not in body


@pytest.mark.parametrize("suffix", ["", "/", "/v1beta", "/v1beta/"])
async def test_the_address_may_be_written_with_or_without_its_version(
    bench: AdapterHarness, suffix: str
) -> None:
    bench.server.url += suffix
    path = (await sent_by(bench, request())).path
    assert path == "/v1beta/models/model-1:streamGenerateContent"


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("gemini-3.5-flash", "models/gemini-3.5-flash"),
        ("models/gemini-3-pro", "models/gemini-3-pro"),
        ("tunedModels/my_own-1", "tunedModels/my_own-1"),
    ],
)
def test_a_model_has_its_place_in_the_url(model: str, path: str) -> None:
    assert model_path(model) == path


@pytest.mark.parametrize(
    "model",
    [
        "",
        ".",
        "..",
        "../files",
        "models/../files",
        "a/b",
        "google/gemini-3-pro",
        "models/models/a",
        "a?key=x",
        "a#b",
        "a:generateContent",
        "a%2e%2e",
        "a b",
        "a\n",
        "a\\b",
        "@host",
        "ｇemini",
        "a" * 129,
    ],
)
async def test_a_name_that_could_change_the_url_is_refused_before_any_call(
    bench: AdapterHarness, model: str
) -> None:
    _, error = await bench.hear(ANSWER, asked=request(model=model))
    assert error is not None
    assert error.kind is ErrorKind.NOT_AUTHORISED
    assert "panels.json" in str(error)
    assert bench.server.calls == []


def test_a_refused_name_is_not_repeated() -> None:
    with pytest.raises(ModelError) as caught:
        model_path("x?key=abcdef")
    assert "abcdef" not in str(caught.value)


async def test_a_model_without_system_texts_is_asked_in_one_turn(bench: AdapterHarness) -> None:
    rejection = rejecting("Developer instruction is not enabled for models/gemma-3")
    _, error = await bench.hear(rejection, ANSWER)
    assert error is None
    assert bench.server.calls[-1].body == {
        "contents": [{"role": "user", "parts": [{"text": "Be brief.\n\nTabs or spaces?"}]}]
    }


@pytest.mark.parametrize(
    "message",
    [
        "JSON mode is not enabled for this model",
        "* GenerateContentRequest.generation_config.response_schema.properties: is empty",
        "* GenerateContentRequest.generation_config.response_json_schema: unsupported keyword",
        "Unknown name \"responseMimeType\" at 'generation_config': Cannot find field.",
    ],
)
async def test_every_way_to_reject_a_schema_is_understood(
    bench: AdapterHarness, message: str
) -> None:
    _, error = await bench.hear(rejecting(message), ANSWER, asked=request(json_schema=SCHEMA))
    assert error is None
    assert "generationConfig" not in bench.server.calls[-1].body


async def test_leaving_out_a_schema_keeps_the_limit(bench: AdapterHarness) -> None:
    asked = request(json_schema=SCHEMA, max_output_tokens=300)
    await bench.hear(rejecting("JSON mode is not enabled for this model"), ANSWER, asked=asked)
    assert bench.server.calls[-1].body["generationConfig"] == {"maxOutputTokens": 300}


async def test_what_a_model_does_not_take_is_remembered(bench: AdapterHarness) -> None:
    bench.server.play(rejecting("JSON mode is not enabled for this model"), ANSWER)
    port = bench.dialect.port(bench.server.url, bench.client)
    for _ in range(2):
        assert [event async for event in port.stream(request(json_schema=SCHEMA))]
    sent = [("generationConfig" in call.body) for call in bench.server.calls]
    assert sent == [True, False, False]
