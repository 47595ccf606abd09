"""The real runtime with the real small model; skipped where `make local` has not been run."""

import pytest

from bot.models.adapters.local import LocalPort, open_runtime
from bot.models.collect import collect
from bot.panels.machine import small_model_file
from bot.prompting.grammar import grammar_for, to_pattern
from bot.prompting.templates import PromptBook
from bot.settings import SHIPPED_PROMPTS
from bot.types.model_port import ModelRequest

pytestmark = pytest.mark.heavy

pytest.importorskip("xllamacpp", reason="the local extra is not installed: run make local")
if not small_model_file().is_file():
    pytest.skip("the small model is not there: run make local", allow_module_level=True)


@pytest.mark.parametrize("template", ["dissent", "round3-validation"])
async def test_a_real_answer_is_one_that_the_grammar_allows(template: str) -> None:
    values = {
        "PROMPT": "Should children learn to cook?",
        "ROLE": "Skeptic",
        "SELF_DIGEST": "Thesis: They should not.",
        "CONCLUSION": "They should.",
        "SYNTHESIS_DRAFT": "Everybody agrees that they should.",
    }
    unused = {"dissent": "SYNTHESIS_DRAFT", "round3-validation": "CONCLUSION"}[template]
    del values[unused]
    prompt = PromptBook.load(SHIPPED_PROMPTS).render(template, values)
    port = LocalPort(lambda: open_runtime(small_model_file(), None))
    answer = await collect(port, ModelRequest("SmolLM2", prompt, template, 120.0))
    await port.close()
    grammar = grammar_for(prompt)
    assert grammar
    assert to_pattern(grammar).fullmatch(answer.text)
    assert answer.usage
    assert answer.usage.cost_usd == 0.0
