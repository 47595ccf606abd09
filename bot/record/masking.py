"""What people see of a masked panel: Panelist A, B, C in place of names, faces and models."""

import enum
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sqlalchemy import Connection

from bot.messages.attempts import DegradationText
from bot.messages.meeting import MaskText, RoundsText
from bot.messages.votes import WorthText
from bot.record.loader import record_of
from bot.record.record import RunRecord, SeatView, Speech
from bot.record.run_rows import MASK_KEY, load_run_rows, other_names
from bot.stage.port import Card, Post
from bot.store import EventType, Store
from bot.store.log import events
from bot.store.repositories.calls import CallRepository
from bot.store.repositories.runs import Run
from bot.store.repositories.seats import Seat, SeatRepository

if TYPE_CHECKING:
    from bot.measures.tally import Tally
    from bot.record.masked_text import MaskedWords


MASKED: Final = MaskText.MASKED
"""Also the name under which a run's request keeps the wish."""
_NOT_A_NAME: Final = frozenset({"rehearsal", "local", ""})
_AS_THEY_ARE: Final = frozenset(
    {
        *("run_id", "slug", "topic", "options", "builds_on"),
        *("message_url", "links", "thread_url", "conclusion_url"),
    }
)
_NAMES: Final = ("key", "provider", "wire_model", "family")
_TELLING: Final = frozenset({"model", "stand_in", "family", "task", "perspective"})
_FAMILY_TOLD: Final = {
    RoundsText.ONE_FAMILY: MaskText.NO_SECOND_ROUND,
    RoundsText.ONE_FAMILY_GOES_ON: MaskText.SECOND_ROUND,
}
"""Sentences that tell what the panelists have in common."""
_T = TypeVar("_T")


@dataclass(frozen=True)
class Mask:
    """The other names of a panel; without any, everything is shown as it is."""

    aliases: Mapping[str, str] = field(default_factory=dict)
    """By role."""
    models: Collection[str] = ()
    """Words that would give a model away in a text."""
    topic: str = ""
    """What was asked: a word of it gives nobody away."""

    def __bool__(self) -> bool:
        return bool(self.aliases or self.models)

    def text(self, text: str) -> str:
        """A text in which roles have their other names and models none."""
        if not self or text in self.aliases:
            return self.aliases.get(text, text)
        for telling, instead in _FAMILY_TOLD.items():
            text = text.replace(telling, instead)
        return self._words.replaced(text)

    def names_nobody(self, text: str) -> bool:
        """Whether people may read a text as it is."""
        return self.text(text) == text

    def line(self, text: str, instead: str) -> str:
        """A line about the panel, or another one in its place if it names anybody."""
        return text if self.names_nobody(text) else instead

    def model(self, name: str) -> str:
        """What is shown in place of a model's name."""
        return MASKED if self else name

    def post(self, post: Post) -> Post:
        """A post as people may read it."""
        if not self:
            return post
        quote = replace(post.quote, author=self.text(post.quote.author)) if post.quote else None
        speaker = replace(
            post.speaker, name=self.text(post.speaker.name), face=self.text(post.speaker.face)
        )
        return replace(post, text=self.text(post.text), speaker=speaker, quote=quote)

    def seats(self, panel: Iterable[Seat]) -> tuple[Seat, ...]:
        """The seats under the names by which people may call them, in the order of these."""
        if not self:
            return tuple(panel)
        worn = (replace(seat, role=self.aliases.get(seat.role, seat.role)) for seat in panel)
        return tuple(sorted(worn, key=lambda seat: seat.role))

    def order(self, roles: Iterable[str]) -> tuple[str, ...]:
        """The roles in the order of their other names, which says nothing about the panel."""
        return tuple(sorted(roles, key=lambda role: self.aliases.get(role, role)))

    def card(self, card: Card) -> Card:
        """The card with masked rows."""
        if not self:
            return card
        worn = self._worn(card)
        past = tuple(replace(entry, seats=_by_name(entry.seats)) for entry in worn.past)
        return replace(worn, seats=_by_name(worn.seats), past=past)

    def record(self, record: "RunRecord") -> "RunRecord":
        """The record of the run as files and posts may show it."""
        if not self:
            return record
        worn = self._worn(record)
        return replace(
            worn,
            findings=record.findings,
            seats=_by_name([_slug_hidden(seat) for seat in worn.seats]),
            speeches=_without_pace(worn.speeches),
            floor=tuple(
                replace(masked, stood_in_for="", step=remark.step, form=remark.form)
                for masked, remark in zip(worn.floor, record.floor, strict=True)
            ),
            tallies=tuple(_in_order(tally) for tally in worn.tallies),
            dissents=_by_name([replace(d, stood_in_for="") for d in worn.dissents]),
            degradations=_degradations(record.degradations),
            decision=self.line(record.decision, MaskText.DESIGN),
            meta_recommendation=self.line(record.meta_recommendation, MaskText.DESIGN),
            failed_calls=(),
            sessions=(),
            # Weights follow from models, and so does every figure made of them.
            worth=None,
            notices=(
                *filter(self.names_nobody, record.notices),
                *((WorthText.LATER,) if record.worth else ()),
            ),
        )

    def _worn(self, value: _T, name: str = "") -> _T:
        found: Any = value
        if isinstance(value, enum.Enum) or name in _AS_THEY_ARE:
            return value
        if isinstance(value, str):
            found = MASKED if name in _TELLING and value else self.text(value)
        elif isinstance(value, tuple | list):
            found = type(value)(self._worn(item) for item in value)
        elif isinstance(value, Mapping):
            found = {self._worn(key): self._worn(item) for key, item in value.items()}
        elif is_dataclass(value) and not isinstance(value, type):
            own = (entry.name for entry in fields(value) if entry.init)
            found = replace(value, **{key: self._worn(getattr(value, key), key) for key in own})
        return found  # type: ignore[no-any-return]

    @cached_property
    def _words(self) -> "MaskedWords":
        from bot.record.masked_text import MaskedWords  # noqa: PLC0415 (only for masked panels)

        return MaskedWords(self.aliases, self.models, self.topic)


