"""Phrases of the neutral seats: the summariser, the writer of the conclusion, the designers."""

NOT_A_MODEL = "This conclusion was put together by the rehearsal; no model was speaking."

AGREED = (
    "{roles} end on the same side: {thesis}.",
    "The largest group, {roles}, holds that {thesis}.",
    "{roles} can sign one sentence: {thesis}.",
)
SHARED = (
    "Carried by that side: {claim} ({role}).",
    "Its best support came from {role}: {claim}.",
)
NOTHING_AGREED = (
    "No two seats share a side; what they share is the wish to check before acting.",
    "There is no common conclusion, only a common list of open checks.",
)
DIVIDED = (
    "{one} builds on the point that {claim}; {other} puts first that {reply}.",
    "Between {one} and {other} the weights differ: for the one {claim}, for the other {reply}.",
    "{other} does not follow {one}, who argued that {claim}, and stresses that {reply}.",
)
UNDIVIDED = (
    "No open dispute was left; the reservations are listed under red flags.",
    "The seats differ in emphasis only, which deserves some suspicion.",
)
BLIND = (
    "Nobody took up {name}; one should {check}.",
    "{Name} stayed outside the talk although it matters here: {check}.",
    "The seats talked past {name}. To repair that, {check}.",
)
VERDICT_FOR = (
    "The talk leans in favour, with {count} of {total} seats on that side.",
    "Go ahead in a small way: {count} of {total} seats end in favour.",
)
VERDICT_AGAINST = (
    "The talk leans against, with {count} of {total} seats on that side.",
    "Hold back for now: {count} of {total} seats end against it.",
)
VERDICT_ANSWERED = (
    "An answer is within reach, say {count} of {total} seats.",
    "{count} of {total} seats think that it can be answered now, in a small way at first.",
)
VERDICT_UNANSWERED = (
    "No answer would last, say {count} of {total} seats.",
    "Do not settle on an answer yet; {count} of {total} seats advise against it.",
)
VERDICT_OPEN = (
    "The talk does not carry a verdict; the largest group has {count} of {total} seats.",
    "Leave the decision open: no side has more than {count} of {total} seats.",
)
VERDICT_CHOICE = (
    "The talk leans to {side}, with {count} of {total} seats on that side.",
    "For now {side} should be taken: {count} of {total} seats end there.",
)
VERDICT_VOTE = (
    "The ballots decide; by the digests, {side} has {count} of {total} seats behind it.",
    "By the digests the vote goes to {side}, with {count} of {total} seats.",
)
VERDICT_BALLOTS = (
    "The vote goes to {side}, with {count} of {total} ballots.",
    "{count} of {total} ballots were cast for {side}, and that is the result.",
)
BALLOTS_TIED = (
    "The vote is tied; no option has more than {count} of {total} ballots.",
    "With at most {count} of {total} ballots for any option, the vote decides nothing.",
)
NEXT_STEP = (
    "Whatever is decided, {mend}.",
    "Before acting on it, {check}.",
    "The cheapest next step is to {check}.",
)
SPOKEN = (
    "{role} ({lead}): {thesis}. First claim: {claim}.",
    "{role} takes this side, {lead}: {thesis}, because {claim}.",
    "From {role}, {lead}: {claim}.",
)
MISSING_PEOPLE = (
    "Nobody spoke for the people who would be woken by a failure.",
    "The seats talked about the matter more than about those who live with it.",
    "How anyone would notice a wrong decision was hardly discussed.",
)
