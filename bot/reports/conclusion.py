"""The conclusion as people read it: the model's sections between a header and META made by code."""

import re
from collections.abc import Sequence
from typing import Final

from bot.measures.tally import Tally
from bot.measures.validation import recommend_validation
from bot.measures.worth import PanelWorth
from bot.messages.conclusion import ConclusionText, OutcomeText, ValidationText
from bot.messages.decisions import EarlierText, ReopenText
from bot.messages.meeting import SeatingText
from bot.messages.money import MoneyText
from bot.messages.starting import ModeText
from bot.messages.votes import AgreementText, BallotText, WorthText
from bot.prompting.closing_lines import Stance
from bot.prompting.synthesis import SYNTHESIS_HEADINGS
from bot.record.build import BuildAttempt, BuildRecord
from bot.record.record import (
    Ending,
    FailedCall,
    RunRecord,
    SeatView,
    counted_stances,
    stance_text,
    stance_words,
)
from bot.record.run_rows import plain_title
from bot.reports.ballots import happened_line, weighing_lines
from bot.reports.build import build_text
from bot.request.modes import plain_topic
from bot.search.results import cited_labels, sources_text
from bot.store import ReviewType
from bot.types.mode import Mode

_ADVICE = ("recommendation",)
_ARGUMENT = ("consensus", "divergences", "blind_spots", "outlier", "red_flags")
_PLAN = ("action_plan", "overturn")
SECTION_ORDER = (*_ADVICE, *_ARGUMENT, *_PLAN)
_MOST_SENTENCES: Final = 3
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。！？؟])[\"'”’)*_]{0,3}(?:\s+|(?<=[。！？]))")
_OUTCOME_LIMIT: Final = 110
_ASKS_YES_OR_NO: Final = re.compile(
    r"(?:should|must|can|could|will|would|may|might|shall|is|are|was|were|am|do|does|did|has|have"
    r"|soll|sollen|sollte|sollten|ist|sind|kann|können|könnte|darf|dürfen|muss|müssen|wird|werden"
    r"|lohnt|brauchen|est-ce|faut-il|doit-on|devons-nous|devrait-on|devrions-nous|peut-on"
    r"|debemos|deberíamos|debería|conviene|podemos|es|devemos|deveríamos|podemos|vale"
    r"|dobbiamo|dovremmo|conviene|possiamo|moeten|moet|zullen|kunnen|czy|هل)(?![\w-])",
    re.IGNORECASE,
)
_QUESTION_MARKS: Final = ("?", "？", "؟")
_EDGES: Final = " \t*_#>-•\"'“”"


def outcome_line(record: RunRecord) -> str:
    """What came out of a run, in one line that begins with a sign and holds no markup."""
    if record.ending in (Ending.STOPPED, Ending.FAILED):
        return OutcomeText.not_concluded(record.ending.value, _flat(record.ending_note))
    if record.delivery is not None and record.delivery.delivered is not None:
        return _delivered(record.delivery, record.delivery.delivered)
    if record.tallies:
        return _vote_outcome(record.tallies[-1])
    if record.mode is Mode.REDTEAM and (risks := _items(record, "red_flags")):
        return OutcomeText.top_risk(_flat(risks[0].partition(":")[0]))
    return _answer_outcome(record)


def outcome_link(record: RunRecord) -> str:
    """The same for the channel, the card and lists, with a link to the conclusion."""
    return OutcomeText.read(outcome_line(record), record.conclusion_url)


def _vote_outcome(tally: Tally) -> str:
    winners = [_flat(option) for option in tally.winners]
    if not winners:
        return OutcomeText.NO_BALLOT
    votes = tally.votes_for(tally.winners[0])
    if len(winners) > 1:
        return OutcomeText.tied(winners, 0 if tally.by_weight else votes, _flat(tally.leader or ""))
    won = OutcomeText.won_by_weight if tally.by_weight else OutcomeText.won
    return won(winners[0], votes, len(tally.choices()))


