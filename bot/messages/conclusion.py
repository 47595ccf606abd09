"""The conclusion: headings, the outcome in a line, validation and its picture."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from bot.messages.counting import as_lower, counted, duration_words, listed, some
from bot.messages.votes import AgreementText


class ConclusionText:
    """The conclusion: its headings, its small print, and how a run ended."""

    _UNTITLED: Final = "Conclusion"
    _REHEARSED: Final = "rehearsal: no model is speaking"
    REHEARSAL: Final = "Rehearsal: no model is speaking. Add a key to `.env` to use real models."

    CONCLUSION_CUT: Final = (
        "The conclusion was far longer than requested, so only the beginning of each section "
        "is shown."
    )

    @staticmethod
    def answer_cut(role: str, round_number: int, chars: int) -> str:
        """A seat wrote far more than was asked for."""
        return (
            f"{role} wrote {chars:,} characters in round {round_number}, far more than requested: "
            "only the beginning is used, and the full text is attached to its message."
        )

    @staticmethod
    def warned(note: str) -> str:
        """A note with its warning sign, once."""
        return note if note.startswith("⚠️") else f"⚠️ {note}"

    @staticmethod
    def headline(outcome: str) -> str:
        """The first line of the conclusion: what came out."""
        return f"## {outcome}"

    @staticmethod
    def title(text: str) -> str:
        """What the conclusion is called, above its details."""
        return f"🎯 **{text or ConclusionText._UNTITLED}**"

    @staticmethod
    def panel_line(roles: Sequence[str], mode: str, held: int, planned: int) -> str:
        """Who sat, in which mode, for how long."""
        return f"📋 Panel: {', '.join(roles)} · Mode: {mode} · Rounds: {held} of {planned}"

    @staticmethod
    def small_line(
        seats: int, rounds: int, *, seconds: int, cost: str, writer: str, rehearsal: bool
    ) -> str:
        """The small print of the conclusion; its button *Details* has the rest."""
        parts = [
            counted(seats, "panelist"),
            counted(rounds, "round"),
            duration_words(seconds),
            cost,
            *([f"written by {writer}"] if writer else []),
            *([ConclusionText._REHEARSED] if rehearsal else []),
        ]
        return f"-# 🔧 META · {' · '.join(parts)}"

    @staticmethod
    def on_card(outcome: str, mode: str, ending: str) -> str:
        """How the card of a run that is over ends."""
        return f"{outcome}\n-# {' · '.join(filter(None, (ending, mode)))}"

    @staticmethod
    def small(text: str) -> str:
        """A remark in small print."""
        return f"-# {text}"

    @staticmethod
    def section(heading: str, text: str) -> str:
        """One section that the writer wrote."""
        return f"**{heading}**\n{text}"

    @staticmethod
    def dissent(said: Sequence[tuple[str, str]]) -> str:
        """The dissenters' own words: (role, words)."""
        lines = [f"> **{role}:** {' '.join(text.split())}" for role, text in said]
        return "**✋ DISSENT**\n" + "\n".join(lines)

    @staticmethod
    def dissents_lost(count: int) -> str:
        """That dissenters were asked, and what they would have said is missing."""
        dissents = counted(count, "dissent")
        return f"⚠️ {dissents} could not be recorded; the minutes name who dissents"

    @staticmethod
    def debate_changed(lines: Sequence[str]) -> str:
        """Who moved during the debate."""
        return "**🔁 WHAT THE DEBATE CHANGED**\n" + "\n".join(f"- {line}" for line in lines)

    @staticmethod
    def sources(listed: str) -> str:
        """The cited sources under their heading."""
        return f"**🔗 SOURCES**\n{listed}"

    @staticmethod
    def meta(lines: Sequence[str]) -> str:
        """The small print under its heading."""
        return "**🔧 META**\n" + "\n".join(f"-# {line}" for line in lines)

    @staticmethod
    def panel(seats: Sequence[tuple[str, str, str]]) -> str:
        """Who sat: (role, model, the models that really answered where these are others)."""
        named = (
            f"{role} ({model}: {real})" if real else f"{role} ({model})"
            for role, model, real in seats
        )
        return f"Panel: {', '.join(named)}"

    @staticmethod
    def synthesis_by(model: str) -> str:
        """Who wrote the conclusion."""
        return f"Synthesis by: {model or 'nobody'}"

    @staticmethod
    def timeouts(missing: Sequence[str]) -> str:
        """Who did not answer in time."""
        return f"Timeouts: {'; '.join(missing) or 'none'}"

    @staticmethod
    def timed_out(role: str, round_number: int) -> str:
        """A seat that did not answer in time in a round."""
        return f"[TIMEOUT] {role} (round {round_number})"

    @staticmethod
    def failures(told: Sequence[str]) -> str:
        """Who failed for another reason than time."""
        return f"Failures: {'; '.join(told)}"

    @staticmethod
    def failed(role: str, round_number: int, problem: str) -> str:
        """A seat that gave no answer in a round, with the provider's reason."""
        return f"{role} (round {round_number}): {problem}"

    @staticmethod
    def stood_in(role: str, round_number: int, model: str, reason: str, instead: str) -> str:
        """A seat whose model failed in a round, and the model that answered instead."""
        return (
            f"{role} (round {round_number}): {instead} answered, because {model} failed ({reason})"
        )

    @staticmethod
    def lacks(headings: Sequence[str]) -> str:
        """Sections that the writer left out."""
        return f"Missing sections in the conclusion: {', '.join(headings)}"

    @staticmethod
    def measures(stance: str, score: float | None, pct: float | None, validated: str) -> str:
        """The four measures side by side; what was not measured is left out."""
        found = (
            f"Stance: {stance}" if stance else "",
            "" if score is None else ConclusionText.convergence(score),
            "" if pct is None else f"Consensus: {pct:.1f}% agreement among peers",
            f"Validated: {validated}" if validated else "",
        )
        return " · ".join(filter(None, found))

    @staticmethod
    def convergence(score: float) -> str:
        """How many of the points found in the last round are shared."""
        return f"Convergence: {score:.0%} of the points are shared"

    @staticmethod
    def stance_measure(result: str, counts: str) -> str:
        """The stances as a measure."""
        return f"{as_lower(result)} ({counts})"

    @staticmethod
    def spending(
        seats: int, rounds: int, calls: int, *, tokens: str, cost: str, seconds: int
    ) -> str:
        """Seats, rounds, calls, tokens, money and time."""
        return (
            f"{counted(seats, 'seat')} · {counted(rounds, 'round')} · {counted(calls, 'call')} · "
            f"{tokens} · {cost} · {duration_words(seconds)}"
        )

    @staticmethod
    def concluded_after(seconds: int) -> str:
        """How a run ended that concluded."""
        return f"Concluded after {duration_words(seconds)}"

    @staticmethod
    def ended(how: str, why: str) -> str:
        """How a run ended that did not conclude; nothing says how while it is under way."""
        return f"{how.capitalize() or 'Not over yet'}: {why}"


