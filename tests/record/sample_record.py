"""A record of a finished run for tests of what is made from it."""

from dataclasses import replace
from typing import Any

from bot.measures.agreement import Agreement
from bot.measures.convergence import StanceResult
from bot.measures.validation import ValidationResult
from bot.prompting.closing_lines import Stance
from bot.record.record import Conclusion, Ending, RunRecord, SeatView, Speech, Spending
from bot.types.mode import Mode

ADVOCATE = SeatView("advocate", "Advocate", "claude-opus", "claude", perspective="argues for it")
CRITIC = SeatView("critic", "Critic", "grok", "grok", perspective="argues against it")

SECTIONS = {
    "recommendation": "Adopt it for one team first.",
    "consensus": "- It saves time\n- It needs a maintainer",
    "divergences": "- Advocate wants it now, Critic wants a trial",
    "action_plan": "Next 24h:\n- Pick a team\nNext 7d:\n- Measure",
}


CONCLUSION = Conclusion(
    text="🎯 Try uv\n\n🏆 RECOMMENDATION\nAdopt it for one team first.",
    title="Try uv",
    model="mistral-large",
    sections=SECTIONS,
)
NOTHING_CONCLUDED = Conclusion()


def speech(seat: SeatView, **changes: Any) -> Speech:
    plain = Speech(
        seat=seat,
        round=1,
        model=seat.model,
        text=f"{seat.role} speaks",
        digest=f"Thesis: {seat.role} thinks so",
        stance=Stance.AGREE,
        links=("https://discord.com/channels/1/2/3",),
    )
    return replace(plain, **changes)


def record(**changes: Any) -> RunRecord:
    plain = RunRecord(
        run_id="rt_0123abcd",
        topic="Should we adopt uv?",
        mode=Mode.DEBATE,
        workflow="parallel_debate",
        starter_id=7,
        created_at=1_700_000_000.0,
        finished_at=1_700_000_075.0,
        ending=Ending.CONCLUDED,
        ending_note="concluded",
        rehearsal=False,
        quick=False,
        seed=1,
        rounds_planned=1,
        proposition="We should adopt uv",
        seats=(ADVOCATE, CRITIC),
        speeches=(speech(ADVOCATE), speech(CRITIC, stance=Stance.DISAGREE)),
        options=(),
        tallies=(),
        stance_result=StanceResult.NONE,
        agreement=Agreement(),
        convergence=(),
        summaries=(),
        flips=(),
        rounds_ended="",
        validation=ValidationResult("no"),
        conclusion=CONCLUSION,
        dissents=(),
        findings=None,
        degradations=(),
        notices=(),
        decision="The default panel for debate",
        meta_recommendation="",
        spending=Spending(3, 4200, 0.08),
    )
    return replace(plain, **changes)
