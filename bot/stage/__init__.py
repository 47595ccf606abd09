"""The port the council speaks through, and its Discord side."""
