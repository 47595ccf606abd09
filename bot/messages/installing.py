"""Setting Roundtable up on a machine: extras, `roundtable init`, and the settings of .env."""

from collections.abc import Sequence
from typing import Final


def with_extra(name: str) -> str:
    """What to run for an extra, since Roundtable is on no package index; without a full stop."""
    return (
        f"run `make install EXTRAS={name}` in Roundtable's folder, or `pipx install --force "
        f"'.[{name}]'` there"
    )


class StarterText:
    """What `roundtable init` says."""

    NEXT: Final = (
        "Edit panels.json, copy .env.example to .env for keys, then run `roundtable check`."
    )

    @staticmethod
    def written(path: str) -> str:
        """A file that is new."""
        return f"Written: {path}"

    @staticmethod
    def kept(path: str) -> str:
        """A file that was there."""
        return f"Already there, left as it is: {path}"

    @staticmethod
    def not_written(path: str, why: str) -> str:
        """A file that could not be made."""
        return (
            f"{path} could not be written ({why}): go to a folder you may write to and try again."
        )


class SettingText:
    """What is wrong with a setting in the environment or .env, after its name."""

    BEGINS_WITH_BOT: Final = "starts with 'Bot '; keep only what follows it"
    HOLDS_A_SPACE: Final = "contains a space or line break; copy the token again from Discord"
    NO_CHANNEL: Final = "is not a channel id; copy its digits from Discord"
    NO_ADDRESS: Final = "is not an IP address; write 127.0.0.1, or 0.0.0.0 for all networks"
    NO_USER: Final = "is not a user id; copy its digits from Discord"
    NO_POSTGRES: Final = (
        "is not a Postgres URL; write postgresql://user:password@host/database, with special "
        "characters in the password percent-encoded"
    )
    NO_FOLDER: Final = "is not a folder; set it to Roundtable's data folder"
    NO_FILE: Final = "is not a file; correct the path or remove the line"
    CANNOT_BE_READ: Final = "cannot be read"

    @staticmethod
    def named(name: str, fault: str) -> str:
        """A setting and its fault."""
        return f"{name}: {fault}"

    @staticmethod
    def unknown_value(name: str, expected: str) -> str:
        """A setting that knows a few values only."""
        return f"{name}: unknown value; use {expected}"

    @staticmethod
    def other_fault(name: str, fault: str) -> str:
        """A setting with a fault that the reader found."""
        return f"{name}: {fault}; correct it"

    @staticmethod
    def not_utf8(path: str) -> str:
        """A .env that holds no text."""
        return f"{path}: is not UTF-8 text; save it as UTF-8"

    @staticmethod
    def unreadable(path: str, why: str) -> str:
        """A .env that cannot be read."""
        return f"{path}: {why}; make it a readable file"

    @staticmethod
    def not_understood(path: str, line: int) -> str:
        """A line of .env that is no setting."""
        return f"{path} line {line}: not understood; write NAME=value"

    @staticmethod
    def unknown_name(name: str, advice: str) -> str:
        """An unknown setting."""
        return f"{name}: unknown setting; {advice}"

    @staticmethod
    def known_names(names: Sequence[str]) -> str:
        """Every setting there is."""
        return f"known settings: {', '.join(names)}"

    @staticmethod
    def other_missing(missing: str, first: str, second: str) -> str:
        """One of two settings that go together."""
        return f"{missing}: missing; set both {first} and {second}, or neither"
