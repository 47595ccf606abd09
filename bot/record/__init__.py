"""A run read back from the store: rows, transcript, answers, masks."""
