"""Files that keep what was said: minutes of runs and files of discussions."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final

from bot.messages.conclusion import ConclusionText
from bot.messages.counting import as_lower, counted
from bot.messages.discussions import DiscussionText


class MinutesText:
    """The minutes: headings and labels of the file that keeps everything that was said."""

    SUMMARY: Final = "## Summary"
    CONSENSUS: Final = "Consensus Points"
    DISAGREEMENT: Final = "Disagreement Points"
    _ACTION_ITEMS: Final = "Action Items"
    CONCLUSION: Final = "## Conclusion"
    TRANSCRIPT: Final = "## Detailed Transcript"
    STAGE_2: Final = "### Stage 2"
    _NOBODY: Final = "nobody"
    NOBODY_SPOKE: Final = "Nobody spoke."
    REHEARSAL: Final = "**Rehearsal:** no model is speaking."
    _NONE: Final = "None recorded."
    _UNASSIGNED: Final = "unassigned"
    DIGEST: Final = "> **Digest** (what the others and the writer read of it)"
    OPTION: Final = "Option"
    VOTERS: Final = "Panelists for it"
    PEOPLE_COLUMNS: Final = ("People before", "People after")
    SOURCES: Final = "Sources"
    CHANGED: Final = "What the debate changed"
    CHECKED: Final = "Checked by the panel"

    @staticmethod
    def heading(topic: str) -> str:
        """The first line of the file."""
        return f"# Roundtable Conclusion: {topic}"

    @staticmethod
    def links(thread: str, conclusion: str) -> str:
        """Where everything can be read."""
        found = (("the conclusion", conclusion), ("the thread", thread))
        told = [f"[{name}]({url})" for name, url in found if url]
        return f"**Read:** {', '.join(told)}" if told else ""

    @staticmethod
    def warning(text: str) -> str:
        """What the decision does not rest on."""
        return f"**Note:** {text}"

    @staticmethod
    def picture(name: str, alt: str) -> str:
        """The picture of who agreed."""
        return f"![{alt.replace('[', '(').replace(']', ')')}]({name})"

    @staticmethod
    def vote_column(round_number: int) -> str:
        """The votes of a round."""
        return f"Panel, round {round_number}"

    @staticmethod
    def vote(head: Sequence[str], rows: Sequence[Sequence[str]], remarks: Sequence[str]) -> str:
        """The vote as a table, and what is to be said about it."""
        lines = [head, ["---"] * len(head), *rows]
        table = "\n".join(
            f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines
        )
        told = "\n".join(f"- {remark}" for remark in remarks)
        return f"## Vote\n\n{table}" + (f"\n\n{told}" if told else "")

    @staticmethod
    def dissent(said: Sequence[tuple[str, str, str]], lost: Iterable[str] = ()) -> str:
        """The dissenters' own words: (who, words, whose place was taken); then whose are lost."""
        told = [f"> {who}: {text}{f' ({note})' if note else ''}" for who, text, note in said]
        return "## Dissent\n\n" + "\n\n".join([*told, *(f"> {line}" for line in lost)])

    @staticmethod
    def mode(name: str, proposition: str) -> str:
        """How it was held, and what stances are about."""
        return f"- Mode: {name}" + (f" · Proposition: {proposition}" if proposition else "")

    @staticmethod
    def design(text: str) -> str:
        """Who chose the panel."""
        return f"- Design: {text}"

    @staticmethod
    def participants(seats: Sequence[tuple[str, str]]) -> str:
        """Who sat: (role, model)."""
        return f"- Participants: {', '.join(f'{r}({m})' for r, m in seats) or MinutesText._NOBODY}"

    @staticmethod
    def masked(names: Mapping[str, str]) -> str:
        """What panelists were called before they were revealed, by role."""
        told = sorted((name, role) for role, name in names.items())
        return f"- Masked until the reveal: {', '.join(f'{n} was {r}' for n, r in told)}"

    @staticmethod
    def sessions(labels: Sequence[str]) -> str:
        """The labels of the sessions that were asked, as logs have them."""
        return f"- Sessions: {', '.join(labels)}"

    @staticmethod
    def stand_ins(told: Sequence[str]) -> str:
        """Which models answered for others."""
        return f"- Stand-ins: {'; '.join(told)}" if told else ""

    @staticmethod
    def stood_in(model: str, missing: str, reason: str) -> str:
        """A model that answered in place of another one."""
        return f"{model} answered in place of {missing}{f' ({reason})' if reason else ''}"

    @staticmethod
    def in_round(role: str, number: int, text: str) -> str:
        """What is to be said about a seat in a round."""
        return f"{role}, round {number}: {text}"

    @staticmethod
    def rounds(held: int, planned: int) -> str:
        """How many rounds were held."""
        return f"- Rounds: {held} of {planned}"

    @staticmethod
    def date(began: str, ended: str) -> str:
        """When it was held."""
        return f"- Date: {began} to {ended}"

    @staticmethod
    def ending(text: str) -> str:
        """How it ended."""
        return f"- Ending: {text}"

    @staticmethod
    def line(text: str) -> str:
        """A line that speaks for itself."""
        return f"- {text}"

    @staticmethod
    def run_id(text: str) -> str:
        """The id of the run."""
        return f"- Id: {text}"

    @staticmethod
    def note(text: str) -> str:
        """A note that was also shown to people."""
        return f"- Note: {text}"

    @staticmethod
    def numbered(title: str, points: Sequence[str]) -> str:
        """A section of numbered points."""
        listed = "\n".join(f"{number}. {point}" for number, point in enumerate(points, 1))
        return f"## {title}\n\n{listed or MinutesText._NONE}"

    @staticmethod
    def position(role: str, position: str, sure: int | None, words: str) -> str:
        """Where a seat stands, below a point of disagreement."""
        confident = "" if sure is None else f", {sure} % sure"
        return f"   - {role}: {position}{confident}{f' · {words}' if words else ''}"

    @staticmethod
    def action_items(items: Sequence[str]) -> str:
        """What is to be done."""
        return f"## {MinutesText._ACTION_ITEMS}\n\n" + ("\n".join(items) or MinutesText._NONE)

    @staticmethod
    def task(text: str, *, done: bool = False) -> str:
        """One line of what is to be done."""
        return f"- [{'x' if done else ' '}] {text}"

    @staticmethod
    def action_item(text: str, owner: str, when: str = "") -> str:
        """One thing to be done, by whom and by when."""
        by = owner or MinutesText._UNASSIGNED
        return f"{text} (owner: {by}{f', {as_lower(when)}' if when else ''})"

    @staticmethod
    def section(title: str, text: str) -> str:
        """A section of the conclusion."""
        return f"### {title}\n\n{text}"

    @staticmethod
    def written_by(title: str, model: str) -> str:
        """What the conclusion is called, and who wrote it."""
        return f"{f'**{title}**, written' if title else 'Written'} by {model}."

    @staticmethod
    def round_title(number: int) -> str:
        """The heading of a round."""
        return f"### Round {number}"

    @staticmethod
    def rolling_summary(text: str) -> str:
        """What a round came to."""
        return f"**Rolling summary**: {text}"

    @staticmethod
    def speaker(role: str, model: str) -> str:
        """Who speaks."""
        return f"**{role}({model})**" if model else f"**{role}**"

    @staticmethod
    def said(who: str, text: str) -> str:
        """What a panelist said; code begins on a line of its own, or it would not end."""
        return f"{who}:\n\n{text}" if text.startswith("```") else f"{who}: {text}"

    @staticmethod
    def did_not_speak(who: str, problem: str, stance: str, *, late: bool) -> str:
        """A panelist without an answer."""
        kept = " · a late answer is kept and not counted" if late else ""
        return f"{who}: did not speak: {problem} · counted as {stance}{kept}"

    @staticmethod
    def stance(value: str) -> str:
        """The stance below what a panelist said."""
        return f"_Stance: {value}_"

    @staticmethod
    def message_link(url: str) -> str:
        """A link to where it was said."""
        return f"[message]({url})"


