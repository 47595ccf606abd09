"""The minutes hold everything that was said and decided."""

from dataclasses import replace
from typing import Any

import pytest

from bot.measures.convergence import Convergence
from bot.prompting.closing_lines import Stance
from bot.prompting.round_answers import Critique
from bot.prompting.summary import Point, RoundSummary
from bot.record.record import Dissent, Ending, FailedCall, Remark, RunRecord, SeatView
from bot.reports.files import json_export
from bot.reports.minutes import brief_lines, minutes_text
from tests.golden.records import full_record
from tests.record.sample_record import (
    ADVOCATE,
    CONCLUSION,
    CRITIC,
    NOTHING_CONCLUDED,
    SECTIONS,
    record,
    speech,
)

BEGAN = 1_700_000_000.0
DIGEST = "Thesis: too slow\nC1: builds take an hour\nC2: nobody maintains it\nRisk: few"


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
        "- [ ] Pick a team (owner: unassigned, next 24h)",
        "- [ ] Measure (owner: unassigned, next 7d)",
        "### Round 1",
        "**Critic(grok)**: Critic speaks",
        "_Stance: disagree_",
    ):
        assert part in text


def test_summary_and_transcript_have_these_lines_and_no_others() -> None:
    """A33: with the time of a speech and the model that really spoke, where they are known."""
    other = speech(CRITIC, model="claude-sonnet", stance=Stance.DISAGREE)
    said = speech(ADVOCATE, at=BEGAN + 10), other
    text = minutes_text(record(speeches=said, sessions=("rt-advocate", "rt-critic")))
    digest = "> **Digest** (what the others and the writer read of it)\n>\n> - Thesis: {} thinks so"
    link = "[message](https://discord.com/channels/1/2/3)"
    stances = "1 agree, 1 disagree, 0 neutral"
    assert text.partition("## Summary\n\n")[2].partition("\n\n")[0].splitlines() == [
        "- Mode: debate · Proposition: We should adopt uv",
        "- Design: The default panel for debate",
        "- Participants: Advocate(claude-opus), Critic(grok)",
        "- Sessions: rt-advocate, rt-critic",
        "- Rounds: 1 of 1",
        "- Date: 2023-11-14 22:13:20 UTC to 2023-11-14 22:14:35 UTC",
        "- Ending: Concluded after 1 min 15 s",
        f"- Stance: the panel is divided ({stances}) · Validated: not asked for",
        "- 2 seats · 1 round · 3 calls · 4,200 tokens · $0.08 · 1 min 15 s",
        "- Id: rt_0123abcd",
    ]
    assert text.partition("## Detailed Transcript\n\n")[2].rstrip("\n").split("\n\n") == [
        "### Round 1",
        "**Advocate(claude-opus)**: Advocate speaks",
        digest.format("Advocate"),
        f"_Stance: agree_ · 22:13:30 UTC · {link}",
        "**Critic(claude-sonnet)**: Critic speaks",
        digest.format("Critic"),
        f"_Stance: disagree_ · {link}",
    ]
    assert "Critic(grok)\n- Rounds: 1 of 1\n" in minutes_text(record())


def test_every_speech_links_to_its_message() -> None:
    """A33 A34: one that was split links to its beginning."""
    begins, ends = (f"https://discord.com/channels/1/2/{number}" for number in (3, 4))
    text = minutes_text(record(speeches=(speech(ADVOCATE, links=(begins, ends)),)))
    assert text.count("[message](") == 1
    assert f"[message]({begins})" in text


def test_the_transcript_is_whole_even_when_nobody_concluded() -> None:
    """A34 A35."""
    stopped = record(ending=Ending.STOPPED, ending_note="stopped by a person")
    text = minutes_text(replace(stopped, conclusion=NOTHING_CONCLUDED))
    assert "Stopped: stopped by a person" in text
    assert "**Advocate(claude-opus)**: Advocate speaks" in text


def test_minutes_of_a_run_under_way_say_that_it_is_not_over() -> None:
    """A34."""
    said = Remark("Person 1", "Wait.", BEGAN, "synthesis", unheard=True)
    held = record(ending=Ending.OPEN, ending_note="round 1 was held", floor=(said,))
    text = minutes_text(replace(held, conclusion=NOTHING_CONCLUDED))
    assert "- Ending: Not over yet: round 1 was held" in text
    assert "- **Decision:** none yet, the roundtable is under way" in text
    assert "### From the floor, so far\n\n**Person 1**, 22:13:20 UTC:\n\n> Wait." in text
    over = minutes_text(record(floor=(said,)))
    assert "### From the floor, after the rounds" in over
    assert "(too late to be heard by the panel)" in over


