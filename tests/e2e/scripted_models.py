"""A panel whose every answer a test decides, behind a real model server on loopback.

    cast = ScriptedModels()
    cast.stances["Judge"] = "AGREE"                    # in every round; "r2:Judge" in round 2 only
    cast.says["synthesis@mistral-large"] = FAIL        # that model; "synthesis" means any model
    cast.says["r1:*"] = HANG                           # every seat
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert "Judge" in cast.asked("r2:Critic")[0].values["PEER_DIGESTS"]

Labels: `digest`, `meta:A`, `r1:Role`, `r2:Role`, `s2:Role` (stage 2), `summary:1`, `synthesis`,
`rewrite`, `validate:Role`, `dissent:Role`, `ask:Role` (a follow-up); in a build also `spec`,
`spec-review`, `build`, `gate:spec` and `gate:quality`.
"""

import asyncio
import enum
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from aiohttp import web
from sqlalchemy import Connection

from bot.playground.server import EmbeddedDiscord
from bot.store import Store
from bot.store.repositories.answers import AnswerRepository
from bot.store.repositories.run_lists import RunListRepository
from bot.types import Sleep
from bot.types.model_port import Prompt
from tests.e2e.playground_harness import (
    Adjust,
    EditPanels,
    PlaygroundHarness,
    open_harness,
    unchanged,
)
from tests.support.model_server import ModelServer, Script
from tests.support.rehearsed_answers import RehearsedAnswers

HOUSE = "house"


@dataclass(frozen=True, slots=True)
class ReceivedPrompt:
    """One prompt as the model server got it."""

    label: str
    model: str
    role: str
    values: Mapping[str, str]
    text: str
    """System and user message as sent."""


class Trouble(enum.Enum):
    """Instead of an answer: a refusal that no retry can mend, or silence for ever."""

    FAIL = enum.auto()
    HANG = enum.auto()


