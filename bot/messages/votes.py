"""How people and models voted, what that is worth, and how far a panel agrees."""

from collections.abc import Sequence
from typing import Final

from bot.messages.counting import counted, listed


class BallotText:
    """Votes: the two ballots of people, their result, and the models' own vote."""

    FIRST_OPEN: Final = (
        "🗳️ **Vote before the conclusion.** Press an option: only you can see your vote, and you "
        "can change it until the conclusion is ready. The panel never sees it."
    )
    NOBODY_VOTED: Final = "Nobody voted after the conclusion."
    FIRST_IS_CLOSED: Final = (
        "The first vote closed when the conclusion was ready: vote in the second ballot below it."
    )
    SECOND_IS_CLOSED: Final = "This vote is closed: see the result below."
    NO_CONCLUSION: Final = (
        "This roundtable ended without a conclusion, so votes are not counted: use `roundtable "
        "retry` to vote again."
    )
    NOT_COUNTED: Final = (
        "🗳️ This vote is closed: the roundtable ended without a conclusion, so nothing is counted. "
        "`roundtable retry` opens it again."
    )
    NO_BALLOT: Final = "This ballot is no longer stored: start a new roundtable."
    NO_VOTE: Final = "You have not voted here yet: press an option first."
    NO_RESULT: Final = "No panelist cast a readable ballot, so there is no result."

    @staticmethod
    def yes_or_no(options: Sequence[str]) -> str:
        """The topic is answered with yes or no, in its own language."""
        return (
            f"The panel votes {' or '.join(options)}: for other options, name them as `A or B` or "
            "with `--options A | B` next time."
        )

    @staticmethod
    def second_open(closes_at: int) -> str:
        """The second ballot while people may vote."""
        return (
            "🗳️ **Vote again after the conclusion.** Only you can see your vote, and you can change "
            f"it until <t:{closes_at}:t> (<t:{closes_at}:R>)."
        )

    @staticmethod
    def first_closed(voters: int) -> str:
        """The first ballot once it is counted."""
        return (
            f"🗳️ The first vote is closed: {BallotText._voted(voters)}. Its result is shown "
            "with the second one."
        )

    @staticmethod
    def second_closed(voters: int) -> str:
        """The second ballot once it is counted."""
        return f"🗳️ The second vote is closed: {BallotText._voted(voters)}."

    @staticmethod
    def _voted(number: int) -> str:
        """How many people voted."""
        return f"{counted(number, 'person', 'people')} voted" if number else "nobody voted"

    @staticmethod
    def peoples_verdict(verdict: str) -> str:
        """The first line of the result."""
        return f"🗳️ **People: {verdict}**"

    @staticmethod
    def models_verdict(verdict: str) -> str:
        """The first line of the models' vote."""
        return f"🗳️ **{verdict}**"

    @staticmethod
    def verdict_so_far(verdict: str) -> str:
        """The current result of the models' vote, on the card."""
        return f"🗳️ {verdict}"

    @staticmethod
    def result_row(option: str, people: tuple[int, int], models: tuple[int, int]) -> str:
        """One option with its votes before and after."""
        return (
            f"- **{option}** · people {people[0]} → **{people[1]}** · "
            f"models {models[0]} → **{models[1]}**"
        )

    @staticmethod
    def turnout(before: int, after: int, kept: int = 0) -> str:
        """How many voted each time, and whose votes are kept."""
        first, second = BallotText._voted(before), BallotText._voted(after)
        stored = "Individual votes are not stored"
        if kept:
            who = counted(kept, "person who joined", "people who joined")
            stored = f"{stored}, but for {who} the record"
        return f"Before: {first}. After the conclusion: {second}. {stored}."

    @staticmethod
    def changed_sides(twice: int, changed: int) -> str:
        """How many of those who voted twice changed their vote."""
        if twice == 1:
            fate = "changed their vote" if changed else "did not change their vote"
            return f"The one person who voted both times {fate}."
        return (
            f"Of the {twice} people who voted both times, {changed or 'nobody'} changed their vote."
        )

    @staticmethod
    def confidence(before: int | None, after: int | None) -> str:
        """How sure people were."""
        return (
            f"Average confidence: {BallotText._sure(before)} before, "
            f"{BallotText._sure(after)} after."
        )

    @staticmethod
    def _sure(percent: int | None) -> str:
        return "not given" if percent is None else f"{percent} %"

    @staticmethod
    def tie(options: Sequence[str], votes: int, ahead: str | None = None) -> str:
        """Several options lead; `ahead` is the one with the more confident voters."""
        tied = f"A tie between {listed(options)} with {counted(votes, 'vote')} each"
        return f"{tied}; only stated confidence puts {ahead} ahead." if ahead else f"{tied}."

    @staticmethod
    def tie_by_weight(options: Sequence[tuple[str, int]], ahead: str | None) -> str:
        """Several options lead by weight, although their votes differ: (option, votes)."""
        named = listed([f"{option} ({counted(votes, 'vote')})" for option, votes in options])
        tied = f"A tie by weight between {named}"
        return f"{tied}; only stated confidence puts {ahead} ahead." if ahead else f"{tied}."

    @staticmethod
    def wins_by_weight(option: str, votes: int, plain: Sequence[str], most: int) -> str:
        """One option leads by weight, although others got at least as many votes."""
        each = " each" if len(plain) > 1 else ""
        return (
            f"{option} wins by weight with {counted(votes, 'vote')}; counted plainly, "
            f"{listed(plain)} {'lead' if each else 'leads'} with {counted(most, 'vote')}{each}."
        )

    @staticmethod
    def unanimous(option: str, votes: int) -> str:
        """Every vote went to one option."""
        return f"{option} wins with {'the only vote' if votes == 1 else f'all {votes} votes'}."

    @staticmethod
    def wins(option: str, votes: int, margin: int) -> str:
        """One option leads."""
        return f"{option} wins with {counted(votes, 'vote')}, {margin} ahead."

    @staticmethod
    def option_row(
        option: str, voters: Sequence[tuple[str, int | None]], weight: float | None = None
    ) -> str:
        """One option of the models' vote: voters, their confidence, and what they weigh."""
        named = ", ".join(role if sure is None else f"{role} {sure} %" for role, sure in voters)
        weighed = "" if weight is None else f", weighted {weight:.2f}"
        return f"- {option}: {len(voters)}{weighed}" + (f" ({named})" if named else "")

    @staticmethod
    def no_ballot_of(roles: Sequence[str]) -> str:
        """Panelists whose ballot could not be read."""
        return f"- No readable ballot: {', '.join(roles)}"

    @staticmethod
    def stood_at(round_number: int, votes: Sequence[tuple[str, int]]) -> str:
        """The models' vote of an earlier round."""
        before = ", ".join(f"{option} {number}" for option, number in votes) or "no ballots"
        return f"Votes in round {round_number}: {before}."

    @staticmethod
    def nobody_changed(round_number: int) -> str:
        """The models voted alike both times."""
        return f"Nobody changed their vote after round {round_number}."

    @staticmethod
    def vote_change(role: str, before: str | None, after: str | None) -> str:
        """A panelist's two votes; None means no readable ballot."""
        if before is None:
            return f"{role} first cast no readable ballot, then voted for {after}."
        if after is None:
            return f"{role} first voted for {before}, then cast no readable ballot."
        return f"{role} changed from {before} to {after}."

    @staticmethod
    def ballot_line(option: str, sure: int | None, reason: str) -> str:
        """A panelist's ballot below what it said, in the minutes."""
        confident = "" if sure is None else f", {sure} % sure"
        return f"_Ballot: {option}{confident}{f': {reason}' if reason else ''}_"


