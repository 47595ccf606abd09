"""`roundtable check --probe`: one short question to every model that would sit, its price first."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Final

from bot.messages.operations import CheckText
from bot.models.collect import collect
from bot.models.port import Message, ModelError, ModelRequest, Prompt
from bot.models.registry import ModelRegistry
from bot.money.prices import PriceBook, Tokens
from bot.panels import ResolvedModel

SECONDS: Final = 60.0
MOST_TOKENS: Final = 1000
"""Room for hidden reasoning before a single word."""
_READ: Final = 30
_PROMPT: Final = Prompt(
    "probe",
    {},
    (
        Message("system", CheckText.PROBE_SYSTEM),
        Message("user", CheckText.PROBE),
    ),
)


@dataclass(frozen=True, slots=True)
class Probed:
    """One model: how long it took to answer, or why it did not."""

    model: ResolvedModel
    seconds: float = 0.0
    failure: str = ""


def most_it_costs(models: Sequence[ResolvedModel], prices: PriceBook) -> float:
    """Dollars at most, as far as prices are known."""
    tariffs = (prices.tariff(model) for model in models)
    return sum(tariff.cost(Tokens(_READ, MOST_TOKENS)) for tariff in tariffs if tariff)


async def probe_models(
    desk: ModelRegistry, models: Sequence[ResolvedModel]
) -> AsyncIterator[Probed]:
    """Ask all at once; yields them in order."""
    asking = [asyncio.create_task(_probed(desk, model)) for model in models]
    try:
        for task in asking:
            yield await task
    finally:
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)


async def _probed(desk: ModelRegistry, model: ResolvedModel) -> Probed:
    request = ModelRequest(
        model=model.wire_model,
        prompt=_PROMPT,
        label="probe",
        deadline_seconds=SECONDS,
        max_output_tokens=MOST_TOKENS,
    )
    try:
        answer = await collect(desk.port(model.provider), request)
    except ModelError as error:
        return Probed(model, failure=str(error))
    return Probed(model, answer.seconds)
