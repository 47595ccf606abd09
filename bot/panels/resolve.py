"""Which provider serves which model now, and why the others do not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.panels._references import ModelNames, names_of
from bot.panels.config import Model, PanelsConfig, Route, Tier
from bot.panels.names import shown
from bot.panels.providers import HostedProvider, Provider, RehearsalProvider

REHEARSAL = "rehearsal"
Secrets = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """A model with the one route that is used."""

    key: str
    provider: str
    kind: str
    wire_model: str
    family: str
    tier: Tier


@dataclass(frozen=True, slots=True)
class Resolution:
    """What is usable now; `rehearsal` says that stand-ins play every model."""

    names: ModelNames
    rehearsal: bool
    providers: Mapping[str, str | None]
    models: Mapping[str, ResolvedModel]
    reasons: Mapping[str, tuple[str, ...]]
    routed: Mapping[str, tuple[str, ...]]

    def model(self, name_or_alias: str) -> ResolvedModel | None:
        """The usable model of this name, or None."""
        key = self.names.canonical(name_or_alias)
        return self.models.get(key) if key else None

    def why_not(self, name_or_alias: str) -> tuple[str, ...]:
        """Why a model cannot be used, one reason for each route; empty when it can."""
        key = self.names.canonical(name_or_alias)
        if key is None:
            return (f"no model is called '{shown(name_or_alias)}'",)
        return self.reasons.get(key, ())

    def suggest(self, name: str) -> tuple[str, ...]:
        """The nearest known names, best first."""
        return self.names.suggest(name)

    def usable(self, provider: str) -> bool:
        """Whether a provider exists and can be called."""
        return provider in self.providers and self.providers[provider] is None

    def lost_without(self, provider: str) -> tuple[str, ...]:
        """Models that nobody serves now and this provider would serve."""
        return tuple(key for key in self.reasons if provider in self.routed[key])


def canonical(config: PanelsConfig, name: str) -> str | None:
    """The key of the model a key, alias or unique wire id means, or None."""
    return model_names(config).canonical(name)


def suggest(config: PanelsConfig, name: str) -> tuple[str, ...]:
    """The nearest known model names, best first."""
    return model_names(config).suggest(name)


def model_names(config: PanelsConfig) -> ModelNames:
    """Every name the models of a configuration answer to."""
    wires = {key: [route.model for route in m.routes] for key, m in config.models.items()}
    return names_of(wires, config.model_aliases)


def resolve_models(
    config: PanelsConfig,
    secret: Secrets,
    adapters: frozenset[str],
    unreachable: Mapping[str, str],
) -> Resolution:
    """Give every model its first usable route, or stand-ins when there is none at all."""
    faults = {
        name: _fault(provider, secret, adapters) or unreachable.get(name)
        for name, provider in config.providers.items()
    }
    models = {k: r for k, m in config.models.items() if (r := _resolved(config, k, m, faults))}
    stand_in = _stand_in(config, faults)
    rehearsal = stand_in is not None and all(_is_stand_in(config, m) for m in models.values())
    if stand_in is not None and rehearsal:
        models = {key: _played(key, m, stand_in) for key, m in config.models.items()}
    return Resolution(
        names=model_names(config),
        rehearsal=rehearsal,
        providers=faults,
        models=models,
        reasons={k: _reasons(m, faults) for k, m in config.models.items() if k not in models},
        routed={k: tuple(r.provider for r in m.routes) for k, m in config.models.items()},
    )


def _fault(provider: Provider, secret: Secrets, adapters: frozenset[str]) -> str | None:
    if provider.kind not in adapters:
        return f"this version has no adapter for kind '{provider.kind}'"
    variable = provider.api_key_env if isinstance(provider, HostedProvider) else None
    if variable and not secret(variable):
        return f"{variable} is not set: add it to .env"
    return None


def _resolved(
    config: PanelsConfig, key: str, model: Model, faults: Mapping[str, str | None]
) -> ResolvedModel | None:
    route = next((r for r in model.routes if faults[r.provider] is None), None)
    if route is None:
        return None
    kind = config.providers[route.provider].kind
    return ResolvedModel(key, route.provider, kind, route.model, model.family, model.tier)


def _stand_in(config: PanelsConfig, faults: Mapping[str, str | None]) -> str | None:
    usable = (n for n, p in config.providers.items() if isinstance(p, RehearsalProvider))
    return next((name for name in usable if faults[name] is None), None)


def _is_stand_in(config: PanelsConfig, model: ResolvedModel) -> bool:
    return isinstance(config.providers[model.provider], RehearsalProvider)


def _played(key: str, model: Model, provider: str) -> ResolvedModel:
    return ResolvedModel(key, provider, REHEARSAL, key, model.family, model.tier)


def _reasons(model: Model, faults: Mapping[str, str | None]) -> tuple[str, ...]:
    return tuple(_reason(route, faults) for route in model.routes)


def _reason(route: Route, faults: Mapping[str, str | None]) -> str:
    return f"{route.provider}: {faults[route.provider]}"