def _answer_outcome(record: RunRecord) -> str:
    """The stances toward the proposition: a plain answer where yes or no was asked."""
    stances = record.stances_in(record.rounds_held)
    counts = stances.count(Stance.AGREE), stances.count(Stance.DISAGREE), len(stances)
    title = _flat(record.conclusion.title)
    if not stances or not any(counts[:2]):
        return OutcomeText.titled(title)
    question = plain_topic(record.topic).strip(_EDGES + "¿")
    asked = question.endswith(_QUESTION_MARKS) and _ASKS_YES_OR_NO.match(question)
    return OutcomeText.answer(*counts) if asked or not title else OutcomeText.advice(title, *counts)


def _delivered(delivery: BuildRecord, delivered: BuildAttempt) -> str:
    gate = delivered.gate(ReviewType.SPEC)
    met = sum(check.met for check in gate.checks) if gate else 0
    names = [_flat(file.name) for file in delivered.files]
    return OutcomeText.delivered(names, met, len(delivery.criteria) if gate else 0)


def _items(record: RunRecord, section: str) -> list[str]:
    lines = record.conclusion.sections.get(section, "").splitlines()
    return [text for line in lines if (text := line.strip().strip(_EDGES))]


def _flat(text: str) -> str:
    """What somebody wrote as part of a line: on one line, without markup, pinging nobody."""
    return plain_title(text[: _OUTCOME_LIMIT * 4])[:_OUTCOME_LIMIT].rstrip(" .,;:")


def conclusion_text(record: RunRecord) -> str:
    """The closing post: the answer and its reason first, then the rest, and one small line.

    A vote stands even before the advice, which may not overrule it. The dissent, what the debate
    changed, the plan and the sources follow. What a build delivered comes before what was said
    about it. The full META is behind the button *Details*.
    """
    newer = record.aftermath.superseded_by
    answer, more = _answer(record)
    blocks = [
        record.budget_note,
        *(ConclusionText.warned(note) for note in record.degradations),
        f"{ConclusionText.headline(outcome_line(record))}\n{answer}".rstrip(),
        vote_text(record),
        build_text(record.delivery, summed_up=bool(record.conclusion.text))
        if record.delivery
        else "",
        more,
        stance_text(record),
        _validation_text(record),
        *_sections(record, _ARGUMENT),
        dissent_text(record),
        flips_text(record),
        *_sections(record, _PLAN),
        sources(record),
        happened_line(record),
        ReopenText.in_list(newer.thread_id) if newer else "",
        _small_print(record),
    ]
    return "\n\n".join(block for block in blocks if block)


def _answer(record: RunRecord) -> tuple[str, str]:
    """The first three sentences of the advice, and what else it says under its heading."""
    sections = record.conclusion.sections
    text = sections.get("recommendation", "") if sections else record.conclusion.text
    first, blank, rest = text.strip().partition("\n")
    ends = [found.end() for found in _SENTENCE_END.finditer(first)]
    if len(ends) >= _MOST_SENTENCES and ends[_MOST_SENTENCES - 1] < len(first):
        cut = ends[_MOST_SENTENCES - 1]
        first, rest = first[:cut].rstrip(), f"{first[cut:]}{blank}{rest}"
    if not rest.strip():
        return first, ""
    heading = SYNTHESIS_HEADINGS["recommendation"]
    return first, ConclusionText.section(heading, rest.strip()) if sections else rest.strip()


def _small_print(record: RunRecord) -> str:
    """One small line about the meeting, and what it builds on or what should be done about it."""
    lines = [
        ConclusionText.small_line(
            len(record.seats),
            record.rounds_held,
            seconds=record.seconds,
            cost=MoneyText.FREE_OF_CHARGE if record.rehearsal else _cost(record),
            writer=record.conclusion.model,
            rehearsal=record.rehearsal,
        )
    ]
    if record.builds_on:
        earlier = record.builds_on
        lines.append(ConclusionText.small(EarlierText.line(earlier.why, earlier.thread_id)))
    if record.saved:
        lines.append(ConclusionText.small(record.rounds_ended))
    if advice := _advice(record):
        lines.append(ConclusionText.small(advice))
    return "\n".join(lines)


