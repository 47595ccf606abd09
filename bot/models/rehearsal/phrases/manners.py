"""The manners of the four places at a table, and of the custom seat, which names its role."""

from bot.models.rehearsal.manners import Manners

BUILDING_UP = Manners(
    against_foe=(
        "“{quote}” closes a door that can stay open, because {reason}.",
        (
            "I read “{quote}” twice and it still asks for certainty in advance; I doubt it because "
            "{reason}."
        ),
        "“{quote}” is said too broadly, because {reason}.",
    ),
    against_ally=(
        "We want the same thing, but “{quote}” is our thinnest plank, because {reason}.",
        "I would not lean on “{quote}” so hard, because {reason}.",
    ),
    reasons=(
        "it names a danger without saying how likely it is",
        "the same could be said of every alternative",
        "it leaves out what happens when somebody does the work properly",
        "it would apply just as well to things that turned out fine",
        "it treats the first difficulty as the last",
    ),
    defend=(
        "My {cid} stands: {own}. Nobody has shown a case in which it fails.",
        "I keep {cid}, and would put it first again: {own}.",
        "Pressed from two sides, {cid} still carries: {own}.",
    ),
    keep=(
        "What I keep from my first answer is the homework: {check}.",
        "My old claims may rest; the one step I still ask for is to {check}.",
    ),
    floor=(
        "Somebody in the room said “{said}”; that is a fair request and belongs in the plan.",
        "I welcome the voice from the floor, “{said}”, since it names a real user.",
    ),
    yield_open=(
        "“{quote}” is better than my answer to it, so I step back from {cid} and wait.",
        "I had no reply to “{quote}”, and until I have one, my seat is undecided.",
    ),
    yield_over=(
        "“{quote}” turns me around, and I would rather say so than repeat {cid}.",
        "I drop {cid}; “{quote}” weighs more than everything I brought.",
    ),
    close_score=(
        "we build on the same ground, {cid} above all",
        "{cid} could stand in my own list",
        "I would sign this, with a softer word in {cid}",
    ),
    middle_score=(
        "{cid} helps me, the conclusion less so",
        "a good half of it fits beside mine, starting with {cid}",
        "I can work with {cid}, though not with the tone of the rest",
    ),
    far_score=(
        "{cid} would stop us where we could simply be careful",
        "the worry behind {cid} is real and the remedy is not",
        "I cannot follow a path that begins at {cid}",
    ),
    aside=(
        "And let us write down what “{word}” is meant to cover.",
        "It would help everyone to say once what “{word}” is meant to include.",
    ),
    dissent=(
        "I do not join this conclusion. It gives up too early on my strongest point: {own}.",
        "My name is missing under this result on purpose, for one reason: {own}.",
    ),
    change=(
        "I would join if somebody managed to {check} and the answer spoke against me.",
        "Show me the result after you {check}, and I will withdraw this gladly.",
    ),
    opening=(
        "Gladly, {asker}.",
        "Good that you ask, {asker}.",
        "That deserves a straight answer, {asker}.",
    ),
    replies=(
        (
            "About “{question}”: I still start from {name}, because {point}. If I had to act on it "
            "tomorrow, I would {check}."
        ),
        (
            "My answer to “{question}” leans on one thing, {name}: {point}. What would strengthen "
            "it is to {mend}."
        ),
    ),
    closing=(
        "If that leaves a gap, name the case you have in mind and I will take it up.",
        "I can be talked out of this, though not by haste.",
    ),
    cite=(
        "The search notes {source} are kind to this reading.",
        "Among the sources, {source} supports the direction.",
    ),
    task=("My share of the work, “{task}”, fits that order.",),
    concede="As {peer} says in {cid}, {said}",
)

