"""The prompts of a discussion's coordinator and participants (C17-C19), from prompts/."""

from bot.discussions.queries import DiscussionQueries
from bot.discussions.table import DiscussionRounds
from bot.errors import UsageError
from bot.meeting.dependencies import CoreDependencies
from bot.messages.discussions import DiscussionText
from bot.store.repositories.discussions import Discussion, Participant
from bot.types.model_port import Prompt

_PARTICIPANT = "discussion-participant"
_COORDINATOR = "discussion-coordinator"


class Prompts:
    """Renders the instructions of an agent."""

    def __init__(
        self, deps: CoreDependencies, tables: DiscussionRounds, look: DiscussionQueries
    ) -> None:
        self._deps = deps
        self._tables = tables
        self._look = look

    async def participant(self, discussion_id: str, profile: str) -> Prompt:
        """What one participant is asked in the current round."""
        found = await self._tables.require(discussion_id)
        person = next((p for p in found.participants if p.profile == profile), None)
        if person is None:
            known = [p.profile for p in found.participants]
            raise UsageError(DiscussionText.no_part_in_it(profile[:80], known))
        values = await self._values(found) | {"PARTICIPANT": _listed(person)}
        return self._deps.book.render(_PARTICIPANT, values)

    async def coordinator(self, discussion_id: str) -> Prompt:
        """What the coordinator has to do, and where the discussion stands."""
        found = await self._tables.require(discussion_id)
        people = "\n".join(_listed(p) for p in found.participants)
        values = await self._values(found) | {"PARTICIPANTS": people}
        return self._deps.book.render(_COORDINATOR, values)

    async def _values(self, found: Discussion) -> dict[str, str]:
        history = await self._look.formatted(found.run.id)
        values = {
            "PROMPT": found.run.topic,
            "ID": found.run.id,
            "BACKGROUND": found.context,
            "ROUND": str(found.current_round),
            "MAX_ROUNDS": str(found.max_rounds),
            "HISTORY": history,
        }
        return {name: text for name, text in values.items() if text}


def _listed(person: Participant) -> str:
    """A participant under the profile that `roundtable_speak` takes."""
    perspective = f", {person.perspective}" if person.perspective else ""
    return f"{person.profile}: {person.role} ({person.display_name}){perspective}"