class OutcomeText:
    """What came out of a run in one line, in the words of its mode."""

    _DIVIDED: Final = "The panel is divided"
    NO_BALLOT: Final = "⚖️ No result: no readable ballot"
    RUNNING: Final = "⏳ It is still running."

    @staticmethod
    def answer(agree: int, disagree: int, seats: int) -> str:
        """The panel's answer to a question of yes or no."""
        for word, votes in (("yes", agree), ("no", disagree)):
            if votes == seats:
                return f"✅ {word.capitalize()}, {votes} of {seats}"
            if 2 * votes > seats:
                return f"✅ Leaning {word}, {votes} of {seats}"
        known = OutcomeText._DIVIDED if agree and disagree else "Undecided"
        return f"⚖️ {known}: {agree} yes, {disagree} no, {seats - agree - disagree} neutral"

    @staticmethod
    def advice(title: str, agree: int, disagree: int, seats: int) -> str:
        """The panel's answer to any other question, under the title of its conclusion."""
        if agree == disagree or 2 * max(agree, disagree) <= seats:
            return f"⚖️ {title}, {as_lower(OutcomeText._DIVIDED)}"
        if disagree > agree:
            return f"✅ {title}, {disagree} of {seats} against the proposal"
        return f"✅ {title}, {agree} of {seats} agree"

    @staticmethod
    def titled(title: str) -> str:
        """A conclusion about which nobody took a position."""
        return f"✅ {title or 'Concluded'}"

    @staticmethod
    def won(option: str, votes: int, voters: int) -> str:
        """The winner of a vote."""
        return f"✅ {option}, {votes} of {voters}"

    @staticmethod
    def won_by_weight(option: str, votes: int, voters: int) -> str:
        """The winner of a vote that the plain count would have decided otherwise."""
        return f"✅ {option} by weight, {votes} of {voters}"

    @staticmethod
    def tied(options: Sequence[str], votes: int, ahead: str = "") -> str:
        """A vote that nobody won; `ahead` is the option with the more confident voters."""
        each = f", {counted(votes, 'vote')} each" if votes else " by weight"
        favoured = f"; confidence favours {ahead}" if ahead else ""
        return f"⚖️ A tie between {listed(options)}{each}{favoured}"

    @staticmethod
    def top_risk(risk: str) -> str:
        """What a red team found worst."""
        return f"⚠️ Top risk: {risk}"

    @staticmethod
    def delivered(files: Sequence[str], met: int, criteria: int) -> str:
        """What a build handed over."""
        named = some(files, 3) or "no files"
        judged = f" · {met} of {counted(criteria, 'criterion', 'criteria')} met" if criteria else ""
        return f"📦 Delivered: {named}{judged}"

    @staticmethod
    def not_concluded(how: str, why: str) -> str:
        """A run that was stopped or failed."""
        mark, named = "⏹️" if how == "stopped" else "❌", how.capitalize()
        if why.casefold().startswith(how):
            return f"{mark} {named}{why[len(how) :]}"
        return f"{mark} {named}: {why}" if why else f"{mark} {named}"

    @staticmethod
    def read(outcome: str, url: str) -> str:
        """The line with a link to the conclusion."""
        return f"{outcome} · [read]({url})" if url else outcome


