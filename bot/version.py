"""The version of Roundtable, in one place."""

VERSION = "0.1.0"
