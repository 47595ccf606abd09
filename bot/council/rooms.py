"""Services of the council, each created on first use to keep the start fast."""

from functools import cached_property
from typing import TYPE_CHECKING

from bot.council.sessions import Sessions
from bot.council.tools import Tools
from bot.errors import UsageError
from bot.request import Mode
from bot.store import runs
from bot.store.runs import Run
from bot.words.admission import NO_SUCH_RUN

if TYPE_CHECKING:
    from bot.council.approvals import Approvals
    from bot.council.delivery.deciding import SpecDesk
    from bot.council.delivery.writing import Writing
    from bot.council.hall import Hall
    from bot.council.library import Library
    from bot.council.linking import Linking
    from bot.council.meeting import Meeting
    from bot.council.peoples_vote import PeoplesVote
    from bot.council.sharing import Sharing


class Rooms:
    """What the doors of the council share: the meetings under way and everything they need."""

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self.sessions = Sessions(self._hold)

    @cached_property
    def hall(self) -> "Hall":
        """Where meetings are held."""
        from bot.council.hall import Hall  # noqa: PLC0415 (a start should not pay for it)

        return Hall(self.tools, self.gate(), self.linking)

    @cached_property
    def approvals(self) -> "Approvals":
        """The gate for outside effects; others register theirs here."""
        from bot.council.approvals import Approvals  # noqa: PLC0415 (like the hall)
        from bot.council.spending_gate import register_spending  # noqa: PLC0415

        gate = Approvals(self.tools, self.take_up)
        register_spending(self.tools, gate, self.sessions.wake)
        return gate

    @cached_property
    def people(self) -> "PeoplesVote":
        """Where people vote."""
        from bot.council.peoples_vote import PeoplesVote  # noqa: PLC0415 (like the hall)

        return PeoplesVote(self.tools)

    @cached_property
    def specs(self) -> "SpecDesk":
        """Where the starter of a build decides about its spec."""
        from bot.council.delivery.deciding import SpecDesk  # noqa: PLC0415 (like the hall)

        return SpecDesk(self.tools, self.take_up)

    @cached_property
    def sharing(self) -> "Sharing":
        """Conclusions in other channels."""
        from bot.council.sharing import Sharing  # noqa: PLC0415 (like the hall)

        return Sharing(self.tools, self.approvals)

    @cached_property
    def linking(self) -> "Linking":
        """Conclusions as comments on outside issues."""
        from bot.council.linking import Linking  # noqa: PLC0415 (like the hall)

        return Linking(self.tools, self.approvals)

    @cached_property
    def writing(self) -> "Writing":
        """Files of builds in the operator's workspace."""
        from bot.council.delivery.writing import Writing  # noqa: PLC0415 (like the hall)

        return Writing(self.tools, self.approvals)

    @cached_property
    def library(self) -> "Library":
        """The roundtables that were held, for those who may read them."""
        from bot.council.shelving import library_of  # noqa: PLC0415 (like the hall)

        return library_of(self.tools, self.linking)

    def gate(self) -> "Approvals":
        """The gate with every effect of ours registered, as a restart needs it."""
        for effects in (self.sharing, self.linking, self.writing):
            effects.register()
        return self.approvals

    def take_up(self, run: Run) -> None:
        """Continue a run that waited for a decision."""
        self.sessions.launch(self.hall.meeting(run))

    async def interrupted(self, run: Run) -> "Meeting":
        """The run's meeting, which is no longer running."""
        meeting = await self.sessions.interrupt(run.id)
        return self.hall.meeting(run) if meeting is None else meeting

    async def known(self, run_id: str) -> Run:
        """The run, unless there is none or it was forgotten."""
        run = await self.tools.store.read(lambda conn: runs.get(conn, run_id))
        if run is None or not run.topic:
            raise UsageError(NO_SUCH_RUN)
        return run

    async def close(self) -> None:
        """Close what was opened and would wait for somebody."""
        if "people" in self.__dict__:
            await self.people.close()

    async def _hold(self, meeting: "Meeting", resumed: bool) -> None:
        """Hold the meeting, and let people vote about it as long as they may."""
        await self.hall.hold(meeting, resumed=resumed)
        if meeting.run.mode is Mode.VOTE and not self.sessions.closing:
            await self.people.watch(meeting.run.id)
