"""What the doors of the council share: the meetings under way and everything they need."""

from bot.council.approvals import Approvals
from bot.council.delivery.deciding import SpecDesk
from bot.council.delivery.writing import Writing
from bot.council.hall import Hall
from bot.council.linking import Linking
from bot.council.meeting import Meeting
from bot.council.peoples_vote import PeoplesVote
from bot.council.sessions import Sessions
from bot.council.sharing import Sharing
from bot.council.shelving import library_of
from bot.council.spending_gate import register_spending
from bot.council.tools import Tools
from bot.errors import UsageError
from bot.messages.starting import AdmissionText
from bot.request import Mode
from bot.store import runs
from bot.store.runs import Run


class Rooms:
    """The parts of the council, built once and wired to each other."""

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self.sessions = Sessions(self._hold)
        self.approvals = Approvals(tools, self.take_up)
        """The gate for outside effects; others register theirs here."""
        register_spending(tools, self.approvals, self.sessions.wake)
        self.sharing = Sharing(tools, self.approvals)
        """Conclusions in other channels."""
        self.linking = Linking(tools, self.approvals)
        """Conclusions as comments on outside issues."""
        Writing(tools, self.approvals)  # registers its effect
        self.hall = Hall(tools, self.approvals, self.linking)
        """Where meetings are held."""
        self.people = PeoplesVote(tools)
        """Where people vote."""
        self.specs = SpecDesk(tools, self.take_up)
        """Where the starter of a build decides about its spec."""
        self.library = library_of(tools, self.linking)
        """The roundtables that were held, for those who may read them."""

    def take_up(self, run: Run) -> None:
        """Continue a run that waited for a decision."""
        self.sessions.launch(self.hall.meeting(run))

    async def interrupted(self, run: Run) -> Meeting:
        """The run's meeting, which nobody holds any more."""
        meeting = await self.sessions.interrupt(run.id)
        return self.hall.meeting(run) if meeting is None else meeting

    async def known(self, run_id: str) -> Run:
        """The run, unless there is none or it was forgotten."""
        run = await self.tools.store.read(lambda conn: runs.get(conn, run_id))
        if run is None or not run.topic:
            raise UsageError(AdmissionText.NO_SUCH_RUN)
        return run

    async def close(self) -> None:
        """Close what would wait for somebody."""
        await self.people.close()

    async def _hold(self, meeting: Meeting, resumed: bool) -> None:
        """Hold the meeting, and let people vote about it as long as they may."""
        await self.hall.hold(meeting, resumed=resumed)
        if meeting.run.mode is Mode.VOTE and not self.sessions.closing:
            await self.people.watch(meeting.run.id)
