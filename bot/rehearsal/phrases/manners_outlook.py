"""The manners of the seats with an outlook: the long view, the knowing one, the one who feels."""

from bot.rehearsal.manners import Manners

AHEAD = Manners(
    against_foe=(
        "“{quote}” wins the month and loses the year, because {reason}.",
        "I would not steer by “{quote}”, because {reason}.",
        "“{quote}” describes the harbour and not the journey; I pass it by because {reason}.",
    ),
    against_ally=(
        "We are going the same way, but “{quote}” is a poor compass, because {reason}.",
        "I share the course and would drop “{quote}” from the log, because {reason}.",
    ),
    reasons=(
        "it stops at the first bend of the road",
        "it will have sorted itself out by next summer",
        "it weighs the start and forgets the direction",
        "anyone who copies us could say the same",
        "its size comes from standing so close",
    ),
    defend=(
        "I hold {cid}, because nobody looked past this year: {own}.",
        "Seen from further away {cid} only gains: {own}.",
        "The replies were about the start, and {cid} was about the end: {own}.",
    ),
    keep=(
        "My direction has changed, my first milestone has not: {check}.",
        "One thing on my old map is still worth visiting: {check}.",
    ),
    floor=(
        "“{said}”, says the floor, and in a few years that will have been the right question.",
        "The floor brought up “{said}”; I put it on the map.",
    ),
    yield_open=(
        "“{quote}” lies across my road, so {cid} has to wait until I see around it.",
        "I did not have “{quote}” on my map, and I stop here until it is drawn in.",
    ),
    yield_over=(
        "“{quote}” leads somewhere better than {cid} does, so I change course.",
        "I follow “{quote}” from here on; {cid} was the shorter view after all.",
    ),
    close_score=(
        "we would meet again at {cid}, whichever way we went",
        "{cid} points where I am going",
        "the same horizon, seen most clearly in {cid}",
    ),
    middle_score=(
        "{cid} is right for this year, the rest for no year in particular",
        "I would travel with {cid} for a while",
        "good eyes for the near, {cid} in front",
    ),
    far_score=(
        "{cid} saves the week and spends the year",
        "our roads part before {cid}",
        "from where I look {cid} is already behind us",
    ),
    aside=(
        "In a few years “{word}” will mean something else, so date the definition.",
        "Let us also fix what “{word}” should mean when we look back.",
    ),
    dissent=(
        "I do not sign, because the conclusion ends where the matter begins. My point: {own}.",
        "This result will be reread in three years, and this will be missed: {own}.",
    ),
    change=(
        "I would turn around for one early sign, so {check}.",
        "A single milestone could bring me over: {check}.",
    ),
    opening=(
        "Let me take the long way to a short answer, {asker}.",
        "Looking a little further than asked, {asker}:",
        "Fair question, {asker}, and it will age well.",
    ),
    replies=(
        (
            "In a few years “{question}” comes down to {name}, as {point}. The sign I would watch "
            "for: {check}."
        ),
        (
            "I would answer “{question}” by way of {name}. There {point}. What keeps the road open "
            "is to {mend}."
        ),
    ),
    closing=(
        "Ask me again in a year; I expect to be embarrassed by half of it.",
        "The direction I am fairly sure of, the distance less so.",
    ),
    cite=(
        "What {source} reports is a snapshot, but it faces the right way.",
        "I read {source} for its direction more than for its figures.",
    ),
    task=("Seen from my assignment, “{task}”, that is the first milestone.",),
    concede=("As {peer} {cid} shows on the longer view, {said}",),
)

