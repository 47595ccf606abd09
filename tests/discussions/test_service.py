"""The rules of the seven operations (C3-C16, C20-C26)."""

import asyncio
import json
from pathlib import Path

import pytest

from bot.discussions.service import Discussions
from bot.discussions.views import FindingsIn, ParticipantIn, PointIn
from bot.errors import UsageError
from tests.discussions.conftest import (
    ARCHITECT,
    CRITIC,
    OPERATOR,
    beginning,
    open_service,
    opened,
    round_of,
)
from tests.support.model_server import ModelServer

SHARED = FindingsIn(
    consensus=[PointIn(text="Keep it whole", made_by=["architect", "operator"])] * 5,
    disagreement=[PointIn(text="For how long", made_by=["operator"])],
)


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
        ({"participants": [ARCHITECT, ARCHITECT]}, "is used twice"),
        (
            {"participants": [ARCHITECT, ParticipantIn(profile="Architect", role="QA")]},
            "is used twice",
        ),
        (
            {"participants": [ARCHITECT, ParticipantIn(profile="coordinator", role="QA")]},
            "'coordinator' is reserved",
        ),
        ({"participants": [ARCHITECT, ParticipantIn(profile="../x", role="QA")]}, "is not valid"),
        ({"participants": [ARCHITECT, ParticipantIn(profile="x", role="")]}, "role is empty"),
        ({"max_rounds": 0}, "choose 1 to 10"),
        ({"max_rounds": 11}, "choose 1 to 10"),
        ({"speech_order": "loudest"}, "use fixed, random, priority or free"),
        ({"output_path": "../outside.md"}, "is outside"),
        ({"output_path": "/etc/outside.md"}, "is outside"),
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


@pytest.mark.parametrize("number", [2, 20])
async def test_two_to_twenty_take_part(service: Discussions, number: int) -> None:
    """C4."""
    people = [ParticipantIn(profile=f"agent{n}", role=f"Role {n}") for n in range(number)]
    run_id = await opened(service, participants=people)
    assert (await service.look.status(run_id)).next_speaker == "agent0"


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
    """C6 C14."""
    run_id = await opened(service)
    with pytest.raises(UsageError, match="'stranger' is not a participant"):
        await service.speak(run_id, "stranger", "Hello")
    with pytest.raises(UsageError, match="The speech is empty"):
        await service.speak(run_id, "architect", " \n")
    assert (await service.look.read(run_id)).speeches == []


async def test_a_reply_must_be_to_a_speech_of_the_same_discussion(service: Discussions) -> None:
    here, there = await opened(service), await opened(service)
    elsewhere = await service.speak(there, "architect", "Elsewhere.")

    with pytest.raises(UsageError, match="is not a speech of this discussion"):
        await service.speak(here, "operator", "Yes!", reply_to=elsewhere.speech_id)

    mine = await service.speak(here, "architect", "Here.")
    reply = await service.speak(here, "operator", "Yes!", reply_to=mine.speech_id)
    page = await service.look.read(here)
    assert page.speeches[-1].reply_to == mine.speech_id
    assert f"[{reply.speech_id}] Operator (to [{mine.speech_id}]): Yes!" in page.formatted_history


async def test_a_round_advances_when_everybody_has_spoken_and_the_last_one_concludes(
    service: Discussions,
) -> None:
    """C15 C22."""
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


@pytest.mark.parametrize("rounds", [1, 10])
async def test_a_discussion_may_have_one_to_ten_rounds(service: Discussions, rounds: int) -> None:
    """2.2#1: only the rounds of paid meetings are capped at three."""
    run_id = await opened(service, max_rounds=rounds)

    for number in range(1, rounds + 1):
        assert (await service.look.status(run_id)).current_round == number
        await round_of(service, run_id)

    assert (await service.look.status(run_id)).reason == "the rounds are used up"


async def test_nobody_speaks_without_end_in_one_round(service: Discussions) -> None:
    run_id = await opened(service)
    for number in range(10):
        await service.speak(run_id, "architect", f"Word {number}.")
    with pytest.raises(UsageError, match="'architect' has spoken 10 times in this round"):
        await service.speak(run_id, "architect", "One more thing.")

    await service.speak(run_id, "operator", "At last.")
    again = await service.speak(run_id, "architect", "One more thing.")

    assert again.round == 2
    for number in range(40):
        await service.speak(run_id, "coordinator", f"Order {number}.")
    with pytest.raises(UsageError, match="has spoken 40 times"):
        await service.speak(run_id, "coordinator", "Order!")


