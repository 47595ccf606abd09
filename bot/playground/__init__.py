"""An embedded Discord on loopback: the unmodified bot runs on it over real sockets."""
