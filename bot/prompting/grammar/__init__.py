"""The formats of answers as grammars: for models whose output can be constrained."""

from bot.prompting.grammar.formats import grammar_for
from bot.prompting.grammar.nodes import Node, to_gbnf, to_pattern

__all__ = ["Node", "grammar_for", "to_gbnf", "to_pattern"]
