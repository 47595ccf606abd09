"""Forgetting what people wrote."""
