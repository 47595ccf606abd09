"""The three workflows: a parallel debate, work in sequence, and different tasks put together."""

import re
from asyncio import Event
from pathlib import Path

from tests.e2e.restart_harness import restart_harness
from tests.e2e.scripted_models import FAIL, Plan, ScriptedModels, after, scripted_playground
from tests.e2e.talk_steps import answered, voice_of

REVIEWER = (("grok", "Reviewer", "check every claim"),)


async def test_in_a_parallel_debate_all_get_the_same_question_and_no_task(tmp_path: Path) -> None:
    """E49 E53 E62 E63."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    openings = cast.asked("r1:*")
    assert held.export["workflow_type"] == "parallel_debate"
    assert {asked.role for asked in openings} == {"Planner", "Critic", "Judge"}
    same = ("PROMPT", "PROPOSITION", "CURRENT_CONTEXT", "MODE", "ROUND", "MAX_ROUNDS", "TASK")
    assert all(len({asked.values.get(name) for asked in openings}) == 1 for name in same)
    assert "Your task: answer the whole question." in openings[0].text
    assert {asked.role for asked in cast.asked("r2:*")} == {"Planner", "Critic", "Judge"}


async def test_in_a_sequence_stage_2_gets_everything_stage_1_wrote(tmp_path: Path) -> None:
    """E50 E52 2.2#15: full outputs, own digest, and the round of stage 1 gives the consensus."""
    cast = ScriptedModels(plan=Plan("sequential", stage2=REVIEWER, rounds=2))
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --build a queue")
    (review,) = cast.asked("s2:Reviewer")
    for role in ("Planner", "Critic", "Judge"):
        assert f"STAGE 1 OUTPUT from {role}" in review.text
        for words in (f"r1 of {role} thesis", f"r1 of {role} advice", f"r2 of {role} stays"):
            assert words.lower() in review.text
    assert "check every claim" in review.values["TASK"]
    assert held.voices == ("Planner", "Critic", "Judge") * 2 + ("Reviewer",)
    assert held.record.final_speeches[-1].digest.startswith("Thesis: s2 of reviewer digest")
    assert held.export["workflow_type"] == "sequential"
    assert held.export["consensus_pct"] == "80.0%"
    assert "s2 of reviewer digest" in cast.asked("synthesis")[0].values["ROUND1_SUMMARIES"]


async def test_stage_2_gets_nothing_from_a_seat_that_wrote_nothing(tmp_path: Path) -> None:
    """E50 E52 E54: neither an empty output nor its heading."""
    cast = ScriptedModels(
        plan=Plan("sequential", stage2=REVIEWER, rounds=1), says={"r1:Judge": FAIL}
    )
    async with scripted_playground(tmp_path, cast) as table:
        await table.hold("roundtable --debate is it so?")
    outputs = cast.asked("s2:Reviewer")[0].values["STAGE_1_OUTPUTS"]
    assert re.findall(r"STAGE 1 OUTPUT from (\w+)", outputs) == ["Planner", "Critic"]


async def test_a_sequence_of_one_round_has_no_consensus_percentage(tmp_path: Path) -> None:
    """E69 2.2#15."""
    cast = ScriptedModels(plan=Plan("sequential", stage2=REVIEWER, rounds=1))
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --build a queue")
        (minutes,) = table.minutes()
    assert held.export["consensus_pct"] == "N/A"
    assert not cast.asked("r2:*")
    assert "### Stage 2" in minutes


async def test_in_a_hybrid_each_seat_has_its_task_and_stage_2_integrates_all(
    tmp_path: Path,
) -> None:
    """E51 E53 E54."""
    cast = ScriptedModels(plan=Plan("hybrid", stage2=REVIEWER, rounds=1))
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --build a queue")
    tasks = {asked.role: asked.values["TASK"] for asked in cast.asked("r1:*")}
    assert tasks == {"Planner": "plan it", "Critic": "doubt it", "Judge": "weigh it"}
    assert "Your specific task for this stage:" in cast.asked("r1:Critic")[0].text
    (review,) = cast.asked("s2:Reviewer")
    assert "You integrate the work of stage 1" in review.text
    assert review.text.count("STAGE 1 OUTPUT from") == 3
    assert [(stage["role"], stage["task"]) for stage in held.export["stages"]] == [
        ("Planner", "plan it"),
        ("Critic", "doubt it"),
        ("Judge", "weigh it"),
        ("Reviewer", "check every claim"),
    ]
    assert "Stages: 2." in held.record.decision


