"""What happens inside a meeting: design, rounds, summaries, synthesis, validation."""
