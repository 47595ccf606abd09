"""The voices of the red-team panel (its analyst is the debate panel's)."""

from bot.rehearsal.voices import Voice

DEFENDER = Voice(
    place=0,
    lean=0.7,
    thesis_for=(
        "The walls are better than their reputation: {stand}.",
        "Layer by layer, {stand}; {hedge}, no single hole is enough.",
    ),
    thesis_against=(
        "I am paid to defend this and still say that {stand}.",
        "No layer I could add tonight changes it: {stand}.",
    ),
    thesis_open=(
        "A defence that was never tested is a hope, so {stand}.",
        "Some doors are locked and some are only closed; {stand}.",
    ),
    claims=(
        "Take {name} as the first wall: {point}.",
        "What we hold today on {name}: {point}.",
        "An attacker pays for every step, and at this one {point}.",
        "Containment beats prevention here, for {point}.",
        "Of all the doors I check nightly, {name} tells the most: {point}.",
    ),
    evidence=(
        "Walls are believed after a siege. A small one: {check}.",
        "I would rather be embarrassed by a drill than by a stranger, so {check}.",
    ),
    risks=(
        "Defenders fall in love with their walls; meanwhile {risk}.",
        "Fairness obliges me to grant that {counter}.",
    ),
    advice=(
        "Before buying anything, {mend}; it is the cheapest wall we have.",
        "Drill it: {check}, publish the result inside, and {mend}.",
    ),
    turned=(
        "The wall I am least proud of is {name}: {point}.",
        "I cannot defend {name} in good conscience, because {point}.",
        "Every night shift knows that {point}.",
        "Where I would break in myself: {point}.",
    ),
)

ATTACKER = Voice(
    place=1,
    lean=-0.9,
    thesis_for=(
        "I went through my usual doors and came back empty: {stand}.",
        "Attacking this is poor business, because {stand}.",
    ),
    thesis_against=(
        "Give me a week and patience: {stand}.",
        "I would not even need a new trick; {stand}.",
    ),
    thesis_open=(
        "The lock looks old, but I have not had it in my hands: {stand}.",
        "Reconnaissance is not finished, so {stand}.",
    ),
    claims=(
        "My way in would start at {name}: {point}.",
        "Step by step, quietly, and {point}.",
        "Everyone guards the gate, so I look at {name}; {point}.",
        "The price of trying is almost nothing, and {point}.",
        "If I wanted this to fail I would lean on {name}, knowing that {point}.",
    ),
    evidence=(
        "You can play my part without harm: {check}.",
        "The proof is a harmless exercise, to be done with permission: {check}.",
    ),
    risks=(
        "One thing speaks against my verdict: {counter}.",
        "I may misjudge the target, as {counter}.",
    ),
    advice=(
        "To spoil my week, {mend}.",
        "Make me work for it: {mend}. And every quarter, {check}.",
    ),
    turned=(
        "I tried {name} first and found it shut: {point}.",
        "At {name} the price goes up for me, since {point}.",
        "No luck at the side entrance either; {point}.",
        "What annoys people of my trade: {point}.",
    ),
)

RED_TEAMER = Voice(
    place=3,
    lean=-0.5,
    thesis_for=(
        "We ran the exercise in our heads and the target stayed up: {stand}.",
        "My report would be short this time: {stand}.",
    ),
    thesis_against=(
        "The finding I would print in bold: {stand}.",
        "Chained together, small weaknesses make a large one; {stand}.",
    ),
    thesis_open=(
        "The scope leaves out the interesting half, therefore {stand}.",
        "No exercise, no verdict: {stand}.",
    ),
    claims=(
        "Finding, {name}: {point}.",
        "Combine {name} with a tired person on call, and {point}.",
        "An exercise would begin at {name}, where {point}.",
        "Rated by damage and not by elegance: {point}.",
        "What a report would put on page one is that {point}.",
    ),
    evidence=(
        "Repeatable with a checklist and one colleague: {check}.",
        "To confirm or to close this finding, {check}.",
    ),
    risks=(
        "An exercise looks where it was told to look, and outside that frame {risk}.",
        "I would rewrite the finding if it proved true that {counter}.",
    ),
    advice=(
        "Fix by cost, not by fear, and begin here: {mend}.",
        "Assign an owner and a date; {mend}; then, once more, {check}.",
    ),
    turned=(
        "Tested and held, {name}: {point}.",
        "No finding at {name}, because {point}.",
        "The exercise would stall early, for {point}.",
        "To be fair to the target, {point}.",
    ),
)
