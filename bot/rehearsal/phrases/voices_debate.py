"""The voices of the debate panel."""

from bot.rehearsal.voices import Voice

ADVOCATE = Voice(
    place=0,
    lean=0.9,
    thesis_for=(
        "I speak in favour: {stand}, and the reasons are stronger than they are loud.",
        "{Stand}; {hedge}, the case is better than its reputation.",
        "Let me put the strong version first: {stand}.",
        "Cut away the exaggeration on both sides and {stand}.",
        "I have looked for a reason to hesitate and, {hedge}, {stand}.",
    ),
    thesis_against=(
        "I came to speak in favour and cannot: {stand}.",
        "Even from the friendliest seat at this table, {stand}.",
    ),
    thesis_open=(
        "I would like to say yes, but honesty comes first: {stand}.",
        "My sympathy is not the question here; {stand}.",
    ),
    claims=(
        "Begin with {name}: {point}.",
        "{Point}, and that alone moves me a good deal.",
        "Friends of the idea too rarely mention {name}: {point}.",
        "Put generously but not falsely, {point}.",
        "I count {name} on this side of the ledger, because {point}.",
    ),
    evidence=(
        "Nobody needs to believe me: {check}, and the picture should fill in by itself.",
        "The argument rests on things that can be looked up. Whoever doubts it should {check}.",
        "My strongest support is {name}, since it can be tested: {check}.",
        "Three people with an afternoon could confirm it. All they have to do: {check}.",
    ),
    risks=(
        "An advocate who hides the weak spot is not worth hearing, so here it is: {risk}.",
        "What would embarrass me most is this: {counter}.",
        "My own side should watch one thing closely, namely that {risk}.",
    ),
    advice=(
        "Go on, but with open eyes: {mend}, then {check}.",
        "Say yes to the direction, and do one thing alongside: {mend}.",
        "A modest yes, then: {mend}, and report back in a month.",
        "Start where it is cheapest to be wrong, and {mend} on the way.",
    ),
    turned=(
        "I wish I could pass over {name}, but {point}.",
        "On {name} the other side has it right: {point}.",
        "However fond I am of the idea, {point}.",
        "It costs me something to admit that {point}.",
    ),
)

DEVILS_ADVOCATE = Voice(
    place=1,
    lean=-0.9,
    thesis_for=(
        "I was seated here to object, and the objection will not come together: {stand}.",
        "Having tried the opposite first, I must report that {stand}.",
        "No objection of mine survived the night, so {stand}.",
    ),
    thesis_against=(
        "Somebody has to say it: {stand}.",
        "Against the mood of the room, {stand}; {hedge}, comfort is not an argument.",
        "Suppose the favourite story is wrong. Then {stand}, and we would learn it late.",
        "I will take the unpopular half: {stand}.",
        "Praise is cheap before the bill arrives; {hedge}, {stand}.",
    ),
    thesis_open=(
        "I cannot yet build the case against it, nor trust the case for it: {stand}.",
        "My usual objections miss here, and so does the praise; {stand}.",
    ),
    claims=(
        "Ask the uncomfortable question about {name}: {point}.",
        "If I had to win this dispute with one sentence, it would be that {point}.",
        "Everyone will nod at {name} and move on; yet {point}.",
        "{Point}. Try to deny that without using the word hopefully.",
        "The smooth version skips {name}, where {point}.",
    ),
    evidence=(
        "Do not take the objection on faith; {check}, and see whether the room stays calm.",
        "The burden of proof lies with whoever is in a hurry. A fair test: {check}.",
        "Here is the experiment nobody in favour has proposed: {check}.",
        "Whoever is certain has not done this yet: {check}.",
    ),
    risks=(
        "My part has its own danger: {counter}, and I would be the last to admit it.",
        "I may be defending a comfortable chair, for {counter}.",
        "Doubt is a habit, and habits mislead; for all I know, {counter}.",
    ),
    advice=(
        "Before any yes, {check}. If the answer is dull, I will withdraw.",
        "Let the supporters {mend}; a plan that survives that has earned its place.",
        "Give the doubt one week: {check}, in writing, signed by someone in favour.",
        "Nothing should be announced before somebody can {mend}.",
    ),
    turned=(
        "I pushed hard at {name} and it held: {point}.",
        "Where I expected a weakness, {point}.",
        "Even an objector has to concede that {point}.",
        "On {name} I have nothing left to say against it, as {point}.",
    ),
)

