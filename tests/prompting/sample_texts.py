"""Texts that several tests of the prompting package share."""

import functools
from pathlib import Path

from hypothesis import strategies as st

from bot.prompting.templates import PromptBook

PROMPTS = Path(__file__).parents[2] / "prompts"

VALUES: dict[str, dict[str, str]] = {
    "vote-options": {"PROMPT": "A name?"},
    "proposition": {"PROMPT": "Tabs?", "MODE": "debate"},
    "meta-panel": {"PROMPT": "Tabs?", "MODE": "debate", "ROLE": "Analyst A", "MODELS": "- opus"},
    "round1": {"PROMPT": "Tabs?", "MODE": "debate", "ROLE": "Analyst", "PROPOSITION": "Use tabs."},
    "round2-cross-critique": {
        "PROMPT": "Tabs?",
        "MODE": "debate",
        "ROLE": "Analyst",
        "PROPOSITION": "Use tabs.",
        "SELF_DIGEST": "Thesis: tabs",
        "PEER_DIGESTS": "Contrarian\nC1: spaces",
    },
    "round3-validation": {
        "PROMPT": "Tabs?",
        "ROLE": "Analyst",
        "SELF_DIGEST": "Thesis: tabs",
        "SYNTHESIS_DRAFT": "🎯 Tabs",
    },
    "final-synthesis": {
        "PROMPT": "Tabs?",
        "MODE": "debate",
        "ROUND1_SUMMARIES": "Analyst (opus): tabs",
    },
    "rolling-summary": {"PROMPT": "Tabs?", "ROUND_ANSWERS": "Analyst: tabs"},
    "search-digest": {"PROMPT": "Tabs?", "DATE": "2026-08-01", "RESULTS": "[E1] tabs won"},
    "follow-up": {"PROMPT": "Tabs?", "ROLE": "Analyst", "QUESTION": "Why?"},
    "dissent": {
        "PROMPT": "Tabs?",
        "ROLE": "Analyst",
        "CONCLUSION": "Spaces won.",
        "SELF_DIGEST": "Thesis: tabs",
    },
    "build-spec": {"PROMPT": "A limiter", "ROUND1_SUMMARIES": "Engineer: count"},
    "build-spec-review": {"PROMPT": "A limiter", "SPEC": "**GOAL:** count", "ROLE": "Reviewer"},
    "build-files": {"PROMPT": "A limiter", "SPEC": "**GOAL:** count", "ROLE": "Engineer"},
    "build-spec-gate": {
        "PROMPT": "A limiter",
        "SPEC": "**GOAL:** count",
        "ROLE": "Reviewer",
        "FILES": "FILE: a.py",
    },
    "build-quality-gate": {
        "PROMPT": "A limiter",
        "SPEC": "**GOAL:** count",
        "ROLE": "Reviewer",
        "FILES": "FILE: a.py",
    },
    "discussion-participant": {
        "PROMPT": "Split the service?",
        "PARTICIPANT": "Architect (Ada), structure",
        "HISTORY": "## Round 1\n\n[1] Critic: No.",
        "BACKGROUND": "Six people.",
        "ID": "rt_0a1b2c3d",
        "ROUND": "2",
        "MAX_ROUNDS": "3",
    },
    "discussion-coordinator": {
        "PROMPT": "Split the service?",
        "PARTICIPANTS": "architect: Architect (Ada), structure",
        "HISTORY": "## Round 1\n\n[1] Critic: No.",
        "BACKGROUND": "Six people.",
        "ID": "rt_0a1b2c3d",
        "ROUND": "2",
        "MAX_ROUNDS": "3",
    },
}


def common_start(first: str, second: str) -> str:
    """What two texts begin with alike."""
    pairs = zip(first, second, strict=False)
    length = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))
    return first[:length]


