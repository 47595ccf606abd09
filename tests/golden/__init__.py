"""What people rely on, written down: `python -m tests.golden` writes the files anew."""
