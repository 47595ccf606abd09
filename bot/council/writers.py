"""Who coordinates a meeting and who writes its conclusion, as far as models are usable."""

from collections.abc import Collection, Sequence

from bot.council.degradation import writer_sat_note
from bot.council.meta_decision import Decision
from bot.panels import PanelsConfig, Resolution, ResolvedModel, any_model, coordinator


def choose_writers(
    config: PanelsConfig,
    resolution: Resolution,
    seated: Collection[str],
    decision: Decision | None,
) -> tuple[tuple[ResolvedModel, ...], tuple[str, ...]]:
    """The neutral writer first: recommended, premium and off the panel, then the default (2.2#19).

    `seated` are the keys of the panel's models. Where none of these can be used a premium model
    writes that sat on the panel, and where there is none and no orchestrator, whoever is there.
    """
    recommended = [decision.synthesis] if decision and decision.synthesis else []
    neutral = [name for name in config.premium if name not in seated]
    found = usable_models(resolution, [*recommended, *neutral, config.synthesis.default])
    found = found or usable_models(resolution, config.premium)
    if not found and resolution.model(config.orchestrator.model) is None:
        found = coordinators(config, resolution)
    if not found:
        return (), ()
    notes = (writer_sat_note(found[0].key).text,) if found[0].key in seated else ()
    return found[:2], notes


def coordinators(config: PanelsConfig, resolution: Resolution) -> tuple[ResolvedModel, ...]:
    """Who coordinates: the orchestrator's or a cheap model, then the default writer's, else any."""
    first, writer = coordinator(config, resolution), resolution.model(config.synthesis.default)
    named = [model for model in (first, writer) if model is not None]
    spare = any_model(config, resolution)
    return tuple(dict.fromkeys(named)) or ((spare,) if spare else ())


def usable_models(resolution: Resolution, names: Sequence[str]) -> tuple[ResolvedModel, ...]:
    """The models of these names that can be used now, each once."""
    found = (resolution.model(name) for name in dict.fromkeys(names))
    return tuple(model for model in found if model is not None)
