"""What a meeting will cost, from its plan; and the table of what meetings cost now (E20)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.errors import UserError
from bot.measures.convergence import promised_rounds
from bot.meeting.dependencies import CoreDependencies
from bot.meeting.design.panel import Plan, needs_meta_panel, plan_meeting
from bot.messages.money import CostText
from bot.money.estimate import (
    Agenda,
    Estimate,
    Planned,
    calls_words,
    estimate_calls,
    planned_calls,
    usd_words,
)
from bot.money.prices import PriceBook
from bot.panels import PanelsConfig, Resolution, ResolvedModel
from bot.prompting.short_answers import needs_options, needs_phrasing
from bot.request import Request
from bot.types.mode import Mode

_USUAL_TOPIC = "x" * 200
_USUAL_REQUESTS = (
    (CostText.FULL_DEBATE, Request(_USUAL_TOPIC, Mode.DEBATE)),
    (CostText.VALIDATED, Request(_USUAL_TOPIC, Mode.DEBATE, validate=True)),
    (CostText.QUICK, Request(_USUAL_TOPIC, Mode.DEBATE, quick=True)),
    (CostText.BUDGET_PANEL, Request(_USUAL_TOPIC, Mode.DEBATE, panel=("budget",))),
)


@dataclass(frozen=True, slots=True)
class RunPricing:
    """What prices follow from: the configuration, the usable models and their prices."""

    config: PanelsConfig
    resolution: Resolution
    prices: PriceBook

    @classmethod
    def now(cls, deps: CoreDependencies, guild_id: int) -> "RunPricing":
        """What runs of a server cost now."""
        return cls(deps.config(guild_id), deps.resolution(), deps.prices)

    def of_request(self, request: Request) -> Estimate:
        """The estimate when only the request is known; raises UserError like the plan."""
        plan = plan_meeting(self.config, self.resolution, request)
        return self.of_plan(request, plan)

    def of_plan(self, request: Request, plan: Plan) -> Estimate:
        """The estimate of a plan, its own design and search included."""
        seats = [seat.model for seat in plan.seats if seat.stage == 1]
        searches = request.search and self.config.search.provider != "off"
        votes = request.mode is Mode.VOTE
        agenda = Agenda(
            seats=seats,
            second_stage=[seat.model for seat in plan.seats if seat.stage != 1],
            analysts=self._analysts(request),
            coordinators=plan.coordinators,
            writers=plan.synthesis,
            rounds=plan.rounds if len(seats) > 1 else 1,
            may_end_early=plan.early_exit or (votes and plan.second_round != "always"),
            promised=promised_rounds(request.rounds),
            searches=searches and not plan.rehearsal,
            validates=request.validate,
            votes=votes,
            builds=request.mode is Mode.BUILD,
            phrases=needs_phrasing(request),
            names_options=needs_options(request),
        )
        return estimate_calls(planned_calls(agenda), self.prices, len(request.topic))

    def table(self) -> Iterator[tuple[str, str]]:
        """What usual meetings cost, and what one seat of each model adds to a full one."""
        for name, request in _USUAL_REQUESTS:
            try:
                estimate = self.of_request(request)
            except UserError as error:
                yield name, error.text
            else:
                yield name, CostText.price_and_calls(usd_words(estimate), calls_words(estimate))
        for model in self._seated():
            seat = [Planned("round1", model), Planned("round2-cross-critique", model, 0, 1)]
            estimate = estimate_calls(seat, self.prices, len(_USUAL_TOPIC))
            yield CostText.seat_of(model.key), usd_words(estimate)

    def _analysts(self, request: Request) -> Sequence[ResolvedModel]:
        if not needs_meta_panel(self.config, self.resolution, request):
            return ()
        found = (self.resolution.model(name) for name in self.config.meta.models)
        return [model for model in found if model is not None]

    def _seated(self) -> list[ResolvedModel]:
        """The models that sit on some panel now."""
        agents = [agent for _, panel in self.config.panels.items() for agent in panel.agents]
        found = (self.resolution.model(agent.model) for agent in agents)
        return list(dict.fromkeys(model for model in found if model is not None))
