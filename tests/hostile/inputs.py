"""Pumped strings, and every place where the bot takes in text that a stranger wrote."""

import asyncio
import json
import random
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bot.discussions.ports import DiscussionRequest
from bot.discussions.service import Discussions
from bot.discussions.views import ParticipantIn
from bot.errors import UserError
from bot.floor import FloorSeat
from bot.links.references import Reference
from bot.measures.validation import recommend_validation
from bot.meeting.synthesis import read_synthesis
from bot.models.failures import error_from_event, error_from_response
from bot.panels.sections import Links
from bot.prompting.build_files import name_problem, parse_built_files
from bot.prompting.build_review import parse_build_review
from bot.prompting.build_spec import parse_build_spec, spec_weaknesses
from bot.prompting.closing_lines import match_option
from bot.prompting.meta import parse_design_proposal
from bot.prompting.roles import roles_of
from bot.prompting.short_answers import parse_dissent, parse_followup
from bot.prompting.summary import parse_summary
from bot.record.answer_codec import read_critique, read_opening, read_validation
from bot.record.masking import Mask
from bot.record.run_rows import plain_title
from bot.rehearsal.topic import take_apart
from bot.request import (
    Flag,
    build_request,
    parse_command,
    parse_request,
    thread_title,
    topic_key,
    topic_slug,
)
from bot.request.options import choice_in, options_in
from bot.search.grounding import query_for
from bot.search.results import Fields, cited_labels, parse_search_digest, read_results
from bot.stage.cards import card_texts
from bot.stage.message_text import post_body, set_code_aside, split_text
from bot.stage.opening import anchor_text
from bot.stage.port import Card, Opening, Place, Post, Quote, SeatRow, Speaker
from bot.store.erasure.quotes import phrases_of, without_quotes
from bot.talk.incoming import IncomingMessage, address_of, pings
from bot.types.mode import Mode
from tests.discussions.conftest import open_service
from tests.security.pattern_attacks import Recipe, recipes

ANSWER_CHARS = 50_000

TOPIC_LIMIT = 4000
ANSWER = ANSWER_CHARS
PEERS = ("Analyst", "Devil's Advocate", "The Operator")
PANEL = tuple(FloorSeat(name.lower(), name) for name in PEERS)
PLACE = Place(1, 2)
PIECES = (
    " ", "\n", "\t", "a", "0", "_", "-", "*", "`", "```", "```\n", "|", "| ", "|-", "|\n", "~", "#",
    "#### ", ">", "> ", ">>> ", "[", "]", "(", ")", "[a](", "![a](<", "](", "<", "<@", "<@1>",
    "</:", "<id:", "@everyone", "http://", "https://a.", "a.", "a://", "discord.gg/",
    "discord.com/invite ", "[E1", "[E1]", "[STANCE: ", "[BALLOT: a | ", "between ", " or ", ", ",
    "; ", "/", ":", "：", "=", "- [ ] ", "- ", "1. ", "C1: ", "Thesis: ", "FILE: a.py\n",
    "because ", "Analyst: ", "Analyst 5/5 ", "{", '{"summary": "', "[[", '"', "'", "\\", "\\`",
    "–", "—", "…", "•", "***", "sk-", "key=", "Bearer ", "<data-a b>\n", "<b ", "&amp;", "&#", "&",
    "\u0301", "\u200b", "\u202e", "日", "🦊", "İ", "ß", "\r", "\x00", "VERDICT: ",
    "## ACTION PLAN\n", "🎯 ", "SELF-DIGEST\n", "--panel ",
)  # fmt: skip
Taking = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Entry:
    """A place where text comes in, and how much of it can arrive there."""

    name: str
    longest: int
    take: Taking


