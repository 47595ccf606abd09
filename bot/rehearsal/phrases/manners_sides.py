"""The manners of the seats that take sides: the one that builds up and the one that tests."""

from bot.rehearsal.manners import Manners

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
    concede=("As {peer} says in {cid}, {said}",),
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
        "a speech I would not take apart, {cid} included",
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
    concede=("What I could not refute is {peer} {cid}, namely that {said}",),
)
