"""Every place that names a model or a provider, checked on the file's plain data."""

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.messages.configuration import PanelsFileText
from bot.panels.names import hint, nearest, shown
from bot.panels.newest import is_pattern
from bot.panels.shape import Place, Problem, at


@dataclass(frozen=True, slots=True)
class ModelNames:
    """The names a model answers to: its key, its aliases, and a wire id no other model has."""

    keys: Mapping[str, str]
    aliases: Mapping[str, str] = field(default_factory=dict)
    wires: Mapping[str, str] = field(default_factory=dict)

    def canonical(self, name: str) -> str | None:
        """The model's key, whatever the case of the name, or None."""
        wanted = name.strip().casefold()
        if wanted in self.keys:
            return self.keys[wanted]
        target = self.aliases.get(wanted, wanted).casefold()
        return self.keys.get(target) or self.wires.get(target)

    def suggest(self, name: str, limit: int = 3) -> tuple[str, ...]:
        """The nearest known names, best first."""
        return nearest(name, [*self.keys.values(), *self.aliases], limit)

    @property
    def known(self) -> list[str]:
        """Every key and alias."""
        return [*self.keys.values(), *self.aliases]

    @classmethod
    def of(cls, wires: Mapping[str, Iterable[str]], aliases: Mapping[str, str]) -> "ModelNames":
        """The names of models given as key -> wire ids, together with their aliases."""
        owners: dict[str, set[str]] = {}
        for key, ids in wires.items():
            for wire in ids:
                owners.setdefault(wire.casefold(), set()).add(key)
        return cls(
            keys={key.casefold(): key for key in wires},
            aliases={alias.casefold(): target for alias, target in aliases.items()},
            wires={wire: min(keys) for wire, keys in owners.items() if len(keys) == 1},
        )


def _names_in(data: Mapping[str, Any]) -> ModelNames:
    """The names a file's data defines, as far as it can be read."""
    wires = {key: _wire_ids(model) for key, model in _object(data.get("models")).items()}
    aliases = _object(data.get("model_aliases"))
    return ModelNames.of(wires, {a: t for a, t in aliases.items() if isinstance(t, str)})


def _wire_ids(model: Any) -> list[str]:
    ids = (_object(route).get("model") for route in _list(_object(model).get("routes")))
    return [wire for wire in ids if isinstance(wire, str) and not is_pattern(wire)]


def reference_problems(data: Mapping[str, Any]) -> Iterator[Problem]:
    """Names that lead nowhere."""
    names = _names_in(data)
    if names.keys:
        yield from _model_problems(data, names)
    providers = list(_object(data.get("providers")))
    for path in _provider_paths(data) if providers else ():
        name = at(data, path)
        if isinstance(name, str) and name not in providers:
            advice = hint(name, providers, PanelsFileText.use_one_of(providers))
            yield Problem(path, PanelsFileText.no_provider_called(shown(name), advice))


def with_canonical_names(data: dict[str, Any]) -> dict[str, Any]:
    """A copy in which every alias is replaced by the model's key."""
    result, names = copy.deepcopy(data), _names_in(data)
    for path in [*_model_paths(result), *_alias_paths(result)]:
        name = at(result, path)
        key = names.canonical(name) if isinstance(name, str) else None
        if key:
            at(result, path[:-1])[path[-1]] = key
    return result


def _model_problems(data: Mapping[str, Any], names: ModelNames) -> Iterator[Problem]:
    for path in _model_paths(data):
        name = at(data, path)
        if isinstance(name, str) and name and names.canonical(name) is None:
            yield Problem(path, PanelsFileText.no_model_called(shown(name), _advice(name, names)))
    only_models = ModelNames(names.keys, {}, names.wires)
    for path in _alias_paths(data):
        name = at(data, path)
        if isinstance(name, str) and name and only_models.canonical(name) is None:
            yield Problem(path, _alias_fault(name, names))


def _alias_fault(name: str, names: ModelNames) -> str:
    if meant := names.canonical(name):
        return PanelsFileText.alias_of_alias(shown(name), meant)
    return PanelsFileText.no_model_called(shown(name), _advice(name, names))


def _advice(name: str, names: ModelNames) -> str:
    return hint(name, names.known, PanelsFileText.ADD_MODEL)


def _model_paths(data: Mapping[str, Any]) -> Iterator[Place]:
    yield from (("orchestrator", "model"), ("synthesis", "default"))
    yield from (("models", key, "standIn") for key in _object(data.get("models")))
    yield from _items(data, ("meta", "models"))
    yield from _items(data, ("premium",))
    yield from _items(data, ("allowlist",))
    for profile in _object(data.get("profiles")):
        yield from _items(data, ("profiles", profile, "models"))
        yield ("profiles", profile, "fallback")
    for mode in _object(data.get("panels")):
        for agent in _items(data, ("panels", mode, "agents")):
            yield from ((*agent, "model"), (*agent, "fallback"))


def _alias_paths(data: Mapping[str, Any]) -> Iterator[Place]:
    yield from (("model_aliases", alias) for alias in _object(data.get("model_aliases")))


def _provider_paths(data: Mapping[str, Any]) -> Iterator[Place]:
    for key in _object(data.get("models")):
        for route in _items(data, ("models", key, "routes")):
            yield (*route, "provider")


def _items(data: Mapping[str, Any], path: Place) -> Iterator[Place]:
    yield from ((*path, index) for index in range(len(_list(at(data, path)))))


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
