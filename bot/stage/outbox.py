"""The outbox: parts are stored before they are sent, sent in order, and never sent twice."""

import asyncio
import base64
import io
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace

import discord
from sqlalchemy import Connection

from bot.errors import UnavailableError
from bot.messages.discord import PermissionText, PostText
from bot.stage.cards import button_view
from bot.stage.message_text import CodeFile, message_parts, post_body, split_text
from bot.stage.opening import find_channel, why_refused
from bot.stage.persistence import MOST_TRIES, PASSING, is_passing, pause_before, persist
from bot.stage.personas import Personas, ThreadParent
from bot.stage.port import THE_BOT, Attachment, Place, Post, Speaker
from bot.store import ArtifactKind, PostKind, PostState, Store
from bot.store.repositories import posts
from bot.store.repositories.artifacts import ArtifactRepository, file_bytes
from bot.store.repositories.posts import AttachmentRef, NewPart, PostPart, PostRepository
from bot.store.repositories.runs import RunRepository
from bot.store.vocabulary import Actor
from bot.types import Sleep

_log = logging.getLogger(__name__)
_HISTORY_DEPTH = 50
_NO_ROOM_KEY = "no-webhook"
_CODE_UNKNOWN_WEBHOOK = 10015
NOBODY = discord.AllowedMentions.none()
_FaceUrl = Callable[[int, str], Awaitable[str | None]]


def _reference_to(attachment: Attachment) -> AttachmentRef:
    """An attachment as the outbox stores it."""
    scheme = "base64" if attachment.encoded else "artifact"
    source = f"{scheme}:{attachment.artifact_id}"
    return AttachmentRef(attachment.name, source, attachment.description)


def _code_kept(
    conn: Connection, run_id: str, key: str, code: Sequence[CodeFile], now: float
) -> Iterator[AttachmentRef]:
    """Keep long code as artifacts of the run, under the names of their posts."""
    for file in code:
        attempt = RunRepository(conn).require(run_id).attempt
        name, kind = f"{key}:{file.name}", ArtifactKind.OTHER
        artifact = ArtifactRepository(conn).record(
            run_id, attempt, kind, name, file.text, Actor.ORCHESTRATOR, now
        )
        yield AttachmentRef(file.name, f"artifact:{artifact.id}")


def _files_of(conn: Connection, attachments: Sequence[AttachmentRef]) -> list[discord.File]:
    """The attachments as they go up, without those whose content is gone."""
    files = []
    for attachment in attachments:
        scheme, _, artifact_id = attachment.source.partition(":")
        data = file_bytes(conn, artifact_id)
        if data is not None:
            data = base64.b64decode(data) if scheme == "base64" else data
            description = attachment.description or None
            files.append(discord.File(io.BytesIO(data), attachment.name, description=description))
    return files


