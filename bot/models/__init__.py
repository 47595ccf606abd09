"""Language models: one adapter per wire format, and the retries and limits all calls share."""
