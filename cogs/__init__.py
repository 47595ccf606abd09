"""Discord's side of the door: each cog translates events and commands, and nothing else."""
