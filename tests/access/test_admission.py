"""Who may start and stop, and how long to wait."""

import pytest

from bot.access.admission import Asker, Traffic, admit, may_stop, require_running
from bot.errors import NotAllowedError
from bot.panels import Trigger

QUIET = Traffic(running=0, last_start=None)


def test_everybody_may_start_when_no_role_is_named() -> None:
    admit(Asker(1), Trigger(), QUIET, now=100)


def test_a_role_list_keeps_others_out() -> None:
    trigger = Trigger.model_validate({"allowedRoleIds": (5,)})
    admit(Asker(1, frozenset({5})), trigger, QUIET, now=100)
    with pytest.raises(NotAllowedError, match="<@&5>"):
        admit(Asker(1, frozenset({6})), trigger, QUIET, now=100)


def test_the_cooldown_tells_when_it_ends() -> None:
    with pytest.raises(NotAllowedError, match="<t:131:R>"):
        admit(Asker(1), Trigger(), Traffic(0, last_start=100), now=120)
    admit(Asker(1), Trigger(), Traffic(0, last_start=100), now=131)


def test_a_full_house_is_refused() -> None:
    with pytest.raises(NotAllowedError, match="3 roundtables are already running"):
        admit(Asker(1), Trigger(), Traffic(3, None), now=100)
    with pytest.raises(NotAllowedError, match="The oldest should finish <t:160:R>"):
        admit(Asker(1), Trigger(), Traffic(3, None, first_over_by=160), now=100)
    with pytest.raises(NotAllowedError, match=r"has finished\.$"):
        admit(Asker(1), Trigger(), Traffic(3, None, first_over_by=99), now=100)


def test_a_switched_off_or_paused_bot_takes_nothing_new() -> None:
    require_running(Trigger(), None)
    with pytest.raises(NotAllowedError, match=r"trigger\.enabled"):
        require_running(Trigger(enabled=False), None)
    with pytest.raises(NotAllowedError, match="<t:50:R>"):
        require_running(Trigger(), 50.0)


@pytest.mark.parametrize(
    ("asker", "may"),
    [
        (Asker(1), True),
        (Asker(2), False),
        (Asker(2, may_manage=True), True),
        (Asker(2, frozenset({9})), True),
    ],
)
def test_starter_moderators_and_stop_roles_may_stop(asker: Asker, may: bool) -> None:
    trigger = Trigger.model_validate({"stopRoleIds": (9,)})
    assert may_stop(asker, 1, trigger) is may
