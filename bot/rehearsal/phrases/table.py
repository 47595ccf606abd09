"""The table of who has which phrases: roles to voices and manners, modes to homes and decks."""

import re

from bot.rehearsal.cards import Deck
from bot.rehearsal.lenses import Lens
from bot.rehearsal.manners import Manners
from bot.rehearsal.phrases import lenses_work, manners_guests, voices_default
from bot.rehearsal.phrases import manners_angles as angles
from bot.rehearsal.phrases import manners_outlook as outlook
from bot.rehearsal.phrases import manners_practice as practice
from bot.rehearsal.phrases import manners_sides as sides
from bot.rehearsal.phrases import voices_ballot as ballot
from bot.rehearsal.phrases import voices_build as build
from bot.rehearsal.phrases import voices_debate as debate
from bot.rehearsal.phrases import voices_redteam as redteam
from bot.rehearsal.phrases import voices_vote as vote
from bot.rehearsal.phrases.cards_attack import ATTACK
from bot.rehearsal.phrases.cards_build import BUILD
from bot.rehearsal.phrases.cards_choice import CHOICE
from bot.rehearsal.phrases.cards_plan import PLAN
from bot.rehearsal.voices import Voice, role_key

DEBATE: dict[str, Voice] = {
    "advocate": debate.ADVOCATE,
    "devilsadvocate": debate.DEVILS_ADVOCATE,
    "analyst": debate.ANALYST,
    "contrarian": debate.CONTRARIAN,
}
DEFAULT: dict[str, Voice] = {
    "expert": voices_default.EXPERT,
    "practitioner": voices_default.PRACTITIONER,
    "researcher": voices_default.RESEARCHER,
    "outsider": voices_default.OUTSIDER,
}
BUILDERS: dict[str, Voice] = {
    "architect": build.ARCHITECT,
    "reviewer": build.REVIEWER,
    "engineer": build.ENGINEER,
    "implementer": build.IMPLEMENTER,
}
REDTEAM: dict[str, Voice] = {
    "defender": redteam.DEFENDER,
    "attacker": redteam.ATTACKER,
    "redteamer": redteam.RED_TEAMER,
    "analyst": debate.ANALYST,
}
VOTE: dict[str, Voice] = {
    "strategist": ballot.STRATEGIST,
    "skeptic": ballot.SKEPTIC,
    "sceptic": ballot.SKEPTIC,
    "usersvoice": ballot.USERS_VOICE,
    "pragmatist": ballot.PRAGMATIST,
    "optiona": vote.OPTION_A,
    "optionb": vote.OPTION_B,
    "optionc": vote.OPTION_C,
    "moderator": vote.MODERATOR,
}
VOICES: dict[str, Voice] = {**DEBATE, **DEFAULT, **BUILDERS, **REDTEAM, **VOTE}
HOMES: dict[str, frozenset[str]] = {
    "debate": frozenset(DEBATE),
    "default": frozenset(DEFAULT),
    "build": frozenset(BUILDERS),
    "redteam": frozenset(REDTEAM),
    "vote": frozenset(VOTE),
}
HUMAN = frozenset({"the insider", "the third party", "persuasion", "gaming the system"})
TECHNICAL = frozenset(
    {
        "outages elsewhere",
        "load",
        "the restart",
        "visibility",
        "the migration",
        "the tests",
        "running costs",
        "versions",
        "concurrency",
        "the rollback",
        "the first slice",
        "ownership after launch",
    }
)
PRACTICAL = frozenset(
    {
        "timing",
        "the price in attention",
        "know-how",
        "upkeep",
        "measurability",
        "the price of doing nothing",
        "the downside",
        "growth",
    }
)
FAVOURITES: dict[str, int] = {"optiona": 0, "optionb": 1, "optionc": 2}
PLACE_MANNERS: tuple[Manners, ...] = (
    sides.BUILDING_UP,
    sides.TESTING,
    angles.MEASURING,
    angles.REFRAMING,
)
MANNERS: dict[str, Manners] = {
    "ahead": outlook.AHEAD,
    "explaining": outlook.EXPLAINING,
    "living": outlook.LIVING,
    "working": practice.WORKING,
    "hands-on": practice.HANDS_ON,
}
LENSES: tuple[Lens, ...] = lenses_work.LENSES
WHENS: tuple[str, ...] = lenses_work.WHENS
MARKS: tuple[str, ...] = lenses_work.MARKS
GUESTS: Manners = manners_guests.GUESTS
COLOUR = re.compile(
    rf", (?:{'|'.join(WHENS)}) and (?:{'|'.join(whom for lens in LENSES for whom in lens.whom)})$"
)
PLAN_DECK: Deck = PLAN
CHOICE_DECK: Deck = CHOICE
TECH_DECK: Deck = (
    *(card for card in BUILD if card.name in TECHNICAL),
    *(card for card in PLAN if card.name in PRACTICAL),
)
BUILD_DECK: Deck = BUILD
ATTACK_DECK: Deck = ATTACK
DANGER_DECK: Deck = (
    *(card for card in ATTACK if card.name in HUMAN),
    *PLAN[:-4],
)
OPENERS: frozenset[str] = frozenset(
    text.split(" ", 1)[0]
    for card in (*PLAN, *BUILD, *ATTACK, *CHOICE)
    for text in (card.pro, card.con, card.risk)
    if not text.startswith("{")
) | {"as", "for", "it", "there", "to", "with", "on", "between", "neither", "both", "whether"}


def voice_for(role: str) -> Voice | None:
    """The voice of a role that has one of its own."""
    return VOICES.get(role_key(role))


def is_guest(role: str, mode: str) -> bool:
    """True when the role is not at home in this mode, so that its cards may clash with others'."""
    return role_key(role) not in HOMES.get(mode, VOICES)


def manners_of(voice: Voice) -> Manners:
    """The manners of a seat that is at home."""
    return MANNERS[voice.manner] if voice.manner else PLACE_MANNERS[voice.place]


def uncoloured(text: str) -> str:
    """A guest's clause without the words that coloured it."""
    return COLOUR.sub("", text)