async def test_speaking_out_of_turn_is_recorded_and_said_to_be_so(service: Discussions) -> None:
    """C5: the order is advice."""
    run_id = await opened(service, speech_order="fixed")

    early = await service.speak(run_id, "operator", "Me first.")
    aside = await service.speak(run_id, "coordinator", "Noted.")
    due = await service.speak(run_id, "architect", "Now me.")

    advice = "Recorded out of turn: the order of speech is advice, and it was architect's turn. "
    assert early.advice.startswith(advice)
    assert "out of turn" not in aside.advice + due.advice
    free = await opened(service, speech_order="free")
    assert "out of turn" not in (await service.speak(free, "operator", "Me first.")).advice


async def test_a_point_of_one_alone_is_no_consensus_in_any_number(service: Discussions) -> None:
    """C20, C21, 2.2#4: speak, status, summary and file have one score and the same points."""
    run_id = await opened(service, max_rounds=3)
    await round_of(service, run_id)
    await round_of(service, run_id)
    given = FindingsIn(
        consensus=[
            PointIn(text="Shared", made_by=["architect", "operator"]),
            *[PointIn(text="Mine alone", made_by=["architect"])] * 8,
            PointIn(text="Mine twice", made_by=["architect", "architect"]),
        ],
        disagreement=[PointIn(text="Until when", made_by=["operator"])],
    )

    said = await service.speak(run_id, "coordinator", "What I heard.", findings=given)

    state = await service.look.status(run_id)
    summary = await service.look.summarize(run_id)
    assert said.convergence_score == 0.5
    assert (state.status, state.convergence_score, state.history[0].score) == ("active", 0.5, 0.5)
    assert summary.convergence_score == 0.5
    assert state.consensus_points == ["Shared"]
    assert [entry.consensus for entry in summary.rounds] == [[], ["Shared"], []]
    assert "Mine" not in (await service.look.minutes(run_id)).partition("## Detailed")[0]


async def test_findings_that_are_refused_leave_no_speech_and_no_end(service: Discussions) -> None:
    """C20: a point that only strangers share is not shared; what is refused changes nothing."""
    run_id = await opened(service, max_rounds=3)
    await round_of(service, run_id)
    stranger = FindingsIn(consensus=[PointIn(text="Shared", made_by=["architect", "ghost"])])
    long = FindingsIn(consensus=[PointIn(text="x" * 1_001)])
    for given, why in ((stranger, "'ghost' is not a participant"), (long, "1001 characters")):
        with pytest.raises(UsageError, match=why):
            await service.speak(run_id, "coordinator", "What I heard.", findings=given)
        with pytest.raises(UsageError, match=why):
            await service.end(run_id, conclusion="Keep it.", findings=given)
    assert len((await service.look.read(run_id)).speeches) == 2

    await service.end(run_id, conclusion="Keep it.")
    with pytest.raises(UsageError, match="already concluded"):
        await service.end(run_id, conclusion="Split it.", findings=SHARED)
    assert (await service.look.status(run_id)).history == []


async def test_a_participant_votes_and_neither_concludes_nor_cancels(service: Discussions) -> None:
    """C10 C22: an argument that is not obeyed is refused."""
    run_id = await opened(service)
    with pytest.raises(UsageError, match="Only the coordinator can conclude or cancel"):
        await service.end(run_id, "architect", conclusion="I decide.")
    with pytest.raises(UsageError, match="Only the coordinator can conclude or cancel"):
        await service.end(run_id, "architect", cancel=True)
    assert (await service.end(run_id, "operator")).votes_to_end == ["operator"]


async def test_participants_with_one_role_are_told_apart(tmp_path: Path) -> None:
    """C17 C20: in what prompts say, and in what a model that looks at rounds is asked."""
    ada = ParticipantIn(profile="ada_1", role="Engineer", display_name="Ada")
    olga = ParticipantIn(profile="olga", role="Engineer", display_name="Olga")
    both = ["Engineer (ada_1)", "Engineer (olga)"]
    found = {
        "summary": "They agree.",
        "consensus": [{"text": "Keep it", "from": both}, {"text": "Alone", "from": both[:1]}],
        "disagreement": [{"text": "Until when", "from": both[1:]}],
    }
    async with ModelServer() as server, open_service(tmp_path, server.url) as service:
        server.say(json.dumps(found))
        run_id = await opened(service, participants=[ada, olga])
        await service.speak(run_id, "ada_1", "Keep it.")
        history = (await service.look.read(run_id)).formatted_history
        last = await service.speak(run_id, "olga", "Yes.")
        state = await service.look.status(run_id)
        prompt = (await service.prompts.participant(run_id, "olga")).messages[1].text
        asked = json.dumps(server.calls[0].body)

    assert "Engineer (ada_1): Keep it." in history
    assert all(f"{name}: " in prompt for name in both)
    assert all(name in asked for name in both)
    assert state.consensus_points == ["Keep it"]
    assert last.convergence_score == state.convergence_score == 0.5


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


