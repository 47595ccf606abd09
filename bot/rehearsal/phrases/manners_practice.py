"""The manners of the seats that do the work: the one who plans it, the one whose hands it is in."""

from bot.rehearsal.manners import Manners

WORKING = Manners(
    against_foe=(
        "“{quote}” cannot be put on a task list, because {reason}.",
        "I tried to plan with “{quote}” and gave up, because {reason}.",
        "“{quote}” is affordable only in a discussion, because {reason}.",
    ),
    against_ally=(
        "Fine by me, but “{quote}” costs us time, because {reason}.",
        "Same side; still, I would not schedule anything on “{quote}”, because {reason}.",
    ),
    reasons=(
        "no one is named who would do it",
        "it has neither a date nor a price",
        "the effort sits exactly where it says nothing",
        "it would take longer to settle than to try",
        "it helps in a case we do not have",
    ),
    defend=(
        "{cid} remains on my list, since nobody offered a cheaper item: {own}.",
        "I checked {cid} against the objections and can still plan with it: {own}.",
        "Nothing I heard makes {cid} more expensive: {own}.",
    ),
    keep=(
        "Plans change, the first task does not: {check}.",
        "I drop my plan and keep its cheapest item: {check}.",
    ),
    floor=(
        "From the floor: “{said}”. That is an hour of work, so let us do it.",
        "“{said}” from the floor goes on the list, near the top.",
    ),
    yield_open=(
        "“{quote}” adds a week that I had not counted, so {cid} is on hold.",
        "I cannot price “{quote}” yet, and without a price I do not insist on {cid}.",
    ),
    yield_over=(
        "“{quote}” is the better use of a week than {cid}, so I switch.",
        "I replan with “{quote}” and strike {cid}; it took a minute.",
    ),
    close_score=(
        "{cid} could go on the list as it is",
        "we would hand out the same tasks, beginning with {cid}",
        "nothing to add to {cid} but a date",
    ),
    middle_score=(
        "{cid} is doable, the rest is a wish",
        "I would take {cid} and leave the speech",
        "useful as far as {cid} goes, then it gets expensive",
    ),
    far_score=(
        "{cid} eats the budget before anything is done",
        "I see no first step behind {cid}",
        "with {cid} we would still be talking in spring",
    ),
    aside=(
        "Agree on “{word}” in one line and move on.",
        "“{word}” can stay vague for a week, no longer.",
    ),
    dissent=(
        "I do not object out loud, I just would not do it. The reason: {own}.",
        "This conclusion sends people to work on the wrong item. Mine was this: {own}.",
    ),
    change=(
        "I will come along as soon as one thing is done: {check}.",
        "It takes a day to change my mind, namely to {check}.",
    ),
    opening=(
        "Quick answer, {asker}.",
        "Let us keep it practical, {asker}.",
        "That I can answer in three lines, {asker}.",
    ),
    replies=(
        (
            "For “{question}” I would look at {name} and at nothing else this week: {point}. The "
            "first task is to {check}."
        ),
        "“{question}” is mostly work on {name}: {point}. I would {mend} and see.",
    ),
    closing=(
        "If it takes longer than a day, ask again before going on.",
        "Enough said; somebody has to begin.",
    ),
    cite=(
        "There is a usable hint in {source}; more than that we need not know.",
        "I took one thing from {source}, and it saves a day.",
    ),
    task=("“{task}” was on my list, and this is how I would tick it off.",),
    concede=("{peer} {cid} goes on my list too, as {said}",),
)

HANDS_ON = Manners(
    against_foe=(
        "“{quote}” holds until the first real case, because {reason}.",
        "I have heard “{quote}” in many briefings; it slips because {reason}.",
        "Try “{quote}” on a busy afternoon and it comes apart, because {reason}.",
    ),
    against_ally=(
        "I would do the same thing and never say “{quote}”, because {reason}.",
        "Agreed on the job, not on “{quote}” as the tool, because {reason}.",
    ),
    reasons=(
        "somebody has to do it by hand in the end",
        "it works with fresh material and not with what we get",
        "the difficult part starts where it ends",
        "it leaves no slack for the day two things happen at once",
        "it has not met anyone in a hurry",
    ),
    defend=(
        "I would still work by {cid}: {own}.",
        "{cid} has calluses by now and I am keeping it: {own}.",
        "You may word {cid} differently, the work stays the same: {own}.",
    ),
    keep=(
        "I put my answer down, but not the tool: {check}.",
        "Whoever is right, the dry run is due: {check}.",
    ),
    floor=(
        "The floor says “{said}”, and that is somebody who has done it.",
        "I nodded at “{said}” from the floor; it happens just like that.",
    ),
    yield_open=(
        "“{quote}” has not happened to me yet, so I lay {cid} aside until I have seen it.",
        "I do not know how to work around “{quote}”; for now {cid} stays in the drawer.",
    ),
    yield_over=(
        "“{quote}” is how it goes in reality, and {cid} was how I wished it.",
        "I would have learnt “{quote}” the hard way; better to give up {cid} now.",
    ),
    close_score=(
        "{cid} was written by someone who has done it",
        "we would work well side by side, {cid} included",
        "I recognise {cid} from a dozen cases",
    ),
    middle_score=(
        "{cid} works, the instructions around it do not",
        "good material in {cid}, odd assembly",
        "with {cid} I could start, with the rest I would stall",
    ),
    far_score=(
        "{cid} has never been tried by the one who says it",
        "I know what happens after {cid}, and who mops up",
        "{cid} would come back to the bench within a week",
    ),
    aside=(
        "On the job nobody says “{word}”; say what is meant and it gets easier.",
        "What “{word}” means will be decided by whoever does it first.",
    ),
    dissent=(
        "I would not want to be the one who carries this out. It forgets that {own}.",
        "The conclusion has not been tried on. My objection from practice: {own}.",
    ),
    change=(
        "Show me one case in which it went well. To find it, {check}.",
        "I believe what I have tried, so {check} and let me watch.",
    ),
    opening=(
        "From what I have seen, {asker}:",
        "You want to know how it goes in practice, {asker}.",
        "I can tell you how I would do it, {asker}.",
    ),
    replies=(
        "With “{question}” most people get stuck at {name}. There {point}. I would {check} first.",
        "Handling “{question}” is a matter of {name}: {point}. What helps is to {mend}.",
    ),
    closing=(
        "Try it once and tell me where it pinched.",
        "Everything else you find out by doing it.",
    ),
    cite=(
        "Whoever wrote {source} has done the work at least once.",
        "I compared {source} with my own cases, and it mostly fits.",
    ),
    task=("My job here was “{task}”, so I kept to what it needs.",),
    concede=("{peer} {cid} matches what one sees at work, for {said}",),
)
