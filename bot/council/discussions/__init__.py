"""Discussions that other programs hold at the table: the rules of the seven tools (C1-C27)."""
