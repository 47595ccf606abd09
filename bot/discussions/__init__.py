"""Discussions that other programs hold: the rules behind the seven tools."""
