"""What a person who runs the bot needs: the check, logs, backups, a health page and figures."""
