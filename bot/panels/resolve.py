"""Which provider serves which model now, and why the others do not."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from bot.messages.configuration import PanelsFileText
from bot.messages.models import ProviderText
from bot.panels.config import Model, PanelsConfig, Route
from bot.panels.names import nearest, shown
from bot.panels.newest import is_pattern, newest_first
from bot.panels.offers import Offer, family_of, short_name
from bot.panels.price_list import known_ids
from bot.panels.providers import HostedProvider, Provider, RehearsalProvider
from bot.panels.references import ModelNames
from bot.panels.sections import Tier
from bot.types import SecretLookup
from bot.types.model_port import Effort

_REHEARSAL = "rehearsal"
_FOUND_TIER: Tier = "mid"
_MOST_NAMED = 3
LOCAL = "local"
_Priced = Callable[[Provider, str], bool]
_Faults = Mapping[str, str | None]
_Offers = Mapping[str, Offer]
_NO_OFFERS: _Offers = {}


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """A model with the one route that is used."""

    key: str
    provider: str
    kind: str
    wire_model: str
    family: str
    tier: Tier
    effort: Effort | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """What is usable now; `rehearsal` says that stand-ins play every model.

    `found` names models that panels.json does not know: a server on this machine has them, and
    they are taken where nothing the file names is usable. `stand_ins` gives for a model the newer
    one that is taken where nobody serves it.
    """

    names: ModelNames
    rehearsal: bool
    providers: Mapping[str, str | None]
    models: Mapping[str, ResolvedModel]
    reasons: Mapping[str, tuple[str, ...]]
    routed: Mapping[str, tuple[str, ...]]
    found: tuple[str, ...] = ()
    stand_ins: Mapping[str, str] = field(default_factory=dict)

    def model(self, name_or_alias: str) -> ResolvedModel | None:
        """The usable model of this name or the one that stands in for it, or None."""
        key = self.names.canonical(name_or_alias)
        if key is None:
            return None
        return self.models.get(key) or self.models.get(self.stand_ins.get(key, ""))

    def why_not(self, name_or_alias: str) -> tuple[str, ...]:
        """Why a model cannot be used, one reason for each route; empty when it can."""
        key = self.names.canonical(name_or_alias)
        if key is None:
            return (PanelsFileText.no_model_called(shown(name_or_alias)),)
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
        """Models that nobody serves now, nobody stands in for, and this provider would serve."""
        return tuple(
            key for key in self.reasons if provider in self.routed[key] and not self.model(key)
        )


@dataclass(frozen=True, slots=True)
class _Ids:
    """Which id a route means, as far as the providers say what they have."""

    config: PanelsConfig
    faults: _Faults
    offers: _Offers
    priced: _Priced

    def route(self, model: Model) -> Route | None:
        """The first usable route of a model, with the id to ask for."""
        for route in model.routes:
            if self.faults[route.provider] is None and (wire := self._wire(model, route)):
                return Route(provider=route.provider, model=wire)
        return None

    def fault(self, model: Model, route: Route) -> str | None:
        """Why a route cannot be taken: its provider, or a model the provider does not have."""
        if fault := self.faults[route.provider]:
            return fault
        if self._wire(model, route):
            return None
        offer = self.offers.get(route.provider)
        offered = offer.models if offer else ()
        if is_pattern(route.model):
            return ProviderText.lists_no_such(route.model)
        if offer is not None and offer.hosted:
            return ProviderText.does_not_list(route.model, nearest(route.model, offered))
        return ProviderText.lacks_model(route.provider, route.model, offered[:_MOST_NAMED])

    def _wire(self, model: Model, route: Route) -> str | None:
        if not is_pattern(route.model):
            return route.model if self._serves(model, route) else None
        patterns = [r.model for r in model.routes if r.provider == route.provider]
        return self._newest(model, route.provider, [p for p in patterns if is_pattern(p)])

    def _serves(self, model: Model, route: Route) -> bool:
        """Whether an exact id can be asked for; where another could stand in, it must be listed."""
        if model.stand_in:
            return self._offer(route.provider).lists(route.model)
        offer = self.offers.get(route.provider)
        return offer is None or offer.serves(route.model)

    def _offer(self, name: str) -> Offer:
        """What a provider has: as it says itself, else as far as the price list knows."""
        provider = self.config.providers[name]
        base = provider.base_url if isinstance(provider, HostedProvider) else ""
        return self.offers.get(name) or Offer(known_ids(base), hosted=True)

    def _newest(self, model: Model, name: str, patterns: list[str]) -> str | None:
        """The newest id whose price is known, for no other may be called; else the newest."""
        provider, offer = self.config.providers[name], self._offer(name)
        ids = newest_first(patterns, offer.models, offer.created, model.without)
        if model.price is not None or model.allow_unpriced:
            return next(iter(ids), None)
        known = (i for i in ids if i in offer.priced or self.priced(provider, i))
        return next(known, next(iter(ids), None))


def canonical(config: PanelsConfig, name: str) -> str | None:
    """The key of the model a key, alias or unique wire id means, or None."""
    return model_names(config).canonical(name)


def suggest(config: PanelsConfig, name: str) -> tuple[str, ...]:
    """The nearest known model names, best first."""
    return model_names(config).suggest(name)


def model_names(config: PanelsConfig) -> ModelNames:
    """Every name the models of a configuration answer to."""
    return _names(config, {})


def resolve_models(
    config: PanelsConfig,
    secret: SecretLookup,
    adapters: frozenset[str],
    unreachable: Mapping[str, str],
    offers: _Offers = _NO_OFFERS,
    priced: _Priced = lambda *_: True,
) -> Resolution:
    """Give every model its first usable route, or what is found, or stand-ins."""
    faults = {
        name: _fault(provider, secret, adapters) or unreachable.get(name)
        for name, provider in config.providers.items()
    }
    ids = _Ids(config, faults, offers, priced)
    routes = {key: ids.route(model) for key, model in config.models.items()}
    models = {key: _routed(config, key, route) for key, route in routes.items() if route}
    served = any(not _is_stand_in(config, model) for model in models.values())
    found = {} if served else dict(_found(config, faults, offers))
    stand_in = _stand_in(config, faults)
    rehearsal = stand_in is not None and not served and not found
    if stand_in is not None and rehearsal:
        models = {key: _played(key, m, stand_in) for key, m in config.models.items()}
    return Resolution(
        names=_names(config, found or models),
        rehearsal=rehearsal,
        providers=faults,
        models=found or models,
        reasons={
            key: _reasons(model, ids)
            for key, model in config.models.items()
            if key not in (found or models)
        },
        routed={key: _providers_of(model) for key, model in config.models.items()},
        found=tuple(found),
        stand_ins={k: m.stand_in for k, m in config.models.items() if m.stand_in},
    )


def _providers_of(model: Model) -> tuple[str, ...]:
    return tuple(dict.fromkeys(route.provider for route in model.routes))


def _names(config: PanelsConfig, resolved: Mapping[str, ResolvedModel]) -> ModelNames:
    """The names of the file, and the ids that its patterns mean now."""
    wires = {
        key: [route.model for route in model.routes if not is_pattern(route.model)]
        for key, model in config.models.items()
    }
    written = {wire.casefold() for ids in wires.values() for wire in ids}
    for key, model in resolved.items():
        if model.wire_model.casefold() not in written:
            wires.setdefault(key, []).append(model.wire_model)
    return ModelNames.of(wires, config.model_aliases)


def _found(
    config: PanelsConfig, faults: _Faults, offers: _Offers
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
            yield key, ResolvedModel(key, provider, kind, wire, family_of(wire), _FOUND_TIER)


def _fault(provider: Provider, secret: SecretLookup, adapters: frozenset[str]) -> str | None:
    if provider.kind not in adapters:
        return ProviderText.no_adapter(provider.kind)
    variable = provider.api_key_env if isinstance(provider, HostedProvider) else None
    if variable and not secret(variable):
        return ProviderText.no_key(variable)
    return None


def _routed(config: PanelsConfig, key: str, route: Route) -> ResolvedModel:
    model, kind = config.models[key], config.providers[route.provider].kind
    kin = (model.family, model.tier, model.effort)
    return ResolvedModel(key, route.provider, kind, route.model, *kin)


def _stand_in(config: PanelsConfig, faults: _Faults) -> str | None:
    usable = (n for n, p in config.providers.items() if isinstance(p, RehearsalProvider))
    return next((name for name in usable if faults[name] is None), None)


def _is_stand_in(config: PanelsConfig, model: ResolvedModel) -> bool:
    return isinstance(config.providers[model.provider], RehearsalProvider)


def _played(key: str, model: Model, provider: str) -> ResolvedModel:
    return ResolvedModel(key, provider, _REHEARSAL, key, model.family, model.tier)


def _reasons(model: Model, ids: _Ids) -> tuple[str, ...]:
    """Why none of its routes can be taken; a provider that fails as a whole is named once."""
    told = ((route.provider, ids.fault(model, route) or "") for route in model.routes)
    return tuple(ProviderText.of_provider(*pair) for pair in dict.fromkeys(told))
