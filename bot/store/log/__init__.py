"""The append-only event log: events, journal and rights."""
