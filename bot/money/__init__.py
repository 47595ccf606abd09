"""Money: what calls cost, what a run will cost, and who may still spend how much."""
