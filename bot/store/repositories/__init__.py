"""Functions that take a connection, one module per table, and the one that moves a phase."""
