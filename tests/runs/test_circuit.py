"""What people read when retries have stopped: the attempts, what there is, and the ways out."""

from bot.messages.attempts import AttemptText
from bot.runs.circuit import Built, circuit_text
from bot.store.repositories.attempts import Attempt
from bot.store.vocabulary import AttemptStatus
from bot.types.model_port import ErrorKind
from tests.record.sample_record import ADVOCATE, record, speech


def attempt(ordinal: int, summary: str, status: AttemptStatus = AttemptStatus.FAILED) -> Attempt:
    return Attempt(
        id=f"att_{ordinal}",
        run_id="rt_0123abcd",
        ordinal=ordinal,
        runtime="models",
        status=status,
        error_summary=summary,
        started_at=100.0,
        finished_at=130.0,
    )


TRIED = [attempt(1, "No panelist answered."), attempt(2, "The summary failed.")]


def test_every_attempt_is_listed_and_the_last_failure_comes_first() -> None:
    """B25."""
    text = circuit_text(record(), TRIED, (), "minutes.md", stronger=False)
    assert text.index("The summary failed.") < text.index("No panelist answered.")
    assert text.count("The summary failed.") == 2


def test_each_kind_of_failure_names_its_way_out_and_a_retry_is_always_one() -> None:
    """B25."""
    kinds = {ErrorKind.OUT_OF_MONEY, ErrorKind.RATE_LIMITED}
    text = circuit_text(record(), TRIED, kinds, "minutes.md", stronger=False)
    for way in (AttemptText.OUT_OF_MONEY, AttemptText.RATE_LIMITED, AttemptText.RETRY):
        assert way in text
    assert AttemptText.REFUSED not in text


def test_what_was_said_so_far_is_attached_unless_nobody_spoke() -> None:
    spoken = circuit_text(
        record(speeches=(speech(ADVOCATE),)), TRIED, (), "minutes.md", stronger=False
    )
    silent = circuit_text(record(speeches=()), TRIED, (), "minutes.md", stronger=False)
    assert "minutes.md" in spoken
    assert "minutes.md" not in silent
    assert AttemptText.NO_ANSWER_YET in silent


def test_a_run_that_never_tried_says_so() -> None:
    text = circuit_text(record(), [], (), "minutes.md", stronger=False)
    assert AttemptText.NOTHING_TRIED in text


def test_few_of_many_findings_are_quoted() -> None:
    built = Built(findings=[f"finding {number}" for number in range(9)])
    text = circuit_text(record(), TRIED, (), "minutes.md", built, stronger=False)
    assert "finding 0" in text
    assert "finding 8" not in text