ANALYST = Voice(
    place=2,
    lean=0.0,
    thesis_for=(
        "Weighing what can be weighed, {stand}. I would put it at two in three.",
        "The balance is not close: {stand}.",
        "Most of the weight lies on one side: {stand}.",
        "Sorted by how well they are supported, the arguments say that {stand}.",
    ),
    thesis_against=(
        "The figures I would want are missing, and what remains says that {stand}.",
        "Adding it up without enthusiasm, {stand}.",
        "After discounting the optimism, {stand}.",
        "The expected value comes out below zero, so {stand}.",
    ),
    thesis_open=(
        "On the present evidence {stand}, and a number without a source would not help.",
        "The columns come out almost even; {stand}.",
    ),
    claims=(
        "On {name}, the likelier reading is that {point}.",
        "{Name} can be estimated: {point}, give or take what nobody has counted.",
        "Two of three plausible scenarios say that {point}.",
        "The base rate matters more than the story, and it suggests that {point}.",
        "Held against {name}, the estimate moves, since {point}.",
    ),
    evidence=(
        "None of this is measured yet. The cheapest measurement would be to {check}.",
        "I separate what is known from what is repeated; to move one item across, {check}.",
        "The estimate hangs on {name}. To narrow it, {check}.",
        "What we have are anecdotes; to get a first rate out of them, {check}.",
    ),
    risks=(
        "The largest error bar sits here: {counter}.",
        "My estimate breaks if {risk}.",
        "One assumption carries too much, and if it fails, {counter}.",
    ),
    advice=(
        "Spend a day on the measurement: {check}. After that, {mend}.",
        "Write the confidence next to the decision, whichever it is, and {mend}.",
        "Rank the unknowns by price; the cheapest is to {check}.",
        "Set the threshold first, so that the result cannot move it, and {mend}.",
    ),
)

CONTRARIAN = Voice(
    place=3,
    lean=-0.35,
    thesis_for=(
        "It pains me to side with the obvious, but {stand}.",
        "For once the crowd may be early rather than wrong: {stand}.",
        "I looked for the hidden assumption and found a decent one: {stand}.",
    ),
    thesis_against=(
        "We are about to answer the wrong question. Asked properly, {stand}.",
        "The frame does the work here, and once it is removed, {stand}.",
        "Everybody argues about the size of the door and nobody about the wall; {stand}.",
        "Put the question to someone from outside and, {hedge}, {stand}.",
    ),
    thesis_open=(
        "Both camps share an assumption that nobody has defended, which is why {stand}.",
        "Look at “{word}” for a moment: as long as that stays vague, {stand}.",
    ),
    claims=(
        "Turn {name} upside down and something shows: {point}.",
        "The unfashionable observation is that {point}.",
        "Notice who never brings up {name}; meanwhile {point}.",
        "Strip away the slogans and {point}.",
        "I would swap the whole dispute for {name}, where {point}.",
    ),
    evidence=(
        "A frame is tested by leaving it. So {check}, and compare how the matter looks then.",
        "Consensus is not a measurement. Whoever wants one should {check}.",
        "Let {name} be the test: {check}, preferably without telling anyone why.",
        "Nobody here has risked being wrong yet, which is a bad sign. As a remedy, {check}.",
    ),
    risks=(
        "Being different is not being right, and here is how I could be neither: {counter}.",
        "The danger on my side is cleverness; while I rephrase things, {risk}.",
        "Every frame has a border, mine as well, and beyond it {counter}.",
    ),
    advice=(
        "Change the question first, then {check}, and only then decide.",
        "Do the unglamorous thing: {mend}. It settles more than this debate will.",
        "Wait until the applause is over, then {mend}.",
        "Ask a stranger to {check}, and believe the stranger.",
    ),
)
