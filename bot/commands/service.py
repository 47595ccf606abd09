"""Carries out commands, typed or pressed; each message counts once."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from bot.access.admission import Asker
from bot.access.readers import Reader
from bot.admin.service import require_admin
from bot.errors import NotAllowedError, UsageError
from bot.messages.decisions import AgainText
from bot.messages.discord import ButtonText
from bot.messages.library import ForgetText, HelpText, ReadText
from bot.messages.starting import DoubtText, StartText
from bot.panels import PanelsConfig
from bot.privacy.forget import ForgetService
from bot.request import (
    Command,
    Flag,
    Request,
    UnknownFlagError,
    begins_with_flag,
    build_request,
    corrected,
    is_addressed,
    parse_command,
    parse_request,
    without_mention,
)
from bot.request.doubts import doubt_about
from bot.request.parse import WORD_COMMANDS
from bot.runs.requests import StartRequest, StartResult
from bot.runs.service import RunService
from bot.store import BallotTime, InboundKind, Store
from bot.store.repositories.inbound import InboundMessage, InboundRepository
from bot.store.repositories.runs import Run
from bot.talk.incoming import IncomingMessage
from bot.talk.service import TalkService
from bot.types.mode import Mode
from bot.types.reply import ForgetOffer, ReplyText, Suggestion

if TYPE_CHECKING:
    from bot.library.service import Library


_Lookup = Callable[["Library", Reader, str | None], Awaitable[ReplyText]]

_LOOKUPS: Final[Mapping[str, _Lookup]] = {
    "list": lambda library, reader, _: library.listing(reader),
    "status": lambda library, reader, run_id: library.status(reader, run_id),
    "show": lambda library, reader, run_id: library.show(reader, run_id),
    "read": lambda library, reader, run_id: library.read(reader, run_id),
    "export": lambda library, reader, run_id: library.export(reader, run_id),
    "end": lambda library, reader, run_id: library.end(reader, run_id),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """One question to one panel, and what it would cost."""

    request: Request
    price: str


Reply = ReplyText | ForgetOffer | StartResult | Suggestion


class Commands:
    """Every command of people; each raises UserError with a sentence if it is refused."""

    def __init__(
        self,
        run_service: RunService,
        talk: TalkService,
        forgetting: ForgetService,
        config: Callable[[int | None], PanelsConfig],
        *,
        reads_messages: bool,
    ) -> None:
        self._run_service = run_service
        self._talk = talk
        self._forgetting = forgetting
        self._config = config
        self._reads_messages = reads_messages

    async def run(self, command: Command, reader: Reader) -> Reply:
        """Carry out a command that was typed as a message."""
        if command.name in _LOOKUPS:
            return await self.look_up(command.name, reader, command.run_id)
        if command.name == "forget":
            return await self.offer_to_forget(reader.asker.id)
        if command.name == "record":
            return await self.record(command.text, reader)
        if command.name == "reopen":
            return await self.reopen(replace(reader, private=True), command.run_id, command.text)
        return ReplyText(await self._act(command, reader))

    async def _act(self, command: Command, reader: Reader) -> str:
        # Acting on a run shows nothing of it, so it need not be readable for all in the channel.
        actor = replace(reader, private=True)
        match command.name:
            case "help":
                return self.help()
            case "costs":
                return await self.costs(reader)
            case "stop":
                return await self.stop(actor, command.run_id)
            case "conclude":
                return await self.conclude(actor, command.run_id)
            case "retry":
                return await self.retry(actor, command.run_id)
            case "resolve":
                return await self.resolve(actor, command.run_id, command.text)
            case "quiet":
                return await self._talk.quiet(reader.channel_id)
            case "post" if command.channel_id is not None:
                return await self.post(actor, command.run_id, command.channel_id)
        raise UsageError(ReadText.not_yet(command.name))

    async def look_up(self, name: str, reader: Reader, run_id: str | None) -> ReplyText:
        """Answer `list`, `status`, `show`, `read`, `export` or `end`."""
        return await _LOOKUPS[name](
            self._run_service.library, reader, run_id.strip() if run_id else None
        )

    async def start(self, reader: Reader, topic: str, flags: Sequence[Flag]) -> StartResult:
        """Start a roundtable from a topic and options."""
        request = build_request(topic, flags, self._topic_limit(reader.guild_id))
        return await self._start(reader, request)

    async def start_from_text(self, reader: Reader, text: str, message_id: int) -> StartResult:
        """Start a roundtable from a message."""
        request = parse_request(text, self._topic_limit(reader.guild_id))
        return await self._start(reader, request, message_id=message_id)

    async def trial(self, reader: Reader, panel: str, question: str) -> Trial:
        """Price one question to one panel; for admins."""
        require_admin(reader.asker)
        flags = [Flag("--quick"), Flag("--no-search")]
        asked = build_request(question, flags, self._topic_limit(reader.guild_id))
        request = replace(asked, mode=Mode(panel), mode_forced=True)
        return Trial(request, await self._run_service.price_of(reader.guild_id, request))

    async def hold_trial(self, reader: Reader, trial: Trial) -> StartResult:
        """Hold a priced trial, even if its topic was discussed before."""
        return await self._start(reader, trial.request, trial=True)

    async def _start(
        self,
        reader: Reader,
        request: Request,
        *,
        message_id: int | None = None,
        trial: bool = False,
    ) -> StartResult:
        place = reader.guild_id, reader.channel_id
        start_request = StartRequest(
            *place, message_id, reader.asker, request, again=trial, tries_mode=trial
        )
        return await self._run_service.start_run(start_request)

    async def stop(self, reader: Reader, run_id: str | None) -> str:
        """Stop a run, the one of this place, or else the talk in this thread."""
        if run_id is None:
            run = await self._run_service.running_in(reader.channel_id, reader.guild_id)
            if run is None:
                return await self._talk.stop(reader.channel_id, reader.asker)
        else:
            run = await self._run_service.library.readers.reach(reader, run_id)
        return await self._run_service.stop(run.id, reader.asker)

    async def conclude(self, reader: Reader, run_id: str | None) -> str:
        """End the rounds of a run now, by default of the one of this place, or close its vote."""
        running = await self._run_service.running_in(reader.channel_id, reader.guild_id)
        if run_id is None and running is not None:
            return await self._run_service.conclude(running.id, reader.asker)
        run = await self._meant(run_id, reader, ReadText.NONE_TO_CONCLUDE)
        return await self._run_service.conclude(run.id, reader.asker)

    async def retry(self, reader: Reader, run_id: str | None) -> str:
        """Try a failed run again, by default the newest of this thread."""
        run = await self._meant(run_id, reader, ReadText.NONE_TO_RETRY)
        return await self._run_service.retry(run.id, reader.asker, reader.channel_id)

    async def post(self, reader: Reader, run_id: str | None, channel_id: int) -> str:
        """Post a conclusion in another channel, by default that of this thread's newest run."""
        run = await self._meant(run_id, reader, ReadText.NONE_TO_POST)
        return await self._run_service.post(run.id, channel_id, reader.asker)

    async def resolve(self, reader: Reader, run_id: str | None, answer: str) -> str:
        """Say what became of a decision, by default of this thread's newest run."""
        run = await self._meant(run_id, reader, AgainText.NONE_HERE)
        return await self._run_service.decisions.resolve(run.id, reader.asker, answer)

    async def reopen(self, reader: Reader, run_id: str | None, news: str) -> StartResult:
        """Look at a decision again because of what is new, by default this thread's newest."""
        run = await self._meant(run_id, reader, AgainText.NONE_HERE)
        return await self._run_service.reopen(run.id, reader.asker, news)

    async def answers(self, reader: Reader, run_id: str | None) -> tuple[str, ...]:
        """What can be said about a decision, for whoever types."""
        run = await self._meant(run_id, reader, AgainText.NONE_HERE)
        return await self._run_service.decisions.answers(run.id)

    async def record(self, action: str, reader: Reader) -> ReplyText:
        """Show the record of this server, export it, or let a person's own votes into it."""
        records = self._run_service.records
        match action:
            case "export":
                return await records.export(reader)
            case "join":
                return await records.join(reader)
            case "leave":
                return await records.leave(reader)
        return await records.show(reader)

    async def is_topic(self, command: Command, channel_id: int) -> bool:
        """Whether words that look like a command are none, as no roundtable lives here."""
        if command.name not in WORD_COMMANDS or command.run_id or not command.text:
            return False
        return await self._run_service.last_in(channel_id) is None

    async def costs(self, reader: Reader) -> str:
        """What a person spent, what is left today, and what a roundtable costs now."""
        return await self._run_service.costs(reader.guild_id, reader.asker, private=reader.private)

    def help(self) -> str:
        """What Roundtable can do."""
        return HelpText.help_text(reads_messages=self._reads_messages)

    async def offer_to_forget(self, person_id: int) -> ForgetOffer | ReplyText:
        """What would be forgotten about a person."""
        text = await self._forgetting.preview(person_id)
        return ReplyText(ForgetText.NOTHING) if text is None else ForgetOffer(person_id, text)

    async def forget(self, person_id: int, asker: Asker) -> str:
        """Forget a person, if it is they who confirm."""
        if asker.id != person_id:
            return ButtonText.ONLY_WHO_ASKED_FORGETS
        return await self._forgetting.forget(asker)

    async def vote(
        self, run_id: str, when: str, number: int, person_id: int, *, can_read: bool
    ) -> str:
        """Take a person's vote; returns what it is for."""
        _require_reader(can_read=can_read)
        people = self._run_service.people
        return await people.vote(run_id, BallotTime(when), number, person_id)

    async def set_confidence(
        self, run_id: str, when: str, percent: int, person_id: int, *, can_read: bool
    ) -> str:
        """Note how sure a person is of their vote; returns what it is for."""
        _require_reader(can_read=can_read)
        people = self._run_service.people
        return await people.be_sure(run_id, BallotTime(when), percent, person_id)

    async def require_server(self, guild_id: int, about: str) -> None:
        """Refuse to act on a run or an approval of another server, as if it did not exist."""
        await self._run_service.library.readers.require_server(guild_id, about)

    async def _meant(self, run_id: str | None, reader: Reader, advice: str) -> Run:
        if run_id is not None:
            return await self._run_service.library.readers.reach(reader, run_id)
        run = await self._run_service.last_in(reader.channel_id)
        if run is None:
            raise UsageError(advice)
        return run

    def _topic_limit(self, guild_id: int) -> int:
        return self._config(guild_id).limits.topic_chars


