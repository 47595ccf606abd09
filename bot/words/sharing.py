"""Conclusions that are posted elsewhere: in another channel, or on a linked issue."""

from typing import Final

NOT_CONCLUDED: Final = "Only a concluded roundtable can be posted elsewhere."
NOT_READABLE: Final = "You can only post a conclusion between channels that you can read."
UNDO_POST: Final = "delete the message there"
UNDO_COMMENT: Final = "delete the comment there"


def posted(link: str) -> str:
    """Reply when no approval was needed."""
    return f"The conclusion is posted: {link}"


def posted_before(link: str) -> str:
    """The same post was approved before."""
    return f"This was already approved and the conclusion is posted: {link}"


def post_it(channel_id: int) -> str:
    """What an approver is asked for, for a channel."""
    return f"post the conclusion in <#{channel_id}>"


def comment_on(url: str) -> str:
    """What an approver is asked for, for a linked issue."""
    return f"post the conclusion as a comment on <{url}>"


def asked_in(channel_id: int, who: str) -> str:
    """Reply to a request for a post that needs approval."""
    return f"Approval requested in <#{channel_id}>: {who} can approve it there."


def cannot_post(channel_id: int, fault: str) -> str:
    """The bot has no permission to write in the channel."""
    return f"I cannot post there: <#{channel_id}> {fault}."


def discussion_ended(reason: str) -> str:
    """The comment about a discussion without a conclusion."""
    return f"The discussion ended: {reason}."


def signed(text: str, link: str) -> str:
    """A comment with its origin below it."""
    return f"{text}\n\nPosted by Roundtable: {link}"