EXPLAINING = Manners(
    against_foe=(
        "“{quote}” is a common belief and still not right, because {reason}.",
        "I would correct “{quote}”, because {reason}.",
        "“{quote}” confuses two things that look alike, because {reason}.",
    ),
    against_ally=(
        "Right answer; but “{quote}” is not how one gets there, because {reason}.",
        "A colleague would raise an eyebrow at “{quote}”, because {reason}.",
    ),
    reasons=(
        "it holds for the simple case and not for this one",
        "it gives the symptom and calls it the cause",
        "two conditions it needs are silently assumed",
        "it was settled differently the last time somebody looked",
        "it would need a word like usually in it to be true",
    ),
    defend=(
        "I stand by {cid}, since no reply touched its reason: {own}.",
        "To put {cid} more clearly than the first time: {own}.",
        "There was a misunderstanding about {cid}. All it says is this: {own}.",
    ),
    keep=(
        "The answer was mine to correct; the advice remains: {check}.",
        "I withdraw the verdict and leave you the method: {check}.",
    ),
    floor=(
        "To the floor, which asked “{said}”: yes, that belongs to the answer.",
        "“{said}” is what a good student would ask, and it deserves a line in the result.",
    ),
    yield_open=(
        "“{quote}” is outside what I can vouch for, so I take {cid} back into study.",
        "until “{quote}” is explained I cannot teach {cid} with a straight face.",
    ),
    yield_over=(
        "“{quote}” is the better explanation, and I correct {cid} by it.",
        "I was wrong in {cid}; “{quote}” accounts for more with less.",
    ),
    close_score=(
        "{cid} could go into the textbook",
        "correct throughout, {cid} in particular",
        "I would explain {cid} the same way",
    ),
    middle_score=(
        "{cid} is correct, the inference is not",
        "half right, and the right half is {cid}",
        "sound up to {cid}, after that a guess",
    ),
    far_score=(
        "{cid} rests on a familiar misunderstanding",
        "I would have to mark {cid} wrong",
        "what {cid} calls a fact is a manner of speaking",
    ),
    aside=(
        "A definition of “{word}” would spare us half of the misunderstandings.",
        "By “{word}” I mean the narrow sense, in case anyone wondered.",
    ),
    dissent=(
        "I cannot put my name to this, for it gets one thing wrong: {own}.",
        "The conclusion is well meant and leaves out what I know best: {own}.",
    ),
    change=(
        "I have changed my mind on less than this: {check}.",
        "A clean result would be enough for me, so {check}.",
    ),
    opening=(
        "Happy to explain, {asker}.",
        "The short version first, {asker}.",
        "That comes up often, {asker}.",
    ),
    replies=(
        (
            "The key to “{question}” is {name}: {point}. If you want to see it for yourself, "
            "{check}."
        ),
        (
            "When people ask “{question}”, they usually mean {name}. There {point}. My advice "
            "would be to {mend}."
        ),
    ),
    closing=(
        "If a step was too quick, stop me there and I will go through it again.",
        "Beyond that I would be guessing.",
    ),
    cite=(
        "For the background see {source}, which gets the main thing right.",
        "Of what was found, {source} is the one to read first.",
    ),
    task=("I was given “{task}”, and this is the answer to that part.",),
    concede=("Corrected by {peer} {cid}, I grant that {said}",),
)

LIVING = Manners(
    against_foe=(
        "Say “{quote}” to somebody in a queue and watch their face; it fails because {reason}.",
        "“{quote}” was thought up far away from the people it concerns, because {reason}.",
        "Nobody who lives with it would put it as “{quote}”, because {reason}.",
    ),
    against_ally=(
        "I am with you, and “{quote}” still leaves people cold, because {reason}.",
        "We care about the same people, but “{quote}” will not reach them, because {reason}.",
    ),
    reasons=(
        "nobody asked the people it talks about",
        "it is true in the office and false at home",
        "it counts heads and not bad evenings",
        "the one who says it will never have to use it",
        "it forgets how tired people are by then",
    ),
    defend=(
        "{cid} stays, because people will feel it whether we list it or not: {own}.",
        "I heard clever replies to {cid} and none that I could repeat to a neighbour: {own}.",
        "For the sake of those who are not here, once more {cid}: {own}.",
    ),
    keep=(
        "Whichever side I am on, somebody should ask them: {check}.",
        "I let go of my answer, not of the people. For them, {check}.",
    ),
    floor=(
        "Thank you to the floor for “{said}”. That is a person speaking, and it counts.",
        "The most useful line so far came from the floor: “{said}”.",
    ),
    yield_open=(
        "“{quote}” would matter to the same people, so I no longer know what {cid} is worth.",
        "I had not heard “{quote}” from anyone; before I repeat {cid}, I would ask around.",
    ),
    yield_over=(
        "“{quote}” would do more for them than {cid}, and they are why I am here.",
        "I would be ashamed to defend {cid} after “{quote}”, so I change over.",
    ),
    close_score=(
        "{cid} is what they would say themselves",
        "I could read {cid} aloud at any kitchen table",
        "somebody listened before writing {cid}",
    ),
    middle_score=(
        "{cid} has people in it, the rest has figures",
        "kind in {cid}, absent-minded elsewhere",
        "I would keep {cid} and ask three people about the rest",
    ),
    far_score=(
        "{cid} would be news to anyone who has to live with it",
        "there is nobody at home in {cid}",
        "I tried {cid} on an imaginary neighbour and was shown the door",
    ),
    aside=(
        "Ordinary people use “{word}” differently, and theirs is the use that counts.",
        "Ask around what “{word}” means; the answers will be instructive.",
    ),
    dissent=(
        "I cannot explain this conclusion to the people it is for. What it leaves out: {own}.",
        "My seat was meant for somebody absent, and they would object: {own}.",
    ),
    change=(
        "If the people concerned told me otherwise I would believe them, so {check}.",
        "I change my mind when they do. To find out, {check}.",
    ),
    opening=(
        "Thank you for asking, {asker}.",
        "I will try to say it without jargon, {asker}.",
        "You are closer to this than we are, {asker}.",
    ),
    replies=(
        (
            "What “{question}” means to most people is {name}, and there {point}. Before trusting "
            "me, {check}."
        ),
        (
            "I imagined somebody asking “{question}” over dinner. I would talk about {name}: "
            "{point}. And I would {mend}."
        ),
    ),
    closing=(
        "Tell me if it feels different where you are.",
        "If you know somebody it concerns, their answer beats mine.",
    ),
    cite=(
        "Behind {source} there are people, and it is worth reading for them.",
        "I read {source} and wondered who had been asked.",
    ),
    task=("My errand was “{task}”, on behalf of people who could not come.",),
    concede=("{peer} {cid} would matter to them as well: {said}",),
)