def test_a_seat_that_did_not_speak_is_in_the_minutes() -> None:
    silent = speech(CRITIC, problem="timeout after 60 s", text="")
    text = minutes_text(record(speeches=(speech(ADVOCATE), silent)))
    assert "**Critic(grok)**: did not speak: timeout after 60 s" in text
    assert "a late answer" not in text
    late = minutes_text(record(speeches=(speech(ADVOCATE), replace(silent, late=True))))
    assert " · a late answer is kept and not counted" in late


def test_what_a_decision_does_not_rest_on_stands_above_it() -> None:
    """A34: losses and a run cut short for money."""
    text = minutes_text(record(degradations=("Critic failed",), budget_note="the money was up"))
    assert "**Note:** Critic failed\n\n**Note:** the money was up\n\n" in text
    assert text.index("**Note:** Critic") < text.index("## Action Items")


def test_why_a_planned_round_was_not_held_is_said() -> None:
    """A34."""
    held = record(rounds_planned=2, rounds_ended="All agreed after round 1.")
    assert "- Rounds: 1 of 2\n- All agreed after round 1.\n" in minutes_text(held)


def test_a_run_in_which_nobody_spoke_has_minutes() -> None:
    assert "Nobody spoke." in minutes_text(record(speeches=(), conclusion=NOTHING_CONCLUDED))


def concluded(**sections: str) -> RunRecord:
    return record(conclusion=replace(CONCLUSION, sections=SECTIONS | sections))


def test_five_lines_at_the_top_can_be_sent_on() -> None:
    """A34 C23: question, decision, reason, dissent and next step, each on a line of its own."""
    held = replace(
        concluded(action_plan="Next 24h:\n- Pick a team (owner: Ines)\nNext 7d:\n- Measure"),
        dissents=(Dissent("Critic", "It costs\nmore. And it is new."),),
    )
    lines = [
        "Question: Should we adopt uv? (debate: 2 panelists, 1 round, 2023-11-14)",
        "Decision: The panel is divided: 1 yes, 1 no, 0 neutral",
        "Reason: Adopt it for one team first.",
        "Dissent: Critic: It costs more. And it is new.",
        "Next: Pick a team (owner: Ines, next 24h); and 1 more step",
    ]
    assert brief_lines(held) == lines
    assert json_export(held)["brief"] == lines
    shown = [f"- **{line.replace(':', ':**', 1)}" for line in lines]
    assert minutes_text(held).split("\n\n")[1].splitlines() == shown


def test_the_five_lines_stay_five_whatever_happened() -> None:
    """A34: long words end with a sentence, several dissents are counted, nothing is made up."""
    nothing = record(conclusion=NOTHING_CONCLUDED, ending=Ending.FAILED, ending_note="no answer")
    assert [line.partition(": ")[2] for line in brief_lines(nothing)[2:]] == [
        "no recommendation was written", "none was recorded", "no step was planned",
    ]  # fmt: skip
    many = tuple(Dissent(f"Seat {n}", "I would not. " * 20) for n in range(4))
    long = concluded(recommendation=f"- First of all wait. {'And then wait again. ' * 30}")
    lines = brief_lines(replace(long, dissents=many, rehearsal=True))
    assert len(lines) == 5
    assert not any("\n" in line for line in lines)
    assert lines[0].endswith("2023-11-14; a rehearsal, no model spoke)")
    assert lines[2].startswith("Reason: First of all wait. And then")
    assert lines[2].endswith("wait again.")
    assert lines[3].endswith("; and 2 more dissents")


