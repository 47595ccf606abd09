"""Who may ask panelists, and how often somebody is told that they may not."""

from dataclasses import replace
from typing import Any

import pytest

from bot.errors import NotAllowedError
from bot.messages.talk import TalkText
from bot.panels import PanelsConfig
from bot.store import Store
from bot.talk.admission import Refusals, admit_question
from bot.talk.incoming import IncomingMessage
from tests.panels.panels_data import bent, loaded
from tests.support.sqlite_store import NOW

QUESTION = IncomingMessage(1, 20, 3, 4, "Ada", "why?", NOW)


def config(**trigger: Any) -> PanelsConfig:
    return loaded(bent(lambda data: data["trigger"].update(trigger)))


async def ask(store: Store, message: IncomingMessage, rules: PanelsConfig) -> None:
    await store.write(lambda conn: admit_question(conn, message, rules, NOW))


async def test_everybody_may_ask_where_no_role_is_named(store: Store) -> None:
    await ask(store, QUESTION, config())


async def test_where_roles_are_named_only_they_may_ask(store: Store) -> None:
    rules = config(allowedRoleIds=["42"])
    with pytest.raises(NotAllowedError) as refused:
        await ask(store, QUESTION, rules)
    assert refused.value.text == TalkText.only_for(rules.trigger.allowed_role_ids)
    await ask(store, replace(QUESTION, role_ids=frozenset({42, 7})), rules)


def test_a_person_is_told_once_a_minute_in_each_server() -> None:
    refusals = Refusals()
    assert refusals.is_news(QUESTION, NOW)
    assert not refusals.is_news(QUESTION, NOW + 59)
    assert refusals.is_news(replace(QUESTION, guild_id=9), NOW + 59)
    assert refusals.is_news(replace(QUESTION, author_id=9), NOW + 59)
    assert refusals.is_news(QUESTION, NOW + 61)


def test_a_clock_that_was_set_back_silences_nobody() -> None:
    refusals = Refusals()
    assert refusals.is_news(QUESTION, NOW)
    assert refusals.is_news(QUESTION, NOW - 3600)


def test_however_many_are_refused_the_latest_are_remembered() -> None:
    refusals = Refusals()
    people = [replace(QUESTION, author_id=number) for number in range(1500)]
    assert all(refusals.is_news(person, NOW) for person in people)
    assert not refusals.is_news(people[-1], NOW + 1)
    assert refusals.is_news(people[0], NOW + 1)
