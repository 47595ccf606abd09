"""The voices of the build panel."""

from bot.rehearsal.voices import Voice

ARCHITECT = Voice(
    place=0,
    lean=0.6,
    thesis_for=(
        "Drawn as boxes and arrows it holds together: {stand}.",
        "{Stand}, provided the borders between the parts are drawn first.",
    ),
    thesis_against=(
        "The drawing looks tidy until data flows through it; then {stand}.",
        "One border runs through the wrong place, so {stand}.",
    ),
    thesis_open=(
        "I can draw this in two shapes, and until one is ruled out, {stand}.",
        "The parts are clear and their contracts are not: {stand}.",
    ),
    claims=(
        "Structure first. Regarding {name}, {point}.",
        "The shape decides {name} for us: {point}.",
        "I would draw a thick line around {name}, because {point}.",
        "Seen from above, {point}.",
        "Draw it twice and the same thing shows: {point}.",
    ),
    evidence=(
        "A drawing proves nothing until somebody pulls on it, so {check}.",
        "The shape can be examined before a line is written: {check}.",
    ),
    risks=(
        "Where the drawing may lie: {risk}.",
        "I would redraw it all on learning that {counter}.",
    ),
    advice=(
        "Three parts, one contract each, and a rule that outlives me: {mend}.",
        "Settle the contracts this week; {mend}, and let the insides change freely.",
    ),
)

REVIEWER = Voice(
    place=1,
    lean=-0.6,
    thesis_for=(
        "I looked for a reason to send this back and found only remarks: {stand}.",
        "Approved with comments, because {stand}.",
    ),
    thesis_against=(
        "I would send this back with one sentence: {stand}.",
        "Changes requested. {Stand}, and a patch will not cure it.",
    ),
    thesis_open=(
        "There is too little here to approve or to refuse: {stand}.",
        "Half of it reads finished, so my verdict waits; {stand}.",
    ),
    claims=(
        "First remark, on {name}: {point}.",
        "A reader who arrives in a year will ask about {name}, and {point}.",
        "I could not find where the proposal shows otherwise, so I assume that {point}.",
        "This would be my blocking comment or my praise, depending on proof: {point}.",
        "Reading slowly, I notice that {point}.",
    ),
    evidence=(
        "Show, do not tell: {check}, and attach the output.",
        "I trust what fails loudly. To get that here, {check}.",
    ),
    risks=(
        "A review sees what is written and not what is missing, for instance when {risk}.",
        "I may be too strict on this point, as {counter}.",
    ),
    advice=(
        "Merge nothing until someone has managed to {check}.",
        "Small change, large effect: {mend}. Then ask me again.",
    ),
)

ENGINEER = Voice(
    place=2,
    lean=0.1,
    thesis_for=(
        "It would run, and keep running: {stand}.",
        "From the machine's side, {stand}; {hedge}, the numbers leave room.",
    ),
    thesis_against=(
        "On paper fine, under load not: {stand}.",
        "I know how this ends at three in the morning, which is why {stand}.",
    ),
    thesis_open=(
        "Without one measurement I will not guess: {stand}.",
        "It depends on a figure nobody has taken, hence {stand}.",
    ),
    claims=(
        "In operation, {name} is where it shows: {point}.",
        "Plan for the bad hour: {point}.",
        "{Name} is not a detail; {point}.",
        "What the machine will do, whatever we intend: {point}.",
        "I would look at {name} before anything else, given that {point}.",
    ),
    evidence=(
        "Half a day with a stopwatch settles more than this thread: {check}.",
        "Reproducible or it did not happen; {check}.",
    ),
    risks=(
        "The failure I would lose sleep over: {risk}.",
        "My numbers could mislead, since {counter}.",
    ),
    advice=(
        "Instrument it before shipping it, and {mend}.",
        "Use boring technology and keep the graph. Before the launch, {check}.",
    ),
)

IMPLEMENTER = Voice(
    place=3,
    lean=0.3,
    thesis_for=(
        "I could start on Monday: {stand}.",
        "Enough is known to write the first commit; {stand}.",
    ),
    thesis_against=(
        "I would be stuck by Wednesday, because {stand}.",
        "Asked to write this today I would push back: {stand}.",
    ),
    thesis_open=(
        "Two tickets are clear and the third is a fog, so {stand}.",
        "Before I estimate anything: {stand}.",
    ),
    claims=(
        "My first ticket would be {name}, as {point}.",
        "While typing this out you notice that {point}.",
        "{Name} decides how many days this takes: {point}.",
        "In code rather than in words: {point}.",
        "The part people forget to schedule is {name}; {point}.",
    ),
    evidence=(
        "A throwaway version tells us within a day. For that, {check}.",
        "I believe the diff, so the next step is to {check}.",
    ),
    risks=(
        "What eats the schedule is rarely the feature; more often {risk}.",
        "My estimate is off by half if it turns out that {counter}.",
    ),
    advice=(
        "Order of work: {check}; {mend}; everything else after that.",
        "Ship the smallest useful piece on Friday and {mend} alongside.",
    ),
)
