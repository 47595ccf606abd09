"""The rules of the seven operations (C3-C16, C20-C26)."""

import json
from pathlib import Path

import pytest

from bot.council.discussions.service import Discussions
from bot.council.discussions.views import Ended, FindingsIn, ParticipantIn, PointIn
from bot.council.exporting import export_everything
from bot.errors import UsageError
from tests.council.discussions.conftest import ARCHITECT, CRITIC, OPERATOR, beginning, open_service
from tests.model_server import ModelServer

SHARED = FindingsIn(
    consensus=[PointIn(text="Keep it whole", made_by=["architect", "operator"])] * 5,
    disagreement=[PointIn(text="For how long", made_by=["operator"])],
)


async def opened(service: Discussions, **changes: object) -> str:
    return (await service.init(beginning(**changes))).discussion_id


def written(ended: Ended) -> str:
    return Path(str(ended.output_path)).read_text(encoding="utf-8")


async def round_of(service: Discussions, run_id: str, *profiles: str) -> None:
    for profile in profiles or ("architect", "operator"):
        await service.speak(run_id, profile, f"{profile} speaks.")


async def test_a_discussion_opens_with_an_id_and_its_first_speaker(
    service: Discussions,
) -> None:
    """C3, C26."""
    found = await service.init(beginning())

    assert found.discussion_id.startswith("rt_")
    assert len(found.discussion_id) == 11
    assert (found.status, found.current_round, found.max_rounds) == ("active", 1, 2)
    assert found.next_speaker == "architect"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"topic": " "}, "The topic is empty"),
        ({"participants": [ARCHITECT]}, "a discussion needs 2 to 20"),
        ({"participants": [ARCHITECT, ARCHITECT]}, "is given twice"),
        (
            {"participants": [ARCHITECT, ParticipantIn(profile="Architect", role="X")]},
            "is given twice",
        ),
        (
            {"participants": [ARCHITECT, ParticipantIn(profile="coordinator", role="X")]},
            "'coordinator' is taken",
        ),
        ({"participants": [ARCHITECT, ParticipantIn(profile="../x", role="X")]}, "cannot be used"),
        ({"participants": [ARCHITECT, ParticipantIn(profile="x", role="")]}, "role is empty"),
        ({"max_rounds": 0}, "choose 1 to 3"),
        ({"max_rounds": 4}, "choose 1 to 3"),
        ({"speech_order": "loudest"}, "use fixed, random, priority or free"),
        ({"output_path": "../outside.md"}, "lies outside"),
        ({"output_path": "/etc/outside.md"}, "lies outside"),
        ({"output_path": "conclusion.py"}, "must end in .md"),
    ],
)
async def test_bad_beginnings_are_refused_and_leave_nothing(
    service: Discussions, changes: dict[str, object], sentence: str
) -> None:
    """C4, C25."""
    with pytest.raises(UsageError, match=sentence):
        await service.init(beginning(**changes))

    assert (await service.look.list()).discussions == []


async def test_the_opening_is_round_0_and_speeches_count_from_1(
    service: Discussions,
) -> None:
    """C12, C6, 2.2#3."""
    run_id = await opened(service)
    opening = await service.speak(run_id, "coordinator", "Let us begin.")
    first = await service.speak(run_id, "architect", "Keep it.")
    aside = await service.speak(run_id, "coordinator", "Noted.")

    assert (opening.round, first.round, aside.round) == (0, 1, 1)
    assert first.next_speaker == "operator"
    assert not first.round_complete


async def test_only_members_speak(service: Discussions) -> None:
    """C14."""
    run_id = await opened(service)
    with pytest.raises(UsageError, match="'stranger' takes no part"):
        await service.speak(run_id, "stranger", "Hello")
    with pytest.raises(UsageError, match="The speech is empty"):
        await service.speak(run_id, "architect", " \n")
    assert (await service.look.read(run_id)).speeches == []


async def test_a_reply_must_be_to_a_speech_of_the_same_discussion(service: Discussions) -> None:
    here, there = await opened(service), await opened(service)
    elsewhere = await service.speak(there, "architect", "Elsewhere.")

    with pytest.raises(UsageError, match="is no speech of this discussion"):
        await service.speak(here, "operator", "Yes!", reply_to=elsewhere.speech_id)

    mine = await service.speak(here, "architect", "Here.")
    reply = await service.speak(here, "operator", "Yes!", reply_to=mine.speech_id)
    page = await service.look.read(here)
    assert page.speeches[-1].reply_to == mine.speech_id
    assert f"[{reply.speech_id}] Operator (to [{mine.speech_id}]): Yes!" in page.formatted_history


