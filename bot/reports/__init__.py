"""What is made of a run's record: conclusion, minutes, files, pictures."""
