"""Lists and completions show what somebody can read, and of it only what was asked for."""

from types import SimpleNamespace
from typing import Any

import pytest

from bot.access.admission import Asker
from bot.access.readers import Reader
from bot.errors import UsageError
from bot.library.service import Library
from bot.messages.library import LibraryText
from bot.store import Phase, Store, move
from bot.store.repositories.runs import Run
from bot.store.vocabulary import Actor
from tests.store.conftest import request_for, start_run
from tests.support.fake_stage import FakeStage
from tests.support.sqlite_store import NOW

CHANNEL = 20
READER = Reader(Asker(5, frozenset(), may_manage=False), 1, CHANNEL)
IN_PUBLIC = Reader(Asker(5, frozenset(), may_manage=False), 1, CHANNEL, private=False)


async def no_pause(_: float) -> None:
    """A refusal takes its time, which no test waits for."""


@pytest.fixture
def stage() -> FakeStage:
    return FakeStage(seen=frozenset({CHANNEL}))


@pytest.fixture
def library(store: Store, stage: FakeStage) -> Library:
    deps: Any = SimpleNamespace(store=store, stage=stage, sleep=no_pause)
    talks: Any = None
    return Library(deps, talks)


async def failed(store: Store, run: Run) -> None:
    boss, over = Actor.ORCHESTRATOR, Phase.FAILED
    await store.write(lambda conn: move(conn, run.id, run.phase, over, boss, "no answer", NOW))


async def test_an_empty_list_says_so_to_one_reader_and_to_all(library: Library) -> None:
    assert (await library.listing(READER)).text == LibraryText.EMPTY_LIST
    assert (await library.listing(IN_PUBLIC)).text == LibraryText.EMPTY_IN_PUBLIC


async def test_the_list_shows_status_topic_and_id_without_pings(
    store: Store, library: Library
) -> None:
    going = await start_run(store, request_for("Is @everyone here?"))
    over = await start_run(store, request_for("Tabs or spaces?"))
    await failed(store, over)
    head, *lines = (await library.listing(READER)).text.split("\n")
    assert head == LibraryText.LIST
    entries = ["\n".join(lines[at : at + 2]) for at in range(0, len(lines), 2)]
    by_id = {run.id: text for text in entries for run in (going, over) if run.id in text}
    assert " · ⏳ running\n-# " in by_id[going.id]
    assert "**Tabs or spaces?** · ❌ Failed" in by_id[over.id]
    assert "Tabs or spaces?" in by_id[over.id]
    assert "@everyone" not in by_id[going.id]


async def test_what_cannot_be_read_is_in_no_list_and_not_found(
    store: Store, library: Library, stage: FakeStage
) -> None:
    run = await start_run(store)
    stage.seen = frozenset()
    assert (await library.listing(READER)).text == LibraryText.EMPTY_LIST
    assert await library.run_choices(READER, "") == []
    for ask in (library.status, library.show, library.read, library.export, library.end):
        with pytest.raises(UsageError) as refused:
            await ask(READER, run.id)
        assert refused.value.text == LibraryText.NOT_FOUND


async def test_completions_fit_what_was_typed_and_the_status_wanted(
    store: Store, library: Library
) -> None:
    going = await start_run(store, request_for("Tea or coffee?"))
    over = await start_run(store, request_for("Tabs or spaces?"))
    await failed(store, over)

    async def offered(typed: str, status: str | None = None) -> set[str]:
        return {choice.value for choice in await library.run_choices(READER, typed, status)}

    assert await offered("") == {going.id, over.id}
    assert await offered("coffee") == {going.id}
    assert await offered(over.id) == {over.id}
    assert await offered("", "active") == {going.id}
    assert await offered("", "cancelled") == {over.id}


async def test_a_roundtable_is_not_ended_like_a_discussion_of_agents(
    store: Store, library: Library
) -> None:
    run = await start_run(store)
    with pytest.raises(UsageError) as refused:
        await library.end(READER, run.id)
    assert refused.value.text == LibraryText.NO_DISCUSSION


async def test_a_message_of_somebody_else_has_no_author_here(library: Library) -> None:
    with pytest.raises(UsageError):
        await library.who_said(READER, 123)
