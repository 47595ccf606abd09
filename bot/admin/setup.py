"""What admins store for their server above panels.json: the settings, their values, their text."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bot.errors import UsageError
from bot.messages.admin import SetupText
from bot.money.estimate import limit_words
from bot.panels import PanelsConfig
from bot.store.repositories.servers import StoredChange

SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "output": ("output", "target"),
    "topics": ("trigger", "channelIds"),
    "starters": ("trigger", "allowedRoleIds"),
    "approvers": ("trigger", "approverRoleIds"),
    "cooldown": ("trigger", "cooldownSeconds"),
    "language": ("language",),
    "panel": ("panel",),
    "per_run": ("budgets", "perRunUsd"),
    "per_person": ("budgets", "perPersonPerDayUsd"),
    "per_server": ("budgets", "perServerPerDayUsd"),
}
"""By the name of a setting, where panels.json has it under a server."""


def changed(settings: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with other values; None gives a setting back to the file."""
    result = {key: dict(v) if isinstance(v, Mapping) else v for key, v in settings.items()}
    for name, value in wanted.items():
        *above, key = SETTINGS[name]
        part = result.setdefault(above[0], {}) if above else result
        part[key] = value
        if value is None:
            del part[key]
    return {key: value for key, value in result.items() if value != {}}


def stored_names(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The settings that hold here instead of the file's."""
    return tuple(name for name in SETTINGS if value_of(settings, name) is not None)


def value_of(settings: Mapping[str, Any], name: str) -> Any:
    """What is stored for a setting; None where the file holds."""
    found: Any = settings
    for key in SETTINGS[name]:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def amount_of(typed: str) -> float | None:
    """The dollars somebody typed, None for an empty field; raises UsageError."""
    text = typed.strip().strip("$").strip().replace(",", ".")
    if not text:
        return None
    try:
        amount = float(text)
    except ValueError:
        amount = math.nan
    if not math.isfinite(amount):
        raise UsageError(SetupText.no_amount(typed.strip()[:40]))
    return amount


def state_lines(config: PanelsConfig, stored: StoredChange) -> Iterator[str]:
    """How a server is set up, and what of it was stored by whom."""
    trigger = config.trigger
    yield SetupText.HEADING
    yield SetupText.started_by(trigger.allowed_role_ids)
    yield SetupText.approved_by(trigger.approver_role_ids)
    if trigger.channel_ids:
        yield SetupText.topic_channels(trigger.channel_ids)
    yield SetupText.held_in(config.output.target)
    yield SetupText.pace(trigger.cooldown_seconds, trigger.max_concurrent)
    yield SetupText.language(config.language or "")
    yield SetupText.panel(config.panel or "")
    yield SetupText.budgets(limit_words(config.budgets))
    yield SetupText.ADMIN_CHANNEL
    yield from stored_lines(stored)


def stored_lines(stored: StoredChange) -> Iterator[str]:
    """Which settings are stored above the file, and who changed them last."""
    names = [SetupText.NAMES[name] for name in stored_names(stored.settings)]
    if names:
        yield SetupText.stored(names, stored.changed_by, stored.changed_at)
