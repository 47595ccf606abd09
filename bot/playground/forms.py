"""What a client sends when a person fills in a command, a component or a modal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bot.playground import wire
from bot.playground.errors import NotPermitted
from bot.playground.interactions import Answer
from bot.playground.model import Channel, Message, Wire, walk
from bot.playground.permissions import has
from bot.playground.world import World

_SLASH, _MENU = 1, 3
_SUBCOMMAND, _GROUP = 1, 2
_USER, _CHANNEL, _ROLE, _MENTIONABLE = 6, 7, 8, 9
_CASTS: Mapping[int, Callable[[Any], Any]] = {4: int, 5: bool, 10: float}
# Select types, as the option types whose values they resolve like.
_SELECTS = {3: 3, 5: _USER, 6: _ROLE, 7: _MENTIONABLE, 8: _CHANNEL}


def commands_for(world: World, channel: Channel, user_id: int) -> list[Wire]:
    """The commands a person may use in a channel."""
    found = world.commands.get(None, []) + world.commands.get(channel.guild_id, [])
    may = world.permissions(user_id, channel)
    direct = channel.guild_id is None
    return [
        command
        for command in found
        if may & int(command.get("default_member_permissions") or 0)
        == int(command.get("default_member_permissions") or 0)
        and not (direct and (command.get("dm_permission") is False))
        and not (direct and command.get("contexts") and 1 not in command["contexts"])
        and has(may, "use_application_commands")
    ]


def _command(world: World, channel: Channel, user_id: int, name: str, kind: int) -> Wire:
    for command in commands_for(world, channel, user_id):
        if command["name"] == name and command["type"] == kind:
            return command
    raise NotPermitted(f"There is no command {name!r} for this person here.")


def command_data(
    world: World, channel: Channel, user_id: int, path: str, values: dict[str, Any], focused: str
) -> Wire:
    """The data of a slash command or of its autocompletion."""
    name, *rest = path.lstrip("/").split()
    command = _command(world, channel, user_id, name, _SLASH)
    level = command
    chain = []
    for part in rest:
        level = next((o for o in level.get("options", ()) if o["name"] == part), {})
        if level.get("type") not in (_SUBCOMMAND, _GROUP):
            raise NotPermitted(f"There is no command /{path}.")
        chain.append({"name": part, "type": level["type"]})
    declared = level.get("options", [])
    if any(option["type"] in (_SUBCOMMAND, _GROUP) for option in declared):
        raise NotPermitted(f"/{path} is not complete.")
    options = _options(declared, values, focused, path)
    resolved = resolve(world, channel, ((o["type"], o["value"]) for o in options))
    for step in reversed(chain):
        options = [step | {"options": options}]
    return _named(command) | {"options": options, "resolved": resolved}


def _named(command: Wire) -> Wire:
    guild = {"guild_id": command["guild_id"]} if "guild_id" in command else {}
    return {"id": command["id"], "name": command["name"], "type": command["type"]} | guild


def _options(declared: list[Wire], values: dict[str, Any], focused: str, path: str) -> list[Wire]:
    unknown = values.keys() - {option["name"] for option in declared}
    if unknown:
        raise NotPermitted(f"/{path} has no option {min(unknown)!r}.")
    given = []
    for option in declared:
        name = option["name"]
        if name in values:
            value = _value(option, values[name], loose=bool(focused))
            mark = {"focused": True} if name == focused else {}
            given.append({"name": name, "type": option["type"], "value": value} | mark)
        elif option.get("required") and not focused:
            raise NotPermitted(f"/{path} needs the option {name!r}.")
    return given


def _value(option: Wire, value: Any, *, loose: bool) -> Any:
    kind, name = option["type"], option["name"]
    if not loose:
        value = _CASTS.get(kind, str)(value)
        choices = [choice["value"] for choice in option.get("choices") or ()]
        if choices and value not in choices:
            raise NotPermitted(f"{name!r} must be one of {choices}.")
        size = len(value) if isinstance(value, str) else value
        for low, high in (("min_length", "max_length"), ("min_value", "max_value")):
            if not option.get(low, size) <= size <= option.get(high, size):
                raise NotPermitted(f"{name!r} is out of range.")
    return value


def menu_data(world: World, channel: Channel, user_id: int, message: Message, name: str) -> Wire:
    """The data of a message menu command, which shows the bot the whole message."""
    command = _command(world, channel, user_id, name, _MENU)
    resolved = {"messages": {str(message.id): wire.message(world, message)}}
    return _named(command) | {"target_id": str(message.id), "resolved": resolved}


def component_data(
    world: World, channel: Channel, message: Message, custom_id: str, values: Sequence[str]
) -> Wire:
    """The data of a pressed button or a used select."""
    part = next((p for p in walk(message.components) if p.get("custom_id") == custom_id), None)
    if part is None:
        raise NotPermitted(f"The message has nothing with the id {custom_id!r}.")
    if part.get("disabled"):
        raise NotPermitted("This is switched off.")
    data = {"custom_id": custom_id, "component_type": part["type"], "id": part["id"]}
    if part["type"] not in _SELECTS:
        return data
    return data | _chosen(world, channel, part, values)


def _chosen(world: World, channel: Channel, part: Wire, values: Sequence[str]) -> Wire:
    low, high = part.get("min_values", 1), part.get("max_values", 1)
    offered = {option["value"] for option in part.get("options") or ()}
    if not low <= len(values) <= high or (offered and not offered.issuperset(values)):
        raise NotPermitted(f"Choose between {low} and {high} of what is offered.")
    kind = _SELECTS[part["type"]]
    resolved = resolve(world, channel, ((kind, value) for value in values))
    chosen: Wire = {"values": [str(value) for value in values]}
    return chosen | ({"resolved": resolved} if kind != 3 else {})


def modal_data(world: World, channel: Channel, form: Answer, values: Mapping[str, Any]) -> Wire:
    """The data of a submitted modal, in the shape in which the bot declared it."""
    declared = {p["custom_id"]: p for p in walk(form.components) if "custom_id" in p}
    missing = [
        key
        for key, part in declared.items()
        if part.get("required", True) and not values.get(key) and part["type"] != 23
    ]
    if missing or values.keys() - declared.keys():
        wrong = missing or sorted(values.keys() - declared.keys())
        raise NotPermitted(f"The form does not fit: check {', '.join(wrong)}.")
    chosen = [
        (_SELECTS[part["type"]], value)
        for key, part in declared.items()
        if part["type"] in _SELECTS
        for value in values.get(key) or ()
    ]
    filled = [_filled(part, values) for part in form.components]
    resolved = resolve(world, channel, chosen)
    return {"custom_id": form.custom_id, "components": filled, "resolved": resolved}


def _filled(part: Wire, values: Mapping[str, Any]) -> Wire:
    kept: Wire = {"type": part["type"], "id": part.get("id", 0)}
    if "components" in part:
        return kept | {"components": [_filled(inner, values) for inner in part["components"]]}
    if "component" in part:
        return kept | {"component": _filled(part["component"], values)}
    if "custom_id" not in part:
        return kept
    value = values.get(part["custom_id"])
    several = part["type"] in _SELECTS or part["type"] in (19, 22)
    entry = {"values": list(value or ())} if several else {"value": value or _empty(part)}
    return kept | {"custom_id": part["custom_id"]} | entry


def _empty(part: Wire) -> Any:
    return {4: "", 23: False}.get(part["type"])


def resolve(world: World, channel: Channel, chosen: Iterable[tuple[int, Any]]) -> Wire:
    """The people, roles and channels that options or selects point to."""
    found: Wire = {}
    guild = world.guild_of(channel)
    for kind, value in chosen:
        if kind not in (_USER, _CHANNEL, _ROLE, _MENTIONABLE):
            continue
        number = int(value)
        if kind == _CHANNEL:
            place = wire.channel(world, world.channel(number)) | {"permissions": "0"}
            found.setdefault("channels", {})[str(number)] = place
        elif guild and number in guild.roles:
            role = wire.role(guild.roles[number])
            found.setdefault("roles", {})[str(number)] = role
        elif number in world.users:
            found.setdefault("users", {})[str(number)] = wire.user(world.users[number])
            if guild and number in guild.members:
                part = wire.member_part(guild, number) | {"permissions": "0"}
                found.setdefault("members", {})[str(number)] = part
    return found
