"""Time zones by name, for limits that count by the day."""

from datetime import UTC, tzinfo

from bot.messages.configuration import PanelsFileText


def zone_of(name: str) -> tzinfo:
    """The time zone of a name; UTC needs no zone database."""
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo  # noqa: PLC0415 (few need it)

    return ZoneInfo(name)


def valid_zone(name: str) -> str:
    """The name, or a ValueError that says what to write instead."""
    try:
        zone_of(name)
    except (ValueError, KeyError, OSError):
        raise ValueError(PanelsFileText.NO_TIME_ZONE) from None
    return name
