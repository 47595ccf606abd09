"""The life of a run: starting, attempts, actions people take, conclusion, resuming."""
