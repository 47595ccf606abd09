"""HTTP that models, search and links share: the client and bounded reading of bodies."""
