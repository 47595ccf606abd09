"""Builds: a spec people agree to, files built from it, and two gates."""
