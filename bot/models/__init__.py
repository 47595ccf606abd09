"""Language models: one port, one adapter per wire format, and what every call shares."""
