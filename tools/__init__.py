"""Tools for those who work on Roundtable; the bot needs none of them."""
