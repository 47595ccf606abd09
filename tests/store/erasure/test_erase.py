"""Erasing: people's words go from every column that can hold them, and nothing else does."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, select

from bot.store import ArtifactKind, BallotTime, EventType, Store, TurnVoice
from bot.store.erasure import erase
from bot.store.erasure.derived import STANDING
from bot.store.erasure.erase import WORDS
from bot.store.erasure.quotes import FORGOTTEN, phrases_of, without_quotes
from bot.store.erasure.repeated import HEARD, MADE
from bot.store.log import events
from bot.store.repositories.answers import AnswerRepository, StoredAnswer
from bot.store.repositories.artifacts import ArtifactRepository, FileRepository
from bot.store.repositories.ballots import BallotRepository, Vote
from bot.store.repositories.inbound import InboundMessage, InboundRepository
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import Run
from bot.store.repositories.seats import DesignRepository
from bot.store.repositories.servers import ServerRepository
from bot.store.repositories.turns import TurnRepository
from bot.store.tables import metadata
from bot.store.tables.types import Document, SafeText
from bot.store.vocabulary import Actor
from tests.store.conftest import request_for, start_run

SHORTEST_QUOTE = 5

EVE, OTHER = 4_000, 5_000
SECRET = "the heron of Kvikkjokk nests beneath my grandmother's roof"
HANDLED = {
    *(f"{table.name}.{name}" for table, names in WORDS for name in names),
    *("artifacts.name", "ballots.choice", "designs.texts", "files.stem", "inbound.content"),
    *("runs.request", "runs.status_reason", "runs.title", "runs.topic", "runs.topic_key"),
    *("inbox.payload", "server_states.payload"),
}
# Names of ours, ids, hashes, names of models and programs, and the log, which holds no words.
HARMLESS = {
    "answers": "key run_id seat stance",
    "approvals": "effect id idempotency_key requested_by resolved_by run_id",
    "artifacts": "id run_id sha256",
    "attempts": "id run_id runtime",
    "ballots": "run_id",
    "budgets": "name run_id",
    "calls": "answered_model error_kind key model provider purpose run_id seat",
    "decisions": "answer facts run_id superseded_by",
    "designs": "run_id",
    "discussions": "created_by run_id",
    "events": "key payload run_id type",
    "files": "run_id",
    "findings": "made_by run_id",
    "inbound": "run_id",
    "inbox": "event key",
    "kept_votes": "run_id",
    "participants": "profile run_id",
    "posts": "key nonce run_id speaker",
    "processes": "id panels role version",
    "published_panels": "digest document process",
    "request_turns": "id",
    "reviews": "id reviewer run_id",
    "runs": "id",
    "seats": "external_session_ref fallback family model provider role run_id seat session_key "
    "wire_model",
    "server_settings": "settings",
    "server_states": "event",
    "shards": "resume_url session_id",
    "speeches": "participant run_id",
    "starts": "run_id",
    "terms": "process",
    "workers": "process",
    "turns": "run_id seat",
}


def test_every_column_of_text_is_erased_or_known_to_hold_no_words() -> None:
    """Whoever adds a column decides here whether people's words can get into it."""
    columns = {
        f"{table.name}.{column.name}"
        for table in metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, SafeText | Document)
    }
    harmless = {f"{table}.{name}" for table, names in HARMLESS.items() for name in names.split()}
    assert columns - HANDLED == harmless


# What quotes are never taken out of: what people or code wrote, and what a run was begun with.
KEPT = {
    *("approvals.requested_action", "approvals.note", "approvals.details"),
    *("approvals.rollback_hint", "discussions.output_path", "posts.attachments", "posts.error"),
    "turns.author",
}


def test_for_every_column_of_words_it_is_decided_whether_quotes_are_taken_out() -> None:
    quoted = {f"{table.name}.{name}" for table, names, _ in (*HEARD, *MADE) for name in names}
    standing = {f"{table.name}.{name}" for table, names in STANDING for name in names}
    words = {f"{table.name}.{name}" for table, names in WORDS for name in names}
    assert words | {"designs.texts", "seats.role"} == quoted | standing | KEPT
    assert not quoted & (standing | KEPT)


async def whole(store: Store) -> str:
    """Everything in every table."""

    def read(conn: Connection) -> str:
        rows = [conn.execute(select(table)).all() for table in metadata.sorted_tables]
        return json.dumps(rows, default=str)

    return await store.read(read)


