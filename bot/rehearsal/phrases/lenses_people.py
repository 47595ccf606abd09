"""Three lenses for guests: those who care, those who pay, those who guard."""

import re

from bot.rehearsal.lenses import Lens
from bot.rehearsal.voices import Voice

GUEST_PLACE = 4

CARE = Lens(
    "care",
    re.compile(
        r"\b(?:nurs|user|custom|patient|people|human|product|teach|parent|famil|communit|union"
        r"|coach|therap|doctor|student|reader|citizen|employee|worker|emotion|feel|experience|hr\b)",
        re.IGNORECASE,
    ),
    (
        "for those at the receiving end",
        "for the people on duty",
        "for newcomers",
        "for whoever has to live with it",
        "for people who were not asked",
        "for the quiet ones",
        "for the one who is already tired",
        "for the least patient person",
    ),
    Voice(
        place=GUEST_PLACE,
        lean=0.0,
        thesis_for=(
            "Thinking of who has to live with it, {stand}, {mark} at least.",
            "I pictured one real person before answering, and, {mark}, {stand}.",
            "{Stand}; {mark}, nothing else could be said to those it touches.",
            "It would do some good, {whom} most of all: {stand}.",
        ),
        thesis_against=(
            "Somebody will be hurt by this who is not in the room; {mark}, {stand}.",
            "I keep thinking of one face, and, {mark}, {stand}.",
            "{Stand}; anything else would be hard, {whom} above all.",
            "It asks the wrong people to be patient, so, {mark}, {stand}.",
        ),
        thesis_open=(
            "I have heard from too few people to choose; {mark}, {stand}.",
            "It would be kind to one half and hard on the other, so, {mark}, {stand}.",
            "I would first ask around, {whom} above all; until then {stand}.",
        ),
        claims=(
            "{Mark}, people feel {name} before they can say so: {point}.",
            "What they notice first, {mark}, is that {point}.",
            "Ask what it is like {whom}, and you hear that {point}.",
            "{Point}, and {whom} that decides the matter.",
            "What keeps people up at night is {name}; {mark}, {point}.",
            "{Mark}, I would say this as gently as I can: {point}.",
            "Nobody puts {name} into a speech, yet, {mark}, {point}.",
        ),
        evidence=(
            "No figure shows what it is like; {mark}, the way to find out is to {check}.",
            "{Mark}, two conversations would tell us more than I can; for a start, {check}.",
            "I would rather hear it than guess it, {whom} in particular, so {check}.",
            "{Mark}, the people concerned know; to learn it from them, {check}.",
        ),
        risks=(
            "Sympathy makes a poor judge; {mark}, it may be that {counter}.",
            "What I would not forgive myself, {mark}, is this: {risk}.",
            "I may have the wrong person in mind, and {whom} perhaps {counter}.",
            "{Mark}, kindness can be expensive for others: {risk}.",
        ),
        advice=(
            "{Mark}, the decent thing is to {mend}.",
            "Make it easy to say no, {whom} above all, then {mend}.",
            "{Mark}, it is too early for promises; first {check}.",
            "Go slowly where it touches people; {mark}, it helps to {mend}.",
        ),
    ),
)