class WorthText:
    """What a panel's positions are worth, and how sure a vote is, each with its basis."""

    LATER: Final = (
        "How sure the panel is and how many opinions it is worth is shown when the panelists are "
        "revealed: the figures could tell who they are."
    )
    NOT_SURE: Final = (
        "How sure: not known, because nobody leads or no voter of the leader stated a confidence."
    )
    ONE_MODEL: Final = (
        "How sure: not known, because one model cast all ballots, and what a model says of itself "
        "alone is too sure."
    )
    _REHEARSED: Final = "Example of a rehearsal, no model was asked: "

    @staticmethod
    def rehearsed(line: str) -> str:
        """A figure of a rehearsal is none of a model."""
        return f"{WorthText._REHEARSED}{line}"

    @staticmethod
    def opinions(
        seats: int, models: int, families: int, votes: float, *, correlation: float, resolved: int
    ) -> str:
        """How many independent opinions the seats are worth, why, and what would add most."""
        if models == 1:
            if seats == 1:
                return "1 seat took a position: worth 1 opinion; a second model would add most."
            return (
                f"{seats} seats, all filled by one model: worth 1 opinion; a second model would "
                "add most."
            )
        basis = (
            f"{correlation:.2f}, measured on {counted(resolved, 'resolved decision')} here"
            if resolved
            else f"{correlation:.2f}, assumed from public tests, as no decision here is resolved"
        )
        advice = (
            "a model of another family would add most"
            if families < models
            else "more seats would add little"
        )
        return (
            f"{seats} seats, worth about {votes:.1f} independent opinions, because models make the "
            f"same mistakes (correlation {basis}); {advice}."
        )

    @staticmethod
    def sure(share: float, judged: int = 0, *, skilled: bool) -> str:
        """How sure a vote is, what that means and what it rests on: tests, or votes here."""
        whole = round(100 * share)
        if judged:
            return (
                f"How sure: {whole} % (the winner's share of the weights x what its voters say of "
                f"their confidence, corrected by {judged} resolved votes of this server). Of 100 "
                f"votes like this here, about {whole} pick the right option."
            )
        figure = (
            f"How sure: {whole} % (the winner's share of the weights x what its voters say of "
            "their confidence)."
        )
        if skilled:
            return (
                f"{figure} Of 100 votes like this, about {whole} pick the right option: "
                "tested on public exam questions, not on decisions of this server."
            )
        return (
            f"{figure} Of 100 such votes by models of similar strength, about {whole} pick the "
            "right option on public exam questions. No skills are given here, and without them the "
            "figure is not calibrated for models of unequal strength: read it as an order then."
        )

    @staticmethod
    def weights(rows: Sequence[tuple[str, float, float | None]], votes: int = 0) -> str:
        """What each ballot counts: (role, weight, skill or None)."""
        learnt = f", with {counted(votes, 'resolved vote')} of this server" if votes else ""
        basis = f"its model's skill in panels.json{learnt}"
        named = (
            f"{role} {weight:.2f}" + ("" if skill is None else f" (skill {skill:.2f})")
            for role, weight, skill in rows
        )
        return f"A ballot's weight follows {basis}: {', '.join(named)}."

    @staticmethod
    def shared(groups: Sequence[Sequence[str]]) -> str:
        """Seats that one model fills."""
        told = "; ".join(listed(roles) for roles in groups)
        return f"Seats that one and the same model fills share one vote: {told}."


