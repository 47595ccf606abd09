"""The table of who has which phrases: roles to voices, places to manners, modes to decks."""

from bot.models.rehearsal.cards import Deck
from bot.models.rehearsal.manners import Manners
from bot.models.rehearsal.phrases import manners_angles as angles
from bot.models.rehearsal.phrases import manners_custom, voices_custom
from bot.models.rehearsal.phrases import manners_sides as sides
from bot.models.rehearsal.phrases import voices_build as build
from bot.models.rehearsal.phrases import voices_debate as debate
from bot.models.rehearsal.phrases import voices_redteam as redteam
from bot.models.rehearsal.phrases import voices_vote as vote
from bot.models.rehearsal.phrases.cards_attack import ATTACK
from bot.models.rehearsal.phrases.cards_build import BUILD
from bot.models.rehearsal.phrases.cards_choice import CHOICE
from bot.models.rehearsal.phrases.cards_plan import PLAN
from bot.models.rehearsal.voices import Voice, role_key

CUSTOM_VOICE: Voice = voices_custom.CUSTOM
VOICES: dict[str, Voice] = {
    "advocate": debate.ADVOCATE,
    "devilsadvocate": debate.DEVILS_ADVOCATE,
    "analyst": debate.ANALYST,
    "contrarian": debate.CONTRARIAN,
    "architect": build.ARCHITECT,
    "reviewer": build.REVIEWER,
    "engineer": build.ENGINEER,
    "implementer": build.IMPLEMENTER,
    "defender": redteam.DEFENDER,
    "attacker": redteam.ATTACKER,
    "redteamer": redteam.RED_TEAMER,
    "optiona": vote.OPTION_A,
    "optionb": vote.OPTION_B,
    "optionc": vote.OPTION_C,
    "moderator": vote.MODERATOR,
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
MANNERS: tuple[Manners, ...] = (
    sides.BUILDING_UP,
    sides.TESTING,
    angles.MEASURING,
    angles.REFRAMING,
    manners_custom.CUSTOM,
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


def voice_for(role: str) -> Voice:
    """The voice of a role; unknown roles borrow the custom voice, which names them."""
    return VOICES.get(role_key(role), CUSTOM_VOICE)
