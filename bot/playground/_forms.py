"""What a client sends when a person fills in a command, a component or a modal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bot.playground._basics import Wire
from bot.playground._interactions import Answer
from bot.playground.errors import NotPermitted
from bot.playground.model import Channel, Message, walk

_SLASH, _MENU, _NESTING = 1, 3, (1, 2)
_TEXT, _USER, _CHANNEL, _ROLE, _MENTIONABLE = 3, 6, 7, 8, 9
_CASTS: Mapping[int, Callable[[Any], Any]] = {4: int, 5: bool, 10: float}
# Select types, as the option types whose values they resolve like.
_SELECTS = {3: _TEXT, 5: _USER, 6: _ROLE, 7: _MENTIONABLE, 8: _CHANNEL}
_SEVERAL, _CHECKBOX = (*_SELECTS, 19, 22), 23


def commands_for(channel: Channel, user_id: int) -> list[Wire]:
    """The commands a person may use in a channel; direct conversations have none."""
    found, may = channel.world.commands if channel.guild else [], channel.permissions(user_id)
    return [c for c in found if not int(c.get("default_member_permissions") or 0) & ~may]


def _command(channel: Channel, user_id: int, name: str, kind: int) -> tuple[Wire, Wire]:
    channel.require(user_id, "use_application_commands")
    for command in commands_for(channel, user_id):
        if (command["name"], command["type"]) == (name, kind):
            return command, {key: command[key] for key in ("id", "name", "type")}
    raise NotPermitted(f"There is no command {name!r} for this person here.")


def command_data(
    channel: Channel, user_id: int, path: str, values: Mapping[str, Any], focused: str
) -> Wire:
    """The data of a slash command, or of an autocompletion when an option is focused."""
    name, *rest = path.lstrip("/").split()
    level, data = _command(channel, user_id, name, _SLASH)
    chain = []
    for part in rest:
        level = next((o for o in level.get("options", ()) if o["name"] == part), {"type": 0})
        if level["type"] not in _NESTING:
            raise NotPermitted(f"There is no command /{path}.")
        chain.append({"name": part, "type": level["type"]})
    options = _options(level.get("options", []), values, focused, path)
    data["resolved"] = _resolved(channel, ((o["type"], o["value"]) for o in options))
    for step in reversed(chain):
        options = [step | {"options": options}]
    return data | {"options": options}


def _options(
    declared: list[Wire], values: Mapping[str, Any], focused: str, path: str
) -> list[Wire]:
    if any(option["type"] in _NESTING for option in declared):
        raise NotPermitted(f"/{path} is not complete.")
    strangers = values.keys() - {option["name"] for option in declared}
    if strangers:
        raise NotPermitted(f"/{path} has no option {min(strangers)!r}.")
    given = []
    for option in declared:
        name, kind = option["name"], option["type"]
        if name in values:
            value = values[name] if focused else _checked(option, values[name])
            mark = {"focused": True} if name == focused else {}
            given.append({"name": name, "type": kind, "value": value} | mark)
        elif option.get("required") and not focused:
            raise NotPermitted(f"/{path} needs the option {name!r}.")
    return given


def _checked(option: Wire, value: Any) -> Any:
    value = _CASTS.get(option["type"], str)(value)
    choices = [choice["value"] for choice in option.get("choices") or ()]
    size, kind = (len(value), "length") if isinstance(value, str) else (value, "value")
    fits = option.get(f"min_{kind}", size) <= size <= option.get(f"max_{kind}", size)
    if not fits or (choices and value not in choices):
        raise NotPermitted(f"{value!r} does not fit the option {option['name']!r}.")
    return value


def menu_data(message: Message, user_id: int, name: str) -> Wire:
    """The data of a message menu command, which shows the bot the whole message."""
    _, data = _command(message.channel, user_id, name, _MENU)
    resolved = {"messages": {message["id"]: message.wire()}}
    return data | {"target_id": message["id"], "resolved": resolved}


def component_data(message: Message, custom_id: str, values: Sequence[str]) -> Wire:
    """The data of a pressed button or a used select."""
    part = next((p for p in walk(message.components) if p.get("custom_id") == custom_id), None)
    if part is None or part.get("disabled"):
        raise NotPermitted(f"There is nothing to press with the id {custom_id!r}.")
    data = {"custom_id": custom_id, "component_type": part["type"], "id": part["id"]}
    if part["type"] not in _SELECTS:
        return data
    low, high = part.get("min_values", 1), part.get("max_values", 1)
    offered = {option["value"] for option in part.get("options") or ()} or set(values)
    if not low <= len(values) <= high or not offered.issuperset(values):
        raise NotPermitted(f"Choose between {low} and {high} of what is offered.")
    kind, data = _SELECTS[part["type"]], data | {"values": list(values)}
    if kind != _TEXT:
        data["resolved"] = _resolved(message.channel, ((kind, value) for value in values))
    return data


def modal_data(channel: Channel, form: Answer | None, values: Mapping[str, Any]) -> Wire:
    """The data of a submitted modal, in the shape in which the bot declared it."""
    if form is None or form.kind != "modal":
        raise NotPermitted("There is no form to submit.")
    parts = form.data["components"]
    declared = {part["custom_id"]: part for part in walk(parts) if "custom_id" in part}
    wrong, chosen = [*(values.keys() - declared.keys())], []
    for key, part in declared.items():
        if not values.get(key) and part.get("required", True) and part["type"] != _CHECKBOX:
            wrong.append(key)
        if part["type"] in _SELECTS:
            chosen += [(_SELECTS[part["type"]], value) for value in values.get(key) or ()]
    if wrong:
        raise NotPermitted(f"The form does not fit: check {', '.join(wrong)}.")
    data: Wire = {"custom_id": form.data["custom_id"], "resolved": _resolved(channel, chosen)}
    return data | {"components": [_filled(part, values) for part in parts]}


def _filled(part: Wire, values: Mapping[str, Any]) -> Wire:
    kept: Wire = {"type": part["type"], "id": part.get("id", 0)}
    if "components" in part:
        kept["components"] = [_filled(inner, values) for inner in part["components"]]
    if "component" in part:
        kept["component"] = _filled(part["component"], values)
    if "custom_id" in part:
        kept["custom_id"], value = part["custom_id"], values.get(part["custom_id"])
        if part["type"] in _SEVERAL:
            kept["values"] = list(value or ())
        else:
            kept["value"] = value or (False if part["type"] == _CHECKBOX else "")
    return kept


def _resolved(channel: Channel, chosen: Iterable[tuple[int, Any]]) -> Wire:
    found: dict[str, Wire] = {"users": {}, "members": {}, "roles": {}, "channels": {}}
    world, guild = channel.world, channel.guild
    for kind, value in chosen:
        key, powers = str(value), {"permissions": "0"}
        if kind == _CHANNEL:
            found["channels"][key] = world.channel(int(key)) | powers
        elif kind in (_ROLE, _MENTIONABLE) and guild and int(key) in guild.roles:
            found["roles"][key] = guild.roles[int(key)]
        elif kind in (_USER, _MENTIONABLE) and int(key) in world.users:
            user = world.users[int(key)]
            found["users"][key] = user.wire()
            if guild and user.id in guild.members:
                found["members"][key] = guild.member(user) | powers
    return found
