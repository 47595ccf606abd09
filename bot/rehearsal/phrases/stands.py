"""What a position says about a topic, by the topic's kind; one wording per place at the table."""

from bot.rehearsal.positions import Stance
from bot.rehearsal.topic import Kind

STANDS: dict[Kind, dict[Stance, tuple[str, ...]]] = {
    Kind.PLAN: {
        Stance.AGREE: (
            "the plan to {action} deserves a yes",
            "no good reason not to {action} is left",
            "to {action} should be worth its price",
            "it makes sense to {action}",
            "the grounds to {action} are good enough",
        ),
        Stance.DISAGREE: (
            "the plan to {action} is not ready for a yes",
            "it would be a mistake to {action} now",
            "the expected gain is too small to {action}",
            "there are better uses of the same effort than to {action}",
            "the case to {action} has not been made",
        ),
        Stance.NEUTRAL: (
            "the plan to {action} cannot be judged yet",
            "whether to {action} is still open",
            "one missing fact decides whether to {action}",
            "it matters less whether to {action} than on what terms",
            "it is too early to say yes or no to the plan to {action}",
        ),
    },
    Kind.CHOICE: {
        Stance.AGREE: (
            "{x} should be taken over {y}",
            "{x} would survive a harder test than {y}",
            "{x} would come out ahead of {y}",
            "{x} would be the less obvious risk, compared with {y}",
            "{x} would serve better than {y}",
        ),
        Stance.DISAGREE: (
            "{y} should be taken over {x}",
            "{y} would survive a harder test than {x}",
            "{y} would come out ahead of {x}",
            "{y} would be the less obvious risk, compared with {x}",
            "{y} would serve better than {x}",
        ),
        Stance.NEUTRAL: (
            "neither {x} nor {y} has earned the decision yet",
            "between {x} and {y} nothing has been proved",
            "{x} and {y} are too close to call",
            "the line between {x} and {y} may be drawn in the wrong place",
            "both {x} and {y} remain possible",
        ),
    },
    Kind.THING: {
        Stance.AGREE: (
            "{thing} can be built in the plain shape described",
            "{thing} would pass with minor remarks",
            "{thing} should hold up in operation",
            "{thing} can be started this week",
            "{thing} can work as proposed",
        ),
        Stance.DISAGREE: (
            "{thing} would need another shape than the obvious one",
            "{thing} would fail the first honest review",
            "{thing} would not hold under real load as proposed",
            "{thing} cannot be started on what we know",
            "{thing} would need a second proposal",
        ),
        Stance.NEUTRAL: (
            "{thing} still lacks one border that somebody must draw",
            "{thing} can be neither approved nor refused yet",
            "{thing} would need one measurement before a verdict",
            "{thing} could go either way until the first slice runs",
            "{thing} must wait for one answer",
        ),
    },
    Kind.TARGET: {
        Stance.AGREE: (
            "the worst holes in {thing} can be closed without a redesign",
            "{thing} would cost an attacker more than it returns",
            "the damage around {thing} can be kept within bounds",
            "{thing} would survive a realistic exercise",
            "{thing} can be defended as things stand",
        ),
        Stance.DISAGREE: (
            "the holes in {thing} cannot be closed one by one",
            "{thing} would fall to a patient attacker",
            "the expected damage around {thing} is larger than the defence",
            "{thing} would not survive a realistic exercise",
            "{thing} cannot be defended as things stand",
        ),
        Stance.NEUTRAL: (
            "nobody can say yet how {thing} would hold",
            "{thing} might be strong or merely untested",
            "the data on {thing} are too thin for a rating",
            "the scope around {thing} is too narrow for a verdict",
            "{thing} cannot be rated before an exercise",
        ),
    },
    Kind.YESNO: {
        Stance.AGREE: (
            "the answer to {quote} is yes",
            "a no to {quote} would not survive this table",
            "the evidence on {quote} leans towards yes",
            "{quote} gets a yes, and not for the usual reason",
            "{quote} can be answered with yes",
        ),
        Stance.DISAGREE: (
            "the answer to {quote} is no",
            "a yes to {quote} would be premature",
            "the evidence on {quote} leans towards no",
            "{quote} deserves a no",
            "{quote} has to be answered with no",
        ),
        Stance.NEUTRAL: (
            "{quote} has no honest answer yet",
            "neither yes nor no to {quote} has been earned",
            "the evidence on {quote} is evenly spread",
            "{quote} is two questions in one coat",
            "{quote} must stay open for now",
        ),
    },
    Kind.OPEN: {
        Stance.AGREE: (
            "there is a workable answer to {quote}",
            "{quote} has an answer that holds up under questions",
            "what we know is enough to answer {quote}",
            "{quote} has a simpler answer than it pretends",
            "{quote} can be answered today",
        ),
        Stance.DISAGREE: (
            "{quote} has no answer that would last",
            "every quick answer to {quote} would be wrong",
            "what we know is not enough to answer {quote}",
            "{quote} is the wrong question to begin with",
            "{quote} cannot be answered today",
        ),
        Stance.NEUTRAL: (
            "{quote} has several answers and I would not pick one yet",
            "no answer to {quote} has been tested",
            "the answers to {quote} lie too close together",
            "{quote} first has to be split in two",
            "{quote} must stay open for now",
        ),
    },
    Kind.STATEMENT: {
        Stance.AGREE: (
            "the statement {quote} holds",
            "{quote} survives the obvious objections",
            "{quote} is more likely true than not",
            "{quote} is right, if for an unpopular reason",
            "{quote} can be accepted",
        ),
        Stance.DISAGREE: (
            "the statement {quote} does not hold as it stands",
            "{quote} fails at the first objection",
            "{quote} is less likely true than not",
            "{quote} is right only inside its own frame",
            "{quote} cannot be accepted",
        ),
        Stance.NEUTRAL: (
            "the statement {quote} holds only in part",
            "{quote} is neither shown nor refuted",
            "{quote} is about as likely true as false",
            "{quote} depends on a word that nobody defined",
            "{quote} must stay undecided",
        ),
    },
    Kind.SUBJECT: {
        Stance.AGREE: (
            "with {quote} the promise outweighs the danger",
            "the doubts about {quote} do not add up",
            "on {quote} the balance is positive",
            "{quote} deserves better than its critics",
            "{quote} deserves support",
        ),
        Stance.DISAGREE: (
            "with {quote} the danger outweighs the promise",
            "the praise for {quote} does not add up",
            "on {quote} the balance is negative",
            "{quote} deserves better than its supporters",
            "{quote} does not deserve support yet",
        ),
        Stance.NEUTRAL: (
            "with {quote} promise and danger are in balance",
            "on {quote} neither praise nor doubt is proved",
            "on {quote} the sum is close to zero",
            "{quote} is a heading and not yet a question",
            "{quote} must stay undecided",
        ),
    },
}
