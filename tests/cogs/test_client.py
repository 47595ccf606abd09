"""Custom ids stand under messages of any age, so what they mean must never change."""

import pytest

from cogs.client import PERSISTENT

RUN = "rt_0123abcd"
MEANT = {
    f"rt:{RUN}:stop": "StopButton",
    f"rt:{RUN}:retry": "RetryButton",
    f"rt:{RUN}:minutes": "MinutesButton",
    f"rt:{RUN}:details": "DetailsButton",
    f"rt:{RUN}:again": "AgainButton",
    f"rt:{RUN}:challenge": "AgainButton",
    f"rt:{RUN}:start": "ConsentButton",
    f"rt:{RUN}:cancel": "ConsentButton",
    f"rt:{RUN}:ask": "AskButton",
    f"rt:{RUN}:vote:before:1": "VoteButton",
    f"rt:{RUN}:vote:after:12": "VoteButton",
    f"rt:{RUN}:sure:before": "SureMenu",
    f"rt:{RUN}:sure:after": "SureMenu",
    f"rt:{RUN}:spec:1:accept": "SpecButton",
    f"rt:{RUN}:spec:12:edit": "SpecButton",
    f"rt:{RUN}:spec:3:changes": "SpecButton",
    "rt:apr_0123abcd:approve": "ApprovalButton",
    "rt:apr_0123abcd:reject": "ApprovalButton",
    "rt:apr_0123abcd:changes": "ApprovalButton",
    "rt:forget:1234567890": "ForgetButton",
}
STRANGE = (
    "stop",
    f"rt:{RUN}",
    "rt:rt_0123ABCD:stop",
    f"rt:{RUN}:stop:now",
    f"rt:{RUN}:vote:soon:1",
    f"rt:{RUN}:spec:1:reject",
    "rt:forget:me",
)


def answering(custom_id: str) -> list[str]:
    """The items that a press with this id reaches, found the way discord.py finds them."""
    patterns = {item.__name__: item.__discord_ui_compiled_template__ for item in PERSISTENT}
    return [name for name, pattern in patterns.items() if pattern.fullmatch(custom_id)]


@pytest.mark.parametrize(("custom_id", "item"), MEANT.items())
def test_an_old_id_still_reaches_its_item(custom_id: str, item: str) -> None:
    assert answering(custom_id) == [item]


@pytest.mark.parametrize("custom_id", STRANGE)
def test_an_id_that_is_not_ours_reaches_nothing(custom_id: str) -> None:
    assert answering(custom_id) == []
