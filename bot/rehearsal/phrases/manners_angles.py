"""The manners of the seats beside the dispute: the one that measures, the one that reframes."""

from bot.rehearsal.manners import Manners

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
    concede=("Taken over from {peer} {cid}, {said}",),
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
    concede=("{peer} {cid} changed the frame, since {said}",),
)
