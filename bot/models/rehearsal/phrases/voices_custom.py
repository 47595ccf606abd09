"""The voice any other role borrows; each sentence names the role, so no two seats coincide."""

from bot.models.rehearsal.voices import Voice

CUSTOM = Voice(
    place=4,
    lean=0.0,
    thesis_for=(
        "Speaking as {role}: {stand}.",
        "From the {role} side of the table, {stand}; {hedge}, that is not a close call.",
        "The {role} in me agrees: {stand}.",
    ),
    thesis_against=(
        "As {role} I have to object: {stand}.",
        "With the eyes of the {role} seat, {stand}.",
        "Ask the {role} and the answer is uncomfortable: {stand}.",
    ),
    thesis_open=(
        "As {role} I hold my verdict back: {stand}.",
        "The {role} view is not settled, for {stand}.",
    ),
    claims=(
        "What {a_role} looks at first is {name}: {point}.",
        "{Point}; {a_role} meets that every day.",
        "To the {role} seat, {name} weighs more than it seems, because {point}.",
        "Nobody but the {role} may say it, so I do: {point}.",
        "Among the things {a_role} has to answer for is {name}, and {point}.",
        "In the language of {a_role}: {point}.",
    ),
    evidence=(
        "{A_role} would not argue long but {check}.",
        "The {role} test for this is simple: {check}.",
        "My evidence as {role} is thin until we {check}.",
    ),
    risks=(
        "What {a_role} tends to overlook: {risk}.",
        "The {role} view is a partial one, and outside it {counter}.",
        "I could be wrong as {role}, namely if {risk}.",
    ),
    advice=(
        "My advice as {role}: {mend}, then {check}.",
        "The {role} seat would first {check}; after that, {mend}.",
        "For the {role} part of the work, {mend}.",
    ),
)
