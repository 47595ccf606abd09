"""One adapter for each wire format or way to reach a model."""
