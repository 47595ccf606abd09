"""The port that meetings speak through, and its Discord side."""