class Outbox:
    """Sends what is said, one part after the other in each thread."""

    def __init__(
        self,
        client: discord.Client,
        store: Store,
        personas: Personas,
        face_url: _FaceUrl,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._client = client
        self._store = store
        self._personas = personas
        self._face_url = face_url
        self._sleep = sleep
        self._orders: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._going: set[asyncio.Task[tuple[int, ...]]] = set()

    async def deliver(self, run_id: str, place: Place, post: Post) -> tuple[int, ...]:
        """Send a post once, whole and in order; returns the ids of its messages.

        A caller cancelled while it waits for its turn sends nothing; a post that has begun goes
        out whole, whatever becomes of its caller.
        """
        turn = self._orders[place.target_id]
        await turn.acquire()
        going = asyncio.create_task(self._deliver(turn, run_id, place, post))
        self._going.add(going)
        going.add_done_callback(self._ended)
        return await asyncio.shield(going)

    async def drain(self, patience: float) -> None:
        """Let posts that are going out finish, at most for the given seconds."""
        if self._going:
            await asyncio.wait(self._going, timeout=patience)
        for late in tuple(self._going):
            late.cancel()

    async def revise(self, run_id: str, place: Place, post: Post) -> None:
        """Give a post that is out another text and other buttons; a lost one is left alone.

        Without a text the one that is out stays as it is.
        """
        message_id = await self.message_of(run_id, post)
        if message_id is None:
            return
        target = self._client.get_partial_messageable(place.target_id, guild_id=place.guild_id)
        message = target.get_partial_message(message_id)
        view = button_view(post.buttons, post.menus)
        text = discord.utils.MISSING
        if post.text:
            text = _parts(post, post_body(post, place, as_persona=False))[0][-1]
        try:
            await persist(lambda: message.edit(content=text, view=view, allowed_mentions=NOBODY))
        except discord.NotFound:
            _log.info("post %s of %s was deleted", post.key, run_id)
        except (discord.HTTPException, *PASSING) as error:
            _log.warning("post %s of %s could not be edited: %s", post.key, run_id, error)

    async def message_of(self, run_id: str, post: Post) -> int | None:
        """The message that ends a post and holds its buttons, once it is out."""
        parts = await self._store.read(lambda conn: PostRepository(conn).of_key(run_id, post.key))
        return parts[-1].message_id if parts else None

    async def send_unrecorded(self, run_id: str, place: Place, post: Post) -> int:
        """Send a short post although the store cannot be written; only its nonce guards it."""
        target = self._client.get_partial_messageable(place.target_id, guild_id=place.guild_id)
        body = split_text(post_body(post, place, as_persona=False))[0]
        nonce = posts.nonce_of(run_id, post.key, 1)
        message = await persist(
            lambda: target.send(body, nonce=nonce, allowed_mentions=_allowed(post))
        )
        return message.id

    def _ended(self, going: "asyncio.Task[tuple[int, ...]]") -> None:
        self._going.discard(going)
        if not going.cancelled() and going.exception() is not None:
            # A waiting caller gets the exception; this is for posts without one.
            _log.debug("a post failed", exc_info=going.exception())

    async def _deliver(
        self, turn: asyncio.Lock, run_id: str, place: Place, post: Post
    ) -> tuple[int, ...]:
        try:
            parent = await self._persona_channel(place, post.speaker)
            if post.speaker.seat and self._personas.has_no_room(place.channel_id):
                await self._say_why_no_persona(run_id, place)
            return await self._send(run_id, place, post, parent)
        finally:
            turn.release()

    async def _send(
        self, run_id: str, place: Place, post: Post, parent: ThreadParent | None
    ) -> tuple[int, ...]:
        parts = await self._enqueue(run_id, place, post, as_persona=parent is not None)
        silent = replace(post, buttons=(), menus=())
        sent = [await self._send_part(place, silent, part, parent) for part in parts[:-1]]
        return (*sent, await self._send_part(place, post, parts[-1], parent))

    async def _say_why_no_persona(self, run_id: str, place: Place) -> None:
        """Once in each place of a run; the store remembers, however often it is said here."""
        key = f"{_NO_ROOM_KEY}>{place.target_id}"
        await self._send(
            run_id, place, Post(key, THE_BOT, PermissionText.WEBHOOKS_FULL, untrusted=False), None
        )

    async def _persona_channel(self, place: Place, speaker: Speaker) -> ThreadParent | None:
        """The channel whose webhook the speaker uses; None where the bot speaks itself."""
        if not speaker.seat:
            return None
        channel = await find_channel(self._client, place.channel_id)
        if not isinstance(channel, ThreadParent):
            return None
        return channel if await self._personas.webhook_for(channel) else None

    async def _enqueue(
        self, run_id: str, place: Place, post: Post, *, as_persona: bool
    ) -> tuple[PostPart, ...]:
        kind = PostKind.WEBHOOK if as_persona else PostKind.BOT
        files = tuple(map(_reference_to, post.attachments))
        texts, code = _parts(post, post_body(post, place, as_persona=as_persona))
        speaker = {"name": post.speaker.name, "seat": post.speaker.seat, "face": post.speaker.face}
        now = self._store.now()

        def write(conn: Connection) -> tuple[PostPart, ...]:
            last = NewPart(texts[-1], (*files, *_code_kept(conn, run_id, post.key, code, now)))
            parts = [*map(NewPart, texts[:-1]), last]
            queued = PostRepository(conn).enqueue(
                run_id, post.key, place.target_id, kind, speaker, parts, now
            )
            if _goes_first(queued[0]):
                PostRepository(conn).mark_sending(queued[0].ref, now)
            return queued

        return await self._store.write(write)

    async def _send_part(
        self, place: Place, post: Post, part: PostPart, parent: ThreadParent | None
    ) -> int:
        if part.state is PostState.SENT and part.message_id is not None:
            return part.message_id
        uncertain = part.state is PostState.SENDING
        for attempt in range(MOST_TRIES):
            try:
                found = await self._find_in_history(place, part) if uncertain else None
                if found is None:
                    if attempt or not _goes_first(part):
                        await self._store.write(
                            lambda conn: PostRepository(conn).mark_sending(
                                part.ref, self._store.now()
                            )
                        )
                    found = await self._transmit(place, post, part, parent)
                return await self._note_sent(part, found)
            except discord.HTTPException as error:
                await self._give_up_or_go_on(place, part, parent, error)
            except PASSING as error:
                _log.warning("part %s: outcome unknown (%s)", part.ref, type(error).__name__)
            uncertain = True
            await self._sleep(pause_before(attempt))
        raise await self._failed(part, PostText.NOT_TAKEN)

    async def _transmit(
        self, place: Place, post: Post, part: PostPart, parent: ThreadParent | None
    ) -> int:
        files = await self._files(part)
        webhook = await self._personas.webhook_for(parent) if parent else None
        if webhook is None:
            target = self._client.get_partial_messageable(place.target_id, guild_id=place.guild_id)
            message = await target.send(
                part.body,
                files=files,
                view=button_view(post.buttons, post.menus) or discord.utils.MISSING,
                nonce=part.nonce,
                allowed_mentions=_allowed(post),
                suppress_embeds=True,
                silent=post.ping_user_id is None,
            )
            return message.id
        thread = discord.Object(place.thread_id) if place.thread_id else discord.utils.MISSING
        face = await self._face_url(place.guild_id, post.speaker.face)
        said = await webhook.send(
            part.body,
            username=post.speaker.name,
            avatar_url=face or discord.utils.MISSING,
            files=files,
            thread=thread,
            wait=True,
            allowed_mentions=NOBODY,
            suppress_embeds=True,
            silent=True,
        )
        return said.id

    async def _give_up_or_go_on(
        self,
        place: Place,
        part: PostPart,
        parent: ThreadParent | None,
        error: discord.HTTPException,
    ) -> None:
        if error.code == _CODE_UNKNOWN_WEBHOOK and parent is not None:
            self._personas.forget(parent.id)
            return
        if not is_passing(error):
            files = bool(part.attachments)
            why = await why_refused(self._client, place.target_id, error, files=files)
            raise await self._failed(part, why) from error

    async def _failed(self, part: PostPart, reason: str) -> UnavailableError:
        await self._store.write(lambda conn: PostRepository(conn).mark_failed(part.ref, reason))
        return UnavailableError(PostText.message_failed(reason))

    async def _note_sent(self, part: PostPart, message_id: int) -> int:
        now = self._store.now()
        await self._store.write(
            lambda conn: PostRepository(conn).mark_sent(
                part.ref, message_id, Actor.ORCHESTRATOR, now
            )
        )
        return message_id

    async def _find_in_history(self, place: Place, part: PostPart) -> int | None:
        """The message an earlier try may have left behind without our learning its id."""
        target = self._client.get_partial_messageable(place.target_id)
        recent = [message async for message in target.history(limit=_HISTORY_DEPTH)]
        ours = [message for message in recent if self._looks_like(message, part)]
        known = await self._store.read(lambda conn: _known_ids(conn, ours))
        return next((message.id for message in reversed(ours) if message.id not in known), None)

    def _looks_like(self, message: discord.Message, part: PostPart) -> bool:
        if message.content.strip() != part.body.strip():
            return False
        if part.kind is PostKind.WEBHOOK:
            return message.webhook_id is not None and message.author.name == part.speaker["name"]
        return message.author.id == (self._client.user.id if self._client.user else 0)

    async def _files(self, part: PostPart) -> list[discord.File]:
        return await self._store.read(lambda conn: _files_of(conn, part.attachments))


def _parts(post: Post, body: str) -> tuple[list[str], tuple[CodeFile, ...]]:
    return message_parts(body, code_aside=post.untrusted, by_a_seat=bool(post.speaker.seat))


def _goes_first(part: PostPart) -> bool:
    """Whether a part is marked as being sent in the same breath in which its post is stored."""
    return part.part == 1 and part.state is PostState.PENDING


def _known_ids(conn: Connection, messages: Sequence[discord.Message]) -> frozenset[int]:
    return frozenset(
        message.id for message in messages if PostRepository(conn).find_by_message_id(message.id)
    )


def _allowed(post: Post) -> discord.AllowedMentions:
    if post.ping_user_id is None:
        return NOBODY
    return discord.AllowedMentions(
        everyone=False, roles=False, users=[discord.Object(post.ping_user_id)]
    )