def test_dissenters_without_words_are_named_behind_those_who_wrote() -> None:
    """A34 C23: in a debate the smaller side; a run without a conclusion has no dissent from it."""
    judge = SeatView("judge", "Judge", "gpt", "gpt")
    seats = (ADVOCATE, CRITIC, judge, *(SeatView(f"s{n}", f"S{n}", "m", "m") for n in range(3)))
    sides = {True: Stance.DISAGREE, False: Stance.AGREE}
    said = tuple(speech(seat, stance=sides[seat in (CRITIC, judge)]) for seat in seats)
    held = record(seats=seats, speeches=said, dissents=(Dissent("Judge", "No.", "gpt"),))
    lost = "Critic (disagree), whose words were not recorded"
    assert brief_lines(held)[3] == f"Dissent: Judge: No.; {lost}"
    assert f"## Dissent\n\n> **Judge(gpt)**: No.\n\n> {lost}\n" in minutes_text(held)
    unheard = replace(held, dissents=())
    for other in (
        replace(unheard, ending=Ending.STOPPED),
        replace(unheard, ending=Ending.OPEN),
        replace(unheard, conclusion=NOTHING_CONCLUDED),
        replace(unheard, seats=seats[:2], speeches=said[:2]),
    ):
        assert brief_lines(other)[3] == "Dissent: none was recorded"
        assert "## Dissent" not in minutes_text(other)


def test_no_line_at_the_top_is_too_long_to_be_sent_on() -> None:
    """A34: a topic may have 4,000 characters; it stands whole in the title."""
    long = "Our builds take an hour. " * 100
    plan = f"Next 24h:\n- {long}(owner: Ines)"
    held = replace(concluded(action_plan=plan), topic=long.strip())
    question, *_, step = brief_lines(held)
    assert question.startswith("Question: Our builds take an hour.")
    assert question.endswith("hour.… (debate: 2 panelists, 1 round, 2023-11-14)")
    assert step.endswith("… (owner: Ines, next 24h)")
    assert sum(map(len, brief_lines(held))) < 2_000
    text = minutes_text(held)
    assert text.startswith(f"# Roundtable Conclusion: {long.strip()}\n")
    assert f"- [ ] {long.strip()} (owner: Ines, next 24h)" in text


def test_sentences_end_without_a_blank_in_other_scripts() -> None:
    """A34."""
    reason = "「先等一等。」他说。" + "我们应该保持整体，因为团队很小。" * 9
    (told,) = (line for line in brief_lines(concluded(recommendation=reason)) if "Reason" in line)
    assert told.startswith("Reason: 「先等一等。」他说。我们应该保持整体，")
    assert told.endswith("因为团队很小。")


def test_a_recommendation_too_long_for_the_top_stands_whole_in_the_conclusion() -> None:
    """A34."""
    long = f"Wait. {'Think twice. ' * 40}Then act."
    assert f"### Recommendation\n\n{long}" in minutes_text(concluded(recommendation=long))
    assert "### Recommendation" not in minutes_text(concluded())
    bare = record(conclusion=replace(CONCLUSION, sections={}, text=long))
    assert long in minutes_text(bare)


def test_what_the_writer_says_is_kept_beside_the_findings_of_the_last_round() -> None:
    """A34: the conclusion's own consensus and divergences are not dropped."""
    found = RoundSummary("So far.", (Point("Both", ("Advocate", "Critic")),), (), parsed=True)
    held = record(summaries=(found,), convergence=(Convergence(1, 1),))
    text = minutes_text(held)
    assert "## Consensus Points\n\n1. Both" in text
    assert "### Consensus\n\n- It saves time\n- It needs a maintainer" in text
    assert "### Divergences\n\n- Advocate wants it now" in text


@pytest.mark.parametrize(
    "last", [(), (RoundSummary("Read as text.", (), (), parsed=False),)], ids=["lost", "text"]
)
def test_points_of_an_earlier_round_are_not_the_final_ones(last: tuple[RoundSummary, ...]) -> None:
    """A34: without findings of the last round the writer's bullets stand, in the JSON, too."""
    early = RoundSummary("So far.", (Point("Stale", ("Advocate", "Critic")),), (), parsed=True)
    measured = (Convergence(1, 1), Convergence(2))[: 1 + len(last)]
    again = (speech(ADVOCATE), speech(ADVOCATE, round=2), speech(CRITIC, round=2))
    held = record(summaries=(early, *last), convergence=measured, speeches=again)
    text = minutes_text(held)
    assert "## Consensus Points\n\n1. It saves time\n2. It needs a maintainer" in text
    assert "## Disagreement Points\n\n1. Advocate wants it now" in text
    assert "Stale" not in text
    export = json_export(held)
    told = [as_dicts(export[name])[0]["text"] for name in ("consensus_points", "disagreements")]
    assert told == ["It saves time", "Advocate wants it now, Critic wants a trial"]