class BriefText:
    """The five lines at the top of the minutes, made to be sent on."""

    LABELS: Final = ("Question", "Decision", "Reason", "Dissent", "Next")
    NO_DECISION: Final = "none yet, the roundtable is under way"
    NO_REASON: Final = "no recommendation was written"
    NO_DISSENT: Final = "none was recorded"
    NO_STEP: Final = "no step was planned"
    _REHEARSED: Final = "; a rehearsal, no model spoke"

    @staticmethod
    def question(topic: str, mode: str, seats: int, rounds: int, day: str, *, real: bool) -> str:
        """What was asked, of whom and when."""
        held = f"{counted(seats, 'panelist')}, {counted(rounds, 'round')}, {day}"
        return f"{topic} ({mode}: {held}{'' if real else BriefText._REHEARSED})"

    @staticmethod
    def dissent_lost(who: str) -> str:
        """Who dissents, and with which position, without a word that was kept."""
        return f"{who}, whose words were not recorded"

    @staticmethod
    def some_of(told: Sequence[str], thing: str, most: int = 1) -> str:
        """The first of several, and how many more there are."""
        rest = len(told[most:])
        return "; ".join(told[:most]) + (f"; and {counted(rest, f'more {thing}')}" if rest else "")

    @staticmethod
    def lines(told: Sequence[str]) -> list[str]:
        """The five lines as plain text."""
        return [f"{label}: {text}" for label, text in zip(BriefText.LABELS, told, strict=True)]

    @staticmethod
    def listed(told: Sequence[str]) -> str:
        """The five lines as a list."""
        pairs = zip(BriefText.LABELS, told, strict=True)
        return "\n".join(f"- **{label}:** {text}" for label, text in pairs)


