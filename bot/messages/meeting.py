"""A meeting under way: its card, its seats, its rounds and its masks."""

from collections.abc import Sequence
from typing import Final

from bot.messages.counting import duration_words


class MeetingText:
    """What a meeting says about itself: rehearsal, restarts, moves, changes of its phase."""

    SCRIPTED: Final = "A scripted example: no model is speaking."
    REHEARSAL: Final = "A rehearsal: no model is speaking, and nothing said here is a fact."
    _REHEARSAL: Final = "rehearsal: no model is speaking"
    RESUMED: Final = "⏸️ The bot was restarted during this roundtable; it continues now."
    MOVED: Final = (
        "🚚 The thread or channel of this roundtable is gone, so it continues here. The minutes "
        "have everything said before."
    )
    ASK_A_PANELIST: Final = "Ask a panelist …"
    MINUTES: Final = "📄 The minutes, with everything that was said."
    MINUTES_AND_PICTURE: Final = (
        "📄 The minutes, with everything that was said, and where each panelist stood."
    )
    REQUEST_COMPLETE: Final = "the request is complete"
    PANEL_SEATED: Final = "the panel is seated"
    DRAFT_STORED: Final = "the draft is stored"
    SPEC_GATE_PASSED: Final = "the spec gate was passed"
    CONCLUDED: Final = "concluded"

    @staticmethod
    def resumed_waiting(due_at: int) -> str:
        """Posted after a restart while the next attempt is not due yet."""
        return (
            "⏸️ The bot was restarted while this roundtable was waiting; the next attempt is at "
            f"<t:{due_at}:T>."
        )

    @staticmethod
    def speaker_note(model: str, *, rehearsal: bool, scripted: bool = False) -> str:
        """Which model speaks, beside a panelist's name; a script is put into no model's mouth."""
        if scripted:
            return MeetingText.SCRIPTED.rstrip(".")
        return f"{model} · {MeetingText._REHEARSAL}" if rehearsal else model

    @staticmethod
    def said_elsewhere(text: str, run_id: str, topic: str) -> str:
        """A message outside the run's thread, with what it is about."""
        return f"{text}\n-# Roundtable `{run_id}`: {topic}"


class CardText:
    """The card of a meeting: what is being done, what it costs, and the rounds."""

    OPENING: Final = "opening the thread …"
    READY_TO_START: Final = "ready to start …"
    LOOKING_UP: Final = "searching the web …"
    SUMMARISING_SEARCH: Final = "summarising search results …"
    DESIGNING: Final = "the meta-panel is designing the meeting …"
    NAMING_OPTIONS: Final = "the coordinator is naming what can be voted on …"
    PHRASING: Final = "the coordinator is phrasing the question as a proposition …"
    STAGE_2_WORKS: Final = "stage 2: checking and combining the work of stage 1 …"
    CONCLUDING: Final = "writing the conclusion …"
    LAST_WORDS: Final = "asking dissenters for a final statement …"
    CHECKING: Final = "the panelists are checking the conclusion …"
    REWRITING: Final = "rewriting the conclusion …"
    STAGE_2: Final = "Stage 2"

    @staticmethod
    def thinking(number: int, planned: int) -> str:
        """The panel answers in a round."""
        return f"round {number} of {planned}: the panel is thinking …"

    @staticmethod
    def round_title(number: int) -> str:
        """The heading of a round's rows."""
        return f"Round {number}"

    @staticmethod
    def waiting(attempt: int, due_at: float) -> str:
        """An attempt failed and the next one is due later."""
        return f"attempt {attempt} failed · next attempt at <t:{due_at:.0f}:T>"

    @staticmethod
    def spent(so_far: str, estimate: str) -> str:
        """What was spent, beside the estimate if there is one."""
        return f"{so_far} of an estimated {estimate}" if estimate else so_far

    @staticmethod
    def remark(role: str, text: str) -> str:
        """A remark about a seat's answer, or about the whole round."""
        return f"{role}: {text}" if role else text


class LiveCardText:
    """What the live card says around the words of others: states of seats, times, small print."""

    FOOTER: Final = "Roundtable"

    WAITING: Final = "waiting"
    THINKING: Final = "thinking"
    READY: Final = "ready"
    SPOKE: Final = "spoke"
    TIMED_OUT: Final = "timed out"
    FAILED: Final = "failed"
    SILENT: Final = "did not speak"
    """What becomes of a seat that was still waiting or thinking when the run ended."""

    @staticmethod
    def goes_on(url: str) -> str:
        """Stays on a card that is continued in a newer message."""
        return f"this card continues [further down]({url})"

    @staticmethod
    def began(at: float) -> str:
        """When the meeting started, as a relative timestamp."""
        return f"🕑 started <t:{at:.0f}:R>"

    @staticmethod
    def expected_end(at: float) -> str:
        """When such a meeting is usually over."""
        return f"expected to end <t:{at:.0f}:R>"

    @staticmethod
    def cost(amount: str) -> str:
        """What the meeting costs."""
        return f"💰 {amount}"

    @staticmethod
    def thinking(words: int) -> str:
        """A seat writes."""
        return f"{LiveCardText.THINKING}, {words} words so far"

    @staticmethod
    def stood_in(model: str) -> str:
        """The model that spoke instead of a seat's own, in a round that is over."""
        return f"substitute: {model}"

    @staticmethod
    def spoke(url: str, *, as_substitute: bool) -> str:
        """A seat has spoken, perhaps with another model than its own."""
        return f"[{LiveCardText.SPOKE}]({url}){' as a substitute' if as_substitute else ''}"


