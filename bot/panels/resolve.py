"""Which provider serves which model now, and why the others do not."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from bot.panels._references import ModelNames, names_of
from bot.panels.config import Model, PanelsConfig, Route, Tier
from bot.panels.names import shown
from bot.panels.offers import Offer, family_of, short_name
from bot.panels.providers import HostedProvider, Provider, RehearsalProvider
from bot.words import providers as words
from bot.words.panels_file import no_model_called

REHEARSAL = "rehearsal"
FOUND_TIER: Tier = "mid"
MOST_NAMED = 3
LOCAL = "local"
Secrets = Callable[[str], str | None]
Faults = Mapping[str, str | None]
Offers = Mapping[str, Offer]
NO_OFFERS: Offers = {}


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
    """What is usable now; `rehearsal` says that stand-ins play every model.

    `found` names models that panels.json does not know: a server on this machine has them, and
    they are taken where nothing the file names is usable.
    """

    names: ModelNames
    rehearsal: bool
    providers: Mapping[str, str | None]
    models: Mapping[str, ResolvedModel]
    reasons: Mapping[str, tuple[str, ...]]
    routed: Mapping[str, tuple[str, ...]]
    found: tuple[str, ...] = ()

    def model(self, name_or_alias: str) -> ResolvedModel | None:
        """The usable model of this name, or None."""
        key = self.names.canonical(name_or_alias)
        return self.models.get(key) if key else None

    def why_not(self, name_or_alias: str) -> tuple[str, ...]:
        """Why a model cannot be used, one reason for each route; empty when it can."""
        key = self.names.canonical(name_or_alias)
        if key is None:
            return (no_model_called(shown(name_or_alias)),)
        return self.reasons.get(key, ())

    @property
    def small(self) -> bool:
        """Whether a model in this process, which is always a very small one, may speak."""
        return any(model.kind == LOCAL for model in self.models.values())

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
    offers: Offers = NO_OFFERS,
) -> Resolution:
    """Give every model its first usable route, or what is found, or stand-ins."""
    faults = {
        name: _fault(provider, secret, adapters) or unreachable.get(name)
        for name, provider in config.providers.items()
    }
    routes = {key: _route(model, faults, offers) for key, model in config.models.items()}
    models = {key: _routed(config, key, route) for key, route in routes.items() if route}
    served = any(not _is_stand_in(config, model) for model in models.values())
    found = {} if served else dict(_found(config, faults, offers))
    stand_in = _stand_in(config, faults)
    rehearsal = stand_in is not None and not served and not found
    if stand_in is not None and rehearsal:
        models = {key: _played(key, m, stand_in) for key, m in config.models.items()}
    return Resolution(
        names=_names(config, found),
        rehearsal=rehearsal,
        providers=faults,
        models=found or models,
        reasons={
            key: _reasons(model, faults, offers)
            for key, model in config.models.items()
            if key not in (found or models)
        },
        routed={k: tuple(r.provider for r in m.routes) for k, m in config.models.items()},
        found=tuple(found),
    )


def _names(config: PanelsConfig, found: Mapping[str, ResolvedModel]) -> ModelNames:
    wires = {key: [route.model for route in m.routes] for key, m in config.models.items()}
    wires |= {key: [model.wire_model] for key, model in found.items()}
    return names_of(wires, config.model_aliases)


def _found(
    config: PanelsConfig, faults: Faults, offers: Offers
) -> Iterator[tuple[str, ResolvedModel]]:
    """What servers on this machine have, named as there, but nothing that costs money."""
    known, taken = model_names(config), set[str]()
    for provider, offer in offers.items():
        if faults.get(provider, "") is not None or not offer.chats_for_free:
            continue
        for wire in offer.models:
            key = short_name(wire)
            if known.canonical(key) or key in taken:
                key = f"{provider}/{key}"
            taken.add(key)
            kind = config.providers[provider].kind
            yield key, ResolvedModel(key, provider, kind, wire, family_of(wire), FOUND_TIER)


def _fault(provider: Provider, secret: Secrets, adapters: frozenset[str]) -> str | None:
    if provider.kind not in adapters:
        return words.no_adapter(provider.kind)
    variable = provider.api_key_env if isinstance(provider, HostedProvider) else None
    if variable and not secret(variable):
        return words.no_key(variable)
    return None


def _route(model: Model, faults: Faults, offers: Offers) -> Route | None:
    return next((r for r in model.routes if _route_fault(r, faults, offers) is None), None)


def _route_fault(route: Route, faults: Faults, offers: Offers) -> str | None:
    """Why a route cannot be taken: its provider, or a model the provider does not have."""
    fault, offer = faults[route.provider], offers.get(route.provider)
    if fault or offer is None or offer.serves(route.model):
        return fault
    return words.lacks_model(route.provider, route.model, offer.models[:MOST_NAMED])


def _routed(config: PanelsConfig, key: str, route: Route) -> ResolvedModel:
    model, kind = config.models[key], config.providers[route.provider].kind
    return ResolvedModel(key, route.provider, kind, route.model, model.family, model.tier)


def _stand_in(config: PanelsConfig, faults: Faults) -> str | None:
    usable = (n for n, p in config.providers.items() if isinstance(p, RehearsalProvider))
    return next((name for name in usable if faults[name] is None), None)


def _is_stand_in(config: PanelsConfig, model: ResolvedModel) -> bool:
    return isinstance(config.providers[model.provider], RehearsalProvider)


def _played(key: str, model: Model, provider: str) -> ResolvedModel:
    return ResolvedModel(key, provider, REHEARSAL, key, model.family, model.tier)


def _reasons(model: Model, faults: Faults, offers: Offers) -> tuple[str, ...]:
    return tuple(
        words.of_provider(r.provider, _route_fault(r, faults, offers) or "") for r in model.routes
    )