class FloorText:
    """What people said to the panel, and what panelists answered them, in the minutes."""

    _EVERYBODY: Final = "everybody"
    _STEPS: Final = {
        "": "after the conclusion",
        "synthesis": "after the rounds",
        "s2": "before stage 2",
    }
    _STEPS_SO_FAR: Final = {"synthesis": "so far"}
    _ANSWERED: Final = "answered below"
    _NOT_ANSWERED: Final = "not answered"
    _OPEN: Final = "not answered yet"
    _TOO_LATE: Final = "too late to be heard by the panel"
    FORMS: Final = {
        "news": "what is new since then",
        "spec": "asked for changes to the spec",
        "changes": "asked for changes before approving",
        "rejection": "why it was not approved",
    }
    """What was written into a form, by what the form was for."""

    @staticmethod
    def person(number: int) -> str:
        """What a person is called; nobody's name is kept."""
        return f"Person {number}"

    @staticmethod
    def title(step: str, *, under_way: bool = False) -> str:
        """The heading of what was said before a step."""
        steps = FloorText._STEPS | (FloorText._STEPS_SO_FAR if under_way else {})
        when = steps.get(step) or f"before round {step[1:]}"
        return f"### From the floor, {when}"

    @staticmethod
    def people(names: Iterable[str], starters: Container[str]) -> str:
        """Who spoke from the floor, by their numbers."""
        order = sorted(names, key=lambda name: (len(name), name))
        told = [f"{name} (started the roundtable)" if name in starters else name for name in order]
        return f"- From the floor: {', '.join(told)}"

    @staticmethod
    def asked(roles: Sequence[str], *, everybody: bool) -> str:
        """Whom a question was for."""
        return f" to {FloorText._EVERYBODY if everybody else ', '.join(roles)}" if roles else ""

    @staticmethod
    def said(who: str, to: str, time: str, remark: str) -> str:
        """The line above a person's words."""
        return f"**{who}**{to}, {time}{f' ({remark})' if remark else ''}:"

    @staticmethod
    def from_the_floor(who: str, time: str) -> str:
        """The line above a person's words in the file of a discussion."""
        return f"**{who}**, from the floor, {time}:"

    @staticmethod
    def fate(*, asked: bool, answered: bool | None, unheard: bool) -> str:
        """What became of a question, and of words that the panel did not hear."""
        if asked and answered is not None:
            return FloorText._ANSWERED if answered else FloorText._NOT_ANSWERED
        return FloorText._OPEN if asked else FloorText._TOO_LATE if unheard else ""

    @staticmethod
    def answers(to: str, question: str, *, removed: bool) -> str:
        """Whom a panelist answers, and what."""
        if not to:
            return ""
        quoted = f" (“{question}”)" if question else ""
        return f" to {to}{', whose question was removed' if removed else quoted}"


