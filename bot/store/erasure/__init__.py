"""Erasing what people wrote from the tables."""
