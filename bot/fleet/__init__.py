"""More than one process: gateways that hear Discord, and the worker that holds the meetings."""