class DiscussionFileText:
    """The headings and lines of the file that a discussion leaves."""

    CONSENSUS: Final = "Consensus Points"
    DISAGREEMENT: Final = "Disagreement Points"
    TRANSCRIPT: Final = "Detailed Transcript"
    _LABELS: Final = ("Question", "Conclusion", "Agreed", "Disputed", "Next")
    _NOTHING: Final = "nothing was recorded"
    NONE_RECORDED: Final = "None recorded."
    NOBODY_SPOKE: Final = "Nobody spoke."

    @staticmethod
    def title(topic: str) -> str:
        """The title of the file."""
        return f"# Roundtable Conclusion: {topic}"

    @staticmethod
    def section(name: str, text: str) -> str:
        """A section of the file."""
        return f"## {name}\n\n{text}"

    @staticmethod
    def conclusion(text: str) -> str:
        """What the coordinator concluded."""
        return DiscussionFileText.section("Conclusion", text)

    @staticmethod
    def summary(
        *,
        topic: str,
        people: Iterable[str],
        rounds: tuple[int, int],
        score: float | None,
        began: str,
        ended: str,
        reason: str,
        link: str,
        run_id: str,
    ) -> str:
        """The facts at the top; the id is how the file is found again."""
        lines = [
            f"- Topic: {topic}",
            f"- Participants: {', '.join(people)}",
            f"- Rounds: {rounds[0]} of {rounds[1]}",
            f"- Date: {began}{f' to {ended}' if ended else ''}",
            f"- Ending: {reason}",
            *([] if score is None else [f"- {ConclusionText.convergence(score)}"]),
            *([f"- Link: {link}"] if link else []),
            DiscussionFileText.id_line(run_id),
        ]
        return DiscussionFileText.section("Summary", "\n".join(lines))

    @staticmethod
    def id_line(run_id: str) -> str:
        """The line by which a file is known as this discussion's."""
        return f"- Id: {run_id}"

    @staticmethod
    def participant(role: str, display_name: str) -> str:
        """A participant's name in the file."""
        return f"{role}({display_name})"

    @staticmethod
    def coordinator(created_by: str) -> str:
        """The coordinator's name in the file."""
        return f"{DiscussionText.COORDINATOR}({created_by})"

    @staticmethod
    def question(topic: str, people: int, rounds: int, day: str) -> str:
        """What was discussed, by how many and when."""
        held = f"{counted(people, 'participant')}, {counted(rounds, 'round')}, {day}"
        return f"{topic} (discussion of agents: {held})"

    @staticmethod
    def brief(*told: str) -> str:
        """Five lines that one can send on."""
        pairs = zip(DiscussionFileText._LABELS, told, strict=True)
        return "\n".join(
            f"- **{label}:** {text or DiscussionFileText._NOTHING}" for label, text in pairs
        )

    @staticmethod
    def position(name: str, words: str) -> str:
        """What a participant said, below a point of disagreement."""
        return f"   - {name}: {words}"

    @staticmethod
    def footer(when: str, reply_to: str) -> str:
        """When something was said, and whom it answers."""
        return f"{when}{f' · in reply to {reply_to}' if reply_to else ''}"

    @staticmethod
    def round_head(number: int) -> str:
        """The heading of a round in the transcript."""
        return "### Opening" if number == 0 else f"### Round {number}"