def _validation_text(record: RunRecord) -> str:
    """Who objected to the draft and what they wanted; nothing where nobody was asked (E81)."""
    found = record.validation
    if not found.asked:
        return ""
    flags = {ValidationText.misrepresented(role, text) for role, text in found.corrections}
    lines = [ValidationText.objected(role, text) for role, text in found.corrections]
    lines += [line for line in found.lines if line not in flags]
    if found.value == "yes":
        lines.insert(0, ValidationText.ACCURATE)
    return "\n".join([ValidationText.HEAD, *(f"- {line}" for line in lines)])


def details_text(record: RunRecord) -> str:
    """The header and the whole META, for whoever asks for it."""
    roles = [seat.role for seat in record.seats]
    held, planned = record.rounds_held, record.rounds_planned
    head = ConclusionText.panel_line(roles, ModeText.of(record.mode), held, planned)
    title = ConclusionText.title(record.conclusion.title)
    return f"{title}\n{ConclusionText.small(head)}\n\n{_meta_text(record)}"


def vote_text(record: RunRecord) -> str:
    """The models' vote in vote mode: verdict, tally, and who changed between the rounds."""
    if not record.tallies:
        return ""
    verdict, *rest = record.tallies[0].lines_until(record.tallies[-1])
    return "\n".join([BallotText.models_verdict(verdict), *rest, *weighing_lines(record)])


def worth_lines(record: RunRecord) -> list[str]:
    """How many opinions the panel is worth and how sure its vote is, each with its basis."""
    worth = record.worth
    if worth is None:
        return []
    lines = [
        WorthText.opinions(
            worth.seats,
            worth.models,
            worth.families,
            worth.votes,
            correlation=worth.correlation,
            resolved=worth.resolved,
        )
    ]
    if record.tallies:
        lines.append(_sure_line(record, worth))
    return [WorthText.rehearsed(line) for line in lines] if record.rehearsal else lines


def _sure_line(record: RunRecord, worth: PanelWorth) -> str:
    if record.sure is None:
        return WorthText.ONE_MODEL if worth.models == 1 else WorthText.NOT_SURE
    judged = worth.experience.judged
    return WorthText.sure(record.sure, judged, skilled=bool(worth.skills))


def _sections(record: RunRecord, names: Sequence[str]) -> list[str]:
    sections = record.conclusion.sections
    return [
        ConclusionText.section(SYNTHESIS_HEADINGS[n], sections[n]) for n in names if n in sections
    ]


def dissent_text(record: RunRecord) -> str:
    """The dissenters' own words."""
    if not record.dissents:
        return ""
    return ConclusionText.dissent([(dissent.role, dissent.text) for dissent in record.dissents])


def flips_text(record: RunRecord) -> str:
    """What the debate changed: who moved, and because of whom."""
    if record.rounds_held < 2:
        return ""
    moved = [flip.line for flip in record.flips]
    return ConclusionText.debate_changed(moved or [AgreementText.NOBODY_MOVED])


def sources(record: RunRecord) -> str:
    """The sources panelists cited, printed by the bot from what the search returned."""
    if record.findings is None:
        return ""
    said = "\n".join([record.conclusion.text, *(speech.text for speech in record.speeches)])
    listed = sources_text(record.findings, cited_labels(said))
    return ConclusionText.sources(listed) if listed else ""


