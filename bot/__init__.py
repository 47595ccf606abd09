"""Roundtable: meetings of language models where people already talk."""

VERSION = "0.1.0"
