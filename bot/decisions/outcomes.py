"""What can have become of a decision: the answers people choose from, and what each one means."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from bot.errors import UsageError
from bot.measures.tally import Tally
from bot.messages.decisions import AgainText
from bot.record.record import RunRecord
from bot.reports.ballots import is_vote, shown
from bot.reports.conclusion import outcome_line
from bot.stage.port import PostButton, Tone, button_id

EARLY: Final = "early"
UNKNOWN: Final = "unknown"
RIGHT, WRONG, MIXED = "right", "wrong", "mixed"
_DAY: Final = 86_400.0
_PAUSES: Final[Mapping[str, float]] = {
    "week": 7 * _DAY,
    "month": 30 * _DAY,
    "quarter": 91 * _DAY,
}
_USUAL_PAUSE: Final = _PAUSES["month"]
_MOST_YEARS: Final = 10
_FORMS: Final = ("%Y-%m-%d", "%d.%m.%Y")
_NOON: Final = time(12, tzinfo=UTC)
_NO_ANSWER_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to the question what happened: what it is kept as, and what people read."""

    value: str
    label: str
    tone: Tone = Tone.PLAIN


def answers_to(record: RunRecord) -> tuple[Answer, ...]:
    """All answers that a decision can have; a vote is answered with its options."""
    if is_vote(record):
        told = [Answer(str(number), shown(option)) for number, option in enumerate(record.options)]
    else:
        told = [
            Answer(RIGHT, AgainText.RIGHT, Tone.GOOD),
            Answer(WRONG, AgainText.WRONG, Tone.BAD),
            Answer(MIXED, AgainText.MIXED),
        ]
    return (*told, Answer(EARLY, AgainText.EARLY), Answer(UNKNOWN, AgainText.UNKNOWN))


def chosen_answer(record: RunRecord, typed: str) -> str:
    """The answer somebody typed: its words, or how they begin, if that is clear."""
    known, wanted = answers_to(record), _folded(typed)
    exact = [one.value for one in known if wanted == _folded(one.label)]
    near = [one.value for one in known if wanted and _folded(one.label).startswith(wanted)]
    found = exact or near
    if len(found) != 1:
        labels = [f"`{one.label}`" for one in known]
        raise UsageError(AgainText.no_such_answer(shown(typed)[:_NO_ANSWER_SHOWN], labels))
    return found[0]


def answer_words(record: RunRecord, answer: str) -> str:
    """An answer as people read it; one that the record does not have is given as it is kept."""
    return next((one.label for one in answers_to(record) if one.value == answer), answer)


def answer_buttons(record: RunRecord) -> tuple[PostButton, ...]:
    """A button for every answer."""
    return tuple(
        PostButton(one.label, button_id(record.run_id, f"outcome:{one.value}"), one.tone)
        for one in answers_to(record)
    )


def question_text(record: RunRecord) -> str:
    """What the thread is asked."""
    outcome, vote = outcome_line(record), is_vote(record)
    return AgainText.asks(outcome, record.finished_at, record.run_id, vote=vote)


def facts_of(record: RunRecord) -> dict[str, Any]:
    """What was decided and by whom, by the numbers of the options: it must outlive the words."""
    facts: dict[str, Any] = {"mode": record.mode.value, "rehearsal": record.rehearsal}
    if not is_vote(record):
        return facts
    tally, options = record.tallies[-1], list(record.options)
    plain = tally.most_voted
    return facts | {
        "options": len(options),
        "panel": options.index(tally.leader) if tally.leader else None,
        "plain": options.index(plain[0]) if len(plain) == 1 else None,
        "sure": tally.sure,
        "said": record.sure,
        "models": dict(_choices(record, tally)),
    }


def _choices(record: RunRecord, tally: Tally) -> Iterator[tuple[str, int]]:
    """What each model voted for; one that fills several seats counts if they agree."""
    models = dict(record.worth.voters) if record.worth else {}
    chosen: dict[str, set[str]] = {}
    for role, option in tally.choices().items():
        if option is not None and role in models:
            chosen.setdefault(models[role], set()).add(option)
    for model, voted in chosen.items():
        if len(voted) == 1:
            yield model, record.options.index(next(iter(voted)))


@dataclass(frozen=True, slots=True)
class Look:
    """When to ask, and how long to wait when that was too early; never without a time."""

    at: float | None
    pause: float | None = None

    @classmethod
    def after(cls, choice: str, now: float) -> "Look":
        """A choice of the menu."""
        pause = _PAUSES.get(choice)
        return cls(None) if pause is None else cls(now + pause, pause)

    @classmethod
    def on(cls, typed: str, now: float) -> "Look":
        """At noon of a date that somebody typed."""
        day, today = _date(typed), datetime.fromtimestamp(now, UTC).date()
        if day <= today:
            raise UsageError(AgainText.PAST_DATE)
        if day > today + timedelta(days=366 * _MOST_YEARS):
            raise UsageError(AgainText.FAR_DATE)
        at = datetime.combine(day, _NOON).timestamp()
        return cls(at, min(max(at - now, _PAUSES["week"]), _PAUSES["quarter"]))

    @classmethod
    def later(cls, pause: float | None, now: float) -> "Look":
        """Once more after the same time, or after a month where nobody chose one."""
        again = pause or _USUAL_PAUSE
        return cls(now + again, again)


def _date(typed: str) -> date:
    for form in _FORMS:
        try:
            return datetime.strptime(typed.strip()[:20], form).replace(tzinfo=UTC).date()
        except ValueError:
            continue
    raise UsageError(AgainText.WRONG_DATE)


def _folded(text: str) -> str:
    return " ".join(text.replace("*", "").casefold().split())
