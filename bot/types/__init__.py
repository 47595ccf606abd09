"""What all layers share: words, ids and plain helpers that import nothing else of the bot."""
