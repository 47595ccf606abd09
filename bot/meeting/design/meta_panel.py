"""The meta-panel: analysts design the meeting in parallel, and code merges their designs."""

import asyncio
import re
from collections.abc import Sequence
from typing import Final

from bot.meeting.context import RunContext
from bot.meeting.design.decision import AnalystVote, Decision, decide, votes_summary
from bot.meeting.design.seating import SeatingRules, seating_rules
from bot.meeting.questions import CallResult, ModelCall
from bot.messages.meeting import CardText, SeatingText
from bot.messages.starting import PropositionText
from bot.panels import PanelsConfig, ResolvedModel
from bot.prompting.meta import parse_design_proposal
from bot.prompting.short_answers import parse_options, parse_proposition, stated
from bot.record.answer_codec import Reading
from bot.request.modes import plain_topic
from bot.request.options import choice_in
from bot.types.mode import Mode

_META_PANEL = "meta-panel"
_LETTERS = "ABCDEFGH"
_TIERS = ("premium", "mid", "cheap", "specialised")
_PROPOSITION: Final = "proposition"
_QUOTED_CHARS: Final = 200
_YES_OR_NO: Final = re.compile(
    r"(?:should|must|can|could|will|would|may|might|shall|is|are|was|were|am|do|does|did|has|have)\b",
    re.IGNORECASE,
)


async def ask_meta_panel(ctx: RunContext) -> tuple[AnalystVote, ...]:
    """Ask every configured analyst at once; a failed one is kept as failed."""
    resolution = ctx.deps.resolution()
    names = ctx.config.meta.models
    choice = _models_text(ctx.config, _rules(ctx))
    asking = [
        _ask(ctx, letter, resolution.model(name), len(names), choice)
        for letter, name in zip(_LETTERS, names, strict=False)
    ]
    return tuple(await asyncio.gather(*asking))


def merge(ctx: RunContext, votes: Sequence[AnalystVote]) -> Decision | None:
    """The analysts' common design, or None when they give no usable panel."""
    return decide(votes, _rules(ctx))


def summary_of(votes: Sequence[AnalystVote]) -> str:
    """What every analyst recommended, in one paragraph."""
    return votes_summary(votes) if votes else ""


def _rules(ctx: RunContext) -> SeatingRules:
    return seating_rules(ctx.config, ctx.deps.resolution())


async def _ask(
    ctx: RunContext, letter: str, model: ResolvedModel | None, analysts: int, choice: str
) -> AnalystVote:
    name = SeatingText.analyst(letter)
    if model is None:
        return AnalystVote(name, None, SeatingText.MODEL_UNUSABLE)
    values = {
        "PROMPT": ctx.run.topic,
        "MODE": ctx.run.mode.value,
        "ROLE": f"analyst {letter} of {analysts}",
        "MODELS": choice,
        "CURRENT_CONTEXT": ctx.context,
    }
    ask = ModelCall(
        key=f"meta:{letter}",
        purpose=_META_PANEL,
        prompt=ctx.deps.book.render(_META_PANEL, values, ctx.run.id),
        seconds=ctx.time.cap(ctx.config.timeouts.meta, (model,)),
        models=(model,),
    )
    reply: CallResult = await ctx.caller.ask(ask, lambda _: Reading())
    if reply.answer is None:
        return AnalystVote(name, None, reply.problem)
    return AnalystVote(
        SeatingText.analyst_and_model(name, reply.answered_model),
        parse_design_proposal(reply.answer.text),
    )


def _models_text(config: PanelsConfig, rules: SeatingRules) -> str:
    """The models an analyst may choose from, by tier, each with a hint."""
    lines = []
    for tier in _TIERS:
        keys = [key for key, m in config.models.items() if m.tier == tier and rules.seatable(key)]
        if keys:
            lines.append(f"{tier}:")
            lines += [f"- {key} ({_hint(config, key)})" for key in keys]
    return "\n".join(lines) or "none"


def _hint(config: PanelsConfig, key: str) -> str:
    model = config.models[key]
    return f"{model.family}; {model.strengths}" if model.strengths else model.family


async def settle_proposition(ctx: RunContext, designed: str) -> str:
    """The sentence for a meeting, never the raw question; a vote needs none."""
    topic = ctx.run.topic
    if ctx.run.mode is Mode.VOTE:
        return designed
    options = choice_in(topic)
    if options and not all(option.casefold() in designed.casefold() for option in options):
        return PropositionText.choice(options)
    if sentence := designed or stated(topic):
        return sentence
    return await _phrased(ctx) or _last_resort(plain_topic(topic))


def _last_resort(text: str) -> str:
    """A sentence that can be agreed with, whatever was asked."""
    quoted = text if len(text) <= _QUOTED_CHARS else f"{text[:_QUOTED_CHARS]}…"
    yes_or_no = _YES_OR_NO.match(text) and text.endswith("?")
    return (
        PropositionText.answered_yes(quoted) if yes_or_no else PropositionText.clear_answer(quoted)
    )


async def _phrased(ctx: RunContext) -> str:
    """The coordinator's sentence; it is asked once, and a restart keeps its answer."""
    ctx.show(CardText.PHRASING)
    values = {"PROMPT": ctx.run.topic, "MODE": ctx.run.mode.value}
    ask = ModelCall(
        key=_PROPOSITION,
        purpose=_PROPOSITION,
        prompt=ctx.prompt(_PROPOSITION, values),
        seconds=ctx.time.cap(ctx.config.timeouts.summary),
        models=ctx.deps.coordinators(ctx.run.guild_id),
    )
    reply = await ctx.caller.ask(ask, lambda _: Reading())
    return (parse_proposition(reply.answer.text) or "") if reply.answer else ""


_OPTIONS: Final = "vote-options"


async def propose_options(ctx: RunContext) -> tuple[str, ...]:
    """The options the coordinator proposes for a vote that names none, or nothing."""
    ctx.show(CardText.NAMING_OPTIONS)
    ask = ModelCall(
        key=_OPTIONS,
        purpose=_OPTIONS,
        prompt=ctx.deps.book.render(_OPTIONS, {"PROMPT": ctx.run.topic}, ctx.run.id),
        seconds=ctx.time.cap(ctx.config.timeouts.summary),
        models=ctx.deps.coordinators(ctx.run.guild_id),
    )
    reply = await ctx.caller.ask(ask, lambda _: Reading())
    return parse_options(reply.answer.text) if reply.answer else ()
