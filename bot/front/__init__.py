"""Ways to run the bot without Discord: the playground session and its terminal front end."""
