"""One class per table, made with a connection, and the function that moves a phase."""
