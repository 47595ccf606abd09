"""Every sentence the bot shows to people, one module per subject.

Fixed text is a constant; text with parts is a function that takes plain values and returns the
text. These modules import nothing else from the bot, so wording can be read, changed and
translated without touching any logic.
"""
