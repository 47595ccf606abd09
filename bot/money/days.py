"""When a day and a month began, and when the next day begins, where the limits are counted."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from bot.panels.zones import zone_of


@dataclass(frozen=True, slots=True)
class Day:
    """The day a moment lies in."""

    began: float
    ends: float
    month_began: float


def day_of(now: float, time_zone: str) -> Day:
    """The day of a moment in a time zone; one with a clock change has 23 or 25 hours."""
    zone = zone_of(time_zone)
    today = datetime.fromtimestamp(now, zone).date()
    starts = [today, today + timedelta(days=1), today.replace(day=1)]
    moments = [datetime.combine(day, time(), zone).timestamp() for day in starts]
    return Day(*moments)