class ValidationText:
    """Checking a conclusion: by the panel, by its form, and when to ask for it."""

    MATTERS: Final = "This looks like an important decision"
    RED_TEAM: Final = "A red-team conclusion should not misstate an attack or a defence"
    NO_CORRECTION: Final = "the draft does not represent this seat, and no correction was given"
    NOT_ASKED_FOR: Final = "no validation was asked for"
    HEAD: Final = "**🔎 CHECKED BY THE PANEL**"
    IN_WORDS: Final = {
        "yes": "yes, everybody finds it accurate",
        "partial": "in part",
        "no": "no",
    }
    NOT_ASKED: Final = "not asked for"
    NOTHING_TO_CHECK: Final = "asked for, but there was no conclusion to check"
    ACCURATE: Final = "Everybody who checked it found it accurate."
    FORMAT_CHECK: Final = "format check"
    FORMAT_CHECK_AGAIN: Final = "format check of the rewrite"
    FORM_MENDED: Final = (
        "The conclusion was rewritten once, because the format check found a major fault in it; "
        "whoever checked or answered it had read the draft before"
    )
    NO_DRAFT: Final = (
        "⚠️ The panel checked nothing, although `--validate` was given: the conclusion could not "
        "be written"
    )
    FORM_IS_WELL: Final = "sections, placeholders, length: all fine"

    @staticmethod
    def advised(reason: str) -> str:
        """The advice to have a conclusion checked."""
        return f"{reason}: consider running it again with `--validate`."

    @staticmethod
    def reworked(models: int) -> str:
        """A reason to check: many hands changed the plan."""
        return f"{models} models reworked this plan"

    @staticmethod
    def little_agreement(pct: float) -> str:
        """A reason to check: the panel is far from agreeing."""
        return f"The panel agreed on little ({pct:.1f}%)"

    @staticmethod
    def rewritten(corrections: int) -> str:
        """The conclusion was rewritten after panelists' corrections."""
        return f"rewritten after {counted(corrections, 'correction')}"

    @staticmethod
    def misrepresented(role: str, correction: str) -> str:
        """A panelist does not find its view in the conclusion."""
        return f"⚠️ {role} flagged misrepresentation: {correction}"

    @staticmethod
    def objected(role: str, correction: str) -> str:
        """What a panelist wanted changed."""
        return f"{role} objected: {correction}"

    @staticmethod
    def no_verdict(roles: Sequence[str]) -> str:
        """Panelists that did not check the conclusion."""
        return f"No verdict from {', '.join(roles)}"

    @staticmethod
    def found(number: int) -> str:
        """How many faults of form a conclusion has."""
        return f"{number} found"

    @staticmethod
    def is_missing(name: str) -> str:
        """A section, or a value of a prompt, that is not there."""
        return f"{name} is missing"

    @staticmethod
    def left_unfilled(name: str) -> str:
        """A placeholder that the writer copied."""
        return f"{name} was left unfilled"

    @staticmethod
    def too_long(characters: int) -> str:
        """The length of a conclusion that is too long."""
        return f"it is {characters} characters long"


class PictureText:
    """Texts of the agreement picture, and its alternative text."""

    _NOBODY_MOVED: Final = "Nobody moved."
    _NO_POSITION: Final = "no readable position"
    SCORES: Final = "Rows score columns: 5 means full agreement."
    STANCES: Final = {"AGREE": "agrees", "DISAGREE": "disagrees", "NEUTRAL": "neutral"}
    """What somebody does who holds it."""

    @staticmethod
    def round_head(number: int) -> str:
        """The heading of a round."""
        return f"Round {number}"

    @staticmethod
    def scores_head(number: int) -> str:
        """The heading of a round's scores."""
        return f"Scores, round {number}"

    @staticmethod
    def shared(part: float) -> str:
        """How far a round converged."""
        return f"{part:.0%} shared"

    @staticmethod
    def panelist(letter: str) -> str:
        """A seat whose name cannot be written."""
        return f"Panelist {letter}"

    @staticmethod
    def option(number: int) -> str:
        """An option whose name cannot be written."""
        return f"Option {number}"

    @staticmethod
    def moves(found: Iterable[tuple[str, str, int]]) -> str:
        """Who changed to which position in which round."""
        said = [
            f"{seat} moved to {AgreementText.position(after)} in round {number}"
            for seat, after, number in found
        ]
        return "; ".join(said) + "." if said else PictureText._NOBODY_MOVED

    @staticmethod
    def shared_in_round(number: int, part: float) -> str:
        """How far a round converged, as a sentence."""
        return f"{PictureText.round_head(number)}: {part:.0%} of the points raised were shared."

    @staticmethod
    def positions_in_round(number: int, who: Mapping[str, Iterable[str]]) -> str:
        """Who held which position in a round."""
        said = "; ".join(
            f"{AgreementText.position(name)}: {', '.join(seats)}" for name, seats in who.items()
        )
        return f"{PictureText.round_head(number)}: {said or PictureText._NO_POSITION}."