class RoundsText:
    """Why no further round is held, and what a spent budget means for the conclusion."""

    RULES: Final = {
        "auto": "not held when all agree after the first",
        "thrifty": "held only where models of several families, on the same evidence, really "
        "disagree",
        "always": "held unless the panel ends early",
    }
    """When a second round is held, by the rule in panels.json."""
    NOBODY_LEFT: Final = "No panelist can continue."
    LAST_ROUND: Final = "All planned rounds are done."
    ALONE: Final = "There is only one panelist, so there is no debate."
    PEERS_FAILED: Final = "Only one panelist is left, so the debate ends here."
    CONVERGED: Final = "The panel converged: few points are still disputed."
    STAGE_2_UNANSWERED: Final = "Nobody answered in stage 2, so the conclusion is based on stage 1."
    ASKED: Final = "The conclusion was asked for, so it rests on what was said until then."
    NO_TIME: Final = "There is no time left for another round."
    ALL_AGREE: Final = "All panelists agree, so the rounds end early."
    MOST_AGREE: Final = "Most panelists agree and none disagrees, so the rounds end early."
    ALL_DISAGREE: Final = (
        "All panelists disagree with the proposition, which is agreement against it, so the rounds "
        "end early."
    )
    ALL_VOTE_ALIKE: Final = (
        "All panelists vote for the same option, so the rounds end early: the panel casts no "
        "further ballot."
    )
    ONE_FAMILY: Final = (
        "All panelists are models of one family, and in a public test a second round among such "
        "models gained nothing, so it is not held."
    )
    ONE_FAMILY_GOES_ON: Final = (
        "All panelists are models of one family. In a public test a second round among such models "
        "gained nothing: do not take a change of mind in it for new evidence. A model of another "
        "family would add most."
    )
    OWN_EVIDENCE: Final = (
        "The panelists had tasks of their own or looked things up alone, and in a public test a "
        "second round gained nothing without shared evidence, so it is not held."
    )
    NO_DISPUTE: Final = (
        "The panelists hardly disagree, and in a public test a second round gained nothing where "
        "they did not, so it is not held."
    )

    @staticmethod
    def nobody_answered(number: int, last_answered: int) -> str:
        """A later round in which every panelist failed."""
        rest = RoundsText.rounds_before(last_answered)
        return f"Nobody answered in round {number}, so the conclusion is based on {rest}."

    @staticmethod
    def rounds_before(last_answered: int) -> str:
        """What a conclusion rests on when the round after it was not answered."""
        return "round 1" if last_answered == 1 else f"rounds 1 to {last_answered}"

    @staticmethod
    def saved(reason: str, calls: str, usd: str, seconds: float) -> str:
        """Why a round is not held, and what that saves; `usd` is empty where all is free."""
        priced = f", {usd}" if usd else ""
        time = f"about {duration_words(round(seconds))}" if seconds >= 1 else "less than 1 s"
        return (
            f"{reason} Saved, as estimated: {calls}{priced} and {time} for a round as long as the "
            "one before it."
        )

    @staticmethod
    def no_money(obstacle: str) -> str:
        """Another round cannot be paid."""
        return f"The rounds end here because {obstacle}."

    @staticmethod
    def not_everybody(obstacle: str) -> str:
        """Some panelists could not be paid."""
        return f"Not all panelists were asked because {obstacle}."

    @staticmethod
    def budget_reached(why: str) -> str:
        """The first line of a conclusion that money cut short."""
        return f"⚠️ BUDGET REACHED — {why} The conclusion is based on what was said before that."