async def test_a_round_advances_when_everybody_has_spoken_and_the_last_one_concludes(
    service: Discussions,
) -> None:
    run_id = await opened(service)
    await service.speak(run_id, "architect", "One.")
    await service.speak(run_id, "architect", "And another.")
    last = await service.speak(run_id, "operator", "Two.")
    assert (last.round_complete, last.discussion_complete) == (True, False)
    assert last.next_speaker == "architect"

    await service.speak(run_id, "operator", "Three.")
    end = await service.speak(run_id, "architect", "Four.")

    assert (end.round, end.round_complete, end.discussion_complete) == (2, True, True)
    assert end.next_speaker is None
    state = await service.look.status(run_id)
    assert (state.status, state.reason) == ("concluded", "the rounds are used up")
    with pytest.raises(UsageError, match="This discussion is concluded"):
        await service.speak(run_id, "architect", "One more thing.")


async def test_next_speaker_is_truthful_in_every_order(service: Discussions) -> None:
    """C5."""
    people = [ARCHITECT, OPERATOR, CRITIC]

    async def order(name: str) -> list[str | None]:
        run_id = await opened(service, participants=people, speech_order=name, max_rounds=1)
        heard: list[str | None] = []
        for _ in people:
            following = (await service.look.status(run_id)).next_speaker
            heard.append(following)
            await service.speak(run_id, following or people[len(heard) - 1].profile, "Words.")
        return heard

    assert await order("fixed") == ["architect", "operator", "critic"]
    assert await order("priority") == ["critic", "architect", "operator"]
    assert await order("free") == [None, None, None]
    assert sorted(map(str, await order("random"))) == ["architect", "critic", "operator"]


async def test_the_coordinator_gives_findings_where_no_model_looks(
    service: Discussions,
) -> None:
    """C20, C21, C8."""
    run_id = await opened(service, max_rounds=3)
    await round_of(service, run_id)
    before = await service.look.status(run_id)
    assert (before.convergence_score, before.history) == (None, [])

    said = await service.speak(
        run_id,
        "coordinator",
        "What I heard.",
        findings=FindingsIn(
            consensus=[PointIn(text="Keep it whole")], disagreement=[PointIn(text="Until when")]
        ),
    )

    assert said.convergence_score == 0.5
    state = await service.look.status(run_id)
    assert state.consensus_points == ["Keep it whole"]
    assert state.disagreement_points == ["Until when"]
    assert [(entry.round, entry.score) for entry in state.history] == [(1, 0.5)]


async def test_high_convergence_ends_from_round_2_on(service: Discussions) -> None:
    """C22."""
    run_id = await opened(service, max_rounds=3)
    await round_of(service, run_id)
    early = await service.speak(run_id, "coordinator", "All agree.", findings=SHARED)
    assert not early.discussion_complete

    await round_of(service, run_id)
    late = await service.speak(run_id, "coordinator", "Still.", findings=SHARED)

    assert late.discussion_complete
    assert (await service.look.status(run_id)).reason == "the participants converged"


async def test_findings_come_from_the_coordinator_alone_and_after_a_round(
    service: Discussions,
) -> None:
    run_id = await opened(service)
    with pytest.raises(UsageError, match="No round is complete yet"):
        await service.speak(run_id, "coordinator", "Already?", findings=SHARED)
    with pytest.raises(UsageError, match="Only the coordinator gives findings"):
        await service.speak(run_id, "architect", "We agree.", findings=SHARED)
    assert (await service.look.read(run_id)).speeches == []


async def test_all_votes_end_it_and_one_does_not(service: Discussions) -> None:
    """C22."""
    run_id = await opened(service)
    one = await service.end(run_id, "architect")
    assert (one.status, one.votes_to_end, one.advice) == (
        "active",
        ["architect"],
        "Still to vote: operator.",
    )

    both = await service.end(run_id, "operator")

    assert (both.status, both.reason) == ("concluded", "all participants voted to end")
    with pytest.raises(UsageError, match="This discussion is concluded"):
        await service.end(run_id, "operator")


