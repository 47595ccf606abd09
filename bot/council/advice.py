"""When a validated conclusion is worth recommending to people."""

import re

from bot.messages.conclusion import ValidationText
from bot.request import Mode

LOW_CONSENSUS = 40
MANY_STAGE2_MODELS = 3


def _phrases(*phrases: str) -> re.Pattern[str]:
    spaced = (phrase.replace(" ", r"[\s-]+") for phrase in phrases)
    return re.compile(rf"(?<!\w)(?:{'|'.join(spaced)})(?!\w)", re.IGNORECASE)


_STAKES = _phrases("high stakes", "final decision", "publishing this")
_HURRY = _phrases("asap", "urgent", "urgently", "in a hurry", "right now", "quick take", "quickly")
_TASTE = _phrases(
    "opinions?",
    "favou?rites?",
    "tastes?",
    "prettier",
    "prettiest",
    "nicer",
    "nicest",
    "funnier",
    "funniest",
    "more beautiful",
    "most beautiful",
    "coolest",
)


def recommend_validation(
    mode: Mode, consensus_pct: float | None, stage2_models: int, topic: str, quick: bool
) -> str | None:
    """One sentence that recommends `--validate`, or None when it is not worth its time."""
    reason = None if quick else _reason(mode, consensus_pct, stage2_models, topic)
    return ValidationText.advised(reason) if reason else None


def _reason(mode: Mode, consensus_pct: float | None, stage2_models: int, topic: str) -> str | None:
    """High stakes in so many words outweigh haste and taste; those outweigh the rest."""
    if _STAKES.search(topic):
        return ValidationText.MATTERS
    if _HURRY.search(topic) or (mode is Mode.DEBATE and _TASTE.search(topic)):
        return None
    if mode is Mode.REDTEAM:
        return ValidationText.RED_TEAM
    if mode is Mode.BUILD and stage2_models >= MANY_STAGE2_MODELS:
        return ValidationText.reworked(stage2_models)
    if consensus_pct is not None and consensus_pct < LOW_CONSENSUS:
        return ValidationText.little_agreement(consensus_pct)
    return None
