"""A small meeting held by the rehearsal alone, for the tests beside this file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.rehearsal import RehearsalPort
from bot.types.model_port import Delta, Message, ModelRequest, Prompt

PANELS = {
    "debate": ("Advocate", "Devil's Advocate", "Analyst", "Contrarian"),
    "build": ("Architect", "Reviewer", "Engineer", "Implementer"),
    "redteam": ("Defender", "Analyst", "Attacker", "Red_Teamer"),
    "vote": ("Option_A", "Option_B", "Option_C", "Moderator"),
    "default": ("Advocate", "Devil's Advocate", "Analyst", "Contrarian"),
}
MODELS = ("claude-opus", "gpt", "gemini-pro", "grok")
SUBJECTS = (
    "a four-day week",
    "trunk-based development",
    "open salaries",
    "a public roadmap",
    "pair programming",
    "a second data centre",
    "free public transport",
    "an on-call rota",
    "code review by machines",
    "a company newsletter",
)
TOPICS = (
    *(f"Should we adopt {subject}?" for subject in SUBJECTS),
    *(f"Is {subject} overrated?" for subject in SUBJECTS),
    *(f"Design {subject} for our software" for subject in SUBJECTS),
    *(f"What could go wrong with {subject}?" for subject in SUBJECTS),
    "Postgres or SQLite for a small bot?",
    "Should we use Rust or Go for the new CLI?",
    "Tabs vs spaces",
    "Universal basic income",
    "What is the meaning of life?",
    "Sollten wir auf Postgres umsteigen?",
    "应该把数据库迁移到新的系统吗？",
    "هل يجب أن ننتقل إلى العمل عن بعد؟",
    "Attack our password reset flow",
    "🎉🚀",
)


def request_for(
    template: str,
    values: Mapping[str, str],
    model: str = "claude-opus",
    label: str = "call",
    max_output_tokens: int | None = None,
) -> ModelRequest:
    prompt = Prompt(template, values, (Message("system", "rules"), Message("user", "a question")))
    return ModelRequest(model, prompt, label, 5.0, max_output_tokens)


async def ask(
    template: str, values: Mapping[str, str], model: str = "claude-opus", seed: int = 7
) -> str:
    port = RehearsalPort(seed, 0)
    events = [event async for event in port.stream(request_for(template, values, model))]
    return "".join(event.text for event in events if isinstance(event, Delta))


def digest_in(answer: str) -> str:
    """The digest of an answer, as the council hands it on."""
    body = answer.split("**SELF-DIGEST:**")[1].split("**AGREEMENT", maxsplit=1)[0]
    return re.sub(r"\[(?:STANCE|BALLOT):[^\]]*\]", "", body).strip()


def labelled(digests: Mapping[str, str]) -> str:
    """Digests labelled by role, indented below it."""
    blocks = [
        f"{role}:\n" + "\n".join(f"  {line}" for line in text.splitlines())
        for role, text in digests.items()
    ]
    return "\n\n".join(blocks)


def stance_in(answer: str) -> str:
    found = re.findall(r"\[STANCE:\s*(AGREE|DISAGREE|NEUTRAL)\]", answer)
    return found[-1] if found else ""


def ballot_in(answer: str) -> tuple[str, str, str]:
    found = re.findall(r"^\[BALLOT: ([^|\]]+) \| (\d+) \| ([^|\]]+)\]$", answer, re.MULTILINE)
    assert found, answer
    option, confidence, reason = found[-1]
    return option, confidence, reason


def revision_in(answer: str) -> str:
    found = re.search(r"^\*\*REVISE:\*\* (.+)$", answer, re.MULTILINE)
    assert found, answer
    return found[1]


@dataclass(frozen=True)
class Meeting:
    topic: str
    first: dict[str, str]
    second: dict[str, str]

    def digests(self) -> dict[str, str]:
        return {role: digest_in(text) for role, text in self.first.items()}


async def hold(
    topic: str,
    mode: str = "debate",
    seed: int = 7,
    roles: Sequence[str] = (),
    options: str = "",
) -> Meeting:
    seats = tuple(roles) or PANELS[mode]
    base = {"PROMPT": topic, "MODE": mode, "PROPOSITION": topic}
    base |= {"OPTIONS": options} if mode == "vote" else {}
    models = dict(zip(seats, MODELS * 2, strict=False))
    first = {
        role: await ask("round1", {**base, "ROLE": role, "ROUND": "1"}, models[role], seed)
        for role in seats
    }
    digests = {role: digest_in(text) for role, text in first.items()}
    second = {}
    for role in seats:
        peers = {name: text for name, text in digests.items() if name != role}
        values = {
            **base,
            "ROLE": role,
            "ROUND": "2",
            "SELF_DIGEST": digests[role],
            "PEER_DIGESTS": labelled(peers),
        }
        second[role] = await ask("round2-cross-critique", values, models[role], seed)
    return Meeting(topic, first, second)
