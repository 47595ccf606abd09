"""The design of a panel: a proposition, who sits where, and how many rounds."""

import re
from dataclasses import dataclass

from bot.rehearsal.dice import Dice
from bot.rehearsal.phrase_book import phrases
from bot.rehearsal.seat import RehearsedSeat
from bot.rehearsal.text import capital, clean

_TIERS = r"(?:premium|mid|cheap|speciali[sz]ed|budget|free|other)"
_TIER = re.compile(rf"\b(?P<tier>{_TIERS})\b", re.IGNORECASE)
_TIER_LINE = re.compile(
    rf"^\W*(?:tier\W*)?{_TIERS}(?:[ -](?:tier|models?))?\W*(?:[:—–-]\W*(?P<rest>.*))?$",
    re.IGNORECASE,
)
_KEY = re.compile(r"^\W*(?P<key>[A-Za-z0-9][\w./:-]*[\w])")


@dataclass(frozen=True, slots=True)
class _Offer:
    """A model that may be seated."""

    key: str
    premium: bool


def write_meta_panel(seat: RehearsedSeat) -> str:
    """A whole recommendation."""
    design, run = phrases().design, Dice(seat.seed, "design", seat.topic.key, seat.mode)
    workflow = run.pick(design.workflows.get(seat.mode, design.workflows["debate"]))
    offers = _offers_in(seat.value("MODELS")) or [_Offer(clean(seat.model) or "any", premium=True)]
    roles = design.roles.get(seat.mode, design.roles["debate"])
    panel = _panel(seat, run.order(offers), len(roles))
    writer = _writer(offers, panel)
    need = seat.dice("need").pick(design.needs)
    kind = design.types.get(seat.mode, "mixed")
    complexity = run.pick(("low", "medium", "medium", "high"))
    return "\n".join(
        [
            f"**PROPOSITION:** {write_proposition(seat)}",
            f"**TASK ASSESSMENT:** Type: {kind} | Complexity: {complexity} | Primary need: {need}",
            f"**WORKFLOW TYPE:** {workflow}",
            "**STAGES:**",
            *_stages(roles, panel, workflow, writer),
            f"**ROUNDS:** 2 — {design.rounds}",
            f"**SYNTHESIS MODEL:** {writer}",
            f"**REASONING:** {seat.dice('why').pick(design.reasons)}",
            f"**ANTI-PATTERN:** {seat.dice('anti').pick(design.anti_patterns)}",
        ]
    )


def write_proposition(seat: RehearsedSeat) -> str:
    """The sentence every seat will agree with or deny."""
    x, y = (seat.shown(0), seat.shown(1)) if seat.is_choice else ("", "")
    wording = phrases().design.propositions[seat.topic.kind]
    topic = seat.topic
    return capital(
        wording.format(thing=topic.thing, action=topic.action, quote=topic.quote, x=x, y=y)
    )


def write_options(seat: RehearsedSeat) -> str:  # noqa: ARG001 (writers get the seat)
    """What can be voted for where nobody named anything."""
    return "\n".join(f"- {option}" for option in phrases().design.options)


def _offers_in(text: str) -> list[_Offer]:
    """The models named in a tiered list, whatever its bullets look like."""
    offers: dict[str, _Offer] = {}
    premium = False
    for line in text.splitlines():
        heading = _TIER_LINE.match(line)
        if heading:
            premium = "premium" in line.lower()
            names = re.sub(r"\([^()]*\)", "", heading["rest"] or "").split(",")
        else:
            names = [line]
        own_tier = _TIER.search(line)
        best = own_tier["tier"].lower() == "premium" if own_tier else premium
        for name in names:
            if found := _KEY.match(name):
                offers.setdefault(found["key"], _Offer(found["key"], best))
    return list(offers.values())


def _panel(seat: RehearsedSeat, offers: list[_Offer], size: int) -> list[str]:
    """Models in seat order; now and then one designer would swap two of them."""
    keys = [offers[n % len(offers)].key for n in range(size)]
    if seat.dice("swap").chance(0.25):
        keys[0], keys[-1] = keys[-1], keys[0]
    return keys


def _writer(offers: list[_Offer], panel: list[str]) -> str:
    free = [offer for offer in offers if offer.key not in panel]
    best = [offer for offer in free if offer.premium] or free
    best = best or [offer for offer in offers if offer.premium] or offers
    return best[0].key


def _stages(
    roles: tuple[tuple[str, str], ...], panel: list[str], workflow: str, writer: str
) -> list[str]:
    lines = [
        f"- Model: {key} | Role: {role} | Task: {task}"
        for key, (role, task) in zip(panel, roles, strict=True)
    ]
    if workflow == "parallel_debate":
        return ["Stage 1", *lines]
    role, task = phrases().design.integrator
    return ["Stage 1", *lines, "Stage 2", f"- Model: {writer} | Role: {role} | Task: {task}"]