TESTING = Manners(
    against_foe=(
        "“{quote}” is the sentence everybody likes, and it fails because {reason}.",
        "Take “{quote}” away and the speech is empty; I take it away because {reason}.",
        "“{quote}” was asserted and never tested, which matters because {reason}.",
    ),
    against_ally=(
        "Right conclusion, wrong witness: “{quote}” will not survive a question, because {reason}.",
        "I am glad of the company, but “{quote}” invites an easy rebuttal, because {reason}.",
    ),
    reasons=(
        "it rests on a hope that is stated like a fact",
        "it would sound just as good if it were false",
        "the inconvenient half of the story is missing",
        "nobody has said what would have to happen for it to be false",
        "it was true in some other place, and the difference matters",
    ),
    defend=(
        "Nobody touched {cid}, which I take as an admission: {own}.",
        "I repeat {cid} until it is answered: {own}.",
        "The replies walked around {cid}. Here it is again: {own}.",
    ),
    keep=(
        "Of my objection only the test remains: {check}.",
        "I keep one demand, and it now binds my new side too: {check}.",
    ),
    floor=(
        "The floor asked “{said}”, and the panel has not answered it.",
        "“{said}” came from the floor, and it is sharper than most of what we said.",
    ),
    yield_open=(
        "“{quote}” broke the objection I was surest of, so {cid} goes back to the workshop.",
        "I tried to refute “{quote}” and failed; my no becomes a question.",
    ),
    yield_over=(
        "“{quote}” beats {cid}, and an objector who cannot lose is only noise.",
        "I change sides on the strength of “{quote}”; {cid} was aimed at another plan.",
    ),
    close_score=(
        "little left to attack after {cid}",
        "{cid} says what I would have said, with better manners",
        "an opponent I would gladly lose to, {cid} included",
    ),
    middle_score=(
        "{cid} holds, the step after it does not",
        "half proof and half wish, with {cid} on the proof side",
        "I grant {cid} and nothing that is hung on it",
    ),
    far_score=(
        "{cid} is where the argument stops being one",
        "everything depends on {cid}, and {cid} depends on goodwill",
        "I found no sentence around {cid} that I could use",
    ),
    aside=(
        "Half of this dispute is about what “{word}” covers.",
        "And nobody has said what falls under “{word}” and what does not.",
    ),
    dissent=(
        "The conclusion is wrong where it is most confident. My objection was never met: {own}.",
        "I vote no with a single sentence that stayed unanswered: {own}.",
    ),
    change=(
        "A dull result would change my mind: {check}, and let me be bored.",
        "To win me over, {check} in front of a witness.",
    ),
    opening=(
        "A pointed question, {asker}, so a pointed reply.",
        "You will not like the answer, {asker}.",
        "Careful what you ask an objector, {asker}.",
    ),
    replies=(
        (
            "With “{question}” you touch {name}, and there I stay stubborn: {point}. Whoever "
            "disagrees should {check}."
        ),
        (
            "“{question}” assumes that {name} is settled. It is not: {point}. A way to settle it "
            "is to {mend}."
        ),
    ),
    closing=(
        "Push back; an objection that nobody attacks goes stale.",
        "I would be relieved to be wrong here, and said so in my risks.",
    ),
    cite=(
        "Read {source} before believing me or anybody else.",
        "The source {source} is quoted happily and read rarely.",
    ),
    task=("I was asked to look after “{task}”, and I object from there.",),
    concede="What I could not refute is {peer} {cid}, namely that {said}",
)

MEASURING = Manners(
    against_foe=(
        "“{quote}” moves my estimate less than intended, because {reason}.",
        "As a data point “{quote}” is weak, because {reason}.",
        "I gave “{quote}” half its claimed weight, because {reason}.",
    ),
    against_ally=(
        "Same estimate, different confidence: “{quote}” is the softest input, because {reason}.",
        "“{quote}” happens to point my way, and I still discount it because {reason}.",
    ),
    reasons=(
        "one case is not a rate",
        "no figure is attached and none could be checked",
        "the comparison group is missing",
        "it moves with the definition more than with the facts",
        "the opposite fits the same observations",
    ),
    defend=(
        "My weight for {cid} is unchanged: {own}. No new figure was offered.",
        "After recalculating, {cid} moves by less than its error: {own}.",
        "The critique shifts the range of {cid} and not its middle: {own}.",
    ),
    keep=(
        "The measurement I asked for stays on the list: {check}.",
        "My method stands even where my result did not; {check}.",
    ),
    floor=(
        "An observation from the floor, “{said}”, counts as one more case, and I add it.",
        "I note from the floor “{said}”; it narrows the range a little.",
    ),
    yield_open=(
        "“{quote}” halves my confidence in {cid}, which leaves me in the middle.",
        "with “{quote}” in the balance, the two sides of my sheet are level again.",
    ),
    yield_over=(
        "“{quote}” tips my sheet, and {cid} is corrected accordingly.",
        "adding “{quote}” changes the sign of my estimate, whatever {cid} said.",
    ),
    close_score=(
        "our estimates differ by less than the error, see {cid}",
        "same inputs, same result, {cid} included",
        "I would use {cid} as it is",
    ),
    middle_score=(
        "{cid} is sound, its weight is not",
        "agrees with my figures in part, mostly through {cid}",
        "I take {cid} as an input and keep my own sum",
    ),
    far_score=(
        "{cid} and my figures cannot both be right",
        "too much is derived from {cid} alone",
        "no observation would count against {cid}, so I cannot use it",
    ),
    aside=(
        "Before counting anything, we should agree on what counts as “{word}”.",
        "The word “{word}” is used in at least two ways here, which blurs every figure.",
    ),
    dissent=(
        "My sheet gives another sum than this conclusion. The term left out is {cid}: {own}.",
        "The conclusion rounds away a value that I consider decisive: {own}.",
    ),
    change=(
        "One measurement would settle it for me: {check}.",
        "My estimate changes with the data, so {check} and I will recompute.",
    ),
    opening=(
        "In numbers as far as I have them, {asker}.",
        "Briefly, {asker}, and with the uncertainty included.",
        "Let me separate the parts, {asker}.",
    ),
    replies=(
        (
            "“{question}” depends mostly on {name}. My reading: {point}. I would firm that up as "
            "follows: {check}."
        ),
        (
            "For “{question}” I looked at {name} again; {point}. The estimate would tighten if we "
            "{mend}."
        ),
    ),
    closing=(
        "Confidence: middling, and honest about it.",
        "Bring one observation and the number moves.",
    ),
    cite=(
        "The only figure worth a look so far is in {source}.",
        "I treat {source} as one observation, not as proof.",
    ),
    task=("Within my task, “{task}”, that is the open item.",),
    concede="Taken over from {peer} {cid}, {said}",
)