class SeatingText:
    """Who is seated: how the panel was chosen, who cannot sit, and what analysts proposed."""

    SMALL_MODEL: Final = "A very small built-in model is speaking: do not rely on what it says."
    META_FAILED: Final = "The meta-panel gave no usable design, so the default panel is used."
    NO_MODEL: Final = (
        "No model of this panel is available right now: an admin can see why with "
        "`roundtable check`."
    )
    BUDGET_PANEL: Final = "The budget panel"
    NO_PANEL: Final = "no readable panel"
    NO_WORKFLOW: Final = "No analyst named a readable workflow"
    MODEL_UNUSABLE: Final = "its model is not available right now"
    NAMELESS: Final = "a nameless model"
    PANELIST: Final = "Panelist"
    """What a seat is called whose role cannot be a name."""
    DEFAULT_WRITER: Final = "default"

    @staticmethod
    def quick_panel(mode: str) -> str:
        """How the panel of a quick run was chosen."""
        return f"Quick: the first seats of the {mode} panel"

    @staticmethod
    def default_panel(mode: str) -> str:
        """How the panel was chosen without a meta-panel."""
        return f"The default panel for {mode}"

    @staticmethod
    def manual_panel(models: Sequence[str]) -> str:
        """How the panel was chosen when a person named the models."""
        return f"Manual panel: {', '.join(models)}"

    @staticmethod
    def further_seat(number: int) -> str:
        """The role of a seat beyond those of the mode."""
        return f"{SeatingText.PANELIST} {number}"

    @staticmethod
    def too_many_seats(most: int, named: int) -> str:
        """The person named too many models."""
        return f"A panel has at most {most} seats and you named {named}: remove some."

    @staticmethod
    def unknown_model(written: str, near: str, known: Sequence[str]) -> str:
        """The person named an unknown model."""
        hint = f"did you mean `{near}`? " if near else ""
        names = ", ".join(f"`{name}`" for name in known)
        return f"Unknown model `{written}`: {hint}Available models: {names}."

    @staticmethod
    def coordinates(model: str) -> str:
        """The person named the orchestrator's model."""
        return f"`{model}` coordinates the meeting and cannot be a panelist: choose another model."

    @staticmethod
    def no_such_name(model: str) -> str:
        """An analyst named a model that is not there."""
        return f"{model} was skipped: there is no model with this name"

    @staticmethod
    def never_sits(model: str) -> str:
        """An analyst named the orchestrator's model."""
        return f"{model} was skipped: it coordinates and cannot be a panelist"

    @staticmethod
    def not_allowed(model: str, action: str) -> str:
        """An analyst named a model that may not be chosen."""
        return f"{model} was skipped. {action}"

    @staticmethod
    def not_usable(model: str) -> str:
        """An analyst named a model that cannot be reached."""
        return f"{model} was skipped: it is not available right now"

    @staticmethod
    def designed(workflow: str, stages: int, models: Sequence[str], writer: str) -> str:
        """What the meta-panel designed."""
        return (
            f"Meta-panel designed workflow: {workflow}. Stages: {stages}. "
            f"Panel: {', '.join(models)}. Synthesis: {writer}."
        )

    @staticmethod
    def in_words(decision: str) -> str:
        """What was designed, without the names that files use."""
        return decision.replace("parallel_debate", "parallel debate")

    @staticmethod
    def analyst(letter: str) -> str:
        """What an analyst is called."""
        return f"Analyst {letter}"

    @staticmethod
    def analyst_and_model(name: str, model: str) -> str:
        """An analyst with the model that answered."""
        return f"{name} ({model})"

    @staticmethod
    def analyst_vote(name: str, vote: str) -> str:
        """What one analyst recommended."""
        return f"{name}: {vote}."

    @staticmethod
    def no_design(problem: str) -> str:
        """An analyst that gave no design."""
        return f"no design ({problem or 'failed'})"

    @staticmethod
    def vote(workflow: str, stages: Sequence[str], rounds: int | None, writer: str) -> str:
        """A design in a few words."""
        parts = [
            workflow or "no readable workflow",
            " then ".join(stages),
            f"{rounds or '?'} rounds",
            f"synthesis {writer or '?'}",
        ]
        return "; ".join(parts)

    @staticmethod
    def no_second_stage(workflow: str) -> str:
        """The workflow that was wanted cannot be held."""
        return (
            f"The analysts chose {workflow}, but none of the models they named is available "
            "for stage 2"
        )

    @staticmethod
    def tied(workflows: Sequence[str]) -> str:
        """No workflow had the most votes."""
        return f"The analysts were tied between {' and '.join(workflows)}"


class MaskText:
    """Masked panels: aliases, hidden details, and the reveal."""

    AFTER_VOTE: Final = "when the vote is over"
    AFTER_CONCLUSION: Final = "after the conclusion"
    DEGRADED: Final = "⚠️ The panel is degraded; details follow when the panelists are revealed."
    DESIGN: Final = "How the panel was designed is shown when the panelists are revealed."
    NO_SECOND_ROUND: Final = (
        "A second round is not expected to gain anything for this panel, so it is not held; why is "
        "shown when the panelists are revealed."
    )
    SECOND_ROUND: Final = (
        "What a second round is worth to this panel is shown when the panelists are revealed."
    )
    MASKED: Final = "masked"
    PANELIST: Final = "panelist"
    PANELISTS: Final = "Panelists"

    @staticmethod
    def notice(when: str) -> str:
        """Shown on the card of a masked panel."""
        return f"The panel is masked: the panelists are revealed {when}."

    @staticmethod
    def other_name(letter: str) -> str:
        """What a masked panelist is called."""
        return f"Panelist {letter}"

    @staticmethod
    def who_was_who(rows: Sequence[tuple[str, str, str]]) -> str:
        """The reveal: (alias, role, models)."""
        lines = [f"- **{name}** was **{role}** · {models}" for name, role, models in rows]
        return "\n".join(["🎭 **Panelists revealed**", *lines])
