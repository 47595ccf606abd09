"""The minutes hold everything that was said and decided."""

from dataclasses import replace

from bot.record.record import Ending
from bot.reports.minutes import minutes_text
from tests.record.sample_record import ADVOCATE, CRITIC, NOTHING_CONCLUDED, record, speech


def test_minutes_have_every_part() -> None:
    """A33 C23."""
    text = minutes_text(record())
    assert text.startswith("# Roundtable Conclusion: Should we adopt uv?\n")
    for part in (
        "- Participants: Advocate(claude-opus), Critic(grok)",
        "- Rounds: 1 of 1",
        "- Date: 2023-11-14 22:13:20 UTC to 2023-11-14 22:14:35 UTC",
        "## Consensus Points\n\n1. It saves time\n2. It needs a maintainer",
        "## Disagreement Points\n\n1. Advocate wants it now",
        "- [ ] Pick a team (owner: the starter, Next 24h)",
        "- [ ] Measure (owner: the starter, Next 7d)",
        "### Round 1",
        "**Critic(grok)**: Critic speaks",
        "_Stance: disagree_",
    ):
        assert part in text


def test_every_speech_links_to_its_message() -> None:
    """A34."""
    assert "[message](https://discord.com/channels/1/2/3)" in minutes_text(record())


def test_the_transcript_is_whole_even_when_nobody_concluded() -> None:
    """A34 A35."""
    stopped = record(ending=Ending.STOPPED, ending_note="stopped by a person")
    text = minutes_text(replace(stopped, conclusion=NOTHING_CONCLUDED))
    assert "Stopped: stopped by a person" in text
    assert "**Advocate(claude-opus)**: Advocate speaks" in text


def test_a_seat_that_did_not_speak_is_in_the_minutes() -> None:
    silent = speech(CRITIC, problem="timeout after 60 s", text="")
    text = minutes_text(record(speeches=(speech(ADVOCATE), silent)))
    assert "**Critic(grok)**: did not speak: timeout after 60 s" in text


def test_a_run_in_which_nobody_spoke_has_minutes() -> None:
    assert "Nobody spoke." in minutes_text(record(speeches=(), conclusion=NOTHING_CONCLUDED))