UNMASKED: Final = Mask()


def mask_of(conn: Connection, run: Run) -> Mask:
    """The current mask of a run; None if it was not requested or was already removed."""
    if not run.request.get(MASKED) or is_lifted(conn, run.id):
        return UNMASKED
    panel = SeatRepository(conn).of_run(run.id)
    if not panel:
        return UNMASKED
    return Mask(other_names(run, panel), _model_words(conn, run, panel), run.topic)


def is_lifted(conn: Connection, run_id: str) -> bool:
    """Whether the panelists are revealed, or about to be."""
    return events.find(conn, run_id, EventType.MASK_LIFTED, MASK_KEY) is not None


def _model_words(conn: Connection, run: Run, panel: Sequence[Seat]) -> tuple[str, ...]:
    """Names of whoever was or may be asked: seats, writers, coordinators and analysts."""
    design = events.find(conn, run.id, EventType.RUN_DESIGNED, "design") or {}
    words = {w for s in panel for w in (s.model, s.wire_model, s.family, s.fallback, s.provider)}
    words |= {model[name] for model in design.get("models", {}).values() for name in _NAMES}
    for call in CallRepository(conn).of_run(run.id):
        words |= {call.provider, call.model, call.answered_model}
    return hidden_words(words)


def hidden_words(words: Iterable[str]) -> tuple[str, ...]:
    """The words that can give a model away."""
    return tuple(sorted(word for word in set(words) if word.casefold() not in _NOT_A_NAME))


def _in_order(tally: "Tally") -> "Tally":
    """The order of voters is that of the panel, so it would tell who they are."""
    counts = (replace(count, voters=_by_name(count.voters)) for count in tally.counts)
    ordered = replace(tally, counts=tuple(counts), abstained=tuple(sorted(tally.abstained)))
    return ordered.without_weights()


def _slug_hidden(seat: SeatView) -> SeatView:
    """A seat whose slug, which agents see, is made of its other name, not of its role."""
    return replace(seat, slug=seat.role.casefold().replace(" ", "-"))


def _without_pace(speeches: Sequence[Speech]) -> tuple[Speech, ...]:
    """Speeches in the order of their names: who was slow, or had a stand-in, tells the model."""
    times: dict[int, float] = {}
    for said in speeches:
        times[said.round] = max(said.at, times.get(said.round, 0.0))
    worn = [
        replace(
            said,
            seat=_slug_hidden(said.seat),
            at=times[said.round],
            seconds=0.0,
            stood_in_for="",
        )
        for said in speeches
    ]
    return tuple(sorted(worn, key=lambda said: (said.round, said.seat.role)))


def _degradations(notes: Sequence[str]) -> tuple[str, ...]:
    """Notes that reveal no panelist: whether a round was answered says nothing about who sits."""
    said = tuple(filter(DegradationText.names_nobody, notes))
    return said if len(said) == len(notes) else (*said, MaskText.DEGRADED)


def _by_name(rows: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(sorted(rows, key=lambda row: row.role))


async def read_masked_record(store: Store, run_id: str) -> RunRecord:
    """Everything about a run that may leave the store now; prompts use the bare record."""
    facts, mask = await store.read(
        lambda conn: (facts := load_run_rows(conn, run_id), mask_of(conn, facts.run))
    )
    return mask.record(record_of(facts, store.now()))
