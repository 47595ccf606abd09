"""The manners of any other seat, which names its role in each sentence."""

from bot.models.rehearsal.manners import Manners

CUSTOM = Manners(
    against_foe=(
        "“{quote}” does not survive the {role} view, because {reason}.",
        "as {role} I would cross out “{quote}”, because {reason}.",
        "“{quote}” overlooks what {a_role} sees, because {reason}.",
    ),
    against_ally=(
        "agreed in the result, but as {role} I would not use “{quote}”, because {reason}.",
        "“{quote}” is the part the {role} seat would strike, because {reason}.",
    ),
    reasons=(
        "nothing in it can be checked from the {role} seat",
        "it skips the step for which the {role} answers",
        "no {role} could act on it as it stands",
        "the {role} would need to see it once in practice",
        "it reads well to anyone but {a_role}",
    ),
    defend=(
        "As {role} I keep {cid}: {own}.",
        "The {role} seat stays with {cid}, for nobody has answered it: {own}.",
    ),
    keep=(
        "As {role} I still ask everybody to {check}.",
        "The {role} seat keeps its question and drops its answer: {check}.",
    ),
    floor=(
        "As {role} I take up “{said}” from the floor and would plan for it.",
        "The floor said “{said}”, and to the {role} seat that is new.",
    ),
    yield_open=(
        "“{quote}” is outside what I knew as {role}, so {cid} is on hold and I am undecided.",
        "the {role} view has no answer to “{quote}” yet, and I stop insisting on {cid}.",
    ),
    yield_over=(
        "“{quote}” convinces even the {role} seat, and I give up {cid}.",
        "as {role} I now see it the other way; “{quote}” outweighs {cid}.",
    ),
    close_score=(
        "{cid} matches the {role} view",
        "as {role} I would sign {cid}",
        "nothing for {a_role} to add to {cid}",
    ),
    middle_score=(
        "{cid} fits the {role} view, the rest only in part",
        "as {role} I share {cid} and not the conclusion",
        "usable for {a_role} up to {cid}",
    ),
    far_score=(
        "{cid} contradicts what {a_role} sees",
        "as {role} I cannot follow {cid}",
        "the {role} seat would decide the opposite of {cid}",
    ),
    aside=(
        "As {role} I would also settle what “{word}” covers.",
        "One {role} footnote: “{word}” needs a shared meaning.",
    ),
    dissent=(
        "As {role} I dissent, since the conclusion leaves this out: {own}.",
        "The {role} seat does not sign. What is missing: {own}.",
    ),
    change=(
        "As {role} I would come round if you {check} and it spoke against me.",
        "What changes the {role} view is simple: {check}.",
    ),
    opening=(
        "From the {role} seat, {asker}.",
        "As {role} I can answer part of that, {asker}.",
    ),
    replies=(
        "On “{question}”, {a_role} looks at {name}: {point}. The next step would be to {check}.",
        "“{question}” comes down to {name} for the {role} seat, where {point}. I would {mend}.",
    ),
    closing=(
        "Other seats will see more than {a_role} does.",
        "That is as far as the {role} view reaches.",
    ),
    cite=(
        "For the {role} seat, {source} is the source to read.",
        "As {role} I rely on {source}, with care.",
    ),
    task=("My task as {role} was “{task}”.",),
    concede="As {peer} says in {cid} and the {role} accepts, {said}",
)
