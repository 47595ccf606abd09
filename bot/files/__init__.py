"""Files on disk: for the bot's own user alone, and never through a link."""