REFRAMING = Manners(
    against_foe=(
        "“{quote}” answers a question nobody should ask, because {reason}.",
        "Both sides quote things like “{quote}”; I set it aside because {reason}.",
        "“{quote}” is true of last year's problem and misleads today because {reason}.",
    ),
    against_ally=(
        "Oddly we agree, and oddly for a poor reason: “{quote}” wobbles because {reason}.",
        "Allies should be the first to say it: “{quote}” is a slogan, because {reason}.",
    ),
    reasons=(
        "it changes nothing that anybody would do on Monday",
        "it treats a choice of words as a law of nature",
        "the people it speaks about would not recognise it",
        "it settles by tone what should be settled by trial",
        "it is borrowed from a dispute that was about something else",
    ),
    defend=(
        "I leave {cid} exactly where it was: {own}. The objections moved the furniture around it.",
        "Popular or not, {cid}: {own}.",
        "Let me defend {cid} by shortening it: {own}. That is all it says.",
    ),
    keep=(
        "I give up the answer and keep the experiment: {check}.",
        "What survives of my first speech is its last line: {check}.",
    ),
    floor=(
        (
            "Listen to the floor for a moment, “{said}”: that is the question we should have begun "
            "with."
        ),
        "The room said “{said}” and thereby skipped two of our rounds.",
    ),
    yield_open=(
        "“{quote}” shows that my frame had a border too, so I put {cid} down for now.",
        "it would be vain to keep {cid} after “{quote}”; I am no longer sure of either side.",
    ),
    yield_over=(
        "“{quote}” is the odd thought I should have had, and it sends me to the other side.",
        "I enjoy {cid} more than I believe it now; “{quote}” is why.",
    ),
    close_score=(
        "to my own surprise {cid} is nearly mine",
        "the same odd angle, which makes me suspicious and pleased about {cid}",
        "we differ in style, hardly in {cid}",
    ),
    middle_score=(
        "{cid} opens a window, then the speech closes it",
        "worth keeping for {cid}, the rest is habit",
        "between us lies one assumption, hidden in {cid}",
    ),
    far_score=(
        "{cid} repairs the frame I would throw away",
        "a careful answer to the wrong question, most of all {cid}",
        "I would turn {cid} around and defend the opposite",
    ),
    aside=(
        "Everyone here says “{word}”, and no two seem to mean the same.",
        "Ask three people what “{word}” covers and the debate may solve itself.",
    ),
    dissent=(
        "The conclusion is tidy, and tidy is what worries me. It walks past this: {own}.",
        "I step aside rather than join. What was called a detail is the matter itself: {own}.",
    ),
    change=(
        "What could bring me back is an experiment: {check}.",
        "Surprise me. For a start, {check}.",
    ),
    opening=(
        "Let me turn that around first, {asker}.",
        "An answer from the odd corner, {asker}.",
        "You may be asking something larger than you meant to, {asker}.",
    ),
    replies=(
        (
            "“{question}” sounds like one question and hides another, about {name}: {point}. I "
            "would {check}, and then ask again."
        ),
        "Behind “{question}” I see {name}. There, {point}. The plain remedy would be to {mend}.",
    ),
    closing=(
        "If this did not answer you, perhaps the question should be put the other way about.",
        "Take it as a second opinion, which is what my chair is for.",
    ),
    cite=(
        "Even {source} takes the frame for granted.",
        "What {source} leaves out is more telling than what it says.",
    ),
    task=("Given “{task}” to do, I would start somewhere else.",),
    concede="{peer} {cid} changed the frame, since {said}",
)

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

PLACES: tuple[Manners, ...] = (BUILDING_UP, TESTING, MEASURING, REFRAMING, CUSTOM)