def _require_reader(*, can_read: bool) -> None:
    """Whoever can read the thread of a vote may take part in it."""
    if not can_read:
        raise NotAllowedError(ButtonText.ONLY_READERS_VOTE)


class TextCommands:
    """Reacts to `roundtable …`, to topics in a dedicated channel and to private messages."""

    def __init__(
        self,
        commands: Commands,
        talk: TalkService,
        store: Store,
        config: Callable[[int | None], PanelsConfig],
    ) -> None:
        self._commands = commands
        self._talk = talk
        self._store = store
        self._config = config

    async def receive(self, message: IncomingMessage) -> Reply | None:
        """Carry out what a message asks for; None if it needs no answer or came before."""
        if message.proxied:
            return None
        if not message.guild_id:
            return ReplyText(StartText.IN_PRIVATE)
        if not self.may_be_for_us(message) or await self._is_for_a_panelist(message):
            return None
        if not await self._first_seen(message, InboundKind.TRIGGER):
            return None
        reader = _reader(message)
        command = parse_command(message.typed) if is_addressed(message.typed) else None
        if command is not None and not await self._commands.is_topic(command, message.channel_id):
            return await self._commands.run(command, reader)
        if (doubt := self._doubt(message)) is not None:
            return doubt
        try:
            started = await self._commands.start_from_text(reader, message.text, message.message_id)
        except UnknownFlagError as error:
            if not error.near:
                raise
            label = ButtonText.with_flag(error.near)
            return Suggestion(message.message_id, error.text, label, may_start=False)
        return started if _needs_an_answer(started, message) else None

    def _doubt(self, message: IncomingMessage) -> Suggestion | None:
        """What to ask back; whoever begins with a flag knows what they ask for."""
        if begins_with_flag(message.typed):
            return None
        if message.reply_to is not None and not is_addressed(message.typed):
            return Suggestion(message.message_id, DoubtText.TO_PEOPLE)
        if (doubt := doubt_about(message.typed)) is None:
            return None
        meant = ButtonText.command(doubt.command.name) if doubt.command else ""
        return Suggestion(message.message_id, doubt.text, meant)

    async def settle_doubt(
        self, message_id: int, reader: Reader, bot_id: int, *, anyway: bool
    ) -> Reply:
        """Do what a message that started nothing was meant for, or hold its roundtable anyway."""
        said = await self._store.read(lambda conn: InboundRepository(conn).get(message_id))
        if said is None or not said.content:
            raise UsageError(DoubtText.GONE)
        if said.author_id != reader.asker.id:
            raise NotAllowedError(DoubtText.NOT_YOURS)
        text = without_mention(said.content, bot_id)
        doubt = None if anyway or begins_with_flag(text) else doubt_about(text)
        if doubt is not None and doubt.command is not None:
            return await self._commands.run(doubt.command, reader)
        try:
            return await self._commands.start_from_text(reader, text, message_id)
        except UnknownFlagError as error:
            return await self._commands.start_from_text(reader, corrected(text, error), message_id)

    def may_be_for_us(self, message: IncomingMessage) -> bool:
        """Whether a person's message is a command or stands where every message is a topic."""
        if message.proxied:
            return False
        return is_addressed(message.typed) or self._is_in_topic_channel(message)

    async def refuse_late(self, message: IncomingMessage) -> ReplyText | None:
        """Ask once to repeat a command that was typed while the bot was away."""
        seen = await self._first_seen(message, InboundKind.COMMAND)
        return ReplyText(StartText.NOT_LATE) if seen else None

    def _is_in_topic_channel(self, message: IncomingMessage) -> bool:
        topics = self._config(message.guild_id).trigger.channel_ids
        return message.channel_id in topics and bool(message.content.strip())

    async def _is_for_a_panelist(self, message: IncomingMessage) -> bool:
        """In a dedicated channel everything is a topic but what is said to a panelist there."""
        if is_addressed(message.typed) or message.reply_to is None:
            return False
        return await self._talk.wrote(message.reply_to)

    async def _first_seen(self, message: IncomingMessage, kind: InboundKind) -> bool:
        """Discord may deliver a message twice; only the first time counts."""
        seen = InboundMessage(
            message_id=message.message_id,
            channel_id=message.channel_id,
            guild_id=message.guild_id,
            author_id=message.author_id,
            content=message.content,
            created_at=message.created_at,
            kind=kind,
        )
        now = self._store.now()
        return await self._store.write(lambda conn: InboundRepository(conn).remember(seen, now))


def _reader(message: IncomingMessage) -> Reader:
    """The person behind a message, whose answer everybody there reads."""
    asker = Asker(message.author_id, message.role_ids, message.may_manage)
    return Reader(asker, message.guild_id, message.channel_id, private=False)


def _needs_an_answer(started: StartResult, message: IncomingMessage) -> bool:
    """A new thread right below the message speaks for itself."""
    elsewhere = started.place.channel_id != message.channel_id
    return started.reused or started.asks_starter or elsewhere
