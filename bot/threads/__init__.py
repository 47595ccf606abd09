"""Live threads: a driver for each feeds the floor and obeys it."""
