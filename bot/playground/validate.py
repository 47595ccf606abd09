"""The checks Discord makes before it accepts a message, a name or a component."""

from typing import Any

from bot.playground.errors import ApiError, invalid
from bot.playground.model import Flag, Message, Wire, walk

CONTENT_LIMIT = 2000
_EMBED_TEXTS = (("title", 256), ("description", 4096))
_EMBED_NESTED = (("footer", "text", 2048), ("author", "name", 256))
_ACTION_ROW, _BUTTON, _STRING_SELECT, _TEXT_DISPLAY = 1, 2, 3, 10
_V2_ONLY = frozenset((9, 10, 11, 12, 13, 14, 17))
_V2_COMPONENTS, _V2_CHARACTERS, _V2_BYTES = 40, 4000, 10_170


def length(value: Any, path: str, low: int, high: int) -> None:
    """Refuse a text that is too short or too long."""
    size = len(value) if isinstance(value, str) else 0
    if not low <= size <= high:
        message = f"Must be between {low} and {high} in length."
        raise invalid(path, message, "BASE_TYPE_BAD_LENGTH")


def webhook_name(name: Any, path: str = "username") -> None:
    """Refuse a webhook's name as Discord does."""
    length(name.strip() if isinstance(name, str) else "", path, 1, 80)
    for word in ("discord", "clyde", "```"):
        if word in name.lower():
            raise invalid(path, f'Username cannot contain "{word}"', "USERNAME_INVALID_CONTAINS")
    if name.strip().lower() in ("everyone", "here"):
        raise invalid(path, f'Username cannot be "{name}"', "USERNAME_INVALID_CONTAINS")


def message(entry: Message) -> None:
    """Refuse a message that Discord would not store."""
    if len(entry.content) > CONTENT_LIMIT:
        text = f"Must be {CONTENT_LIMIT} or fewer in length."
        raise invalid("content", text, "BASE_TYPE_MAX_LENGTH")
    _embeds(entry.embeds)
    _components(entry.components)
    if entry.flags & Flag.COMPONENTS_V2:
        _version_two(entry)
    else:
        _version_one(entry.components)
    shown = entry.content or entry.embeds or entry.components or entry.attachments
    if not shown and not entry.flags & Flag.LOADING:
        raise ApiError(400, 50006, "Cannot send an empty message")


def _embeds(embeds: list[Wire]) -> None:
    if len(embeds) > 10:
        raise invalid("embeds", "Must be 10 or fewer in length.", "BASE_TYPE_MAX_LENGTH")
    total = 0
    for index, embed in enumerate(embeds):
        total += _embed(embed, f"embeds.{index}")
    if total > 6000:
        raise invalid("embeds", "Embed size exceeds maximum size of 6000", "MAX_EMBED_SIZE")


def _embed(embed: Wire, path: str) -> int:
    texts = [(f"{path}.{key}", embed.get(key) or "", limit) for key, limit in _EMBED_TEXTS]
    for outer, key, limit in _EMBED_NESTED:
        texts.append((f"{path}.{outer}.{key}", (embed.get(outer) or {}).get(key) or "", limit))
    fields = embed.get("fields") or []
    if len(fields) > 25:
        raise invalid(f"{path}.fields", "Must be 25 or fewer in length.", "BASE_TYPE_MAX_LENGTH")
    for index, field in enumerate(fields):
        for key, limit in (("name", 256), ("value", 1024)):
            length(field.get(key), f"{path}.fields.{index}.{key}", 1, limit)
            texts.append((path, field[key], limit))
    for where, text, limit in texts:
        length(text, where, 0, limit)
    return sum(len(text) for _, text, _ in texts)


def _components(components: list[Wire]) -> None:
    seen: set[str] = set()
    for part in walk(components):
        custom_id = part.get("custom_id")
        if custom_id is not None:
            length(custom_id, "components.custom_id", 1, 100)
            if custom_id in seen:
                text = "Component custom id cannot be duplicated"
                raise invalid("components", text, "COMPONENT_CUSTOM_ID_DUPLICATED")
            seen.add(custom_id)
        if part["type"] == _BUTTON:
            length(part.get("label") or "", "components.label", 0, 80)
        if part["type"] == _STRING_SELECT and not 1 <= len(part.get("options", ())) <= 25:
            raise invalid("components.options", "Must be between 1 and 25 in length.")
        if part["type"] == _ACTION_ROW and not 1 <= len(part.get("components", ())) <= 5:
            raise invalid("components", "Must be between 1 and 5 in length.")


def _version_one(components: list[Wire]) -> None:
    if len(components) > 5:
        raise invalid("components", "Must be 5 or fewer in length.", "BASE_TYPE_MAX_LENGTH")
    for part in components:
        if part["type"] in _V2_ONLY or part["type"] != _ACTION_ROW:
            raise invalid("components", f"Value of field 'type' cannot be {part['type']}.")


def _version_two(entry: Message) -> None:
    if entry.content or entry.embeds:
        text = "This field cannot be used with the IS_COMPONENTS_V2 flag"
        raise invalid("content" if entry.content else "embeds", text, "MESSAGE_CANNOT_USE_V2")
    parts = list(walk(entry.components))
    if len(parts) > _V2_COMPONENTS:
        raise invalid("components", f"Must be {_V2_COMPONENTS} or fewer components in total.")
    texts = [str(part.get("content", "")) for part in parts if part["type"] == _TEXT_DISPLAY]
    if sum(map(len, texts)) > _V2_CHARACTERS:
        raise invalid("components", f"Displayed text exceeds {_V2_CHARACTERS} characters.")
    # Undocumented: people observed a server error above this many bytes.
    if sum(len(text.encode()) + 12 for text in texts) > _V2_BYTES:
        raise ApiError(500, 0, "500: Internal Server Error")