async def test_only_premium_models_integrate_a_hybrid(tmp_path: Path) -> None:
    """E51: 1-2 premium agents; without one the debate is parallel, and it is said."""
    cast = ScriptedModels(
        plan=Plan("hybrid", stage2=(("claude-sonnet", "Reviewer", "check"),), rounds=1)
    )
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --build a queue")
    assert held.export["workflow_type"] == "parallel_debate"
    assert (
        "The analysts chose hybrid, but none of the models they named is available for stage 2"
    ) in held.card


async def test_seats_of_stage_2_can_be_asked_back_like_others(tmp_path: Path) -> None:
    """E5 E52: by name, by reply and from the menu, and each knows what it wrote in its stage."""
    cast = ScriptedModels(plan=Plan("sequential", stage2=REVIEWER, rounds=1))
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
        asked = await table.session.app.talk.panel_of(held.record.run_id)
        assert "Reviewer" in {seat.name for seat in asked}
        await table.write_in(held.thread, "Reviewer, are you sure?")
        (by_name,) = await answered(table, held.thread)
        voice = voice_of(table, held.thread, "Reviewer")
        await table.write_in(held.thread, "And why?", reply_to=voice.id)
        *_, by_reply = await answered(table, held.thread, 2)
    assert (by_name.author.name, by_reply.author.name) == ("Reviewer", "Reviewer")
    first, second = cast.asked("ask:Reviewer")
    assert "s2 of reviewer thesis" in first.values["OWN_TURNS"]
    assert "are you sure?" in second.values["OWN_TURNS"]


async def test_a_seat_of_stage_2_that_is_asked_during_stage_1_has_its_say_first(
    tmp_path: Path,
) -> None:
    """E5 E52: the question waits until the panel has spoken, and the seat knows what it said."""
    cast, asked = ScriptedModels(plan=Plan("sequential", stage2=REVIEWER, rounds=1)), Event()
    cast.says["r1:Planner"] = after(cast, asked)
    async with scripted_playground(tmp_path, cast) as table:
        await table.say("roundtable --debate is it so?")
        thread = await table.thread()
        await table.discord.until(lambda: "✍️" in "".join(m.text for m in table.said_in(thread)))
        await table.write_in(thread, "Reviewer, are you sure?")
        asked.set()
        await table.concluded(thread)
        said = await answered(table, thread)
    (follow_up,) = cast.asked("ask:Reviewer")
    assert "s2 of reviewer thesis" in follow_up.values["OWN_TURNS"]
    assert [m.author.name for m in said] == ["Reviewer"]
    assert [one.label for one in cast.heard if one.role == "Reviewer"][:2] == [
        "s2:Reviewer",
        "ask:Reviewer",
    ]


async def test_seats_of_stage_2_can_be_asked_back_after_a_restart(tmp_path: Path) -> None:
    """B47 E5 E52: the message of stage 2 is known by its id, and the seat by what is stored."""
    cast = ScriptedModels(plan=Plan("sequential", stage2=REVIEWER, rounds=1))
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot() as app:
            thread = await bench.asked("roundtable --debate is it so?")
            await bench.discord.until(lambda: bench.shown(thread, "META"))
            await app.run_service.idle()
        said = bench.discord.messages(thread.id)
        (voice,) = [m for m in said if m.webhook_id and m.author.name == "Reviewer"]
        async with bench.bot():
            jonas = bench.discord.person("Jonas").id
            await bench.discord.say(jonas, thread.id, "Are you sure?", reply_to=voice.id)
            answer = await bench.discord.until(
                lambda: next(
                    (
                        m
                        for m in bench.discord.messages(thread.id)
                        if m.webhook_id and m.id > said[-1].id
                    ),
                    None,
                )
            )
    assert answer
    assert answer.author.name == "Reviewer"
    (asked,) = cast.asked("ask:*")
    assert asked.role == "Reviewer"
    assert "s2 of reviewer thesis" in asked.values["OWN_TURNS"]