def pumped_text(chance: random.Random, longest: int) -> str:
    """A piece or a few, repeated to the length that may come in; sometimes a pattern's own."""
    if chance.random() < 0.3:
        return chance.choice(_own()).text(longest)[:longest]
    piece = "".join(chance.choices(PIECES, k=chance.choice((1, 1, 2, 3))))
    lead, end = (chance.choice(("", "", *PIECES)) for _ in range(2))
    room = max(1, longest - len(lead) - len(end))
    return (lead + piece * (room // len(piece) + 1))[: longest - len(end)] + end


@cache
def _own() -> list[Recipe]:
    patterns = {
        value
        for name, module in sorted(sys.modules.items())
        if name.startswith(("bot.", "cogs."))
        for value in vars(module).values()
        if isinstance(value, re.Pattern)
    }
    ordered = sorted(patterns, key=lambda pattern: pattern.pattern)
    return [one for pattern in ordered for one in recipes(pattern.pattern, pattern.flags)]


def _all(*works: Callable[[str], object]) -> Taking:
    """One after the other, each a turn of the loop as it is in the bot; refusals are fine."""

    async def take(text: str) -> None:
        for work in works:
            with suppress(UserError):
                work(text)
            await asyncio.sleep(0)

    return take


@asynccontextmanager
async def entries(home: Path) -> AsyncIterator[tuple[Entry, ...]]:
    """Every entry; what agents send goes through their tools' service on a real store."""
    async with open_service(home) as service:
        mcp = _Agents(service)
        yield (
            Entry("a topic", TOPIC_LIMIT, _all(_line, _topic, _shown_topic, _searched)),
            Entry("the floor", TOPIC_LIMIT, _all(_heard, _quoted)),
            Entry("a display name", 2_000, _all(_named, _quoted)),
            Entry("a model's answer", ANSWER, _all(*_READERS, _posted)),
            Entry("search results", 20_000, _all(_found, cited_labels)),
            Entry("a provider's error", 64_000, _all(_refused_in_json, _refused_in_text)),
            Entry("a form", TOPIC_LIMIT, _all(_form, parse_build_spec, _noted)),
            Entry("a file's name", TOPIC_LIMIT, _all(name_problem, _built)),
            Entry("an agent's topic", 2_000, mcp.open),
            Entry("an agent's speech", 20_000, mcp.speak),
            Entry("an agent's conclusion", 20_000, mcp.end),
        )


class _Agents:
    """Discussions that are opened, held and ended as an agent does it."""

    def __init__(self, service: Discussions) -> None:
        self._service = service

    async def open(self, text: str) -> None:
        with suppress(UserError):
            await self._opened(text, text[:80])
        await self._service.look.list()

    async def speak(self, text: str) -> None:
        discussion = await self._opened("Split the service?", "Architect")
        with suppress(UserError):
            await self._service.speak(discussion, "architect", text)
        await self._service.look.read(discussion)

    async def end(self, text: str) -> None:
        discussion = await self._opened("Split the service?", "Architect")
        with suppress(UserError):
            await self._service.end(discussion, conclusion=text)
        await self._service.look.summarize(discussion)

    async def _opened(self, topic: str, role: str) -> str:
        people = [
            ParticipantIn(profile="architect", role=role, perspective=topic[:1_000]),
            ParticipantIn(profile="operator", role="Operator", display_name=topic),
        ]
        opened = await self._service.init(DiscussionRequest(topic=topic, participants=people))
        return opened.discussion_id


def _line(text: str) -> None:
    line = f"roundtable {text}"
    if parse_command(line) is None:
        parse_request(line, TOPIC_LIMIT)


def _topic(text: str) -> None:
    request = build_request(text, (), TOPIC_LIMIT)
    options_in(request.topic)
    choice_in(request.topic)
    recommend_validation(request.mode, 30.0, 3, request.topic, quick=False)
    take_apart(request.topic)


def _shown_topic(text: str) -> None:
    topic_key(text), topic_slug(text), plain_title(text)
    title = thread_title(text, Mode.DEBATE)
    anchor_text(Opening("rt_00000000", 1, 2, None, 3, text, title, "debate"))
    card_texts(Card("rt_00000000", text, "debate", "step", notices=[text[:1_000]]))


def _searched(text: str) -> None:
    query_for(text)


def _heard(text: str) -> None:
    heard = IncomingMessage(1, 2, 3, 4, "Jonas", text, 0.0)
    address_of(heard, None, PANEL, open_always=False)
    pings(text, 17)
    without_quotes(text, phrases_of([text[: len(text) // 2]]))


def _quoted(text: str) -> None:
    quote = Quote(text, text, 5)
    post_body(Post("k", Speaker("Analyst", "analyst"), "yes", quote=quote), PLACE, as_persona=True)


def _named(text: str) -> None:
    for _ in roles_of(*PEERS, text[:80]).mentions(text):
        pass
    Mask({text[:80]: "Panelist A"}, ("opus",)).text(text)
    card_texts(Card("rt_00000000", "t", "debate", "step", [SeatRow(text[:80], "opus", note=text)]))


_READERS: tuple[Callable[[str], object], ...] = (
    lambda text: read_opening(text, Mode.VOTE, PEERS),
    lambda text: read_critique(text, PEERS[0], PEERS[1:], Mode.DEBATE, (), ""),
    read_validation,
    read_synthesis,
    parse_design_proposal,
    parse_built_files,
    parse_build_review,
    lambda text: spec_weaknesses(parse_build_spec(text)),
    parse_dissent,
    parse_followup,
    lambda text: parse_search_digest(text, "2026-11-17"),
    lambda text: parse_summary(text, PEERS),
)


def _posted(text: str) -> None:
    body = post_body(Post("k", Speaker("Analyst", "analyst"), text), PLACE, as_persona=True)
    split_text(set_code_aside(body)[0])


def _found(text: str) -> None:
    row = {"title": text, "url": f"https://{text}", "content": text, "published_date": text}
    read_results([row, row | {"url": "https://example.org/a"}], Fields(), 8)


def _refused_in_json(text: str) -> None:
    error_from_response(400, {"retry-after": text[:200]}, json.dumps({"error": {"message": text}}))
    error_from_event({"error": {"message": text, "metadata": {"raw": text}}}, {}, ("sk-secret",))


def _refused_in_text(text: str) -> None:
    error_from_response(500, {}, text)


def _form(text: str) -> None:
    request = build_request(text, [Flag("--panel", text), Flag("--link", text)], TOPIC_LIMIT)
    Reference.of(request.link or "", Links())


def _noted(text: str) -> None:
    match_option(text, PEERS)


def _built(text: str) -> None:
    parse_built_files(f"FILE: {text}\n```\n{text}\n```")
