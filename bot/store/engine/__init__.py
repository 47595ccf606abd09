"""The database: connections, the writer, locks and migrations."""
