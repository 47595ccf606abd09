"""Who coordinates a meeting and who writes its conclusion, as far as models are usable."""

from collections.abc import Collection, Sequence

from bot.council.degradation import writer_sat_note
from bot.council.meta_decision import Decision
from bot.panels import PanelsConfig, Resolution, ResolvedModel, any_model


def choose_writers(
    config: PanelsConfig,
    resolution: Resolution,
    seated: Collection[str],
    decision: Decision | None,
) -> tuple[tuple[ResolvedModel, ...], tuple[str, ...]]:
    """The neutral writer first: recommended, premium and off the panel, then the default (2.2#19).

    `seated` are the keys of the panel's models. Where neither these nor the orchestrator can be
    used, somebody who is there writes.
    """
    recommended = [decision.synthesis] if decision and decision.synthesis else []
    neutral = [name for name in config.premium if name not in seated]
    found = usable_models(resolution, [*recommended, *neutral, config.synthesis.default])
    if not found and resolution.model(config.orchestrator.model) is None:
        found = coordinators(config, resolution)
    if not found:
        return (), ()
    notes = (writer_sat_note(found[0].key).text,) if found[0].key in seated else ()
    return found[:2], notes


def coordinators(config: PanelsConfig, resolution: Resolution) -> tuple[ResolvedModel, ...]:
    """Who coordinates: the orchestrator's model, then the default writer's, else who is there."""
    named = usable_models(resolution, [config.orchestrator.model, config.synthesis.default])
    if named:
        return named
    spare = any_model(resolution, config.orchestrator.model)
    return (spare,) if spare else ()


def usable_models(resolution: Resolution, names: Sequence[str]) -> tuple[ResolvedModel, ...]:
    """The models of these names that can be used now, each once."""
    found = (resolution.model(name) for name in dict.fromkeys(names))
    return tuple(model for model in found if model is not None)
