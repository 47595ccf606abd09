"""Roundtable: meetings of language models where people already talk."""
