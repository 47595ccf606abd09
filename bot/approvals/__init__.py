"""The approval gate and the effects behind it."""
