"""What agents read of a discussion: pages, summaries, lists, prompts."""

import pytest

from bot.discussions.service import Discussions
from bot.errors import UsageError
from tests.discussions.conftest import opened


async def test_pages_follow_one_another_without_gaps(service: Discussions) -> None:
    """C7."""
    run_id = await opened(service)
    for number in range(7):
        await service.speak(run_id, "architect", f"Word {number}.")

    first = await service.look.read(run_id, limit=4)
    second = await service.look.read(run_id, after=first.next_after or 0, limit=4)

    said = [speech.content for speech in (*first.speeches, *second.speeches)]
    assert said == [f"Word {number}." for number in range(7)]
    assert second.next_after is None
    only = await service.look.read(run_id, participant="operator")
    assert only.speeches == []


async def test_the_summary_groups_by_round_and_the_compact_one_stays_small(
    service: Discussions,
) -> None:
    """C9."""
    run_id = await opened(service)
    for number in range(300):
        await service.speak(run_id, "architect", f"Word {number}. " + "é„ " * 2000)
    await service.speak(run_id, "operator", "The last word.")

    compact = await service.look.summarize(run_id)
    full = await service.look.summarize(run_id, compact=False)

    assert len(compact.model_dump_json().encode()) < 20_000
    assert [(entry.round, len(entry.speeches), entry.left_out) for entry in compact.rounds] == [
        (1, 2, 299)
    ]
    assert compact.rounds[0].speeches[0].content.startswith("Word 299.")
    assert len(full.rounds[0].speeches) == 301


async def test_the_list_is_newest_first_and_filters_by_status(service: Discussions) -> None:
    """C11."""
    first, second = await opened(service), await opened(service)
    await service.end(first, cancel=True)

    everything = (await service.look.list()).discussions
    active = (await service.look.list(status="active")).discussions

    assert {line.discussion_id for line in everything} == {first, second}
    assert [line.discussion_id for line in active] == [second]


async def test_an_unknown_id_is_said_alike_everywhere(service: Discussions) -> None:
    for attempt in (
        service.look.read("rt_00000000"),
        service.look.status("rt_00000000"),
        service.look.summarize("rt_00000000"),
        service.speak("rt_00000000", "architect", "Hello"),
        service.end("rt_00000000"),
    ):
        with pytest.raises(UsageError, match="Discussion not found"):
            await attempt


async def test_the_prompts_say_what_an_agent_needs(service: Discussions) -> None:
    """C17, C18, C19."""
    run_id = await opened(service)
    await service.speak(run_id, "architect", "Keep it whole.")

    prompt = await service.prompts.participant(run_id, "operator")
    system, user = (message.text for message in prompt.messages)
    assert "200 to 500 words" in system
    assert "Where you agree, say so explicitly" in system
    assert "propose an alternative" in system
    for part in ("Split the service?", "Six people", "Round 1 / 2", "Operator (Olga)"):
        assert part in user
    assert "Architect: Keep it whole." in user

    coordinator = await service.prompts.coordinator(run_id)
    assert "architect: Architect (Architect), structure" in coordinator.messages[1].text
    with pytest.raises(UsageError, match="is not a participant"):
        await service.prompts.participant(run_id, "stranger")
