"""The phrases the rehearsal speaks with, as data."""
