"""A runtime for tests that speaks llama.cpp's chunks without a model."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from bot.models.adapters.local.runtime import CONTEXT_TOKENS, OnChunk

Body = Mapping[str, Any]
Write = Callable[[Body], str]


def said(text: str) -> dict[str, Any]:
    return {"choices": [{"delta": {"content": text}, "finish_reason": None}]}


def tokens(body: Body) -> int:
    """One token a word, which is enough to have limits."""
    return sum(len(message["content"].split()) for message in body["messages"])


class FakeRuntime:
    """Answers word by word; `gate` holds it up, `refuse_grammar` makes it take none."""

    def __init__(self, write: Write, *, refuse_grammar: bool = False) -> None:
        self.write = write
        self.refuse_grammar = refuse_grammar
        self.gate = threading.Event()
        self.gate.set()
        self.working = threading.Event()
        self.asked: list[Body] = []
        self.threads: set[str] = set()
        self.stopped_early = 0

    def generate(self, body: Body, on_chunk: OnChunk) -> None:
        self.asked.append(body)
        self.threads.add(threading.current_thread().name)
        for chunk in self._chunks(body):
            if on_chunk(chunk):
                self.stopped_early += 1
                return

    def _chunks(self, body: Body) -> Any:
        if self.refuse_grammar and "grammar" in body:
            yield {"error": {"type": "invalid_request_error", "message": "failed to parse grammar"}}
            return
        used = tokens(body)
        if used >= CONTEXT_TOKENS:
            yield {"error": {"type": "exceed_context_size_error", "n_prompt_tokens": used}}
            return
        yield {"choices": [{"delta": {}}], "prompt_progress": {"total": used, "processed": 0}}
        self.working.set()
        while not self.gate.wait(0.01):
            yield said("")
        words = self.write(body).split(" ")
        for number, word in enumerate(words):
            yield said(word if number == 0 else f" {word}")
        cut = len(words) > body["max_tokens"]
        yield {"choices": [{"delta": {}, "finish_reason": "length" if cut else "stop"}]}
        usage = {"prompt_tokens": used, "completion_tokens": len(words)}
        yield {"choices": [], "usage": {**usage, "prompt_tokens_details": {"cached_tokens": 3}}}
