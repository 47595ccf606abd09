"""Turns what is stored about a discussion into what the tools return."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from bot.council.convergence import Convergence, latest_score
from bot.council.discussions.views import (
    FloorOut,
    ParticipantIn,
    RoundMeasure,
    RoundOut,
    SpeechOut,
    Status,
)
from bot.messages.discussions import DiscussionText
from bot.prompting.words import cut_words
from bot.store.discussions import Discussion
from bot.store.findings import Found
from bot.store.inbound import InboundMessage
from bot.store.speeches import COORDINATOR, Said
from bot.store.vocabulary import FindingKind

COMPACT_BYTES = 16_000
COMPACT_FLOOR = 5
LONGEST_EXCERPT_WORDS = 60


def moment(seconds: float) -> str:
    """A point in time for programs."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def status_of(discussion: Discussion) -> Status:
    """Active, concluded or cancelled (2.2#29)."""
    return discussion.run.status.value


def roles_of(discussion: Discussion) -> dict[str, str]:
    """The role of every profile, the coordinator's too."""
    return {COORDINATOR: DiscussionText.COORDINATOR} | {
        p.profile: p.role for p in discussion.participants
    }


def speeches_out(said: Iterable[Said], roles: Mapping[str, str]) -> list[SpeechOut]:
    """Speeches as the tools return them."""
    return [
        SpeechOut(
            speech_id=speech.id,
            round=speech.round,
            participant=speech.participant,
            role=roles.get(speech.participant, speech.participant),
            content=speech.content,
            reply_to=speech.reply_to,
            at=moment(speech.created_at),
        )
        for speech in said
    ]


def floor_out(heard: Iterable[InboundMessage]) -> list[FloorOut]:
    """What people wrote; nobody's name or id goes out to programs."""
    return [
        FloorOut(content=message.content, at=moment(message.created_at))
        for message in heard
        if message.content
    ]


def formatted(speeches: Sequence[SpeechOut], floor: Sequence[FloorOut]) -> str:
    """The history as a participant's prompt takes it (C17)."""
    lines: list[str] = []
    for number in dict.fromkeys(speech.round for speech in speeches):
        lines.append("## Opening" if number == 0 else f"## Round {number}")
        lines += [
            f"[{s.speech_id}] {s.role}{f' (to [{s.reply_to}])' if s.reply_to else ''}: {s.content}"
            for s in speeches
            if s.round == number
        ]
    if floor:
        lines += ["## From the floor", *(f"- {entry.content}" for entry in floor)]
    return "\n\n".join(lines)


def measures_out(history: Sequence[Convergence]) -> list[RoundMeasure]:
    """The convergence of every round."""
    return [
        RoundMeasure(
            round=entry.round,
            score=entry.score,
            consensus=entry.consensus,
            disagreement=entry.disagreement,
            new_points=entry.new_points,
        )
        for entry in history
    ]


def score_of(history: Sequence[Convergence]) -> float | None:
    """The discussion's own score: that of its latest round."""
    return latest_score(history)


def texts(found: Iterable[Found], kind: FindingKind) -> list[str]:
    """The points of one kind."""
    return [finding.text for finding in found if finding.kind is kind]


def participants_out(discussion: Discussion) -> list[ParticipantIn]:
    """Who takes part."""
    return [
        ParticipantIn(
            profile=person.profile,
            role=person.role,
            perspective=person.perspective,
            display_name=person.display_name,
            priority=person.priority,
        )
        for person in discussion.participants
    ]


def rounds_out(
    speeches: Sequence[SpeechOut], findings: Mapping[int, Sequence[Found]]
) -> list[RoundOut]:
    """Everything that was said, grouped by round."""
    numbers = sorted({speech.round for speech in speeches} | set(findings))
    return [
        RoundOut(
            round=number,
            speeches=[speech for speech in speeches if speech.round == number],
            consensus=texts(findings.get(number, ()), FindingKind.CONSENSUS),
            disagreement=texts(findings.get(number, ()), FindingKind.DISAGREEMENT),
            new_points=texts(findings.get(number, ()), FindingKind.NEW_POINT),
        )
        for number in numbers
    ]


def compacted(rounds: Sequence[RoundOut]) -> list[RoundOut]:
    """The same, small enough to read at once: everybody's last word of a round, shortened."""
    kept = [_last_words(entry) for entry in rounds]
    count = sum(len(entry.speeches) for entry in kept)
    room = COMPACT_BYTES // max(count, 1)
    return [
        entry.model_copy(
            update={
                "speeches": [
                    speech.model_copy(update={"content": _excerpt(speech.content, room)})
                    for speech in entry.speeches
                ]
            }
        )
        for entry in kept
    ]


def _last_words(entry: RoundOut) -> RoundOut:
    last = {speech.participant: speech for speech in entry.speeches}
    kept = sorted(last.values(), key=lambda speech: speech.speech_id)
    left_out = len(entry.speeches) - len(kept)
    return entry.model_copy(update={"speeches": kept, "left_out": left_out})


def _excerpt(text: str, room: int) -> str:
    short = cut_words(text, LONGEST_EXCERPT_WORDS)
    # Room is in bytes of JSON, where a letter may take six; what surrounds it takes about 150.
    cut = short.encode()[: max(room - 200, 40)].decode(errors="ignore")
    return cut if cut == text else f"{cut.rstrip().rstrip('…')} …"
