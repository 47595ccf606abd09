"""Measures of agreement as pure functions: stance, convergence, scores, flips, tally."""
