"""Who said a message: the seat, the model that really answered, and when."""

from sqlalchemy import Connection

from bot.council.facts import Facts, load_facts
from bot.council.mask import Mask, mask_of
from bot.council.reading import outcomes_of, record_of
from bot.council.shelf import plain_topic
from bot.stage.cleaning import clean_text
from bot.store import discussions, posts
from bot.store.posts import PostOrigin
from bot.store.runs import Run

NOT_OURS = "No roundtable posted this message: choose one of a panelist or of the bot."
_TALK = "talk:"
_CONCLUSIONS = ("conclusion", "shared:")


def origin_of(conn: Connection, message_id: int) -> PostOrigin | None:
    """The post a message belongs to."""
    return posts.find_by_message_id(conn, message_id)


def who_said(conn: Connection, run: Run, origin: PostOrigin, now: float) -> str:
    """One line about the author of a post."""
    about = f"**{plain_topic(run)}** · `{run.id}`"
    discussion = discussions.get(conn, run.id)
    if discussion is not None:
        roles = {person.profile: person.role for person in discussion.participants}
        name = roles.get(origin.seat, "The coordinator" if origin.seat else "Roundtable itself")
        held_by = clean_text(discussion.created_by)
        return f"{clean_text(name)} said this in a discussion of agents held by {held_by}: {about}"
    facts, mask = load_facts(conn, run.id), mask_of(conn, run)
    if origin.seat:
        return f"{_panelist(facts, mask, origin)} said this {_occasion(origin)} of {about}"
    if origin.key.startswith(_CONCLUSIONS):
        record = mask.record(record_of(facts, now))
        writer = record.conclusion.model or "no model"
        return f"Roundtable posted this conclusion, written by {writer}, about {about}"
    return f"Roundtable itself said this, no model wrote it: {about}"


def _panelist(facts: Facts, mask: Mask, origin: PostOrigin) -> str:
    seat = next((seat for seat in facts.seats if seat.seat == origin.seat), None)
    if seat is None:
        return "A panelist"
    if mask:
        return f"**{mask.text(seat.role)}**, who wears a mask until the end,"
    outcome = outcomes_of(facts).get(origin.key)
    model = outcome.answered_model if outcome else ""
    design = facts.design
    if design.get("rehearsal"):
        return f"**{seat.role}**, a stand-in for {seat.model}"
    swapped = f", answered by {model}" if model and model != seat.model else ""
    return f"**{seat.role}** ({seat.model}{swapped})"


def _occasion(origin: PostOrigin) -> str:
    if origin.key.startswith(_TALK):
        return "in answer to a question after the meeting"
    name = origin.key.partition(":")[0]
    number = name.lstrip("rs")
    if not number.isdigit():
        return "at the end"
    return f"in round {number}" if name.startswith("r") else f"in stage {number}"
