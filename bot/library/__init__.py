"""The roundtables that were held: list, show, read, export."""
