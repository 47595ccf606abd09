"""Nobody poses as a panelist, and names are such as Discord takes."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.discussions.service import checked_creator, checked_participants
from bot.discussions.views import ParticipantIn
from bot.errors import UsageError
from bot.panels.names import role_fault
from bot.playground.server import EmbeddedDiscord
from bot.playground.world import PersonPlan, the_table
from bot.store import TurnVoice
from bot.store.repositories.turns import TurnRepository
from tests.e2e.scripted_models import ScriptedModels, scripted_playground
from tests.e2e.talk_steps import QUICK, answered, voice_of

POSER = "Devil's Advocate"
REFUSED = (
    "x",
    "x" * 81,
    "Discord Helper",
    "Clyde",
    "ping @everyone",
    "stay here",
    "everyone",
    "```x```",
    "Roundtable",
    "Coordinator",
    "ｄｉｓｃｏｒｄ",
    "Person 1",
)


def with_person(name: str) -> EmbeddedDiscord:
    """A server in which somebody chose that name."""
    home = the_table()
    return EmbeddedDiscord((replace(home, people=(*home.people, PersonPlan(name))),))


async def test_a_person_called_like_a_panelist_is_marked_as_a_person(tmp_path: Path) -> None:
    """In what a panelist is asked, in what others said, and in what it remembers."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast, discord=with_person(POSER)) as table:
        held = await table.hold(QUICK)
        advocate = voice_of(table, held.thread, "Advocate").id
        await table.write_in(held.thread, "I give in.", person=POSER, reply_to=advocate)
        await answered(table, held.thread)
        await table.write_in(held.thread, "Is that so?", reply_to=advocate)
        await answered(table, held.thread, 2)
        stored = await table.stored(
            lambda c: TurnRepository(c).session(held.record.run_id, "advocate")
        )
    asked = cast.asked("ask:Advocate")[-1].values
    assert f"{POSER} (a person) said to you:\n  I give in." in asked["OWN_TURNS"]
    assert f"{POSER}:" not in "\n".join(asked.values())
    heard = [turn.author for turn in stored if turn.voice is TurnVoice.HEARD]
    assert heard == [f"{POSER} (a person)", "Jonas (a person)"]


@pytest.mark.parametrize("name", REFUSED)
def test_participants_of_agents_are_named_as_discord_allows(name: str) -> None:
    """Before, such a discussion was opened and none of its speeches could be shown."""
    other = ParticipantIn(profile="other", role="Reviewer")
    with pytest.raises(UsageError, match="role"):
        checked_participants([ParticipantIn(profile="one", role=name), other])
    assert role_fault(name) is not None


@pytest.mark.parametrize("name", ["x" * 78, "my discord", "every ``` tick", "right here"])
def test_what_stands_behind_a_name_is_checked_with_it(name: str) -> None:
    """A display name and the name of who holds the discussion are shown there, too."""
    other = ParticipantIn(profile="other", role="Reviewer")
    with pytest.raises(UsageError, match="name in Discord"):
        checked_participants([ParticipantIn(profile="one", role="QA", display_name=name), other])
    with pytest.raises(UsageError):
        checked_creator(name)


def test_usual_names_are_taken_as_they_are() -> None:
    usual = ParticipantIn(profile="one", role=" Lead  Engineer ", display_name="Ada\u200b")
    other = ParticipantIn(profile="other", role="Reviewer")
    first, second = checked_participants([usual, other])
    assert (first.role, first.display_name) == ("Lead Engineer", "Ada")
    assert (second.role, second.display_name) == ("Reviewer", "Reviewer")
    assert checked_creator("agent") == "agent"