def speak(conn: Connection, run: Run, author_id: int, message_id: int) -> None:
    """A person says the secret, a seat hears and repeats it, and the minutes have it, too."""
    said = InboundMessage(message_id, 20, 1, author_id, SECRET, 1.0, run_id=run.id)
    InboundRepository(conn).remember(said, 2.0)
    TurnRepository(conn).append(run.id, "ada", TurnVoice.HEARD, "Eve", SECRET, 3.0, message_id)
    TurnRepository(conn).append(
        run.id, "ada", TurnVoice.SAID, "Ada", f"You say {SECRET.upper()}!", 3.0
    )
    parsed = {"claims": {"C1": f"Eve: {SECRET}", "C2": "another point"}}
    AnswerRepository(conn).save(
        StoredAnswer(run.id, "r2:ada", "ada", 2, SECRET, 3.0, parsed=parsed)
    )
    kind = ArtifactKind.PRIMARY_OUTPUT
    minutes = f"# Minutes\n> {SECRET}\nTabs it is."
    for name in ("draft.md", "minutes.md"):
        ArtifactRepository(conn).record(run.id, 1, kind, name, minutes, Actor.ORCHESTRATOR, 3.0)
    DesignRepository(conn).keep(
        run.id, {"proposition": "Tabs are better.", "options": ["yes", "no"]}
    )
    BallotRepository(conn).cast(Vote(run.id, BallotTime.BEFORE, author_id, SECRET), 1.0)


async def test_what_a_person_said_in_anothers_run_goes_with_every_quote_of_it(
    store: Store, run: Run
) -> None:
    await store.write(lambda conn: speak(conn, run, OTHER, 55))
    found = await store.write(lambda conn: erase.erase_person(conn, OTHER, 3.0))
    assert (found.started, found.joined) == ((), (run.id,))
    left = await whole(store)
    assert "kvikkjokk" not in left.casefold()
    assert "Tabs it is." in left
    assert run.topic in left
    files = await store.read(lambda conn: ArtifactRepository(conn).of_run(run.id))
    kept = {file.name: file for file in files}
    assert kept["draft.md"].size == len(kept["draft.md"].content.encode()) > 0
    emptied = kept["minutes.md"]
    assert (emptied.content, emptied.size) == ("", 0), "they are made of the record again"
    (answer,) = await store.read(lambda conn: AnswerRepository(conn).of_run(run.id))
    assert answer.parsed == {"claims": {"C1": f"Eve: {FORGOTTEN}", "C2": "another point"}}
    again = await store.write(lambda conn: erase.erase_person(conn, OTHER, 4.0))
    assert not again


async def test_a_run_a_person_started_goes_whole_and_its_log_stays(store: Store, run: Run) -> None:
    """Design 4: events point into erasable tables."""

    def fill(conn: Connection) -> int:
        speak(conn, run, EVE, 55)
        FileRepository(conn).reserve(run.id, "2026-01-01-the-heron", frozenset())
        return len(events.history(conn, run.id))

    logged = await store.write(fill)
    other = await start_run(store, replace(request_for("Vim or Emacs?"), starter_id=OTHER))
    await store.write(lambda conn: erase.erase_person(conn, EVE, 3.0))
    left = await whole(store)
    assert "kvikkjokk" not in left.casefold()
    assert "heron" not in left
    assert run.topic not in left
    assert run.topic_key not in left
    assert other.topic in left
    assert len(await store.read(lambda conn: events.history(conn, run.id))) == logged
    design = await store.read(lambda conn: DesignRepository(conn).of_run(run.id))
    assert design == {"proposition": "", "options": []}
    assert (await start_run(store)).id != run.id  # the same topic can be asked again
    await store.read(lambda conn: events.find(conn, run.id, EventType.TASK_CREATED, "run"))


async def test_a_deleted_message_goes_alone(store: Store, run: Run) -> None:
    await store.write(lambda conn: speak(conn, run, OTHER, 55))
    more = InboundMessage(56, 20, 1, OTHER, "and another thing that I said", 1.0, run_id=run.id)
    await store.write(lambda conn: InboundRepository(conn).remember(more, 2.0))
    assert await store.write(lambda conn: erase.erase_message(conn, 55)) == run.id
    assert await store.write(lambda conn: erase.erase_message(conn, 99)) is None
    left = await whole(store)
    assert "another thing that I said" in left
    assert f'"{SECRET}"' not in left.replace(await _vote(store, run), "")


