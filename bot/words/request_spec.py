"""The implied spec of a plain request: scope, outputs and acceptance criteria."""

from typing import Final

GOAL: Final = "the topic of the run"
BOUNDS: Final = ("effects outside the thread and the trigger channel", "running what a model wrote")
OUTPUTS: Final = ("posts in the thread", "conclusion", "minutes", "JSON file", "scorecard line")
CRITERIA: Final = (
    "at least one panelist answered",
    "the conclusion has every section",
    "no prompt was sent with an unfilled placeholder",
)
REPRESENTED: Final = "the panelists found themselves represented"
RISKS: Final = ("a model may be wrong, slow or missing", "what was found on the web may be untrue")
TOPIC: Final = "the topic"
EARLIER_CONCLUSION: Final = "an earlier conclusion"
WEB_SEARCH: Final = "web search"


def in_mode(mode: str) -> str:
    """The mode as part of the scope."""
    return f"mode {mode}"
