"""Discussions run by other programs: the rules of the seven tools (C1-C27)."""
