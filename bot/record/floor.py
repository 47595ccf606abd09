"""What people said in a run's thread, and what panelists answered them, in order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from bot.messages.minutes import FloorText
from bot.record.record import Remark
from bot.record.run_rows import RunRows
from bot.record.transcript import Transcript, post_links, stood_in_for
from bot.store import EventType, InboundKind
from bot.store.log.events import Event
from bot.store.repositories.inbound import InboundMessage

_FLOOR: Final = "floor:"
_TALK: Final = "talk:"
SYNTHESIS: Final = "synthesis"
_AFTERWARDS: Final = ""
_CONCLUSION: Final = "conclusion"


def people_names(messages: Iterable[InboundMessage]) -> dict[int, str]:
    """Person 1, 2 … by id, in the order in which prompts count those who spoke from the floor."""
    counted = sorted(messages, key=lambda m: (m.kind is not InboundKind.FLOOR, m.message_id))
    authors = dict.fromkeys(message.author_id for message in counted)
    return {author: FloorText.person(n) for n, author in enumerate(authors, 1)}


def remarks_of(facts: RunRows, transcript: Transcript) -> tuple[Remark, ...]:
    """Everything that was said between people and the panel; removed messages are left out."""
    talk = _Talk(facts, transcript)
    written = [*(("", message) for message in facts.heard), *facts.forms]
    said = [talk.said(words, form) for form, words in written if words.content.strip()]
    return tuple(sorted([*said, *talk.answers()], key=lambda remark: remark.at))


@dataclass(frozen=True)
class _Talk:
    """The rows of a run that tell who talked with whom, and when."""

    facts: RunRows
    transcript: Transcript

    def said(self, message: InboundMessage, form: str) -> Remark:
        """A person's words; those in a form had their effect, whatever the panel heard."""
        asked = self.facts.payload(EventType.FOLLOWUP_HEARD, str(message.message_id))
        slugs = {key.partition(":")[2] for key in asked["seats"]} if asked else set[str]()
        step = self._heard_in(message)
        return Remark(
            speaker=self._names[message.author_id],
            text=message.content,
            at=message.created_at,
            step=self._step_after(message.created_at) if step is None else step,
            to=tuple(seat.role for seat in self.transcript.panel if seat.slug in slugs),
            answered=self._answered(message.message_id) if asked else None,
            unheard=step is None and asked is None and not form,
            by_starter=message.author_id == self.facts.run.starter_id,
            form=form,
        )

    def answers(self) -> Iterator[Remark]:
        """What panelists answered and people could read."""
        seats = {seat.slug: seat for seat in self.transcript.panel}
        for key, outcome in self.transcript.outcomes.items():
            if outcome.answer is None or key not in self._links or not key.startswith(_TALK):
                continue
            source, _, slug = key.removeprefix(_TALK).partition(":")
            text = str(outcome.answer.parsed.get("public") or "")
            if text and slug in seats:
                seat, asked = seats[slug], self._messages.get(int(source))
                yield Remark(
                    speaker=seat.role,
                    text=text,
                    at=outcome.answer.created_at,
                    step=self._step_after(outcome.answer.created_at),
                    to=tuple(filter(None, [self._author(int(source))])),
                    question=asked.content if asked else "",
                    is_answer=True,
                    model=outcome.answered_model or outcome.model,
                    stood_in_for=stood_in_for(seat, outcome),
                    links=self._links[key],
                )

    @cached_property
    def _names(self) -> Mapping[int, str]:
        return people_names([*self.facts.heard, *(words for _, words in self.facts.forms)])

    @cached_property
    def _messages(self) -> Mapping[int, InboundMessage]:
        return {message.message_id: message for message in self.facts.heard}

    @cached_property
    def _links(self) -> Mapping[str, tuple[str, ...]]:
        return post_links(self.facts)

    def _author(self, message_id: int) -> str:
        """Who wrote a message: a person, or a panelist whom another one answers."""
        if message_id in self._messages:
            return self._names[self._messages[message_id].author_id]
        slugs = {
            url.rpartition("/")[2]: key.rpartition(":")[2]
            for key, urls in self._links.items()
            for url in urls
        }
        slug = slugs.get(str(message_id), "")
        return next((seat.role for seat in self.transcript.panel if seat.slug == slug), "")

    def _answered(self, message_id: int) -> bool | None:
        closed = self.facts.payload(EventType.FOLLOWUP_CLOSED, str(message_id))
        if closed is None:
            return None
        # A question that came in between may close an exchange whose answer is just being posted.
        posted = any(key.startswith(f"{_TALK}{message_id}:") for key in self._links)
        return bool(closed["answered"]) or posted

    @cached_property
    def _steps(self) -> Sequence[tuple[str, Event]]:
        """The steps that were given what people had said until then, in order."""
        held = {f"r{speech.round}" for speech in self.transcript.speeches if speech.stage == 1}
        held |= {"s2" for speech in self.transcript.speeches if speech.stage == 2}
        noted = (e for e in self.facts.of_type(EventType.ATTEMPT_CHECKPOINT))
        found = [(e.key.removeprefix(_FLOOR), e) for e in noted if e.key.startswith(_FLOOR)]
        # A step of a round that was called off was given to nobody.
        rounds = [(name, event) for name, event in found if name in held]
        last = [(SYNTHESIS, e) for name, e in found if name == SYNTHESIS or name[:5] == "spec-"]
        return [*rounds, *last]

    def _heard_in(self, message: InboundMessage) -> str | None:
        if message.kind is not InboundKind.FLOOR:
            return None
        heard = (name for name, e in self._steps if e.payload["newest"] >= message.message_id)
        return next(heard, None)

    def _step_after(self, moment: float) -> str:
        """The step that a moment came before; the conclusion counts when it is posted."""
        rounds = [(name, e) for name, e in self._steps if name != SYNTHESIS]
        found = next((name for name, event in rounds if event.created_at > moment), None)
        if found is not None:
            return found
        posted = (
            e.created_at
            for e in self.facts.of_type(EventType.POST_SENT)
            if e.key.rpartition("#")[0] == _CONCLUSION
        )
        return _AFTERWARDS if next(posted, moment) < moment else SYNTHESIS
