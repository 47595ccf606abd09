"""A record in which everything happened that an export or the minutes can tell of."""

from bot.measures.agreement import Agreement, Flip
from bot.measures.convergence import Convergence
from bot.measures.tally import Count, Tally, Voter
from bot.measures.validation import ValidationResult
from bot.measures.worth import PanelWorth
from bot.prompting.round_answers import Critique
from bot.prompting.summary import Point, RoundSummary
from bot.prompting.synthesis import SYNTHESIS_HEADINGS
from bot.record.build import BuildAttempt, BuildRecord, Check, EffectRecord, FileRecord, GateRecord
from bot.record.record import (
    Conclusion,
    Dissent,
    EarlierRun,
    FailedCall,
    Remark,
    RunRecord,
    SeatView,
)
from bot.record.run_rows import PeopleCount, PeopleVotes
from bot.store import AttemptStatus, ReviewType, Verdict
from bot.store.repositories.reviews import Finding, Severity
from tests.record.sample_record import ADVOCATE, CRITIC, record, speech

BUILDER = SeatView("builder", "Builder", "gpt", "openai", task="joins the parts", stage=2)


def full_record() -> RunRecord:
    point = Point("It saves time", ("Advocate",))
    return record(
        seats=(ADVOCATE, CRITIC, BUILDER),
        speeches=(
            speech(ADVOCATE, ballot="yes", confidence=80, reason="It saves time."),
            speech(
                CRITIC,
                at=1_700_000_030.0,
                claims=(("C1", "It breaks."),),
                critiques=(Critique("Advocate", "A1", "It saves no time", "of the builds"),),
                model="gpt",
                stood_in_for="grok",
            ),
            speech(BUILDER, round=2),
        ),
        options=("yes", "no"),
        tallies=(Tally(1, (Count("yes", (Voter("Advocate", 80),)), Count("no"))),),
        agreement=Agreement({"Advocate": {"Critic": 7}}, 70.0),
        convergence=(Convergence(1, 1, 1),),
        summaries=(RoundSummary("So far.", (point,), (point,), (point,), parsed=True),),
        flips=(Flip("Critic", 2, "no", "yes", "Advocate", "A1", "It saves time."),),
        conclusion=Conclusion(
            text="Yes.",
            title="Yes",
            model="mistral-large",
            sections=dict.fromkeys(SYNTHESIS_HEADINGS, "- Yes"),
        ),
        dissents=(Dissent("Critic", "No.", "gpt", "grok"),),
        floor=floor(),
        degradations=("One seat stood in.",),
        notices=("The bot was restarted.",),
        rehearsal=True,
        people=PeopleVotes(PeopleCount((1, 0)), PeopleCount((0, 1))),
        builds_on=EarlierRun("rt_00000001", "https://discord.com/channels/1/23", "context"),
        validation=ValidationResult("partial", corrections=(("Critic", "I said no."),)),
        failed_calls=(FailedCall("Critic", 1, "grok", "busy"),),
        delivery=delivery(),
        worth=PanelWorth.of(
            {"Advocate": "opus", "Critic": "opus", "Judge": "grok"},
            {"Advocate": "claude", "Critic": "claude", "Judge": "grok"},
            {"opus": 0.8, "grok": 0.8},
        ),
    )


def floor() -> tuple[Remark, ...]:
    asked = Remark("Person 1", "Critic, why?", 1_700_000_031.0, "r1", ("Critic",), answered=True)
    answer = Remark(
        "Critic",
        "It breaks.",
        1_700_000_060.0,
        "synthesis",
        ("Person 1",),
        "Critic, why?",
        is_answer=True,
        model="gpt",
        links=("https://discord.com/channels/1/2/4",),
    )
    return (asked, answer, Remark("Person 2", "Thanks.", 1_700_000_070.0, "", unheard=True))


def delivery() -> BuildRecord:
    finding = Finding(Severity.MINOR, "It is slow.", "main.py")
    gates = tuple(
        GateRecord(kind, "Critic", Verdict.APPROVED, "Good.", (finding,), checks, ("speed",), "low")
        for kind, checks in zip(ReviewType, [(Check(1, "It runs", met=True),), ()], strict=True)
    )
    file = FileRecord("main.py", "file", 3, "0" * 64, "builder")
    built = BuildAttempt(1, AttemptStatus.SUCCEEDED, "model", "gpt", "", (file,), gates)
    effect = EffectRecord("Comment on the issue", "comment", "approved", done=True)
    return BuildRecord(1, True, "A tool", ("It runs",), gates[:1], (built,), (effect,))
