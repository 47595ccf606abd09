"""A small world around one floor: people, seats, a bad network and a bad clock, all from numbers.

A step is a pair of numbers, so that any sequence can be repeated and shortened.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bot.floor import (
    AgentFailed,
    Archived,
    Claim,
    Edited,
    Event,
    Human,
    Observed,
    Output,
    Quiet,
    Reopened,
    RoundDone,
    RunStarted,
    ScheduleRound,
    Sending,
    Sent,
    Stop,
    Tick,
)
from tests.floor.invariants import KEYS, InvariantChecker, Turn

SILENT_WORDS = ("NO_REPLY", "  no_reply\n", "No_Reply")
Step = tuple[int, int]


@dataclass
class World(InvariantChecker):
    """One thread and everything that can happen to it."""

    next_id: int = 100
    people: list[Human] = field(default_factory=list)
    posted: list[int] = field(default_factory=list)

    def step(self, kind: int, choice: int) -> None:
        """One thing happens."""
        ACTIONS[kind % len(ACTIONS)](self, choice)

    def fresh_id(self) -> int:
        self.next_id += 1
        return self.next_id

    def person(self, choice: int) -> None:
        for_all = choice % 4 == 0
        first, second = KEYS[choice // 4 % 4], KEYS[choice // 16 % 4]
        targets = ((), (first, second), (), (first,))[choice % 4]
        text = "why? " * (1 + choice // 7 % 5 // 4 * 500)
        event = Human(
            self.fresh_id(), choice // 3 % 3, f"P{choice // 3 % 3}", text, targets, for_all
        )
        self.people.append(event)
        self.person_spoke = True
        self.tell(event)

    def person_again(self, choice: int) -> None:
        if self.people:
            known = self.people[choice % len(self.people)]
            edit = Edited(known.message_id, "changed")
            self.tell(edit if choice % 2 else replace(known, text="changed"))

    def claim(self, choice: int) -> None:
        asleep = not self.awake or choice % 5 == 0
        agent = KEYS[choice % 4] if asleep else sorted(self.awake)[choice % len(self.awake)]
        self.tell(Claim(agent))

    def play(self, choice: int) -> None:
        """The newest turn does what comes next, as a good driver would have it."""
        turn = self.newest
        if turn is None or turn.finished or turn.grant.epoch in self.closed:
            self.claim(choice if choice % 5 else choice + 1)
        elif turn.allowed:
            self.sent(turn, choice)
        elif turn.wrote is not None or self.in_round:
            self.sending(turn, turn.wrote or f"answer {turn.grant.claim}")
        elif turn.runs:
            silent = choice % 6 == 0
            self.output(turn, SILENT_WORDS[choice % 3] if silent else self.answer(turn, choice))
        else:
            self.run(turn)

    def answer(self, turn: Turn, choice: int) -> str:
        return f"answer {turn.grant.claim} " + "because " * (choice // 5 % 4 // 3 * 300)

    def meddle(self, choice: int) -> None:
        """Any turn, however old, does anything, however wrong."""
        if not self.turns:
            return
        turn = list(self.turns.values())[choice % len(self.turns)]
        moves: tuple[Callable[[], None], ...] = (
            lambda: self.run(turn),
            lambda: self.output(turn, "something else"),
            lambda: self.output(turn, ""),
            lambda: self.sending(turn, turn.wrote or "unasked"),
            lambda: self.sending(turn, SILENT_WORDS[choice % 3]),
            lambda: self.sending(turn, (turn.wrote or "unasked")[:8]),
            lambda: self.sent(turn, choice),
            lambda: self.fail(turn),
        )
        moves[choice // 8 % len(moves)]()

    def run(self, turn: Turn) -> None:
        turn.runs += 1
        self.tell(RunStarted(turn.grant.agent, turn.grant.claim))

    def output(self, turn: Turn, text: str) -> None:
        turn.wrote = text
        self.tell(Output(turn.grant.agent, turn.grant.claim, text))

    def sending(self, turn: Turn, text: str) -> None:
        self.tell(Sending(turn.grant.agent, turn.grant.claim, text))

    def sent(self, turn: Turn, choice: int) -> None:
        """Posted whole, in parts, not at all, or nobody knows."""
        outcome = choice % 8
        ids = tuple(self.fresh_id() for _ in range((1, 1, 2, 1, 3, 1, 0, 0)[outcome]))
        if not turn.allowed or turn.finished:
            ids = ()
        self.posted.extend(ids)
        error = "503" if outcome == 7 else None
        last = outcome != 5
        text = turn.wrote or ""
        self.tell(Sent(turn.grant.agent, turn.grant.claim, ids, error, last, text))

    def fail(self, turn: Turn) -> None:
        self.tell(AgentFailed(turn.grant.agent, turn.grant.claim, "refused"))

    def fail_unclaimed(self, choice: int) -> None:
        self.tell(AgentFailed(KEYS[choice % 4]))

    def observe(self, choice: int) -> None:
        known = self.posted[choice % len(self.posted)] if self.posted else 1
        message_id = known if choice % 2 else self.fresh_id()
        agent = (*KEYS, None, "stranger")[choice // 2 % 6]
        self.tell(Observed(message_id, agent))

    def stray(self, choice: int) -> None:
        """An answer becomes visible to which no claim led."""
        self.tell(Sent((*KEYS, "stranger")[choice % 5], 0, (self.fresh_id(),), text="seen"))

    def replay(self, choice: int) -> None:
        """An event comes a second time, late."""
        if self.said:
            event = self.said[choice % len(self.said)][1]
            if not isinstance(event, ScheduleRound | RoundDone | Stop | Quiet | Archived):
                self.tell(event)

    def tick(self, choice: int) -> None:
        self.wait(choice % 2000)
        self.tell(Tick())

    def deadline(self, choice: int) -> None:
        """Wait until something is due; for the end of a lease only now and then."""
        due = self.floor.next_deadline(self.now)
        settles = self.newest is None or self.newest.finished
        if due is not None and (settles or choice % 6 == 0):
            self.wait(max(0, due - self.now))
            self.tell(Tick())

    def jump(self, choice: int) -> None:
        self.wait((-5_000, -3_600_000, 20_000, 130_000, 4_000_000)[choice % 5])
        if choice % 2:
            self.tell(Tick())

    def command(self, choice: int) -> None:
        events: tuple[Event, ...] = (Quiet(), Stop(), Archived(), Reopened())
        self.tell(events[choice % 4])

    def round(self, choice: int) -> None:
        if self.in_round:
            self.tell(RoundDone())
        else:
            targets = KEYS[choice % 3 :] + KEYS[: choice % 2]
            self.tell(ScheduleRound(targets, in_order=choice % 3 != 0))


ACTIONS: Sequence[Callable[[World, int], None]] = (
    *[World.play] * 20,
    *[World.person] * 4,
    *[World.deadline] * 6,
    *[World.meddle] * 3,
    World.person_again,
    World.claim,
    World.claim,
    World.fail_unclaimed,
    World.observe,
    World.stray,
    World.replay,
    World.replay,
    World.tick,
    World.jump,
    World.command,
    World.round,
)


def run_sequence(seed: int, steps: Sequence[Step]) -> World:
    """Play a whole sequence and see it to its end."""
    world = World(seed)
    for kind, choice in steps:
        world.step(kind, choice)
    world.check_end()
    return world