class AgreementText:
    """How far a panel agrees: stances, scores among peers, and who changed position."""

    FULL: Final = "The panel agrees"
    MAJORITY: Final = "Most of the panel agrees"
    DIVIDED: Final = "The panel is divided"
    AGAINST: Final = "The panel agrees against it"
    NOT_MEASURED: Final = "N/A"
    NO_REASON: Final = "no reason given"
    NOBODY_MOVED: Final = "Nobody changed position."
    _POSITIONS: Final = {
        "AGREE": "agree",
        "DISAGREE": "disagree",
        "NEUTRAL": "neutral",
        "UNKNOWN": "no readable position",
    }

    @staticmethod
    def position(name: str) -> str:
        """A stance in words; an option is called by its own name."""
        return AgreementText._POSITIONS.get(name, name)

    @staticmethod
    def percentage(pct: float | None) -> str:
        """The percentage as people and files read it: `67.5%` or `N/A`."""
        return AgreementText.NOT_MEASURED if pct is None else f"{pct:.1f}%"

    @staticmethod
    def stance_counts(agree: int, disagree: int, neutral: int, silent: int = 0) -> str:
        """The stance counts of a round; seats without an answer are not neutral."""
        missing = f", {silent} did not answer" if silent else ""
        return f"{agree} agree, {disagree} disagree, {neutral} neutral{missing}"

    @staticmethod
    def agreement_line(result: str, counts: str, pct: float | None) -> str:
        """How far the panel agrees, in one line."""
        peers = "" if pct is None else f" · {AgreementText.percentage(pct)} agreement among peers"
        return f"🤝 **{result}:** {counts}{peers}"

    @staticmethod
    def guessed_scores(guessed: Sequence[tuple[str, str]], number: int) -> str:
        """Which scores could not be read and count as the middle; (giver, peer) each."""
        pairs = ", ".join(f"{giver} for {peer}" for giver, peer in guessed)
        return f"{len(guessed)} of {number} scores counted as 3: {pairs}"

    @staticmethod
    def unread_scores(roles: Sequence[str]) -> str:
        """Who gave no score that could be read."""
        return f"no readable score, left out: {', '.join(roles)}"

    @staticmethod
    def moved(
        role: str, before: str, after: str, round_number: int, cause: str, reason: str
    ) -> str:
        """A change of position, with its cause if one was named."""
        first, then = AgreementText.position(before), AgreementText.position(after)
        change = f"{role} moved from {first} to {then} in round {round_number}"
        if not cause:
            return f"{change} ({AgreementText.NO_REASON})"
        return f"{change} because of {cause}" + (f": {reason}" if reason else "")