ROUND1 = """\
**THESIS:** Postgres is the safer choice.
**KEY CLAIMS:**
1. It survives two writers.
2. It has real types.
3. It is boring.
**EVIDENCE / REASONING:** Two decades of use [E1].
**RISKS / WEAKNESSES:** One more service to run.
**RECOMMENDATION:** Take Postgres.
---
**SELF-DIGEST:**
Thesis: Postgres is safer.
C1: survives two writers
C2: real types
C3: boring
Evidence: two decades of use
Risk: one more service
[STANCE: AGREE]"""

ROUND2 = """\
**CRITIQUE:**
1. Analyst C2: the numbers are old because the survey is from 2019.
2. Devil's Advocate C1: it ignores cost because nobody priced it.
**DEFEND:** Boring is a virtue.
**REVISE:** Because of Analyst C2: I now want a pilot first.
**SELF-DIGEST:**
Thesis: Pilot, then Postgres.
C1: survives two writers
C2: pilot first
C3: boring
Evidence: two decades
Risk: slower start
**AGREEMENT SCORES**
SCORES:
- Analyst: 4/5 — close enough
- Devil's Advocate: 2/5 — too bleak
[STANCE: NEUTRAL]"""

DESIGN = """\
**PROPOSITION:** The team should adopt Postgres.
**TASK ASSESSMENT:** Type: decision | Complexity: medium | Primary need: judgement
**WORKFLOW TYPE:** hybrid
**STAGES:**
Stage 1
- Model: claude-opus | Role: Advocate | Task: argue for it
- Model: `gpt` | Role: **Cost Sceptic** | Task: price it
Stage 2
- Model: mistral-large | Role: Integrator | Task: bring it together
**ROUNDS:** 2 — one exchange is enough
**SYNTHESIS MODEL:** gemini-pro
**REASONING:** Two views and a referee.
**ANTI-PATTERN:** Four models that agree."""

SYNTHESIS = """\
🎯 Postgres after a pilot
📊 CONSENSUS
- Types matter
⚡ DIVERGENCES
- Cost
🔍 BLIND SPOTS
- Backups
🏆 RECOMMENDATION
Run a pilot.
💡 OUTLIER
Contrarian: "Do nothing."
⚠️ RED FLAGS
- Lock-in: dump weekly
📈 ACTION PLAN
Next 24h:
- pick an owner
Next 7d:
- run the pilot
- report"""

NOISY_PIECES = st.sampled_from(
    [
        "[STANCE: AGREE]",
        "[STANCE:",
        "[BALLOT: Postgres | 80 | x]",
        "[BALLOT:",
        "**",
        "SCORES:",
        "- Analyst: 4/5",
        "**SELF-DIGEST:**",
        "**THESIS:**",
        "C1:",
        "{",
        '"summary": ',
        "}",
        "```",
        "---",
        "\n",
        "🎯 ",
        "⚠️",
        "(",
        "REPRESENTATION: ",
        "ACCURATE / ",
        "Model: x | Role: y",
        "1. ",
        " ",
        "\x00",
        "\u202e",
        "\ud800",
        "Devil’s_Advocate",
        "日本語のテキスト",
        "because ",
    ]
)
ANY_TEXT = st.one_of(st.text(max_size=400), st.lists(NOISY_PIECES, max_size=60).map("".join))


@functools.cache
def book() -> PromptBook:
    """The shipped prompts with a boundary that tests can predict."""
    return PromptBook.load(PROMPTS, lambda: "b0undary")


@functools.cache
def prompt_texts() -> tuple[str, ...]:
    """Every prompt as a file and as rendered, both what a confused model might echo."""
    files = [path.read_text(encoding="utf-8") for path in sorted(PROMPTS.glob("*.md"))]
    rendered = [
        "\n".join(message.text for message in book().render(name, values).messages)
        for name, values in VALUES.items()
    ]
    vote = VALUES["round1"] | {"MODE": "vote", "OPTIONS": "- Postgres\n- SQLite"}
    ballot = book().render("round1", vote).messages
    return (*files, *rendered, "\n".join(message.text for message in ballot))
