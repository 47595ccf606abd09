"""The judge of the crash benchmark: what the log promised against what people and providers saw."""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

SYNTHESIS = "synthesis"
ORCHESTRATOR = "synthesis:orchestrator"
# The rehearsed builder passes its gates at the first attempt.
BUILD_KEYS = {
    "build-spec": "spec:v1",
    "build-spec-review": "spec-review:v1",
    "build-files": "build:1",
    "build-spec-gate": "gate:spec:1",
    "build-quality-gate": "gate:quality:1",
}


@dataclass(frozen=True, slots=True)
class PaidCall:
    """A call that reached a provider; `answered` when the whole answer was sent."""

    key: str
    at: float
    answered: bool


@dataclass(frozen=True, slots=True)
class Noted:
    """A call in the log: when it was noted, and whether with an answer."""

    at: float
    ok: bool = True


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything about one roundtable that is over, or should be."""

    topic: str
    phase: str
    """The run's last phase; empty when there is no run."""
    runs: int
    recorded: Mapping[str, Noted]
    """Each call in the log, by key."""
    calls: Sequence[PaidCall]
    posts: Sequence[tuple[str, int | None, str]]
    """Key, message and state of every part for the thread, in the order of the outbox."""
    shown: Sequence[int]
    """The messages of the thread."""
    files: bool

    @property
    def completed(self) -> bool:
        """Whether the roundtable came to its end."""
        return self.phase == "completed"


@dataclass(slots=True)
class Toll:
    """What the kills did."""

    kills: int = 0
    by_phase: Counter[str] = field(default_factory=Counter)
    started: int = 0
    finished: int = 0
    paid_again: int = 0
    unrecorded: int = 0
    lost: int = 0
    doubled: int = 0
    out_of_order: int = 0
    findings: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> int:
        """Everything that must not have happened."""
        broken = self.paid_again + self.lost + self.doubled + self.out_of_order
        return broken + self.started - self.finished

    def found(self, evidence: Evidence, kind: str, count: int, what: str) -> None:
        """Count something that must not have happened, and say where."""
        if count:
            setattr(self, kind, getattr(self, kind) + count)
            self.findings.append(f"{evidence.topic}: {count} {what}")


def judge(evidence: Evidence, toll: Toll) -> None:
    """Compare one roundtable with its log."""
    toll.finished += evidence.completed
    if not evidence.completed:
        toll.findings.append(f"{evidence.topic}: {evidence.phase or 'never begun'} at the end")
    toll.found(evidence, "doubled", max(0, evidence.runs - 1), "more runs than one")
    toll.found(evidence, "lost", int(not evidence.files), "export without files")
    _judge_posts(evidence, toll)
    _judge_calls(evidence, toll)


def _judge_posts(evidence: Evidence, toll: Toll) -> None:
    out = [(key, number) for key, number, state in evidence.posts if state == "sent" and number]
    shown = Counter(evidence.shown)
    unsent = [key for key, _, state in evidence.posts if state != "sent"]
    toll.found(evidence, "lost", len(unsent), f"posts never sent ({', '.join(unsent)})")
    gone = [key for key, number in out if number not in shown]
    toll.found(evidence, "lost", len(gone), f"sent posts not in the thread ({', '.join(gone)})")
    shown.subtract({number: 1 for _, number in out})
    surplus = sum(count for count in shown.values() if count > 0)
    toll.found(evidence, "doubled", surplus, "messages that no post accounts for")
    # A restart is told when it happens, before what was on its way is taken up again.
    pairs = itertools.pairwise(post for post in out if not post[0].startswith("resumed#"))
    turned = [f"{late[0]} after {early[0]}" for late, early in pairs if late[1] > early[1]]
    toll.found(evidence, "out_of_order", len(turned), f"posts out of order ({', '.join(turned)})")


def _judge_calls(evidence: Evidence, toll: Toll) -> None:
    """A call that arrived after its answer was in the log was paid a second time."""
    answered: Counter[str] = Counter()
    for call in evidence.calls:
        key = _key_in_log(evidence.recorded, call)
        noted = _noted(evidence.recorded, key)
        toll.found(evidence, "lost", int(not noted), f"call {key} that is not in the log")
        again = bool(noted) and call.at > max(entry.at for entry in noted)
        toll.found(evidence, "paid_again", int(again), f"recorded call {key} paid again")
        answered[key] += call.answered
    toll.unrecorded += sum(max(0, count - 1) for count in answered.values())


def _key_in_log(recorded: Mapping[str, Noted], call: PaidCall) -> str:
    """The prompt of a conclusion does not tell who writes it.

    The orchestrator's model does after every neutral one failed (E106), which only a failure in
    the log can show: a second call after an answer is never excused.
    """
    failed = [entry for entry in _noted(recorded, call.key) if not entry.ok]
    if call.key == SYNTHESIS and failed and call.at > min(entry.at for entry in failed):
        return ORCHESTRATOR if _noted(recorded, ORCHESTRATOR) else call.key
    return call.key


def _noted(recorded: Mapping[str, Noted], key: str) -> list[Noted]:
    """A call in any attempt: `r1:analyst` is `r1:analyst@2` in the second.

    The prompt of a gate does not tell how many reviewers were asked before: `gate:spec:1` is
    `gate:spec:1:2` with the second one.
    """
    names = {name: name.partition("@")[0] for name in recorded}
    if key.startswith("gate:"):
        names = {name: plain.rpartition(":")[0] for name, plain in names.items()}
    return [recorded[name] for name, plain in names.items() if plain == key]


def phase_of(
    events: Iterable[tuple[str, str, Mapping[str, object]]], second_stage: int, sending: bool
) -> str:
    """Where a run stands, by its log of (type, key, payload) and its outbox."""
    kinds: dict[str, list[tuple[str, Mapping[str, object]]]] = {}
    for kind, key, payload in events:
        kinds.setdefault(kind, []).append((key, payload))
    if "export.written" in kinds:
        return "over"
    if "place.opened" not in kinds:
        return "thread creation"
    if any(key.startswith("conclusion#") for key, _ in kinds.get("post.sent", ())):
        return "export"
    if sending:
        return "posting"
    if "run.designed" not in kinds:
        return "meta-panel"
    closed = kinds.get("round.closed", [])
    if not closed or closed[-1][1]["go_on"]:
        return f"round {len(closed) + 1}"
    done = [key for key, _ in kinds.get("call.done", ())]
    if sum(key.startswith("s2:") for key in done) < second_stage:
        return "stage 2"
    drafted = any(key.startswith("spec:") for key in done)
    judged = any(key.startswith("gate:quality:") for key in done)
    return "building" if drafted and not judged else "synthesis"


def call_key(template: str, values: Mapping[str, str], roles: Mapping[object, object]) -> str:
    """The key under which the bot records the call that sent this prompt."""
    role, number = values.get("ROLE", ""), values.get("ROUND", "1")
    if template == "meta-panel":
        return f"meta:{role.split()[1]}"
    if template == "proposition":
        return template
    if template == "rolling-summary":
        return f"summary:{number}"
    if template == "final-synthesis":
        return "synthesis:rewrite" if values.get("CORRECTIONS") else "synthesis"
    if template in BUILD_KEYS:
        return BUILD_KEYS[template]
    seat = roles.get(role, role)
    if template == "round1":
        return f"s2:{seat}" if values.get("STAGE_1_OUTPUTS") else f"r1:{seat}"
    names = {"round2-cross-critique": f"r{number}", "round3-validation": "validate"}
    return f"{names.get(template, template)}:{seat}"