async def test_points_and_score_are_those_of_the_latest_round(service: Discussions) -> None:
    """C8 C20 C21 C23: in the status, the summary and the file."""
    run_id = await opened(service, max_rounds=3)
    both = ["architect", "operator"]
    for number, rest in ((1, 1), (2, 3)):
        await round_of(service, run_id)
        given = FindingsIn(
            consensus=[PointIn(text=f"Shared {number}", made_by=both)],
            disagreement=[PointIn(text=f"Open {number}")] * rest,
            new_points=[PointIn(text=f"New {number}")],
        )
        await service.speak(run_id, "coordinator", "Heard.", findings=given)

    state, summary = await service.look.status(run_id), await service.look.summarize(run_id)
    text = (await service.look.minutes(run_id)).partition("## Detailed")[0]

    assert [(entry.round, entry.score) for entry in state.history] == [(1, 0.5), (2, 0.25)]
    assert state.convergence_score == summary.convergence_score == 0.25
    assert (state.consensus_points, state.new_points) == (["Shared 2"], ["New 2"])
    assert state.disagreement_points == ["Open 2"] * 3
    assert "- Convergence: 25% of the points are shared\n" in text
    assert "1. Shared 2 (Architect(Architect), Operator(Olga))\n" in text
    assert "Shared 1" not in text
    assert "Open 1" not in text


async def test_high_convergence_ends_from_round_2_on(service: Discussions) -> None:
    """C15 C22."""
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
    with pytest.raises(UsageError, match="Only the coordinator can give findings"):
        await service.speak(run_id, "architect", "We agree.", findings=SHARED)
    assert (await service.look.read(run_id)).speeches == []


async def test_ending_again_with_the_same_findings_changes_nothing(service: Discussions) -> None:
    """C10 C20: they are about the last complete round, also when a later one had begun."""
    run_id = await opened(service, max_rounds=3)
    await round_of(service, run_id)
    await service.speak(run_id, "architect", "One more thing.")
    histories = []
    for _ in range(2):
        await service.end(run_id, conclusion="Keep it.", findings=SHARED)
        histories.append((await service.look.status(run_id)).history)
    assert [entry.round for entry in histories[0]] == [1]
    assert histories[0] == histories[1]


async def test_what_a_first_round_showed_so_far_is_said_once_it_was_ended(
    service: Discussions,
) -> None:
    """C10 C20: findings are about what was said, also where not everybody spoke."""
    run_id, silent = await opened(service), await opened(service)
    await service.speak(run_id, "architect", "Keep it.")
    with pytest.raises(UsageError, match="No round is complete yet"):
        await service.end(run_id, conclusion="Keep it.", findings=SHARED)
    for talk in (run_id, silent):
        await service.end(talk, conclusion="Keep it.")

    await service.end(run_id, conclusion="Keep it.", findings=SHARED)

    assert [entry.round for entry in (await service.look.status(run_id)).history] == [1]
    with pytest.raises(UsageError, match="No round is complete yet"):
        await service.end(silent, conclusion="Keep it.", findings=SHARED)


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
            await round_of(service, run_id)
        first, second = (json.dumps(call.body) for call in server.calls)
    assert "They agree." not in first
    assert "They agree." in second


async def test_what_is_said_and_ended_at_once_counts_once(tmp_path: Path) -> None:
    """C10 C15: agents speak at the same time, and their clients repeat what they ask."""
    async with ModelServer() as server:
        server.say(json.dumps({"summary": "They agree.", "consensus": []}))
        async with open_service(tmp_path, server.url) as service:
            run_id = await opened(service)
            said = [service.speak(run_id, who, "Yes.") for who in ("architect", "operator")]
            rounds = [(s.round, s.round_complete) for s in await asyncio.gather(*said)]
            one, other = await asyncio.gather(
                *(service.end(run_id, conclusion="Keep it.") for _ in range(2))
            )
        assert len(server.calls) == 1
    assert sorted(rounds) == [(1, False), (1, True)]
    assert one == other
    assert one.status == "concluded"


async def test_a_failed_look_leaves_no_score_and_the_talk_goes_on(tmp_path: Path) -> None:
    async with ModelServer() as server:
        server.say("I would rather not.")
        async with open_service(tmp_path, server.url) as service:
            run_id = await opened(service)
            await round_of(service, run_id)
            state = await service.look.status(run_id)

    assert (state.current_round, state.convergence_score, state.history) == (2, None, [])
