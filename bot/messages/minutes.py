"""Files that keep what was said: minutes of runs and files of discussions."""

from collections.abc import Iterable, Sequence
from typing import Final

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
    def decision(text: str) -> str:
        """What came out, in one line."""
        return f"**Decision:** {text}"

    @staticmethod
    def reason(text: str) -> str:
        """Why, in the words of the conclusion."""
        return f"**Reason:** {text}"

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
    def dissent(said: Sequence[tuple[str, str]]) -> str:
        """The dissenters' own words: (role, words)."""
        return "## Dissent\n\n" + "\n\n".join(f"> **{role}:** {text}" for role, text in said)

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
    def sessions(labels: Sequence[str]) -> str:
        """The labels of the sessions that were asked, as logs have them."""
        return f"- Sessions: {', '.join(labels)}"

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
    def action_items(items: Sequence[tuple[str, str]]) -> str:
        """What is to be done by the starter: (text, when)."""
        listed = [f"- [ ] {text} (owner: the starter{f', {w}' if w else ''})" for text, w in items]
        return f"## {MinutesText._ACTION_ITEMS}\n\n" + ("\n".join(listed) or MinutesText._NONE)

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
        return f"**{role}({model})**"

    @staticmethod
    def said(who: str, text: str) -> str:
        """What a panelist said."""
        return f"{who}: {text}"

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


class DiscussionFileText:
    """The headings and lines of the file that a discussion leaves."""

    CONSENSUS: Final = "Consensus Points"
    DISAGREEMENT: Final = "Disagreement Points"
    ACTION_ITEMS: Final = "Action Items"
    TRANSCRIPT: Final = "Detailed Transcript"
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
    def task(text: str, *, has_owner: bool) -> str:
        """An action item; without an owner it belongs to the coordinator."""
        return f"- [ ] {text}" if has_owner else f"- [ ] {text} (owner: the coordinator)"

    @staticmethod
    def round_head(number: int) -> str:
        """The heading of a round in the transcript."""
        return "### Opening" if number == 0 else f"### Round {number}"
