"""Puts several voices into one value so that none can speak in another's name."""

from collections.abc import Iterable

from bot.prompting.cleaning import clean, plain_words


def label_voices(entries: Iterable[tuple[str, str]]) -> str:
    """`Name:` at the start of a line and what they said indented below it, for each entry."""
    return "\n\n".join([f"{plain_words(name)}:\n{_indented(text)}" for name, text in entries])


def _indented(text: str) -> str:
    """Every line moved in, so that only labels of ours begin a line."""
    lines = clean(text).strip().split("\n")
    return "\n".join([f"  {line}" if line.strip() else "" for line in lines])
