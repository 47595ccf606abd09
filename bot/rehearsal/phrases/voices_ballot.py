"""The voices of the shipped vote panel: four ways to judge an option."""

from bot.rehearsal.voices import Voice

STRATEGIST = Voice(
    place=0,
    lean=0.35,
    manner="ahead",
    choice="{x} would lead further than {y}",
    thesis_for=(
        "Three years from now the reason will look plain: {stand}.",
        "I asked where each road ends, and the answer is that {stand}.",
        "Judged by where it leads and not by how it starts, {stand}.",
        "The first step hardly matters. The tenth does, and seen from there {stand}.",
    ),
    thesis_against=(
        "Followed to its end, this road disappoints: {stand}.",
        "It looks well for a season. Beyond that, {stand}.",
        "I would rather lose a quarter than a direction, so {stand}.",
    ),
    thesis_open=(
        "The roads have not parted far enough to tell them apart: {stand}.",
        "Too much depends on a turn nobody can see from here; {stand}.",
    ),
    claims=(
        "What compounds here is {name}: {point}.",
        "In three years nobody will remember the start, but they will feel that {point}.",
        "{Point}, and things of that sort tend to add up.",
        "Small today, decisive later: {point}.",
        "Play it forward and {name} comes up at every turn; {point}.",
        "The position we would hold afterwards matters most, and there {point}.",
    ),
    evidence=(
        "Long views are cheap, so here is a short test: {check}.",
        "The future keeps no records. What we can do today is to {check}.",
        "My map has one road that can be surveyed this month: {check}.",
        "Look for an early sign rather than for proof, and to find one, {check}.",
    ),
    risks=(
        "Whoever looks far ahead stumbles over the near: {risk}.",
        "The long view flatters itself, and it may well be that {counter}.",
        "I assume that the world holds still for a while; if it does not, {counter}.",
    ),
    advice=(
        "Choose the direction now and the pace later; on the way, {mend}.",
        "Set one milestone for the spring: {check}. Then {mend}.",
        "Keep the way back open while that is cheap, and {mend}.",
        "Write down where we want to stand in three years, then {mend}.",
    ),
)

SKEPTIC = Voice(
    place=1,
    lean=-0.5,
    choice="{x} would need fewer things to go right than {y}",
    thesis_for=(
        "I tried to talk myself out of it and failed: {stand}.",
        "Of all the stories told about this, one asks for the least faith: {stand}.",
        "It takes less luck than I expected; {stand}.",
        "My doubts are real, and they are smaller on one side: {stand}.",
    ),
    thesis_against=(
        "Count what would have to go right, and {stand}.",
        "Too many ifs stand in a row here; {stand}.",
        "I believe the hope and not the chain of conditions behind it: {stand}.",
    ),
    thesis_open=(
        "The conditions have not been named yet, so {stand}.",
        "I know what would have to be true and not whether it is; {stand}.",
    ),
    claims=(
        "Everything hangs on {name}, and there {point}.",
        "Under {name} I first wrote a question mark and then a line: {point}.",
        "What would have to be true? For one thing, that {point}.",
        "Take away the optimism and this remains: {point}.",
        "I doubted {name} the longest and ended here: {point}.",
        "{Point}. I have looked for the catch and not found it yet.",
    ),
    evidence=(
        "Belief is not required, only an afternoon: {check}.",
        "One condition can be tested before anybody commits: {check}.",
        "I would trust this more after someone tried to refute it. So {check}.",
        "So far we have assertions, mine included. To change that, {check}.",
    ),
    risks=(
        "A doubter can be wrong in the comfortable direction, and then {counter}.",
        "The condition I could not check is the nasty one: {risk}.",
        "What I cannot rule out: {counter}.",
    ),
    advice=(
        "List the conditions on one page, strike those that hold, and {mend}.",
        "Before anything is signed, {check}; it costs little.",
        "Let somebody who wants it {check}, and somebody who does not repeat it.",
        "Act on it only together with a promise: {mend}.",
    ),
)

USERS_VOICE = Voice(
    place=3,
    lean=-0.2,
    manner="living",
    choice="{x} would be easier to live with than {y}",
    thesis_for=(
        "For the people who will meet it on a wet Monday, {stand}.",
        "I speak for those who are not in the room, and for them {stand}.",
        "Whoever lives with the result will not ask how we argued. They will notice that {stand}.",
        "Put yourself at the other end of it: {stand}.",
    ),
    thesis_against=(
        "The people at the other end did not ask for this, and {stand}.",
        "It reads well in a plan and less well in a kitchen: {stand}.",
        "I tried to imagine somebody saying thank you for it and could not; {stand}.",
    ),
    thesis_open=(
        "The people concerned have not been asked, so {stand}.",
        "I hear two kinds of people and they want different things; {stand}.",
    ),
    claims=(
        "What people feel first is {name}: {point}.",
        "People seldom complain about {name}, yet they feel it: {point}.",
        "At the far end of the line it sounds like this: {point}.",
        "{Point}, and it is the kind of thing people tell their friends.",
        "Never mind the list of features; on an average evening {point}.",
        "The patient ones will not say so, therefore I do: {point}.",
    ),
    evidence=(
        "Five conversations would beat this paragraph. To start with, {check}.",
        "I have no survey, only a suggestion: {check}, and listen longer than you talk.",
        "Sit beside one person for a morning, then {check}.",
        "The honest answer lies with the people concerned, so {check}.",
    ),
    risks=(
        "I may be hearing the loud ones; if so, {counter}.",
        "Those I speak for would blame me for one thing: {risk}.",
        "People say one thing and do another, so perhaps {counter}.",
    ),
    advice=(
        "Tell the people concerned first, and {mend}.",
        "Let three of them try it before all of them must; meanwhile {mend}.",
        "Ask once more in a month, and until then {mend}.",
        "Start with whoever has most to lose, and {check}.",
    ),
)

PRAGMATIST = Voice(
    place=2,
    lean=0.2,
    manner="working",
    choice="{x} would pay off sooner than {y}",
    thesis_for=(
        "With the hours we really have, {stand}.",
        "No answer is free, and one costs less to finish: {stand}.",
        "I would start on Monday, because {stand}.",
        "Effort in, result out: {stand}.",
    ),
    thesis_against=(
        "The effort is certain and the result is not, so {stand}.",
        "A fine thought for another month; {stand}.",
        "I cannot find the week in which this would fit, and so {stand}.",
    ),
    thesis_open=(
        "I could start either way tomorrow, which tells you that {stand}.",
        "Nobody who would do the work has estimated it; {stand}.",
    ),
    claims=(
        "In working days, the item that counts is {name}: {point}.",
        "The boring part decides, and here it is: {point}.",
        "{Point}. I can plan around that.",
        "Half of the effort goes into {name}, where {point}.",
        "Done beats perfect, and for getting done it counts that {point}.",
        "Ask what is finished by Friday and you arrive at {name}: {point}.",
    ),
    evidence=(
        "A half-day trial would tell us more than another meeting: {check}.",
        "I trust estimates by people who will do the work. Until we have one, {check}.",
        "The quickest honest test I can think of: {check}.",
        "There is a cheap way to find out before anyone gives it a month: {check}.",
    ),
    risks=(
        "Quick results have a tail, and here it may be that {counter}.",
        "What my estimate leaves out is this: {risk}.",
        "The shortcut turns into a detour if {risk}.",
    ),
    advice=(
        "Do the smallest useful piece first, then {mend}.",
        "Give it two weeks and an end date; during those, {mend}.",
        "Name one person, one date and one task: {mend}.",
        "First {check}, which will not take a week. Then decide without a second meeting.",
    ),
)
