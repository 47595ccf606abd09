"""After a complete round one model call finds what was agreed, disputed and new (2.2#7)."""

from collections.abc import Mapping, Sequence

from bot.council.calls import Caller, ModelCall, Reading
from bot.council.compression import (
    ANSWER_WORDS,
    ROLLING_SUMMARY,
    summary_from_dict,
    summary_key,
    summary_to_dict,
)
from bot.council.convergence import shared_points
from bot.council.tools import Kit
from bot.prompting.summary import Point, RoundSummary, parse_summary
from bot.prompting.voices import label_voices
from bot.prompting.words import cut_words
from bot.store import Actor, answers
from bot.store.discussions import Discussion
from bot.store.findings import Found
from bot.store.journal import Journal
from bot.store.speeches import Said
from bot.store.vocabulary import FindingKind


async def ask_for_findings(
    tools: Kit, discussion: Discussion, said: Sequence[Said]
) -> tuple[Found, ...] | None:
    """The round's findings, or None when no model is configured or none could be read."""
    models = () if tools.resolution().rehearsal else tools.coordinators(discussion.run.guild_id)
    if not models:
        return None
    number, run_id = discussion.current_round, discussion.run.id
    profiles = {person.role: person.profile for person in discussion.participants}
    earlier = await tools.store.read(
        lambda conn: answers.get(conn, run_id, summary_key(number - 1))
    )
    ask = ModelCall(
        key=summary_key(number),
        purpose=ROLLING_SUMMARY,
        prompt=tools.book.render(
            ROLLING_SUMMARY, _values(discussion, said, earlier.parsed if earlier else {})
        ),
        seconds=tools.config(discussion.run.guild_id).timeouts.summary,
        models=models,
        round=number,
    )

    def read(text: str) -> Reading:
        return Reading(parsed=summary_to_dict(parse_summary(text, list(profiles))))

    journal = Journal(tools.store, run_id, Actor.ORCHESTRATOR)
    await tools.prices.load()
    purse = tools.purse(discussion.run)
    try:
        caller = Caller(tools.store, journal, tools.desk, tools.late, purse)
        reply = await caller.ask(ask, read)
    finally:
        await purse.close()
    if reply.answer is None:
        return None
    summary = summary_from_dict(reply.answer.parsed)
    return _findings(summary, profiles) if summary.parsed else None


def _values(
    discussion: Discussion, said: Sequence[Said], earlier: Mapping[str, object]
) -> dict[str, str]:
    roles = {person.profile: person.role for person in discussion.participants}
    voices = [
        (roles[speech.participant], cut_words(speech.content, ANSWER_WORDS))
        for speech in said
        if speech.participant in roles
    ]
    values = {
        "PROMPT": discussion.run.topic,
        "PROPOSITION": discussion.run.topic,
        "ROUND": str(discussion.current_round),
        "MAX_ROUNDS": str(discussion.max_rounds),
        "ROUND_ANSWERS": label_voices(voices),
    }
    if summary := earlier.get("summary"):
        values["ROLLING_SUMMARY"] = str(summary)
    return values


def _findings(summary: RoundSummary, profiles: Mapping[str, str]) -> tuple[Found, ...]:
    def found(kind: FindingKind, points: Sequence[Point]) -> list[Found]:
        return [
            Found(
                kind, point.text, tuple(profiles[role] for role in point.roles if role in profiles)
            )
            for point in points
        ]

    return (
        *found(FindingKind.CONSENSUS, shared_points(summary)),
        *found(FindingKind.DISAGREEMENT, summary.disagreement),
        *found(FindingKind.NEW_POINT, summary.new_points),
    )