async def test_the_coordinator_ends_with_a_conclusion_file(
    service: Discussions,
) -> None:
    """C10, C16, C23."""
    run_id = await opened(service, output_path="deep/uv.md")
    await service.speak(run_id, "coordinator", "Let us begin.")
    await round_of(service, run_id)
    await service.speak(run_id, "coordinator", "Heard.", findings=SHARED)

    ended = await service.end(
        run_id, conclusion="Keep it.\n\n- [ ] Write it down\n- [x] Ask Olga, owner: Olga"
    )

    text = written(ended)
    assert str(ended.output_path).endswith("conclusions/deep/uv.md")
    assert text.startswith("# Roundtable Conclusion: Split the service?\n\n## Summary\n")
    assert "- Participants: Architect(Architect), Operator(Olga)" in text
    assert "## Consensus Points\n\n1. Keep it whole (Architect(Architect), Operator(Olga))" in text
    assert "## Disagreement Points\n\n1. For how long (Operator(Olga))" in text
    assert "- [ ] Write it down (owner: the coordinator)\n- [ ] Ask Olga, owner: Olga" in text
    assert "### Round 1\n\n**Architect(Architect)**: architect speaks." in text
    assert "### Opening\n\n**Coordinator(agent)**: Let us begin." in text


async def test_a_conclusion_may_come_after_the_end_but_only_once(service: Discussions) -> None:
    run_id = await opened(service, max_rounds=1)
    await round_of(service, run_id)

    late = await service.end(run_id, conclusion="Keep it.", findings=SHARED)
    assert "1. Keep it whole" in written(late)
    with pytest.raises(UsageError, match="already concluded"):
        await service.end(run_id, conclusion="Split it.")
    assert "Keep it." in written(late)


async def test_a_cancelled_discussion_is_over_without_a_file(service: Discussions) -> None:
    run_id = await opened(service)

    ended = await service.end(run_id, cancel=True)

    assert (ended.status, ended.output_path) == ("cancelled", None)
    with pytest.raises(UsageError, match="already cancelled"):
        await service.end(run_id, conclusion="After all.")


async def test_two_discussions_on_one_topic_never_share_a_file(service: Discussions) -> None:
    paths = {
        (await service.end(await opened(service), conclusion="Done.")).output_path for _ in range(3)
    }

    assert len(paths) == 3


async def test_a_link_cannot_lead_out_of_the_folder(service: Discussions, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "conclusions").mkdir()
    (tmp_path / "conclusions" / "link").symlink_to(outside)

    with pytest.raises(UsageError, match="lies outside"):
        await service.init(beginning(output_path="link/x.md"))


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
        with pytest.raises(UsageError, match="There is no such discussion"):
            await attempt


async def test_a_model_looks_at_every_round_once_also_after_a_restart(tmp_path: Path) -> None:
    """C15."""
    found = {
        "summary": "They agree.",
        "consensus": [{"text": "Keep it", "from": ["Architect", "Operator"]}],
        "disagreement": [{"text": "Until when", "from": ["Operator"]}],
        "new_points": [],
    }
    async with ModelServer() as server:
        server.say(json.dumps(found))
        async with open_service(tmp_path, server.url) as service:
            run_id = await opened(service)
            await service.speak(run_id, "architect", "Keep it.")
            last = await service.speak(run_id, "operator", "Yes.")
            assert last.convergence_score == 0.5
        async with open_service(tmp_path, server.url) as service:
            state = await service.look.status(run_id)
            assert state.consensus_points == ["Keep it"]
            assert state.current_round == 2
        assert len(server.calls) == 1


async def test_a_failed_look_leaves_no_score_and_the_talk_goes_on(tmp_path: Path) -> None:
    async with ModelServer() as server:
        server.say("I would rather not.")
        async with open_service(tmp_path, server.url) as service:
            run_id = await opened(service)
            await round_of(service, run_id)
            state = await service.look.status(run_id)

    assert (state.current_round, state.convergence_score, state.history) == (2, None, [])


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
    with pytest.raises(UsageError, match="takes no part"):
        await service.prompts.participant(run_id, "stranger")


async def test_the_file_of_a_discussion_is_written_anew_from_the_store(tmp_path: Path) -> None:
    """C25."""
    async with open_service(tmp_path) as service:
        ended = await service.end(await opened(service), conclusion="Keep it.")
    before = written(ended)
    _remove(str(ended.output_path))

    assert await export_everything(tmp_path, conclusions=tmp_path / "conclusions") == 1
    assert written(ended) == before


def _remove(path: str) -> None:
    Path(path).unlink()
