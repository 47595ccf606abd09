"""Who said a message: the seat, the model that really answered, and when."""

from sqlalchemy import Connection

from bot.council.facts import Facts, load_facts
from bot.council.mask import Mask, mask_of
from bot.council.outcomes import outcomes_of
from bot.council.reading import record_of
from bot.council.shelf import plain_topic
from bot.messages.library import AuthorText
from bot.stage.cleaning import clean_text
from bot.store import discussions, posts
from bot.store.posts import PostOrigin
from bot.store.runs import Run

_TALK = "talk:"
_CONCLUSIONS = ("conclusion", "shared:")


def origin_of(conn: Connection, message_id: int) -> PostOrigin | None:
    """The post a message belongs to."""
    return posts.find_by_message_id(conn, message_id)


def who_said(conn: Connection, run: Run, origin: PostOrigin, now: float) -> str:
    """One line about the author of a post."""
    about = AuthorText.about(plain_topic(run), run.id)
    discussion = discussions.get(conn, run.id)
    if discussion is not None:
        roles = {person.profile: person.role for person in discussion.participants}
        nobodys = AuthorText.COORDINATOR if origin.seat else AuthorText.ROUNDTABLE_ITSELF
        name, held_by = roles.get(origin.seat, nobodys), discussion.created_by
        return AuthorText.by_agent(clean_text(name), clean_text(held_by), about)
    facts, mask = load_facts(conn, run.id), mask_of(conn, run)
    if origin.seat:
        return AuthorText.by_panelist(_panelist(facts, mask, origin), _occasion(origin), about)
    if origin.key.startswith(_CONCLUSIONS):
        record = mask.record(record_of(facts, now))
        return AuthorText.conclusion_by(record.conclusion.model or AuthorText.NO_MODEL, about)
    return AuthorText.by_the_bot(about)


def _panelist(facts: Facts, mask: Mask, origin: PostOrigin) -> str:
    seat = next((seat for seat in facts.seats if seat.seat == origin.seat), None)
    if seat is None:
        return AuthorText.SOME_PANELIST
    if mask:
        return AuthorText.masked(mask.text(seat.role))
    outcome = outcomes_of(facts).get(origin.key)
    model = outcome.answered_model if outcome else ""
    design = facts.design
    if design.get("rehearsal"):
        return AuthorText.stand_in(seat.role, seat.model)
    return AuthorText.panelist(seat.role, seat.model, "" if model == seat.model else model)


def _occasion(origin: PostOrigin) -> str:
    if origin.key.startswith(_TALK):
        return AuthorText.AFTER_THE_MEETING
    name = origin.key.partition(":")[0]
    number = name.lstrip("rs")
    if not number.isdigit():
        return AuthorText.AT_THE_END
    return AuthorText.in_round(number) if name.startswith("r") else AuthorText.in_stage(number)
