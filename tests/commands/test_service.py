"""Who may do what, whichever cog asks."""

from typing import Final

import pytest

from bot.access.admission import Asker
from bot.access.readers import Reader
from bot.errors import NotAllowedError
from bot.messages.admin import AdminText
from bot.messages.discord import ButtonText
from cogs.services import CogServices

MODERATOR: Final = Asker(1, may_manage=True)
ADMIN: Final = Asker(2, is_admin=True)


async def test_only_admins_use_what_is_for_admins(services: CogServices) -> None:
    steward = services.steward
    for refused in (
        steward.reload(MODERATOR),
        steward.pause(MODERATOR, 3),
        steward.resume(MODERATOR, 3),
        steward.examine(MODERATOR, 3),
        steward.set_up(MODERATOR, 3, 4, {}),
        services.commands.trial(Reader(MODERATOR, 3, 4), "debate", "tea or coffee?"),
    ):
        with pytest.raises(NotAllowedError, match=AdminText.NOT_AN_ADMIN):
            await refused
    with pytest.raises(NotAllowedError):
        steward.list_panels(MODERATOR, 3)
    with pytest.raises(NotAllowedError):
        await steward.show_panel(MODERATOR, 3, "debate")
    assert "debate" in steward.list_panels(ADMIN, 3)


async def test_only_who_can_read_a_thread_votes_there(services: CogServices) -> None:
    with pytest.raises(NotAllowedError, match=ButtonText.ONLY_READERS_VOTE):
        await services.commands.vote("rt_00000000", "before", 0, 1, can_read=False)
    with pytest.raises(NotAllowedError, match=ButtonText.ONLY_READERS_VOTE):
        await services.commands.set_confidence("rt_00000000", "after", 70, 1, can_read=False)


async def test_nobody_lets_another_person_be_forgotten(services: CogServices) -> None:
    assert await services.commands.forget(2, MODERATOR) == ButtonText.ONLY_WHO_ASKED_FORGETS
