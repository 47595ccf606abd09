"""Discord's side of the bot: each cog translates events and commands, and nothing else."""