def _meta_text(record: RunRecord) -> str:
    """META: who sat, who wrote, what was measured, what failed, how long and how much."""
    lines = [
        ConclusionText.panel(
            [(seat.role, seat.model, _answered_by(record, seat)) for seat in record.seats]
        ),
        *([SeatingText.in_words(record.decision)] if record.decision else []),
        ConclusionText.synthesis_by(record.conclusion.model),
        ConclusionText.timeouts(_timeouts(record)),
        *_failures(record),
        measures_line(record),
        *worth_lines(record),
        *_remarks(record),
        spending_line(record),
        *record.notices,
    ]
    if record.rehearsal:
        lines.append(ConclusionText.REHEARSAL)
    return ConclusionText.meta(lines)


def _remarks(record: RunRecord) -> list[str]:
    missing = [SYNTHESIS_HEADINGS.get(name, name) for name in record.conclusion.missing]
    unwritten = ConclusionText.lacks(missing) if missing else None
    found = (
        record.ended_early,
        record.agreement.inferred_line(),
        *record.validation.lines,
        unwritten,
        _advice(record),
    )
    return [line for line in found if line]


def _advice(record: RunRecord) -> str | None:
    """The advice to have such a conclusion checked, where nobody has asked for it (E76)."""
    if record.validation.asked:
        return None
    stage2 = sum(seat.stage == 2 for seat in record.seats)
    return recommend_validation(
        record.mode, record.consensus_pct, stage2, record.topic, record.quick
    )


def measures_line(record: RunRecord) -> str:
    """The four measures side by side, each under its own name, in words."""
    stance = ""
    if record.stance_result is not None:
        stance = ConclusionText.stance_measure(stance_words(record), counted_stances(record))
    score = record.convergence_score
    return ConclusionText.measures(stance, score, record.consensus_pct, _checked(record))


def _checked(record: RunRecord) -> str:
    if record.validation.asked:
        return ValidationText.IN_WORDS[record.validation.value]
    lost = ValidationText.NO_DRAFT in record.notices
    return ValidationText.NOTHING_TO_CHECK if lost else ValidationText.NOT_ASKED


def spending_line(record: RunRecord) -> str:
    """Seats, rounds, calls, tokens, money and time in one line."""
    spending = record.spending
    return ConclusionText.spending(
        len(record.seats),
        record.rounds_held,
        spending.calls,
        tokens=MoneyText.token_words(spending.tokens, spending.cached_tokens),
        cost=MoneyText.FREE_OF_CHARGE if record.rehearsal else _cost(record),
        seconds=record.seconds,
    )


def _cost(record: RunRecord) -> str:
    return MoneyText.spent_words(record.spending.known_usd, record.spending.unpriced_calls)


def _timeouts(record: RunRecord) -> list[str]:
    late = [speech for speech in record.speeches if speech.timed_out]
    return [ConclusionText.timed_out(speech.seat.role, speech.round) for speech in late]


def _failures(record: RunRecord) -> list[str]:
    """Seats that failed for another reason than time, in the provider's words; empty if none."""
    told = []
    for speech in record.speeches:
        role, number = speech.seat.role, speech.round
        if speech.problem and not speech.timed_out:
            told.append(ConclusionText.failed(role, number, speech.problem))
        elif speech.spoke and (lost := _lost(record, role, number)):
            told.append(
                ConclusionText.stood_in(role, number, lost.model, lost.reason, speech.model)
            )
    return [ConclusionText.failures(told)] if told else []


def _lost(record: RunRecord, role: str, number: int) -> FailedCall | None:
    return next((c for c in record.failed_calls if (c.role, c.round) == (role, number)), None)


def _answered_by(record: RunRecord, seat: SeatView) -> str:
    """Who really spoke for a seat, where that says more than its name in panels.json."""
    if record.rehearsal:
        return ""
    return " and ".join(name for name in record.answered_by(seat) if name != seat.model)


def ending_line(record: RunRecord) -> str:
    """How the run ended, in a few words."""
    if record.ending is Ending.CONCLUDED:
        return ConclusionText.concluded_after(record.seconds)
    return ConclusionText.ended(record.ending.value, record.ending_note)
