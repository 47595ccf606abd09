"""Answers for the model server in Roundtable's own formats, written by the rehearsal provider."""

import re
from pathlib import Path
from typing import Any

from bot.prompting.contract import PLACEHOLDERS, TEMPLATES, Kind
from bot.prompting.filling import PLACEHOLDER, TemplateFile, read_template
from bot.rehearsal import RehearsalPort
from bot.settings import SHIPPED_PROMPTS
from bot.types.model_port import Delta, Message, ModelRequest, Prompt

_BLOCK = re.compile(r'<data-(\w+) name="([^"]+)">\n(.*?)\n</data-\1>', re.DOTALL)
_BY_BLOCK_NAME = {entry.block_name: entry.name for entry in PLACEHOLDERS.values()}


class RehearsedAnswers:
    """Finds out which prompt was sent and what filled it, and lets the rehearsal answer it."""

    def __init__(self, prompts: Path = SHIPPED_PROMPTS, seed: int = 7) -> None:
        self._rehearsal = RehearsalPort(seed, seconds_per_answer=0.0)
        self._files = {
            name: read_template(prompts / f"{name}.md", prompts.name) for name in TEMPLATES
        }

    async def __call__(self, body: dict[str, Any]) -> str:
        """The answer to a request's JSON."""
        system, user = (message["content"] for message in body["messages"])
        request = ModelRequest(body["model"], self.prompt(system, user), "", 60.0)
        events = [event async for event in self._rehearsal.stream(request)]
        return "".join(event.text for event in events if isinstance(event, Delta))

    def prompt(self, system: str, user: str) -> Prompt:
        """The prompt behind two rendered messages."""
        name = self._template(system)
        sent = f"{system}\n{user}"
        values = {_BY_BLOCK_NAME[block]: text for _, block, text in _BLOCK.findall(sent)}
        values |= _plain_values(self._files[name], _BLOCK.sub("", sent))
        return Prompt(name, values, (Message("system", system), Message("user", user)))

    def _template(self, system: str) -> str:
        """The prompt whose fixed lines the system message holds most completely."""
        lines = set(system.split("\n"))

        def missing(name: str) -> int:
            fixed = [line for line in self._files[name].part("system").split("\n") if line]
            return sum(line not in lines and not PLACEHOLDER.search(line) for line in fixed)

        return min(self._files, key=missing)


def _plain_values(file: TemplateFile, sent: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for line in file.lines:
        names = PLACEHOLDER.findall(line.text)
        if not names or any(PLACEHOLDERS[name].kind is not Kind.PLAIN for name in names):
            continue
        literal = PLACEHOLDER.split(line.text)[::2]
        pattern = "(.+?)".join(re.escape(part) for part in literal)
        found = re.search(f"^{pattern}$", sent, re.MULTILINE)
        if found:
            values |= dict(zip(names, found.groups(), strict=True))
    return values
