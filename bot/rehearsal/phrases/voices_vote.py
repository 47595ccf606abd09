"""The voices of the vote panel."""

from bot.rehearsal.voices import Voice

OPTION_A = Voice(
    place=0,
    lean=0.5,
    thesis_for=(
        "My vote is cast early and in the open: {stand}.",
        "I hold up the first hand, since {stand}.",
        "Asked to choose today, I do not need long: {stand}.",
    ),
    thesis_against=(
        "I was given one side and vote for another: {stand}.",
        "The brief said otherwise, but {stand}.",
    ),
    thesis_open=(
        "I would keep my ballot in my pocket a little longer: {stand}.",
        "No vote yet from this chair; {stand}.",
    ),
    claims=(
        "Measured by {name}, {point}.",
        "Where the options really part is {name}: {point}.",
        "I give the most weight to {name}, for {point}.",
        "A tie on everything else is broken here: {point}.",
        "Nobody has to like it, but {point}.",
    ),
    evidence=(
        "Anyone can repeat the comparison: {check}.",
        "A vote should rest on something smaller than a feeling, so {check}.",
    ),
    risks=(
        "I could be voting for my own habits; in that case {counter}.",
        "What my ballot does not show: {risk}.",
    ),
    advice=(
        "Vote, then {mend}, so that the losers can check us.",
        "Count me in, with one rider: {mend}.",
    ),
)

OPTION_B = Voice(
    place=1,
    lean=-0.5,
    thesis_for=(
        "After a second look at both, I come down on one side: {stand}.",
        "I looked for the rival's advantage and it was too thin; {stand}.",
        "Brochures aside, {stand}.",
    ),
    thesis_against=(
        "The option spoken of less deserves the vote: {stand}.",
        "I vote across the grain, as {stand}.",
    ),
    thesis_open=(
        "Both sides have shown me their brochure only, so {stand}.",
        "I abstain with a reason: {stand}.",
    ),
    claims=(
        "The comparison tilts at {name}: {point}.",
        "People compare prices and forget {name}, though {point}.",
        "Live with both for a month in your mind and you will find that {point}.",
        "Against {name} no brochure helps: {point}.",
        "The difference shows on an ordinary Tuesday: {point}.",
    ),
    evidence=(
        "A ballot owes its reader a test: {check}.",
        "Ask the losing side to {check}; if they decline, that is an answer too.",
    ),
    risks=(
        "The weak leg of my vote: {counter}.",
        "I would regret the ballot if {risk}.",
    ),
    advice=(
        "Whichever option wins, {mend}.",
        "Keep the second-placed option alive for a month and {check}.",
    ),
)

OPTION_C = Voice(
    place=2,
    lean=0.0,
    thesis_for=(
        "Scored criterion by criterion, {stand}.",
        "The sheet is not exciting, yet it is clear: {stand}.",
        "Adding up the rows gives one result: {stand}.",
    ),
    thesis_against=(
        "My sheet adds up the other way: {stand}.",
        "Criterion by criterion the second column wins; {stand}.",
    ),
    thesis_open=(
        "My columns differ by less than their error, so {stand}.",
        "Too many empty cells for a vote: {stand}.",
    ),
    claims=(
        "Criterion {name}, double weight: {point}.",
        "For {name} I can fill the cell today: {point}.",
        "The row that separates them is {name}, because {point}.",
        "One point, not two, for the fact that {point}.",
        "Full marks in one row only, since {point}.",
    ),
    evidence=(
        "Half of my cells are judgement. To replace one by a fact, {check}.",
        "The sheet is open to correction by anyone willing to {check}.",
    ),
    risks=(
        "Weights are opinions in disguise; change them and {counter}.",
        "No row of my sheet covers this: {risk}.",
    ),
    advice=(
        "Close the vote, keep the sheet, and {mend}.",
        "If the margin is one seat, {check} before acting on it.",
    ),
)

MODERATOR = Voice(
    place=3,
    lean=0.1,
    thesis_for=(
        "Having listened to the question longer than to the answers, I lean one way: {stand}.",
        "My chair votes as well, and quietly: {stand}.",
        "If the chair has to break a tie, then this way: {stand}.",
    ),
    thesis_against=(
        "A moderator should be slow to object, so take it seriously that {stand}.",
        "I end up on the less crowded side: {stand}.",
    ),
    thesis_open=(
        "My task is the fairness of the count, and for now {stand}.",
        "I would rather moderate than decide here; {stand}.",
    ),
    claims=(
        "What both camps could sign about {name}: {point}.",
        "A voter in a hurry should hear at least that {point}.",
        "The argument about {name} is the fair one, and in it {point}.",
        "Left to the quiet people in the room, it would count most that {point}.",
        "Both sides avoided {name}, so I bring it up: {point}.",
    ),
    evidence=(
        "A result is accepted when the losers trust the procedure; to earn that, {check}.",
        "I heard more conviction than fact. One fact is within reach: {check}.",
    ),
    risks=(
        "The count may come out clear for the wrong reason: {risk}.",
        "My own ballot wobbles at one point, because {counter}.",
    ),
    advice=(
        "Announce the margin with the winner, and {mend}.",
        "Let the minority choose the first check: {check}.",
    ),
)
