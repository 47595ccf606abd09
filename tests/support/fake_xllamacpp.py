"""A stand-in for the xllamacpp package whose answers are drawn from the grammars it is given."""

import random
import sys
import threading
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from bot.models.adapters.local.runtime import OnChunk
from tests.models.adapters.local.fake_runtime import FakeRuntime
from tests.support.gbnf_writer import write_from


class FakeLlama:
    """What was asked of the runtime, and the runtime itself; `hold` stops it in the middle."""

    def __init__(self, seed: int = 7) -> None:
        self._rng = random.Random(seed)
        self.runtime = FakeRuntime(self._write)
        self.params: list[Any] = []

    @property
    def gate(self) -> threading.Event:
        return self.runtime.gate

    def _write(self, body: Mapping[str, Any]) -> str:
        return write_from(body["grammar"], self._rng)

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Let `import xllamacpp` find this."""
        module = ModuleType("xllamacpp")
        module.__spec__ = ModuleSpec("xllamacpp", None)
        module.CommonParams = self._common_params  # type: ignore[attr-defined]
        module.Server = self._server  # type: ignore[attr-defined]
        patch.setitem(sys.modules, "xllamacpp", module)

    def _common_params(self) -> Any:
        batch, model = SimpleNamespace(), SimpleNamespace()
        return SimpleNamespace(model=model, cpuparams=SimpleNamespace(), cpuparams_batch=batch)

    def _server(self, params: Any) -> Any:
        self.params.append(params)

        def handle(body: Mapping[str, Any], on_chunk: OnChunk) -> None:
            self.runtime.generate(body, on_chunk)

        return SimpleNamespace(handle_chat_completions=handle)
