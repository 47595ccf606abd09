"""One module per table: functions that take a connection."""
