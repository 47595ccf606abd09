"""Ways to run the bot: on Discord, or in the playground with its terminal front end."""
