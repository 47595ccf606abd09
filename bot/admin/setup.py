"""Setting a server up: what holds now, and the exact lines for what is wanted."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.errors import ConfigError
from bot.messages.admin import SetupText
from bot.panels import PanelsConfig
from bot.panels.load import parse_panels
from bot.stage.findings import fitted


@dataclass(frozen=True, slots=True)
class SetupRequest:
    """What an admin chose; None and False leave a thing as it is."""

    trigger_channel_id: int | None = None
    output_channel_id: int | None = None
    role_id: int | None = None
    cooldown_seconds: int | None = None

    def override(self) -> dict[str, Any]:
        """The same as a part of `servers` in panels.json."""
        trigger: dict[str, Any] = {}
        if self.trigger_channel_id is not None:
            trigger["channelIds"] = [str(self.trigger_channel_id)]
        if self.role_id is not None:
            trigger["allowedRoleIds"] = [str(self.role_id)]
        if self.cooldown_seconds is not None:
            trigger["cooldownSeconds"] = self.cooldown_seconds
        found: dict[str, Any] = {"trigger": trigger} if trigger else {}
        if self.output_channel_id is not None:
            found["output"] = {"target": str(self.output_channel_id)}
        return found


def setup_text(config: PanelsConfig, guild_id: int, file: Path, wanted: SetupRequest) -> str:
    """What holds here, and either the choices there are or the lines to paste."""
    lines = [*_state_lines(config), ""]
    lines += _lines_to_paste(file, guild_id, wanted) if wanted.override() else SetupText.CHOICES
    return fitted(lines)


def _server_block(text: str, guild_id: int, wanted: SetupRequest) -> str:
    """The server's whole entry with what is wanted in it; raises ConfigError if it cannot be."""
    data = json.loads(text)
    servers = data.setdefault("servers", {})
    own = servers.setdefault(str(guild_id), {})
    for part, values in wanted.override().items():
        own[part] = own.get(part, {}) | values
    parse_panels(json.dumps(data))
    return f'"{guild_id}": {json.dumps(own, indent=2)}'


def _state_lines(config: PanelsConfig) -> Iterator[str]:
    output, trigger = config.output, config.trigger
    yield SetupText.HEADING
    yield SetupText.started_by(trigger.allowed_role_ids)
    if trigger.channel_ids:
        yield SetupText.topic_channels(trigger.channel_ids)
    yield SetupText.held_in(output.target)
    yield SetupText.pace(trigger.cooldown_seconds, trigger.max_concurrent)
    yield SetupText.ADMIN_CHANNEL


def _lines_to_paste(file: Path, guild_id: int, wanted: SetupRequest) -> tuple[str, ...]:
    try:
        block = _server_block(file.read_text(encoding="utf-8-sig"), guild_id, wanted)
    except (ConfigError, OSError, ValueError):
        return (SetupText.FILE_HAS_A_PROBLEM,)
    return SetupText.PASTE_THIS, f"```json\n{block}\n```"
