"""What the floor promises, checked from the outside: by what it says, not by how it works."""

import re
from dataclasses import dataclass, field
from typing import NoReturn

from bot.floor import (
    AgentFailed,
    Allow,
    Closed,
    Decision,
    Dropped,
    Event,
    Faulted,
    Floor,
    FloorConfig,
    FloorSeat,
    Granted,
    Human,
    IgnoreReason,
    Nothing,
    Opened,
    Queued,
    RunStarted,
    ScheduleRound,
    Sending,
    Sent,
    Tick,
    Wake,
)

SEATS = tuple(FloorSeat(name.lower(), name) for name in ("Analyst", "Skeptic", "Builder", "Judge"))
KEYS = tuple(seat.key for seat in SEATS)


class BrokenInvariantError(AssertionError):
    """A promise was broken."""


@dataclass
class Turn:
    """A granted claim as its driver knows it."""

    grant: Granted
    runs: int = 0
    wrote: str | None = None
    allowed: bool = False
    finished: bool = False
    touched: int = 0


def config_of(seed: int) -> FloorConfig:
    """Small limits, so that short sequences reach them."""
    return FloorConfig(
        lease_ms=1000 + seed % 3 * 7000,
        settle_ms=250 + seed % 2 * 1250,
        bot_reopen_cooldown_ms=(0, 2000, 15_000)[seed // 2 % 3],
        epoch_idle_ms=60_000,
        max_bot_hops=1 + seed // 3 % 4,
        max_prompt_chars=4000,
        trim_prompt=seed // 5 % 2 == 0,
        open_always=seed // 7 % 2 == 0,
        max_calls=1 + seed // 11 % 6,
        debug=seed % 10 == 0,
    )


@dataclass
class InvariantChecker:
    """Feeds one floor and holds it to its promises."""

    seed: int
    now: int = 1_000_000
    floor: Floor = field(init=False)
    said: list[tuple[int, Event]] = field(default_factory=list)
    turns: dict[int, Turn] = field(default_factory=dict)
    newest: Turn | None = None
    open_epoch: int | None = None
    in_round: bool = False
    closed: set[int] = field(default_factory=set)
    awake: set[str] = field(default_factory=set)
    calls: dict[int, int] = field(default_factory=dict)
    visible: int = 0
    promised: set[int] = field(default_factory=set)
    ended: set[int] = field(default_factory=set)
    spoken_for: set[tuple[str, int]] = field(default_factory=set)
    answered: set[int] = field(default_factory=set)
    log: list[tuple[int, Event, tuple[Decision, ...]]] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    elapsed: int = 0
    talk: int = 0
    person_spoke: bool = True
    roots: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.config = config_of(self.seed)
        self.floor = Floor(self.config, SEATS, trace=lambda _: None)

    def tell(self, event: Event) -> tuple[Decision, ...]:
        """Feed the floor and check all it says."""
        self.said.append((self.now, event))
        decisions = self.floor.handle(event, self.now)
        self.log.append((self.now, event, decisions))
        self.decisions.extend(decisions)
        self.note_event(event, decisions[0])
        for decision in decisions:
            self.check(event, decision)
        self.check_nobody_is_forgotten()
        return decisions

    def wait(self, milliseconds: int) -> None:
        """Time passes, or the clock is set back; only time that passed counts."""
        self.now += milliseconds
        self.elapsed += max(0, milliseconds)

    def check(self, event: Event, decision: Decision) -> None:
        match decision:
            case Faulted():
                self.broken(f"the floor failed: {decision}")
            case Granted():
                self.check_grant(decision)
            case Allow():
                self.check_send(event, decision)
            case Opened() | Queued():
                self.note_opening(event, decision)
            case Wake():
                self.note_wake(decision)
            case Closed() | Dropped():
                self.note_end(decision)

    def note_event(self, event: Event, reply: Decision) -> None:
        turn = self.turns.get(event.claim or 0) if isinstance(event, Sent | AgentFailed) else None
        if turn is not None and (turn.allowed or isinstance(event, AgentFailed)):
            self.note_end_of_send(turn, event, reply)
        if reply != Nothing(IgnoreReason.NOTED):
            return
        if isinstance(event, AgentFailed) and event.claim is None:
            self.awake.discard(event.agent)
        if isinstance(event, RunStarted) and not self.in_round:
            self.count_call(self.root_of(self.open_epoch or 0))

    def note_end_of_send(self, turn: Turn, event: Event, reply: Decision) -> None:
        more = isinstance(event, Sent) and not event.last and event.error is None
        turn.finished = turn.finished or not more or reply == Nothing(IgnoreReason.STALE)
        turn.touched = self.elapsed
        failed = isinstance(event, Sent) and event.error is not None
        if failed and turn.grant.source is not None and not self.was_seen(turn):
            self.spoken_for.discard((turn.grant.agent, turn.grant.source))

    def count_call(self, epoch: int) -> None:
        self.calls[epoch] = self.calls.get(epoch, 0) + 1
        if self.calls[epoch] > self.config.max_calls:
            self.broken("more model calls than allowed")

    def check_grant(self, grant: Granted) -> None:
        known = self.turns.get(grant.claim)
        if known is None and self.live_turns():
            self.broken("two seats hold the turn")
        if known is not None:
            return
        if grant.source is not None:
            if (grant.agent, grant.source) in self.spoken_for:
                self.broken("a seat was given a message it has answered")
            if grant.source in self.answered:
                self.broken("a message was given away that is answered")
        if grant.epoch in self.closed:
            self.broken("a turn was granted in a closed exchange")
        if not self.in_round and len(grant.context) > self.config.max_prompt_chars:
            self.broken("the prompt is too long")
        self.turns[grant.claim] = self.newest = Turn(grant, touched=self.elapsed)
        self.open_epoch = grant.epoch if self.open_epoch is None else self.open_epoch
        self.awake.clear()

    def live_turns(self) -> list[Turn]:
        """Turns that were let through and whose driver still posts within the lease."""
        return [
            turn
            for turn in self.turns.values()
            if turn.allowed
            and not turn.finished
            and self.elapsed - turn.touched <= self.config.lease_ms
        ]

    def check_send(self, event: Event, decision: Allow) -> None:
        if decision.fault or not isinstance(event, Sending):
            self.broken("a send was let through by accident")
        turn = self.turns[decision.claim]
        if event.text.strip().upper() == "NO_REPLY" or not event.text.strip():
            self.broken("silence was posted")
        if turn.grant.epoch in self.closed:
            self.broken("a turn of a superseded exchange became visible")
        if any(other is not turn for other in self.live_turns()):
            self.broken("two seats post at once")
        if turn.grant.source is not None:
            self.spoken_for.add((turn.grant.agent, turn.grant.source))
        self.count_hop(turn)
        turn.allowed, turn.touched = True, self.elapsed

    def count_hop(self, turn: Turn) -> None:
        """Every turn let through since the exchange began counts, unless it failed for sure."""
        if self.in_round or turn.allowed:
            return
        root = self.root_of(turn.grant.epoch)
        hops = [
            other
            for other in self.turns.values()
            if other.allowed and self.root_of(other.grant.epoch) == root and self.was_seen(other)
        ]
        if len(hops) >= self.config.max_bot_hops:
            self.broken("more hops than allowed")

    def was_seen(self, turn: Turn) -> bool:
        return any(
            isinstance(event, Sent) and event.claim == turn.grant.claim and event.message_ids
            for _, event in self.said
        )

    def note_wake(self, wake: Wake) -> None:
        self.open_epoch = wake.epoch
        self.awake.add(wake.agent)
        if wake.source is not None and wake.epoch != self.talk:
            self.talk, self.person_spoke = wake.epoch, False

    def root_of(self, epoch: int) -> int:
        """The exchange a person opened, from which later ones go on counting."""
        return self.roots.get(epoch, epoch)

    def note_opening(self, event: Event, decision: Opened | Queued) -> None:
        if isinstance(event, Human):
            self.promised.add(event.message_id)
        if isinstance(decision, Opened):
            self.open_epoch = decision.epoch
            self.in_round = isinstance(event, ScheduleRound)
            if isinstance(event, Sent) and not self.person_spoke:
                self.roots[decision.epoch] = self.root_of(self.talk)
            if self.in_round or isinstance(event, Sent):
                self.awake.clear()

    def note_end(self, decision: Closed | Dropped) -> None:
        if isinstance(decision, Dropped):
            self.ended.update(decision.message_ids)
            return
        if decision.epoch in self.closed:
            self.broken("an exchange was closed twice")
        self.closed.add(decision.epoch)
        self.awake.clear()
        if decision.epoch == self.open_epoch:
            self.open_epoch, self.in_round = None, False
        if not decision.requeued:
            self.ended.update(decision.asked)
        if decision.answered and decision.asked and not decision.requeued:
            self.answered.update(decision.asked)

    def check_nobody_is_forgotten(self) -> None:
        """While an exchange is open somebody speaks, somebody posts, or somebody was woken."""
        if self.open_epoch is None or self.in_round or self.floor.holder is not None:
            return
        if not self.awake and not self.unfinished_sends():
            self.broken("nobody was woken and the exchange is still open")

    def unfinished_sends(self) -> bool:
        return any(turn.allowed and not turn.finished for turn in self.turns.values())

    def check_end(self) -> None:
        """Left alone, every exchange ends and the floor can be forgotten."""
        for _ in range(500):
            due = self.floor.next_deadline(self.now)
            if due is None:
                break
            if due < self.now:
                self.broken("a deadline lies in the past")
            self.wait(due - self.now)
            self.tell(Tick())
        if self.floor.next_deadline(self.now) is not None or self.open_epoch is not None:
            self.broken("an exchange does not end")
        if lost := self.promised - self.ended:
            self.broken(f"questions were lost: {sorted(lost)}")
        self.wait(self.config.epoch_idle_ms + 1)
        if not self.floor.is_idle(self.now):
            self.broken("a floor on which nothing happens cannot be forgotten")

    def broken(self, promise: str) -> NoReturn:
        trace = [f"{at} {_short(event)} -> {_short(*then)}" for at, event, then in self.log]
        raise BrokenInvariantError("\n".join([promise, *trace]))


def _short(*things: Event | Decision) -> str:
    return re.sub(
        r"((?:why\? |because ){3})(?:why\? |because )+", r"\1…", ", ".join(map(repr, things))
    )
