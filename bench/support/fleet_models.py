"""The models of a fleet: one server over HTTP that knows which process asked, about what, when."""

import random
import re
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from bench.support.crash_judge import call_key
from tests.support.model_server import Call, ModelServer, Script
from tests.support.rehearsed_answers import RehearsedAnswers

MARK: Final = re.compile(r"\(question (\d+)\)")
"""People number what they ask panelists, so that a prompt tells which question it is about."""
_FOLLOW_UP: Final = "follow-up"
_BEARER: Final = "Bearer "


@dataclass(frozen=True, slots=True)
class Asked:
    """One call: about which topic and question, by which process, when, and with what prompt."""

    topic: str
    question: int
    caller: str
    at: float
    call: Call
    template: str
    values: Mapping[str, str]

    def key(self, roles: Mapping[object, object], messages: Mapping[int, int]) -> str:
        """The key under which the bot records the call; `messages` are questions by number."""
        if self.template == _FOLLOW_UP:
            seat = roles.get(self.values.get("ROLE", ""), "")
            return f"talk:{messages.get(self.question, 0)}:{seat}"
        return call_key(self.template, self.values, roles)


class FleetModels(ModelServer):
    """Answers in Roundtable's formats after about the same time; a process's key is its name."""

    def __init__(self, dice: random.Random, seconds: float) -> None:
        self._rehearsed = RehearsedAnswers()
        super().__init__(self._rehearsed)
        self.dice = dice
        self.seconds = seconds
        self.asked: list[Asked] = []
        self.by_topic: defaultdict[str, list[Asked]] = defaultdict(list)

    async def _serve(self, request: web.Request, call: Call) -> web.StreamResponse:
        asked = self._noted(call)
        self.asked.append(asked)
        self.by_topic[asked.topic].append(asked)
        self.script(None, Script(latency=self.dice.uniform(0.5, 1.5) * self.seconds))
        return await super()._serve(request, call)

    def _noted(self, call: Call) -> Asked:
        at = time.time()
        messages: list[dict[str, Any]] = call.body["messages"]
        system, user = (message["content"] for message in messages)
        prompt = self._rehearsed.prompt(system, user)
        numbers = MARK.findall(prompt.values.get("QUESTION", ""))
        return Asked(
            topic=prompt.values.get("PROMPT", ""),
            question=int(numbers[-1]) if numbers else 0,
            caller=call.headers.get("Authorization", "").removeprefix(_BEARER),
            at=at,
            call=call,
            template=prompt.template,
            values=prompt.values,
        )
