"""Commands and topics that are typed as messages: what counts as one, and each only once."""

from collections.abc import Callable

from bot.access.admission import Asker
from bot.access.readers import Reader
from bot.commands.service import Commands, Reply
from bot.messages.starting import StartText
from bot.panels import PanelsConfig
from bot.request import is_addressed, parse_command
from bot.runs.requests import StartResult
from bot.store import InboundKind, Store
from bot.store.repositories.inbound import InboundMessage, InboundRepository
from bot.talk.incoming import IncomingMessage
from bot.talk.service import TalkService
from bot.types.reply import ReplyText


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
        if command is not None:
            return await self._commands.run(command, reader)
        started = await self._commands.start_from_text(reader, message.text, message.message_id)
        return started if _needs_an_answer(started, message) else None

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
