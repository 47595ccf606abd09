"""The meeting, free of Discord: design, rounds, measures, synthesis, minutes."""