def test_what_the_lists_do_not_hold_stands_in_the_conclusion() -> None:
    """A34: prose is no list, and lines between the items are not lost."""
    held = concluded(
        consensus="Both say that it saves time.",
        divergences="- When to begin\n\nNobody asked the team.",
        action_plan="Next 24h:\n- Pick a team\n\nStop if it takes longer than a week.",
    )
    text = minutes_text(held)
    assert "### Consensus\n\nBoth say that it saves time." in text
    assert "### Divergences\n\n- When to begin\n\nNobody asked the team." in text
    assert "### Action plan\n\nNext 24h:\n- Pick a team\n\nStop if it takes longer" in text
    assert "- [ ] Pick a team (owner: unassigned, next 24h)" in text
    for title in ("Consensus", "Divergences", "Action plan"):
        assert f"### {title}\n" not in minutes_text(concluded())


def test_owners_come_from_the_writer_or_nobody_is_named() -> None:
    """C23: an owner is never invented."""
    plan = "Next 24h:\n- Call Olga (owner: Ines)\n- Rest\nNext 7d:\n- Ship, owner: <@7>"
    held = concluded(action_plan=plan)
    text = minutes_text(held)
    assert "- [ ] Call Olga (owner: Ines, next 24h)\n- [ ] Rest (owner: unassigned" in text
    assert "- [ ] Ship (owner: unassigned, next 7d)" in text
    assert "starter" not in text
    assert json_export(held)["action_items"] == [
        {"text": "Call Olga", "when": "Next 24h", "owner": "Ines"},
        {"text": "Rest", "when": "Next 24h", "owner": None},
        {"text": "Ship", "when": "Next 7d", "owner": None},
    ]


def test_positions_of_every_seat_stand_below_a_disagreement() -> None:
    """C23: with the claim or the objection closest to the point, else why it voted so."""
    judge = SeatView("judge", "Judge", "gpt", "gpt", stage=2)
    point = Point("Whether anybody maintains it", ("Critic",))
    claims = (("C1", "builds take an hour"), ("C2", "nobody maintains it"))
    held = record(
        summaries=(RoundSummary("So far.", (), (point,), parsed=True),),
        convergence=(Convergence(2, 0, 1),),
        seats=(ADVOCATE, CRITIC, judge),
        speeches=(
            speech(ADVOCATE, ballot="yes", confidence=80, reason="it is fast"),
            speech(CRITIC, stance=Stance.DISAGREE, claims=claims),
            speech(CRITIC, round=2, stance=Stance.DISAGREE, digest="Thesis: still no"),
            speech(judge, critiques=(Critique("Critic", "C2", "Olga maintains it", "she does"),)),
        ),
    )
    positions = (
        "   - Advocate: yes, 80 % sure · it is fast\n"
        "   - Critic: disagree · C2: nobody maintains it\n"
        "   - Judge: agree · Olga maintains it\n"
    )
    assert "1. Whether anybody maintains it ([Critic](" in minutes_text(held)
    assert f"3))\n{positions}" in minutes_text(held)
    (told,) = as_dicts(json_export(held)["disagreements"])
    assert (told["text"], told["from"]) == (point.text, ["Critic"])
    assert told["positions"][1] == {
        "role": "Critic", "position": "disagree", "confidence": None,
        "words": "C2: nobody maintains it",
    }  # fmt: skip


def test_claims_for_a_position_that_was_given_up_are_not_shown() -> None:
    """C23: whoever changed sides without a new digest has said nothing for the new side there."""
    claims = (("C1", "builds take an hour"), ("C2", "nobody maintains it"))
    first = speech(CRITIC, ballot="wait", digest=DIGEST, claims=claims)
    moved = replace(first, round=2, ballot="uv", confidence=70, claims=())
    back = replace(moved, round=3, ballot="wait")
    for said, shown in (
        ((first, moved), "   - Critic: uv, 70 % sure\n"),
        ((first, replace(moved, digest="Thesis: it is fine")),
         "   - Critic: uv, 70 % sure · Thesis: it is fine\n"),
        ((first, replace(moved, reason="it is fast")), "   - Critic: uv, 70 % sure · it is fast\n"),
        ((first, moved, back), "   - Critic: wait, 70 % sure · C2: nobody maintains it\n"),
    ):  # fmt: skip
        held = replace(concluded(divergences="- Whether anybody maintains it"), speeches=said)
        assert shown in minutes_text(held)


