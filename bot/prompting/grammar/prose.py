"""Words and sentences that can be taken for nothing else: no marks, brackets, bars or colons."""

from typing import Final

from bot.prompting.grammar.nodes import Chars, Node, Repeat, choice, sequence

LONGEST_WORD: Final = 18
SENTENCE: Final = (4, 12)
"""How many words a sentence has, at least and at most."""
# English letters only: given other scripts, a very small model drifts off into them.
_CAPITALS: Final = ("A", "Z")
_SMALLS: Final = ("a", "z")
_DIGITS: Final = ("0", "9")
_CAPITAL: Final = Chars((_CAPITALS,))
_SMALL: Final = Chars((_SMALLS,))
_START: Final = Chars((_CAPITALS, _SMALLS, _DIGITS))
_INNER: Final = Chars((_CAPITALS, _SMALLS, _DIGITS), "'%-")
# A first word in small letters after its first is never one of our headings, which are capitals.
_FIRST: Final = sequence(_CAPITAL, Repeat(Chars((_SMALLS,), "'"), 0, LONGEST_WORD))
_WORD: Final = sequence(choice((" ", ", ")), _START, Repeat(_INNER, 0, LONGEST_WORD))


def words(least: int, most: int) -> Node:
    """So many words."""
    return sequence(_FIRST, Repeat(_WORD, least - 1, most - 1))


def sentence(least: int = SENTENCE[0], most: int = SENTENCE[1], end: str = ".") -> Node:
    """One sentence with its full stop."""
    return sequence(words(least, most), end)


def reason() -> Node:
    """The end of a sentence that has begun: it goes on in small letters."""
    return sequence(Repeat(_SMALL, 1, LONGEST_WORD), Repeat(_WORD, 3, SENTENCE[1] - 1), ".")


def sentences(least: int, most: int) -> Node:
    """A few sentences on one line."""
    return sequence(sentence(), Repeat(sequence(" ", sentence()), least - 1, most - 1))
