"""Puts the library together."""

from bot.council.discussions.on_stage import OnStage
from bot.council.discussions.service import Discussions
from bot.council.discussions.writing import Folder
from bot.council.exports import roundtables_folder
from bot.council.library import Library
from bot.council.linking import Linking
from bot.council.tools import Tools


def library_of(tools: Tools, linking: Linking) -> Library:
    """The library with the discussions of agents, which people read and end here, too."""
    folder = tools.conclusions or roundtables_folder(tools.home)
    return Library(tools, Discussions(tools, OnStage(tools, linking), Folder(tools.store, folder)))