async def test_what_a_run_built_on_quotes_goes_with_it_and_others_words_stay(
    store: Store, run: Run
) -> None:
    """A conclusion with a quote was given to another run; what others say themselves is theirs."""
    heir = await start_run(
        store, replace(request_for("Vim or Emacs?"), request={"context_run": run.id})
    )
    later = store.now() + 1

    def work(conn: Connection) -> None:
        speak(conn, run, OTHER, 55)
        InboundRepository(conn).remember(
            InboundMessage(56, 20, 1, EVE, f"You said {SECRET}", 1.0, run_id=run.id), 2.5
        )
        context = StoredAnswer(heir.id, "context", "", 0, f"Concluded: {SECRET}.", later)
        unheard = "a sentence of six words here"
        AnswerRepository(conn).save(context)
        AnswerRepository(conn).save(StoredAnswer(heir.id, "r1:ada", "ada", 1, f"{SECRET}!", later))
        AnswerRepository(conn).save(StoredAnswer(heir.id, "r1:bob", "bob", 1, unheard, later))
        said = InboundMessage(57, 20, 1, OTHER, unheard, 1.0, run_id=run.id)
        InboundRepository(conn).remember(said, 2.0)
        for message_id in (55, 57):
            erase.erase_message(conn, message_id)

    await store.write(work)
    kept = await store.read(lambda conn: AnswerRepository(conn).of_run(heir.id))
    assert [answer.text for answer in kept] == [
        f"Concluded: {FORGOTTEN}.",
        f"{FORGOTTEN}!",
        "a sentence of six words here",
    ]
    other = await store.read(lambda conn: InboundRepository(conn).get(56))
    assert other
    assert other.content == f"You said {SECRET}"


async def _vote(store: Store, run: Run) -> str:
    """A vote is no message; it stays until it is counted or its person is forgotten."""
    found = await store.read(
        lambda conn: BallotRepository(conn).of_person(run.id, BallotTime.BEFORE, OTHER)
    )
    assert found
    return json.dumps(found.choice)


async def test_servers_that_were_left_are_known_until_they_are_joined_again(store: Store) -> None:
    def work(conn: Connection) -> tuple[int, ...]:
        ServerRepository(conn).leave(1, 10.0)
        ServerRepository(conn).leave(1, 99.0)  # told again: the first time counts
        ServerRepository(conn).leave(2, 10.0)
        ServerRepository(conn).leave(3, 50.0)
        ServerRepository(conn).rejoin(2)
        return ServerRepository(conn).left_before(20.0)

    assert await store.write(work) == (1,)


async def test_admins_of_servers_that_were_left_are_told_nothing(store: Store) -> None:
    def work(conn: Connection) -> tuple[int, ...]:
        for guild_id in (1, 2):
            ServerRepository(conn).set_admin_channel(guild_id, guild_id * 10)
        ServerRepository(conn).set_admin_channel(1, 11)
        ServerRepository(conn).leave(2, 1.0)
        return ServerRepository(conn).admin_channels()

    assert await store.write(work) == (11,)
    assert not await store.write(lambda conn: ServerRepository(conn).resume(1))
    await store.write(lambda conn: ServerRepository(conn).pause(1, EVE, 5.0))
    assert (await store.read(lambda conn: ServerRepository(conn).get(1))).paused_by == EVE
    assert await store.write(lambda conn: ServerRepository(conn).resume(1))


async def test_what_is_too_old_is_found_when_it_is_over(store: Store, run: Run) -> None:
    assert await store.read(lambda conn: erase.runs_over_before(conn, 9e9)) == ()
    found = await store.read(lambda conn: erase.runs_of_server(conn, run.guild_id))
    assert found == (run.id,)
    await store.write(lambda conn: erase.erase_run(conn, run.id, 3.0))
    assert await store.read(lambda conn: erase.runs_of_server(conn, run.guild_id)) == ()
    assert await store.read(lambda conn: RunListRepository(conn).servers()) == ()


WORDS_OF = st.lists(st.sampled_from("alpha beta gamma delta epsilon zeta".split()), max_size=20)


@given(WORDS_OF, WORDS_OF, WORDS_OF)
def test_no_quote_of_that_length_is_left_and_other_text_is_not_touched(
    said: list[str], before: list[str], after: list[str]
) -> None:
    text = f"{' '.join(before)} “{', '.join(said).upper()}” {' '.join(after)}."
    phrases = phrases_of([" ".join(said)])
    cleaned = without_quotes(text, phrases)
    assert not any(" ".join(phrase) in " ".join(_words(cleaned)) for phrase in phrases)
    if not phrases:
        assert cleaned == text
    assert without_quotes(cleaned, phrases) == cleaned


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in text.casefold()).split()


@pytest.mark.parametrize("said", ["yes", "I think so", "", "no, do it"])
def test_words_that_anybody_says_are_nobodys(said: str) -> None:
    assert without_quotes({"text": f"{said} and {said}"}, phrases_of([said]))["text"] == (
        f"{said} and {said}"
    )
    assert SHORTEST_QUOTE > 3