LEDGER = Lens(
    "ledger",
    re.compile(
        r"\b(?:econom|financ|account|invest|budget|cost|price|money|market|sales|business|trade"
        r"|procure|insur|bank|tax|cfo|ceo|entrepreneur|profit|spend)",
        re.IGNORECASE,
    ),
    (
        "for whoever pays the bill",
        "for the next budget",
        "for a careful buyer",
        "for those who gain least by it",
        "for the one who signs",
        "for anyone with a second use for the money",
        "for the people who fund it",
        "for anyone who counts in hours",
    ),
    Voice(
        place=GUEST_PLACE,
        lean=0.0,
        thesis_for=(
            "Follow the money and the time and, {mark}, {stand}.",
            "I looked at the bill first and the speeches second; {mark}, {stand}.",
            "{Mark}, what is given up is worth less than what is gained, so {stand}.",
            "As bargains go, this one is decent, {whom} at least: {stand}.",
        ),
        thesis_against=(
            "Somebody pays for this and it is rarely the one who asks; {mark}, {stand}.",
            "The price is quoted without its second half; {mark}, {stand}.",
            "I asked what else the same effort would buy, and, {mark}, {stand}.",
            "A gift to one side and an invoice to the other: {stand}, {whom} in particular.",
        ),
        thesis_open=(
            "Nobody has named the price yet, so, {mark}, {stand}.",
            "{Mark}, gain and expense come out close; {stand}.",
            "I could argue the bargain either way, {whom} at least; {stand}.",
        ),
        claims=(
            "{Mark}, what is scarce here is {name}: {point}.",
            "Look at what people would have to give up and, {mark}, you find that {point}.",
            "The bargain is made at {name}; {whom}, {point}.",
            "{Mark}, there is an incentive hidden here, for {point}.",
            "{Point}, and {whom} that settles whether it pays.",
            "Held against the next best use, {name} looks different: {mark}, {point}.",
            "Somebody has to finance {name} in the end; {mark}, {point}.",
        ),
        evidence=(
            "Prices would tell us and we have none; {mark}, the next best thing is to {check}.",
            "{Mark}, the back of an envelope will do: {check}.",
            "Let somebody with their own money at stake {check}; {whom} that counts double.",
            "What people say is cheap and what they do is not; {mark}, one should {check}.",
        ),
        risks=(
            "What carries no price is easily left out; {mark}, it could be that {counter}.",
            "{Mark}, I take people to be more reasonable than they are, and if so, {counter}.",
            "The bill nobody expects, {mark}, is this one: {risk}.",
            "My arithmetic stops at the door, and {whom} perhaps {counter}.",
        ),
        advice=(
            "{Mark}, the cheapest first payment is to {mend}.",
            "Set the ceiling before the wish list, {whom} above all; then {mend}.",
            "Spend one hour before spending anything else; {mark}, use it to {check}.",
            "{Mark}, a small stake teaches more than a large plan; so {mend}.",
        ),
    ),
)

GUARD = Lens(
    "guard",
    re.compile(
        r"\b(?:secur|safe|legal|law|compliance|risk|audit|privacy|ethic|threat|regulat|police"
        r"|judge|protect|guard|inspector|quality|test|abuse|attack|fail)",
        re.IGNORECASE,
    ),
    (
        "for whoever answers for the damage",
        "for the person on call",
        "for a careful auditor",
        "for those who would be blamed",
        "for anyone with something to lose",
        "for the people who trusted us",
        "for the one who finds the mistake",
        "for the weakest link in it",
    ),
    Voice(
        place=GUEST_PLACE,
        lean=0.0,
        thesis_for=(
            "I looked for the way it breaks and can live with what I found; {mark}, {stand}.",
            "{Mark}, the damage stays within bounds, so {stand}.",
            "I do not sign easily, but, {mark}, {stand}.",
            "With two locks instead of one it is bearable, {whom} too: {stand}.",
        ),
        thesis_against=(
            "It works until somebody wants it not to; {mark}, {stand}.",
            "I can already see the report that will be written; {mark}, {stand}.",
            "There is no plan for the day it goes wrong, least of all {whom}, and so {stand}.",
            "{Mark}, one mistake would be enough; {stand}.",
        ),
        thesis_open=(
            "I have seen no sign of harm and none of care; {mark}, {stand}.",
            "{Mark}, nobody has tried to break it yet, so {stand}.",
            "Whether it is safe is just what we do not know, {whom} above all; {stand}.",
        ),
        claims=(
            "The weak spot to look at is {name}; {mark}, {point}.",
            "{Mark}, if something goes wrong, it goes wrong here: {point}.",
            "{Whom} it matters little how clever it is and much that {point}.",
            "I would put {name} at the top of the list, because, {mark}, {point}.",
            "{Point}; {mark}, whoever assumes the opposite sleeps badly.",
            "Somebody careless will touch {name}, and then it counts, {whom} most, that {point}.",
            "{Mark}, I would lock this door first: {point}.",
        ),
        evidence=(
            "A safeguard that was never tried is a hope; {mark}, the trial would be to {check}.",
            "{Mark}, I believe nothing before somebody has managed to {check}.",
            "Ask for the log rather than for assurances, {whom} in any case, and {check}.",
            "It takes one determined person to find out; {mark}, let that person {check}.",
        ),
        risks=(
            "Caution has a price that I rarely see; {mark}, it may be that {counter}.",
            "I guard against the last accident; {mark}, the next one could be that {risk}.",
            "Fear is a bad measure, and {whom} perhaps {counter}.",
            "{Mark}, too many locks keep out the owner, and it may be that {counter}.",
        ),
        advice=(
            "{Mark}, the cheapest hole to close comes first: {mend}.",
            "Say beforehand who may stop it, {whom} above all, and {mend}.",
            "Let an unfriendly person {check}; {mark}, that saves a bad week.",
            "Assume that it fails once; {mark}, the answer to that is to {mend}.",
        ),
    ),
)
