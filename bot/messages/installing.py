"""How extras are installed: from Roundtable's folder, since it is on no package index."""


def with_extra(name: str) -> str:
    """What to run for an extra; without a full stop."""
    return (
        f"run `make install EXTRAS={name}` in Roundtable's folder, or `pipx install --force "
        f"'.[{name}]'` there"
    )
