"""The catalogue: every sentence the bot says to people, one module per subject.

What is fixed is a constant; what has parts is a function that takes plain values and returns the
text. The modules know nothing of the rest of the bot, so that wording can be read, changed and
translated without touching what decides.
"""
