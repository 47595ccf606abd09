"""The append-only event log: events, journal, phases and rights."""