def test_positions_stand_below_what_the_writer_calls_a_divergence_too() -> None:
    """C23: also where no summary could be read."""
    text = minutes_text(record())
    assert "1. Advocate wants it now, Critic wants a trial\n   - Advocate: agree · Thesis" in text


def test_digests_with_their_claims_stand_below_the_speech_that_ends_with_them() -> None:
    """A34: C1 to C3 are what critiques cite; a digest that still stands is not repeated."""
    claims = (("C1", "builds take an hour"), ("C2", "nobody maintains it"))
    first = speech(CRITIC, digest=DIGEST, claims=claims)
    held = record(speeches=(first, replace(first, round=2)), rounds_planned=2)
    quote = "".join(f"\n> - {line}" for line in DIGEST.splitlines())
    text = minutes_text(held)
    assert (
        text.count("Critic speaks\n\n> **Digest** (what the others and the writer read of it)") == 1
    )
    assert text.count(quote) == 1
    told = as_dicts(json_export(held)["transcript"])[0]
    assert told["claims"] == {"C1": "builds take an hour", "C2": "nobody maintains it"}
    assert told["digest"] == DIGEST


def test_speeches_have_their_times_and_say_who_really_answered() -> None:
    """A34: a stand-in is named with the model it replaced and the reason."""
    held = record(
        speeches=(
            speech(ADVOCATE, at=BEGAN + 61),
            speech(CRITIC, at=BEGAN + 86_400, model="gpt", stood_in_for="grok"),
        ),
        failed_calls=(
            FailedCall("Advocate", 1, "claude-opus", "overloaded"),
            FailedCall("Critic", 2, "grok", "timeout"),
            FailedCall("Critic", 1, "grok", "rate limited"),
        ),
        dissents=(Dissent("Critic", "No.", "gpt", "grok"),),
    )
    text = minutes_text(held)
    assert "_Stance: agree_ · 22:14:21 UTC · [message](" in text
    instead = "gpt answered in place of grok (rate limited)"
    assert "**Critic(gpt)**: Critic speaks" in text
    assert f"· 2023-11-15 22:13:20 UTC · {instead} · [message](" in text
    assert f"- Stand-ins: Critic, round 1: {instead}" in text
    assert "> **Critic(gpt)**: No. (gpt answered in place of grok)" in text
    first, second = as_dicts(json_export(held)["transcript"])
    assert (first["at"], first["stood_in_for"]) == ("2023-11-14T22:14:21+00:00", None)
    assert (second["model"], second["stood_in_for"]) == ("gpt", "grok")


def test_what_people_said_stands_where_the_panel_heard_it() -> None:
    """A34: from the floor per step, questions with whom they are for, answers with what they
    answer."""
    text = minutes_text(full_record())
    marks = (
        "- From the floor: Person 1, Person 2",
        "### From the floor, before round 1\n\n**Person 1** to Critic, 22:13:51 UTC",
        " (answered below):\n\n> Critic, why?",
        "### Round 1",
        "### From the floor, after the rounds\n\n**Critic(gpt)** to Person 1 (“Critic, why?”)",
        ": It breaks.\n\n22:14:20 UTC · [message](https://discord.com/channels/1/2/4)",
        "### From the floor, after the conclusion\n\n**Person 2**, 22:14:30 UTC",
        " (too late to be heard by the panel):\n\n> Thanks.",
    )
    assert [text.index(mark) for mark in marks] == sorted(map(text.index, marks))
    told = as_dicts(json_export(full_record())["floor"])
    assert [(r["speaker"], r["step"], r["is_answer"]) for r in told] == [
        ("Person 1", "r1", False), ("Critic", "synthesis", True), ("Person 2", None, False),
    ]  # fmt: skip
    assert told[0]["at"] == "2023-11-14T22:13:51+00:00"


