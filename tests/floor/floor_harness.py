"""A table of three seats with a clock, so that a test reads like a conversation."""

from typing import Any, TypeVar

from bot.floor import (
    AgentFailed,
    Allow,
    Claim,
    Closed,
    CloseReason,
    Decision,
    Event,
    Floor,
    FloorConfig,
    FloorSeat,
    Granted,
    Human,
    Output,
    Reply,
    RunStarted,
    Sending,
    Sent,
    Tick,
    Wake,
)

ANALYST, SKEPTIC, JUDGE = "analyst", "skeptic", "judge"
SEATS = (FloorSeat(ANALYST, "Analyst"), FloorSeat(SKEPTIC, "Skeptic"), FloorSeat(JUDGE, "Judge"))
SETTLE, LEASE, RUNNING = 1500, 15_000, 120_000
Kind = TypeVar("Kind")


class FloorHarness:
    """One floor, driven as a cog would drive it."""

    def __init__(self, **settings: Any) -> None:
        self.now = 1000
        self.lines: list[str] = []
        self.seats = settings.pop("seats", SEATS)
        self.floor = Floor(FloorConfig(**settings), self.seats, trace=self.lines.append)
        self.heard: tuple[Decision, ...] = ()
        self._ids = iter(range(1000, 10_000))

    def tell(self, event: Event) -> Reply:
        """The floor's reply; everything it decided is kept in `heard`."""
        self.heard = self.floor.handle(event, self.now)
        reply = self.heard[0]
        assert not isinstance(reply, Wake | Closed)
        return reply  # type: ignore[return-value]  # consequences never come first

    def ask(
        self,
        message_id: int,
        *targets: str,
        by: int = 1,
        text: str = "why?",
        everybody: bool = False,
    ) -> Reply:
        return self.tell(Human(message_id, by, f"Person {by}", text, targets, everybody))

    def ask_all(self, message_id: int, by: int = 1, text: str = "what do you think?") -> Reply:
        return self.ask(message_id, by=by, text=text, everybody=True)

    def wait(self, milliseconds: int) -> tuple[Decision, ...]:
        self.now += milliseconds
        self.tell(Tick())
        return self.heard

    def claim(self, agent: str) -> Granted:
        reply = self.tell(Claim(agent))
        assert isinstance(reply, Granted), reply
        return reply

    def run(self, agent: str) -> Granted:
        grant = self.claim(agent)
        self.tell(RunStarted(agent, grant.claim))
        return grant

    def write(self, agent: str, text: str = "because") -> Granted:
        grant = self.run(agent)
        self.tell(Output(agent, grant.claim, text))
        return grant

    def post(self, agent: str, text: str = "because") -> Granted:
        """Claim, call the model, and be on the way into the thread."""
        grant = self.write(agent, text)
        assert self.tell(Sending(agent, grant.claim, text)) == Allow(agent, grant.claim)
        return grant

    def speak(self, agent: str, text: str = "because") -> Granted:
        """A whole turn that is posted but has not settled."""
        grant = self.post(agent, text)
        self.tell(Sent(agent, grant.claim, (next(self._ids),)))
        return grant

    def turn(self, agent: str, text: str = "because") -> tuple[Decision, ...]:
        """A whole turn that has settled."""
        self.speak(agent, text)
        return self.wait(SETTLE)

    def decline(self, agent: str) -> Reply:
        grant = self.run(agent)
        return self.tell(Output(agent, grant.claim, "NO_REPLY"))

    def fail(self, agent: str) -> Reply:
        return self.tell(AgentFailed(agent, self.claim(agent).claim))

    def woken(self) -> list[str]:
        """Who was woken by the last event."""
        return [d.agent for d in self.heard if isinstance(d, Wake)]

    def closed(self) -> list[CloseReason]:
        """Why exchanges ended with the last event."""
        return [d.reason for d in self.heard if isinstance(d, Closed)]
