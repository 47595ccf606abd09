"""What a person who runs the bot needs: backups, a health page and figures."""
