"""Two lenses for guests, those who make and those who remember, and all five together."""

import re

from bot.rehearsal.lenses import Lens
from bot.rehearsal.phrases.lenses_people import CARE, GUARD, GUEST_PLACE, LEDGER
from bot.rehearsal.voices import Voice

CRAFT = Lens(
    "craft",
    re.compile(
        r"\b(?:engineer|develop|operat|build|design|mechanic|cook|chef|integrat|program|admin"
        r"|technic|carpenter|farmer|pilot|driver|porter|maker|plan|manage|coordinat|practi)",
        re.IGNORECASE,
    ),
    (
        "for the hands that do it",
        "for whoever repairs it",
        "for the next shift",
        "for the one who inherits it",
        "for people with other work to do",
        "for the person with the toolbox",
        "for everyone down the line",
        "for the apprentice",
    ),
    Voice(
        place=GUEST_PLACE,
        lean=0.0,
        thesis_for=(
            "The parts fit together better than I expected; {mark}, {stand}.",
            "I would not mind having to make this work; {mark}, {stand}.",
            "Laid out on the bench it is clear enough, {whom} too: {stand}.",
            "It is simple enough to be finished, and so, {mark}, {stand}.",
        ),
        thesis_against=(
            "The parts do not fit yet; {mark}, {stand}.",
            "I would be the one asked to hold this together, and, {mark}, {stand}.",
            "It has one joint too many, {whom} above all; {stand}.",
            "Drawn it looks fine and made it does not; {mark}, {stand}.",
        ),
        thesis_open=(
            "I would have to take it apart once; {mark}, {stand}.",
            "Half of the pieces are on the table, so, {mark}, {stand}.",
            "It may hold and it may not, {whom} at least; {stand}.",
        ),
        claims=(
            "The joint that bears the load is {name}; {mark}, {point}.",
            "Turn it over and look at {name}: {whom}, {point}.",
            "{Mark}, there is one place where it rattles or does not: {point}.",
            "{Point}, and, {mark}, that is worth more than an elegant drawing.",
            "{Mark}, the question is whether it holds, and I find that {point}.",
            "Whoever assembles this comes to {name} sooner or later; {whom}, {point}.",
            "Loose screws are found at {name}, where, {mark}, {point}.",
        ),
        evidence=(
            "It can be tried on the bench; {mark}, all it takes is to {check}.",
            "Build the ugly version first, {whom} if for nobody else, and {check}.",
            "{Mark}, arguing takes longer than trying, so {check}.",
            "One hour with the thing itself beats a day of drawings; {mark}, I would {check}.",
        ),
        risks=(
            "I trust what I can touch and the rest escapes me; {mark}, perhaps {counter}.",
            "{Mark}, what fails is the part nobody drew: {risk}.",
            "My solution suits my tools, and {whom} it could be that {counter}.",
            "A neat fit hides wear; {mark}, watch for the day when {risk}.",
        ),
        advice=(
            "Join the two riskiest pieces first; {mark}, it also helps to {mend}.",
            "Keep it small enough to throw away, {whom} too, and {mend}.",
            "{Mark}, one measures before one cuts: {check}.",
            "Leave room to reach the screws; {mark}, that means to {mend}.",
        ),
    ),
)

RECORD = Lens(
    "record",
    re.compile(
        r"\b(?:histor|scien|philosoph|journal|scholar|archiv|librar|stud(?:y|ies)|evidence|past"
        r"|data|statist|theor|academ|linguist|anthropolog|sociolog|psycholog|futur|writ)",
        re.IGNORECASE,
    ),
    (
        "for anyone who remembers the last attempt",
        "for a reader in ten years",
        "for a patient observer",
        "for those who tried something similar",
        "for whoever keeps the minutes",
        "for people on either side of it",
        "for somebody who compares",
        "for the generation after us",
    ),
    Voice(
        place=GUEST_PLACE,
        lean=0.0,
        thesis_for=(
            "We have stood at this corner before; {mark}, {stand}.",
            "Looked at slowly and without nostalgia, {stand}, {mark} at least.",
            "{Mark}, the pattern is familiar enough to say that {stand}.",
            "What stopped it earlier is gone, {whom} at any rate; {stand}.",
        ),
        thesis_against=(
            "It has been tried under other names; {mark}, {stand}.",
            "{Mark}, every time sounds different and ends alike: {stand}.",
            "The enthusiasm is new, the difficulty is not, {whom} least of all; {stand}.",
            "I distrust a question that keeps coming back, and, {mark}, {stand}.",
        ),
        thesis_open=(
            "The precedents point both ways; {mark}, {stand}.",
            "{Mark}, it is too close to be judged, so {stand}.",
            "The story is not over yet, {whom} at least; {stand}.",
        ),
        claims=(
            "The old dispute about {name} is back; {mark}, {point}.",
            "What tends to be forgotten, {mark}, is that {point}.",
            "The telling detail is {name}; {whom}, {point}.",
            "Compare it with anything similar and, {mark}, {point}.",
            "{Point}; {mark}, that seldom makes the headline and decides how the story ends.",
            "{Mark}, the notes under {name} would read that {point}.",
            "Earlier attempts turned on {name}, and, {mark}, {point}.",
        ),
        evidence=(
            "Memory is kinder than records; {mark}, to get a record one has to {check}.",
            "{Mark}, one comparison is worth ten opinions: {check}.",
            "Look for the case that does not fit, {whom} above all; to find it, {check}.",
            "An account written today is worth two written later; {mark}, one would {check}.",
        ),
        risks=(
            "Precedents are chosen by whoever cites them; {mark}, it may be that {counter}.",
            "{Mark}, this time could really be different, and then {counter}.",
            "What the records leave out is the part that hurts, {whom} most: {risk}.",
            "I may be fighting the last dispute again; {mark}, perhaps {counter}.",
        ),
        advice=(
            "{Mark}, the useful thing is to write down what we expect, seal it, and {mend}.",
            "Let somebody keep the minutes, {whom} above all, and {mend}.",
            "Before anything is decided, {check}; {mark}, the result will outlast the debate.",
            "{Mark}, others have been here; do as the careful ones did, and {mend}.",
        ),
    ),
)

LENSES: tuple[Lens, ...] = (GUARD, LEDGER, RECORD, CARE, CRAFT)
WHENS: tuple[str, ...] = (
    "in the first month",
    "after a year",
    "in a busy week",
    "on a bad day",
    "once the novelty is gone",
    "on half the budget",
    "with the people we have",
    "on an ordinary day",
    "when nobody is watching",
    "at twice the size",
    "in a dull month",
    "before the first complaint",
    "after the first mistake",
    "while the best person is away",
    "at the end of a quarter",
    "under pressure of time",
    "in the second year",
    "on a Monday morning",
    "with a new team",
    "in a small trial",
    "once others copy it",
    "after the first success",
    "with everybody watching",
    "when it has become routine",
)
MARKS: tuple[str, ...] = (
    "by and large",
    "as a rule",
    "in my experience",
    "to my mind",
    "on the whole",
    "in plain terms",
    "when it comes to it",
    "all in all",
    "taken as a whole",
    "from where I sit",
    "as it looks today",
    "on reflection",
    "strictly speaking",
    "roughly speaking",
    "to be fair",
    "if I am honest",
    "as things stand",
    "put simply",
    "as I see it",
    "for what it is worth",
    "when all is said",
    "in practice",
    "at bottom",
    "in short",
)
