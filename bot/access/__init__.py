"""Who may start, stop and read a roundtable."""
