"""Every parser of the prompting package, and texts that would trap a careless one."""

from collections.abc import Callable, Mapping

from bot.prompting.closing_lines import parse_ballot, parse_stance, strip_markers
from bot.prompting.meta import parse_design_proposal
from bot.prompting.round_answers import parse_round1, parse_round2
from bot.prompting.scores import parse_scores
from bot.prompting.short_answers import is_empty_answer, parse_dissent, parse_followup
from bot.prompting.summary import parse_summary
from bot.prompting.synthesis import parse_synthesis
from bot.prompting.validation import parse_validation
from bot.search.results import parse_search_digest

ROLES = ("Analyst", "Devil's Advocate", "Red_Teamer")
PARSERS: Mapping[str, Callable[[str], object]] = {
    "ballot": lambda text: parse_ballot(text, ("Postgres", "C++")),
    "design": parse_design_proposal,
    "dissent": parse_dissent,
    "empty": is_empty_answer,
    "followup": parse_followup,
    "round1": parse_round1,
    "round2": lambda text: parse_round2(text, ROLES),
    "scores": lambda text: parse_scores(text, ROLES, "Analyst"),
    "search": lambda text: parse_search_digest(text, "2026-08-01"),
    "stance": parse_stance,
    "strip": strip_markers,
    "summary": lambda text: parse_summary(text, ROLES),
    "synthesis": parse_synthesis,
    "validation": parse_validation,
}
PIECES = (
    "a",
    " ",
    "*",
    "**",
    "\n",
    "[",
    "[[",
    "{",
    '{"a":',
    '{"summary": {',
    '"summary": ',
    "[STANCE:",
    "[STANCE: AGREE]",
    "[BALLOT: a | ",
    "SCORES:\n",
    "SCORES:\n- Analyst 3 ",
    "Analyst ",
    "Analyst C2: x because ",
    "- Analyst: 4/5\n",
    "**THESIS:** ",
    "**THESIS:**\n",
    "**SELF-DIGEST:**\nC1: ",
    "CRITIQUE:\n1. Analyst\n",
    "REPRESENTATION: ACCURATE / ",
    "STAGES:\n- Model: x | Role: y | ",
    "- Model: x | Role: y | Task: z\n",
    "🎯 ",
    "⚠️ x\n",
    "```\n",
    "---\n",
    "1. ",
    "(",
    "\\",
    '"',
    "9",
    "語",
    "\u0301",
)


def repeated(piece: str, size: int) -> str:
    """The piece over and over, about as many characters long as asked."""
    return piece * (size // len(piece))
