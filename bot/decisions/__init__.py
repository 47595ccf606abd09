"""Decisions after their conclusion: what happened, and how often panels were right."""
