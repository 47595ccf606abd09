"""Tells Discord about the slash commands, only when they changed."""

import hashlib
import json
from pathlib import Path

import discord
from discord import app_commands

MARKER = ".commands"


async def sync_if_changed(tree: app_commands.CommandTree[discord.Client], home: Path) -> bool:
    """Sync when the definitions differ from those synced last; returns whether it did."""
    application = str(tree.client.application_id)
    commands = [command.to_dict(tree) for command in tree.get_commands()]
    wanted = hashlib.sha256(json.dumps([application, commands], sort_keys=True).encode())
    marker = home / MARKER
    if marker.exists() and marker.read_text(encoding="utf-8") == wanted.hexdigest():
        return False
    await tree.sync()
    marker.write_text(wanted.hexdigest(), encoding="utf-8")
    return True