FAIL: Final = Trouble.FAIL
HANG: Final = Trouble.HANG
Said = str | Trouble | Callable[[ReceivedPrompt], str | Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Plan:
    """What an analyst of the meta-panel recommends; seats are (model, role, task)."""

    workflow: str = "parallel_debate"
    stage1: tuple[tuple[str, str, str], ...] = (
        ("claude-opus", "Planner", "plan it"),
        ("gpt", "Critic", "doubt it"),
        ("gemini-pro", "Judge", "weigh it"),
    )
    stage2: tuple[tuple[str, str, str], ...] = ()
    rounds: int | str = 2
    synthesis: str = "mistral-large"
    proposition: str = "The table is round."

    def text(self) -> str:
        return "\n".join(
            [
                f"**PROPOSITION:** {self.proposition}",
                "**TASK ASSESSMENT:** Type: decision | Complexity: low | Primary need: clarity",
                f"**WORKFLOW TYPE:** {self.workflow}",
                "**STAGES:**",
                *_stage(1, self.stage1),
                *_stage(2, self.stage2),
                f"**ROUNDS:** {self.rounds} — because",
                f"**SYNTHESIS MODEL:** {self.synthesis}",
                "**REASONING:** It fits. It is short.",
                "**ANTI-PATTERN:** anything else",
            ]
        )


def _stage(number: int, seats: tuple[tuple[str, str, str], ...]) -> list[str]:
    lines = [f"- Model: {model} | Role: {role} | Task: {task}" for model, role, task in seats]
    return [f"Stage {number}", *lines] if lines else []


@dataclass
class ScriptedModels:
    """Answers every prompt shortly and in its format, unless a test says otherwise."""

    plan: Plan = field(default_factory=Plan)
    says: dict[str, Said] = field(default_factory=dict)
    stances: dict[str, str] = field(default_factory=dict)
    ballots: dict[str, str] = field(default_factory=dict)
    revisions: dict[str, str] = field(default_factory=dict)
    scores: dict[str, dict[str, str]] = field(default_factory=dict)
    """By giver, then by peer, what stands after the name; `4/5` where nothing is set."""
    points: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The summary's consensus, disagreement and new_points."""
    options: str = "- Paper\n- Plastic"
    """What the coordinator proposes for a vote that names no options."""
    verdicts: dict[str, str] = field(default_factory=dict)
    heard: list[ReceivedPrompt] = field(default_factory=list)
    _reader: RehearsedAnswers = field(default_factory=RehearsedAnswers)

    def asked(self, label: str) -> list[ReceivedPrompt]:
        """The prompts of a label, or of all that begin so when it ends in `*`."""
        if label.endswith("*"):
            return [asked for asked in self.heard if asked.label.startswith(label[:-1])]
        return [asked for asked in self.heard if asked.label == label]

    async def __call__(self, body: dict[str, Any]) -> str:
        """The answer to a request's JSON."""
        system, user = (message["content"] for message in body["messages"])
        prompt = self._reader.prompt(system, user)
        asked = ReceivedPrompt(
            label=_label(prompt),
            model=body["model"],
            role=prompt.values.get("ROLE", ""),
            values=prompt.values,
            text=f"{system}\n{user}",
        )
        self.heard.append(asked)
        return await self._answer(asked, self._wanted(asked))

    def _wanted(self, asked: ReceivedPrompt) -> Said:
        group = asked.label.partition(":")[0] + ":*"
        for key in (f"{asked.label}@{asked.model}", asked.label, f"*@{asked.model}", group, "*"):
            if key in self.says:
                return self.says[key]
        return self.written

    async def _answer(self, asked: ReceivedPrompt, said: Said) -> str:
        if isinstance(said, Trouble):
            if said is HANG:
                await asyncio.Event().wait()
            raise web.HTTPUnauthorized
        if isinstance(said, str):
            return said
        text = said(asked)
        return text if isinstance(text, str) else await text

    def written(self, asked: ReceivedPrompt) -> str:
        """The answer in the prompt's own format."""
        kind = asked.label.partition(":")[0]
        if kind in ("r1", "s2"):
            return self._opening(asked)
        if kind in ("r2", "r3"):
            return self._critique(asked)
        writers: dict[str, Callable[[ReceivedPrompt], str]] = {
            "meta": lambda _: self.plan.text(),
            "options": lambda _: self.options,
            "proposition": lambda _: "We should do as the topic says.",
            "summary": self._summary,
            "synthesis": lambda _: conclusion("A title"),
            "rewrite": lambda _: conclusion("A rewritten title"),
            "validate": lambda a: self.verdicts.get(a.role, verdict("ACCURATE")),
            "dissent": lambda a: f"I, {a.role}, do not agree.",
            "ask": lambda a: f"I, {a.role}, say to that: {a.values['QUESTION']}",
            "spec": lambda _: a_spec(),
            "spec-review": lambda _: a_review("APPROVED"),
            "build": lambda _: some_files({"limiter.py": "LIMIT = 10\n"}),
            "gate": lambda _: a_review("APPROVED", met="123"),
            "digest": lambda _: "Searched on 2026-01-01.\nThe sky is blue [E1].",
        }
        return writers[kind](asked)

    def _opening(self, asked: ReceivedPrompt) -> str:
        own = words_of(asked)
        return (
            f"**THESIS:** {own} thesis\n**KEY CLAIMS:**\n1. one\n2. two\n3. three\n"
            "**EVIDENCE / REASONING:** seen\n**RISKS / WEAKNESSES:** few\n"
            f"**RECOMMENDATION:** {own} advice\n---\n{self._digest(asked)}\n{self._line(asked)}"
        )

    def _critique(self, asked: ReceivedPrompt) -> str:
        peers = peers_in(asked)
        given = self.scores.get(asked.role, {})
        lines = [f"- {peer}: {given.get(peer, '4/5')} — so it is" for peer in peers]
        critiques = [f"{n}. {peer} C1: wrong because of it" for n, peer in enumerate(peers, 1)]
        revised = self.revisions.get(asked.role, "No change.")
        return "\n".join(
            [
                "**CRITIQUE:**",
                *critiques[:2],
                f"**DEFEND:** {words_of(asked)} stays",
                f"**REVISE:** {revised}",
                self._digest(asked),
                "**AGREEMENT SCORES**",
                "SCORES:",
                *lines,
                "---",
                self._line(asked),
            ]
        )

    def _digest(self, asked: ReceivedPrompt) -> str:
        own = words_of(asked)
        return (
            f"**SELF-DIGEST:**\nThesis: {own} digest\nC1: {own} first\nC2: second\nC3: third\n"
            "Evidence: e\nRisk: r"
        )

    def _line(self, asked: ReceivedPrompt) -> str:
        if asked.values.get("OPTIONS"):
            options = [line.removeprefix("- ") for line in asked.values["OPTIONS"].splitlines()]
            return f"[BALLOT: {_chosen(self.ballots, asked, options[0])} | 70 | it is better]"
        return f"[STANCE: {_chosen(self.stances, asked, 'NEUTRAL')}]"

    def _summary(self, asked: ReceivedPrompt) -> str:
        empty: dict[str, Any] = {"consensus": [], "disagreement": [], "new_points": []}
        return json.dumps({"summary": f"{asked.label} sums up", **empty, **self.points})


def words_of(asked: ReceivedPrompt) -> str:
    """Words that only this seat says, and only in this round."""
    return f"{asked.label.replace(':', ' of ')}".lower()


def peers_in(asked: ReceivedPrompt) -> list[str]:
    """The roles whose digests a prompt shows, in its order."""
    shown = asked.values.get("PEER_DIGESTS", "").splitlines()
    return [line.rstrip(":") for line in shown if line and not line.startswith(" ")]


def conclusion(title: str) -> str:
    """A whole conclusion; META and numbers in it are to be thrown away."""
    return (
        f"🎯 {title}\n📊 CONSENSUS\n- 99% agree on it\n⚡ DIVERGENCES\n- on that\n"
        "🔍 BLIND SPOTS\n- nobody saw this\n🏆 RECOMMENDATION\nDo it. Then rest.\n"
        '💡 OUTLIER\nJudge: "look again"\n⚠️ RED FLAGS\n- rain: umbrella\n'
        "📈 ACTION PLAN\nNext 24h:\n- begin\nNext 7d:\n- go on\n"
        "🔄 WHAT WOULD CHANGE IT\n- a dry week\n- a roof\n- free umbrellas\n- a fourth\n"
        "🔧 META\nConsensus: 99%"
    )


def verdict(word: str, correction: str = "") -> str:
    """A validator's answer."""
    text = f"**REPRESENTATION:** {word}\n**REASONING:** It says what I said, or not."
    return f"{text}\n**CORRECTION:** {correction}" if correction else text


def a_spec(
    *criteria: str,
    goal: str = "A rate limiter in one file.",
    outputs: Sequence[str] = ("limiter.py",),
) -> str:
    """A whole spec; it is strong unless the criteria handed in are not."""
    listed = criteria or (
        "`limiter.py` defines LIMIT with the value 10.",
        "Every request beyond LIMIT in a minute is refused.",
        "A refusal names the seconds to wait.",
    )
    numbered = "\n".join(f"{number}. {text}" for number, text in enumerate(listed, 1))
    files = "\n".join(f"- {output}" for output in outputs)
    return (
        f"**GOAL:** {goal}\n**SCOPE IN:**\n- one process\n**SCOPE OUT:**\n- clusters\n"
        f"**INPUTS:**\n- the wish\n**OUTPUTS:**\n{files}\n"
        f"**ACCEPTANCE CRITERIA:**\n{numbered}\n**RISKS:**\n- clocks go wrong"
    )


def a_review(word: str, *, met: str = "", unmet: str = "", finding: str = "") -> str:
    """A reviewer's answer; the digits say which criteria are met and which are not."""
    checks = [f"{n}. MET | limiter.py, LIMIT | seen" for n in met]
    checks += [f"{n}. NOT MET | limiter.py | not there" for n in unmet]
    findings = ["**FINDINGS:**", f"- major | limiter.py | {finding}"] if finding else []
    parts = [f"**VERDICT:** {word}", "**SUMMARY:** Read it all.", "**CRITERIA:**", *checks]
    return "\n".join([*parts, *findings])


def some_files(files: Mapping[str, str]) -> str:
    """A builder's answer."""
    return "\n".join(f"FILE: {name}\n````\n{text}````" for name, text in files.items())


def _chosen(choices: Mapping[str, str], asked: ReceivedPrompt, default: str) -> str:
    return choices.get(asked.label, choices.get(asked.role, default))


def after(cast: ScriptedModels, event: asyncio.Event) -> Said:
    """An answer that is given only when something has happened."""

    async def answer(asked: ReceivedPrompt) -> str:
        await event.wait()
        return cast.written(asked)

    return answer


def on_stored(store: Store, cast: ScriptedModels, key: str) -> Said:
    """An answer that is given only when the open run has another answer in its store."""

    def stored(conn: Connection) -> bool:
        runs = RunListRepository(conn).unfinished()
        return any(AnswerRepository(conn).get(run.id, key) for run in runs)

    async def answer(asked: ReceivedPrompt) -> str:
        while not await store.read(stored):  # noqa: ASYNC110 (the store tells nobody)
            await asyncio.sleep(0.005)
        return cast.written(asked)

    return answer


def _label(prompt: Prompt) -> str:
    role, number = prompt.values.get("ROLE", ""), prompt.values.get("ROUND", "")
    labels = {
        "search-digest": "digest",
        "proposition": "proposition",
        "vote-options": "options",
        "meta-panel": f"meta:{role.removeprefix('analyst ')[:1]}",
        "round1": f"{'s2' if prompt.values.get('STAGE_1_OUTPUTS') else 'r1'}:{role}",
        "round2-cross-critique": f"r{number}:{role}",
        "rolling-summary": f"summary:{number}",
        "final-synthesis": "rewrite" if prompt.values.get("CORRECTIONS") else "synthesis",
        "round3-validation": f"validate:{role}",
        "dissent": f"dissent:{role}",
        "follow-up": f"ask:{role}",
        "build-spec": "spec",
        "build-spec-review": "spec-review",
        "build-files": "build",
        "build-spec-gate": "gate:spec",
        "build-quality-gate": "gate:quality",
    }
    return labels[prompt.template]


@asynccontextmanager
async def scripted_playground(
    home: Path,
    cast: ScriptedModels,
    *,
    edit_panels: EditPanels = unchanged,
    discord: EmbeddedDiscord | None = None,
    adjust: Adjust = lambda config: config,
    environ: Mapping[str, str] | None = None,
    sleep: Sleep = asyncio.sleep,
    cost: float = 0.001,
    usage: bool | Mapping[str, Any] = True,
    upload_faces: bool = False,
) -> AsyncIterator[PlaygroundHarness]:
    """A table where a model server plays every model of the shipped panels.json."""
    async with ModelServer(cast) as server:
        server.script(None, Script(whole=True, cost=cost, usage=usage))

        def edit(panels: dict[str, Any]) -> None:
            served_by(panels, server)
            edit_panels(panels)

        async with open_harness(
            home,
            discord=discord,
            adjust=adjust,
            environ=environ,
            edit_panels=edit,
            sleep=sleep,
            upload_faces=upload_faces,
        ) as table:
            yield table


def served_by(panels: dict[str, Any], server: ModelServer) -> None:
    """Let one server play all models, and ask nobody on the web."""
    house = {"kind": "openai", "baseUrl": server.url, "apiKey": "none", "maxConcurrent": 64}
    panels["providers"] = {HOUSE: house}
    for name, model in panels["models"].items():
        model["routes"] = [{"provider": HOUSE, "model": name}]
    panels["search"]["provider"] = "off"


def quick_timeouts(**seconds: float) -> Adjust:
    """Other timeouts than the file may have: small ones, for steps that are to run out of time."""

    def adjust(config: Any) -> Any:
        timeouts = config.timeouts.model_copy(update={"tiers": {}, **seconds})
        return config.model_copy(update={"timeouts": timeouts})

    return adjust