def test_what_people_said_before_stage_2_stands_before_it() -> None:
    """A34."""
    judge = SeatView("judge", "Judge", "gpt", "gpt", stage=2)
    text = minutes_text(
        record(
            seats=(ADVOCATE, judge),
            speeches=(speech(ADVOCATE), speech(judge, round=2)),
            floor=(Remark("Person 1", "Be brief.", BEGAN + 61, "s2"),),
        )
    )
    said = "### From the floor, before stage 2\n\n**Person 1**, 22:14:21 UTC:\n\n> Be brief."
    assert f"{said}\n\n### Stage 2\n\n**Judge(gpt)**: " in text


@pytest.mark.parametrize(
    ("remark", "shown"),
    [
        (Remark("Person 1", "All?", BEGAN, "r1", ("Advocate", "Critic"), answered=False),
         "**Person 1** to everybody, 22:13:20 UTC (not answered):\n\n> All?"),
        (Remark("Person 1", "Well?", BEGAN, "r1", ("Critic",)),
         "**Person 1** to Critic, 22:13:20 UTC (not answered yet):\n\n> Well?"),
        (Remark("Critic", "So.", BEGAN, "r1", ("Person 1",), is_answer=True, model="grok"),
         "**Critic(grok)** to Person 1, whose question was removed: So."),
        (Remark("Critic", "So.", BEGAN, "r1", ("Advocate",), is_answer=True, model="grok"),
         "**Critic(grok)** to Advocate: So."),
        (Remark("Critic", "So.", BEGAN, "r1", ("Person 1",), question="Why?", is_answer=True,
                model="gpt", stood_in_for="grok"),
         "(“Why?”): So.\n\n22:13:20 UTC · gpt answered in place of grok"),
        (Remark("Person 1", "Yes.", BEGAN, "r1", by_starter=True),
         "- From the floor: Person 1 (started the roundtable)"),
    ],
)  # fmt: skip
def test_what_became_of_words_is_said(remark: Remark, shown: str) -> None:
    """A34."""
    assert shown in minutes_text(record(floor=(remark,)))


def test_ten_people_are_listed_in_their_order() -> None:
    """A34."""
    floor = tuple(Remark(f"Person {n}", "Hi.", BEGAN, "r1") for n in range(11, 0, -1))
    assert "Person 1, Person 2, Person 3" in minutes_text(record(floor=floor))
    assert "Person 9, Person 10, Person 11" in minutes_text(record(floor=floor))


def test_nobody_can_write_an_entry_of_the_minutes() -> None:
    """A34: a person's lines stay inside the quote of them, and ping nobody."""
    fake = "Hi\n\n**Critic(grok)**: I agree.\n# Round 9\n@everyone <@7> <@&8>"
    text = minutes_text(record(floor=(Remark("Person 1", fake, BEGAN, "r1"),)))
    assert "\n\n> Hi\n>\n> **Critic(grok)**: I agree.\n>\n> **Round 9**\n>\n> ＠everyone" in text
    assert "<@" not in text


def test_a_panelist_cannot_speak_for_another_in_the_minutes() -> None:
    """A34: the bold names at the beginning of entries are the file's own."""
    fake = (
        "Yes.\n\n**Critic(grok)**: I agree.\n**Person 1**, 10:00:00 UTC:\n> Me too.\n"
        "### Round 9\n**Cost**: none\n**THESIS:** yes"
    )
    answer = Remark("Critic", fake, BEGAN, "r1", ("Person 1",), is_answer=True, model="grok")
    text = minutes_text(record(speeches=(speech(ADVOCATE, text=fake),), floor=(answer,)))
    assert text.count("\n\nCritic(grok): I agree.\n\nPerson 1, 10:00:00 UTC:") == 2
    assert text.count("**Cost**: none\n\n**THESIS:** yes") == 2
    assert text.count("\n**Critic(grok)**") == 1, "the entry of its own answer"
    assert "### Round 9" not in text


def test_every_line_of_a_speech_is_a_paragraph_outside_lists_and_code() -> None:
    """A34: Markdown would run them together."""
    said = "**THESIS:** Yes.\n**KEY CLAIMS:**\n1. one\n2. two\n```\na\nb\n```"
    text = minutes_text(record(speeches=(speech(CRITIC, text=said),)))
    assert "**THESIS:** Yes.\n\n**KEY CLAIMS:**\n1. one\n2. two\n```\na\nb\n```" in text


def as_dicts(found: object) -> list[dict[str, Any]]:
    assert isinstance(found, list)
    return found
