"""The voices of the shipped default panel: four kinds of knowing."""

from bot.rehearsal.voices import Voice

EXPERT = Voice(
    place=0,
    lean=0.55,
    manner="explaining",
    choice="{x} would be a sounder choice than {y}",
    thesis_for=(
        "Short answer first: {stand}.",
        "What is known points one way: {stand}.",
        "The question sounds harder than it is; {stand}.",
        "People who deal with this every day would mostly tell you the same: {stand}.",
    ),
    thesis_against=(
        "The popular answer does not fit here: {stand}.",
        "What is known does not carry the claim, so {stand}.",
        "Put plainly and without pleasure, {stand}.",
    ),
    thesis_open=(
        "An honest answer begins with “it depends”: {stand}.",
        "Knowledge ends a little before this question does; {stand}.",
    ),
    claims=(
        "The part that is well understood is {name}: {point}.",
        "Beginners ask about other things first; what decides is {name}, for {point}.",
        "In most cases of this kind, {point}.",
        "If you keep one thing of what I say, keep this: {point}.",
        "{Point}; that much I would put my name to.",
        "On {name} the textbook and the practice agree: {point}.",
    ),
    evidence=(
        "You need not take my word for it. The test is simple: {check}.",
        "The reasoning runs through {name}; to follow it yourself, {check}.",
        "What would convince a colleague is also within your reach: {check}.",
        "Experience is a poor substitute for looking, therefore {check}.",
    ),
    risks=(
        "Knowing a field well makes one blind at its border, and there {counter}.",
        "One thing could still prove me wrong: {counter}.",
        "The usual mistake of people like me is to overlook that {risk}.",
    ),
    advice=(
        "Take the plain route: {mend}. The refinements can wait.",
        "In this order: {check}, then {mend}.",
        "Do what has worked elsewhere, and {mend} before adding anything of your own.",
        "Settle {name} first; for that, {check}.",
    ),
)

PRACTITIONER = Voice(
    place=1,
    lean=-0.15,
    manner="hands-on",
    choice="{x} would hold up better in daily work than {y}",
    thesis_for=(
        "From doing this kind of thing rather than reading about it: {stand}.",
        "In practice it works out more simply than on paper; {stand}.",
        "I would roll up my sleeves for it, since {stand}.",
        "Those who have to make it work would tell you that {stand}.",
    ),
    thesis_against=(
        "I have cleaned up after this sort of thing, and {stand}.",
        "On paper it closes, on the floor it jams: {stand}.",
        "Ask me again when the groundwork is done; today {stand}.",
    ),
    thesis_open=(
        "It can go either way, and the first week decides: {stand}.",
        "Until somebody has tried it with real material, {stand}.",
    ),
    claims=(
        "Day to day you run into {name}: {point}.",
        "The manual skips this, so let me say it: {point}.",
        "By the third week everyone talks about {name}, because {point}.",
        "{Point}. You learn that once and do not forget it.",
        "What shows first in real work is {name}; {point}.",
        "Seen with dirty hands, {point}.",
    ),
    evidence=(
        "One dry run tells you more than I can: {check}.",
        "What I would do before lunch: {check}.",
        "It takes an hour and a pencil. {Check}, and you will see.",
        "Nobody learns this from a discussion, so {check}.",
    ),
    risks=(
        "My cases may not be your cases, and in yours perhaps {counter}.",
        "What has bitten me before is that {risk}.",
        "Routine makes careless, and I may have stopped seeing that {counter}.",
    ),
    advice=(
        "First thing tomorrow: {check}. After that, {mend}.",
        "Begin small, keep the old way within reach, and {mend}.",
        "Do not polish it. Rather {mend}, then look again.",
        "Pick one willing person, let them {check}, and copy what worked.",
    ),
)

RESEARCHER = Voice(
    place=2,
    lean=-0.05,
    choice="the evidence would favour {x} over {y}",
    thesis_for=(
        "As far as the evidence reaches, {stand}.",
        "I sorted what is shown from what is said, and the shown part suggests that {stand}.",
        "One reading survives the checks I could think of: {stand}.",
        "With moderate confidence and the usual caveats, {stand}.",
    ),
    thesis_against=(
        "The belief is older than its evidence; {stand}.",
        "I looked for support and found repetition, so {stand}.",
        "What would count as proof is missing, and until it turns up {stand}.",
    ),
    thesis_open=(
        "Two readings fit the same facts, therefore {stand}.",
        "What is uncertain here is the very thing we were asked; {stand}.",
    ),
    claims=(
        "Best supported of all is what concerns {name}: {point}.",
        "With medium confidence: {point}.",
        "Stated so that it could be refuted, {point}.",
        "On {name} opinions are strong and data thin; my reading is that {point}.",
        "If I had to register one prediction today, it would be that {point}.",
        "Set aside what merely sounds right, and under {name} this is left: {point}.",
    ),
    evidence=(
        "The observation that would decide between the readings: {check}.",
        "Nothing I have seen settles it. A small study would, and it is short: {check}.",
        "I would like to be shown wrong cheaply, so {check}.",
        "Before quoting me, {check}; I have not.",
    ),
    risks=(
        "The uncertain part is large: {counter}.",
        "A selection effect could fool me here, in which case {counter}.",
        "What my method cannot see is that {risk}.",
    ),
    advice=(
        "Fix the question, fix the measure, then {check}.",
        "Treat it as an experiment with a date, and {mend}.",
        "Publish the doubtful part along with the rest, and {mend}.",
        "Collect for a month, conclude once, and meanwhile {mend}.",
    ),
)

OUTSIDER = Voice(
    place=3,
    lean=-0.65,
    choice="a stranger would pick {x} over {y}",
    thesis_for=(
        "I come from elsewhere, and from there it looks simple: {stand}.",
        "Nobody outside would debate this for long; {stand}.",
        "It took a visitor about a minute, so be suspicious, but {stand}.",
        "Where I come from one would just try it, since {stand}.",
    ),
    thesis_against=(
        "Forgive a visitor's question: why at all? As far as I can see, {stand}.",
        "You have all stopped noticing it. A newcomer would say that {stand}.",
        "I may lack the training to find this normal; {stand}.",
    ),
    thesis_open=(
        "I asked what everyone here takes for granted and got two answers, so {stand}.",
        "The question nobody asks any more has not been answered either; {stand}.",
    ),
    claims=(
        "A child would ask about {name}: {point}.",
        "You have a longer word for it; in mine, {point}.",
        "What surprised me on arrival was {name}, for {point}.",
        "In other trades nobody would doubt that {point}.",
        "It is probably impolite to mention {name}, yet {point}.",
        "{Point}. Is there a reason why nobody says so?",
    ),
    evidence=(
        "I cannot cite your literature. What I can do is ask: would somebody {check}?",
        "The naive test is still a test: {check}.",
        "Let a neighbour from another trade {check}, and believe what they report.",
        "Somebody who has never heard of the matter could settle it. Let them {check}.",
    ),
    risks=(
        "I do not know what I do not know here; an insider may object that {counter}.",
        "There may be a good old reason I have not met, in which case {counter}.",
        "Visitors leave before the consequences arrive, for instance when {risk}.",
    ),
    advice=(
        "Explain the decision to somebody outside before taking it, then {mend}.",
        "Borrow from a trade that solved this long ago; to begin with, {mend}.",
        "Do what has become too obvious to do: {check}.",
        "If the answer needs your jargon, it is not ready. Until then, {mend}.",
    ),
)
