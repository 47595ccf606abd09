"""What people see of votes: their two ballots, the result, and the table of the minutes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from bot.measures.tally import Count, Tally, Voter
from bot.messages.decisions import AgainText
from bot.messages.discord import ButtonText
from bot.messages.minutes import MinutesText
from bot.messages.votes import BallotText, WorthText
from bot.record.record import RunRecord
from bot.record.run_rows import PeopleCount, PeopleVotes
from bot.stage.cleaning import file_line, one_line, short_line
from bot.stage.port import THE_BOT, Place, Post, PostButton, Tone, button_id
from bot.store import BallotTime
from bot.types.mode import Mode

_LABEL_LIMIT: Final = 80


def _ballot_key(when: BallotTime) -> str:
    """The key of a ballot's post."""
    return f"ballot:{when}"


def first_ballot(
    run_id: str, place: Place, options: Sequence[str], counted: PeopleCount | None = None
) -> Post:
    """The ballot that opens with the thread, and with each that had to replace it.

    It has no buttons once it is counted.
    """
    text = BallotText.first_closed(counted.voters) if counted else BallotText.FIRST_OPEN
    post = _ballot(run_id, BallotTime.BEFORE, text, () if counted else options)
    return post if place.number == 1 else replace(post, key=f"{post.key}@{place.number}")


def second_ballot(
    run_id: str, options: Sequence[str], closes_at: float, counted: PeopleCount | None = None
) -> Post:
    """The ballot after the conclusion; without buttons once it is counted."""
    closed = BallotText.second_closed(counted.voters) if counted else None
    text = closed or BallotText.second_open(round(closes_at))
    post = _ballot(run_id, BallotTime.AFTER, text, () if counted else options)
    if counted:
        return post
    close = PostButton(ButtonText.CLOSE_VOTE, button_id(run_id, "close"), Tone.BAD)
    return replace(post, buttons=(*post.buttons, close))


def result_post(options: Sequence[str], models: Sequence[Tally], people: PeopleVotes) -> Post:
    """Both votes of people and of models side by side."""
    text = "\n".join(result_lines(options, models, people))
    return Post("ballot:result", THE_BOT, text, untrusted=False)


def result_lines(options: Sequence[str], models: Sequence[Tally], people: PeopleVotes) -> list[str]:
    """The result for the thread."""
    verdict = BallotText.peoples_verdict(_verdict(options, people.after))
    remarks = [f"-# {line}" for line in people_remarks(people)]
    return [verdict, *_rows(options, models, people.before, people.after), *remarks]


def _ballot(run_id: str, when: BallotTime, text: str, options: Sequence[str]) -> Post:
    buttons = tuple(
        PostButton(one_line(option, _LABEL_LIMIT), button_id(run_id, f"vote:{when}:{number}"))
        for number, option in enumerate(options)
    )
    return Post(_ballot_key(when), THE_BOT, text, untrusted=False, buttons=buttons)


def _verdict(options: Sequence[str], after: PeopleCount) -> str:
    if not after.voters:
        return BallotText.NOBODY_VOTED
    counts = [
        Count(shown(option), (Voter(""),) * votes)
        for option, votes in zip(options, after.votes, strict=True)
    ]
    return Tally(0, tuple(sorted(counts, key=lambda count: -count.votes))).verdict


def _rows(
    options: Sequence[str], models: Sequence[Tally], before: PeopleCount, after: PeopleCount
) -> list[str]:
    first, last = (_by_option(tally) for tally in (models[:1], models[-1:]))
    return [
        BallotText.result_row(
            shown(option),
            people=(before.votes[n], after.votes[n]),
            models=(first.get(option, 0), last.get(option, 0)),
        )
        for n, option in enumerate(options)
    ]


def _by_option(tallies: Sequence[Tally]) -> dict[str, int]:
    return {count.option: count.votes for tally in tallies for count in tally.counts}


def people_remarks(people: PeopleVotes) -> list[str]:
    """How many people voted, how many changed sides, and how sure they were."""
    before, after = people.before, people.after
    lines = [BallotText.turnout(before.voters, after.voters, after.kept)]
    if after.twice:
        lines.append(BallotText.changed_sides(after.twice, after.changed))
    if before.confidence is not None or after.confidence is not None:
        lines.append(BallotText.confidence(before.confidence, after.confidence))
    return lines


def is_vote(record: RunRecord) -> bool:
    """Whether there are options of which one can be right."""
    return record.mode is Mode.VOTE and bool(record.options and record.tallies)


def happened_text(record: RunRecord, answer: str, person_id: int | None) -> str:
    """What happened, in one line for the thread."""
    if not answer.isdigit():
        return AgainText.advice_was(answer, person_id)
    tally, right = record.tallies[-1], record.options[int(answer)]
    chosen = shown(tally.leader) if tally.leader else ""
    return AgainText.option_was_right(shown(right), person_id, chosen, right=tally.leader == right)


def happened_line(record: RunRecord) -> str:
    """What happened, without who said so; nothing while nobody did."""
    answer = record.aftermath.answer
    known = answer and (is_vote(record) or not answer.isdigit())
    return happened_text(record, answer, None) if known else ""


def weighing_lines(record: RunRecord) -> list[str]:
    """Why ballots do not all count the same, where they do not."""
    worth = record.worth
    if worth is None or not record.tallies:
        return []
    skills = dict(worth.skills)
    rows = [(role, weight, skills.get(role)) for role, weight in worth.weights]
    learnt, uneven = len(worth.experience.history), len(set(skills.values())) > 1
    return [
        *([WorthText.weights(rows, learnt)] if uneven else []),
        *([WorthText.shared(worth.shared)] if worth.shared else []),
    ]


def shown(option: str) -> str:
    """An option as part of a sentence: on one line, pinging nobody."""
    return short_line(option, _LABEL_LIMIT).replace("*", "")


def vote_part(record: RunRecord) -> str:
    """The part of the minutes about a vote: every option, who voted for it, and who changed."""
    if not record.tallies:
        return ""
    first, last = record.tallies[0], record.tallies[-1]
    columns = [MinutesText.vote_column(tally.round) for tally in dict.fromkeys((first, last))]
    people = record.people
    both = [people.before.votes, people.after.votes] if people else []
    rows = [
        [
            file_line(option),
            *(str(tally.votes_for(option)) for tally in dict.fromkeys((first, last))),
            *(str(votes[number]) for votes in both if number < len(votes)),
            ", ".join(_voters(last, option)),
        ]
        for number, option in enumerate(record.options or [c.option for c in last.counts])
    ]
    head = [
        MinutesText.OPTION,
        *columns,
        *(MinutesText.PEOPLE_COLUMNS if both else ()),
        MinutesText.VOTERS,
    ]
    changes = [
        BallotText.vote_change(change.role, change.before, change.after)
        for change in first.changes_to(last)
    ]
    remarks = [*_counting(record), *changes, *(people_remarks(people) if people else ())]
    return MinutesText.vote(head, rows, [file_line(remark) for remark in remarks])


def _counting(record: RunRecord) -> list[str]:
    """The weighted count, where it differs in any way from the plain one of the table."""
    last, weighed = record.tallies[-1], weighing_lines(record)
    if not weighed and not last.by_weight:
        return []
    return [last.verdict, *(line.removeprefix("- ") for line in last.lines()), *weighed]


def _voters(tally: Tally, option: str) -> Iterator[str]:
    for count in tally.counts:
        if count.option == option:
            for voter in count.voters:
                sure = "" if voter.confidence is None else f" {voter.confidence} %"
                yield f"{file_line(voter.role)}{sure}"
