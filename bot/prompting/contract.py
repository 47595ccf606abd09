"""The placeholder contract: what may stand in which prompt, how it is quoted, what fills a gap."""

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final


class Kind(enum.Enum):
    """How far a value is trusted."""

    PLAIN = "plain"
    """A few words of ours or the operator's: checked to be one line without brackets."""
    QUOTED = "quoted"
    """Anything else: cleaned and wrapped in a block with a random boundary."""
    FIXED = "fixed"
    """Written by code, never handed in."""


class Visibility(enum.IntEnum):
    """Which prompts have the same value, so that what they share can come first."""

    RUN = 0
    """Every prompt of the run."""
    STEP = 1
    """Every prompt of one step: a round, the validation."""
    CALL = 2
    """One prompt only."""


@dataclass(frozen=True)
class Placeholder:
    """One placeholder: `lead` is written before its block, `default` instead of a missing value."""

    name: str
    kind: Kind
    default: str | None = None
    lead: str = ""
    label: str = ""

    @cached_property
    def block_name(self) -> str:
        """What the block of a quoted value is called."""
        return self.label or self.name.lower().replace("_", " ")


def _plain(name: str, default: str | None = None) -> Placeholder:
    return Placeholder(name, Kind.PLAIN, default)


def _quoted(name: str, default: str | None = None, lead: str = "") -> Placeholder:
    return Placeholder(name, Kind.QUOTED, default, lead)


_PLACEHOLDERS: Final = (
    Placeholder("CLOSING_LINE", Kind.FIXED),
    _plain("ROLE"),
    _plain("MODE"),
    _plain("PERSPECTIVE", "an independent expert"),
    _plain("MODEL", "an undisclosed model"),
    _plain("ROUND", "1"),
    _plain("MAX_ROUNDS", "1"),
    _plain("ID"),
    _plain("DATE"),
    _plain("DISCORD_THREAD_ID", "none"),
    _plain("OPEN_FLOOR", "no"),
    Placeholder("PROMPT", Kind.QUOTED, label="topic"),
    _quoted("CURRENT_CONTEXT", "No real-time context available."),
    _quoted("PROPOSITION", "", "The proposition:"),
    _quoted("OPTIONS", "", "The options:"),
    _quoted(
        "TASK",
        "Your task: answer the whole question.",
        "Your specific task for this stage:",
    ),
    _quoted(
        "STAGE_1_OUTPUTS",
        "",
        "You are in stage 2. You integrate the work of stage 1, which follows in full: check, "
        "correct and improve it, then write your own answer.",
    ),
    _quoted("FLOOR", "", "From the floor, said by people in the thread; take it into account:"),
    _quoted("SELF_DIGEST"),
    _quoted("PEER_DIGESTS"),
    _quoted(
        "ROLLING_SUMMARY",
        "There is no summary of the discussion yet.",
        "The summary so far:",
    ),
    _quoted("ROUND_ANSWERS"),
    _quoted("ROUND1_SUMMARIES"),
    _quoted("ROUND2_SUMMARIES", "No cross-critique (quick mode or single round)"),
    _quoted("CONSENSUS_SCORES", "N/A — scores not available"),
    _quoted("BALLOTS", "", "The vote:"),
    _quoted("DISSENTS", "", "The dissents, printed as they are:"),
    _quoted("SYNTHESIS_DRAFT", "", "The draft:"),
    _quoted(
        "CORRECTIONS",
        "",
        "The draft misrepresented members. Write it anew and meet these corrections:",
    ),
    _quoted("MODELS"),
    _quoted("RESULTS"),
    _quoted("TALK", "", "What was said in the thread since, oldest first:"),
    _quoted("OWN_TURNS", "You have not spoken in this panel yet."),
    _quoted("CONCLUSION", "The panel has not reached a conclusion yet.", "The conclusion:"),
    _quoted("QUESTION"),
    _quoted("BACKGROUND", "", "The context the coordinator gave:"),
    _quoted("HISTORY", "Nobody has spoken yet."),
    _quoted("PARTICIPANT"),
    _quoted("PARTICIPANTS"),
    _quoted("ASKED_BY", "", "The person who asks calls themselves:"),
    _quoted("SPEC"),
    _quoted("SPEC_DRAFT", "", "The earlier draft of the spec:"),
    _quoted("FILES", "", "The files of the build:"),
    _quoted("FINDINGS", "", "What has to change:"),
)

PLACEHOLDERS: Final[Mapping[str, Placeholder]] = MappingProxyType(
    {entry.name: entry for entry in _PLACEHOLDERS}
)
_OF_THE_RUN: Final = frozenset(
    "CLOSING_LINE PROMPT MODE CURRENT_CONTEXT PROPOSITION OPTIONS DATE DISCORD_THREAD_ID MODELS "
    "RESULTS CONCLUSION ID".split()
)
_OF_THE_CALL: Final = frozenset(
    "ROLE PERSPECTIVE MODEL TASK SELF_DIGEST PEER_DIGESTS OWN_TURNS QUESTION ASKED_BY "
    "OPEN_FLOOR PARTICIPANT TALK".split()
)


def reach_of(placeholder: str) -> Visibility:
    """How far the value of a placeholder is shared."""
    if placeholder in _OF_THE_RUN:
        return Visibility.RUN
    return Visibility.CALL if placeholder in _OF_THE_CALL else Visibility.STEP


@dataclass(frozen=True)
class TemplateContract:
    """One prompt file: `needs` and `shows` must stand in it, and `needs` must have a value."""

    name: str
    needs: frozenset[str]
    shows: frozenset[str]
    may: frozenset[str]

    @cached_property
    def known(self) -> frozenset[str]:
        """Every placeholder this prompt knows."""
        return self.needs | self.shows | self.may

    @cached_property
    def accepts(self) -> frozenset[str]:
        """Every placeholder whose value may be handed in."""
        return frozenset(n for n in self.known if PLACEHOLDERS[n].kind is not Kind.FIXED)

    @cached_property
    def defaults(self) -> Mapping[str, str]:
        """What stands in the prompt where no value is handed in."""
        return MappingProxyType({name: PLACEHOLDERS[name].default or "" for name in self.known})


def _template(name: str, needs: str, shows: str = "", may: str = "") -> TemplateContract:
    return TemplateContract(
        name, frozenset(needs.split()), frozenset(shows.split()), frozenset(may.split())
    )


def _by_name(templates: Iterable[TemplateContract]) -> Mapping[str, TemplateContract]:
    return MappingProxyType({template.name: template for template in templates})


_PANEL_SHOWS: Final = "CLOSING_LINE PROPOSITION OPTIONS FLOOR"
_PANEL_MAY: Final = "PERSPECTIVE MODEL ROUND MAX_ROUNDS"

TEMPLATES: Final[Mapping[str, TemplateContract]] = _by_name(
    (
        _template("proposition", "PROMPT MODE"),
        _template("vote-options", "PROMPT"),
        _template("meta-panel", "PROMPT MODE ROLE MODELS", "CURRENT_CONTEXT"),
        _template(
            "round1",
            "PROMPT MODE ROLE",
            f"{_PANEL_SHOWS} CURRENT_CONTEXT TASK STAGE_1_OUTPUTS",
            _PANEL_MAY,
        ),
        _template(
            "round2-cross-critique",
            "PROMPT MODE ROLE SELF_DIGEST PEER_DIGESTS",
            f"{_PANEL_SHOWS} ROLLING_SUMMARY",
            _PANEL_MAY,
        ),
        _template("round3-validation", "PROMPT ROLE SELF_DIGEST SYNTHESIS_DRAFT", may="MODEL"),
        _template(
            "final-synthesis",
            "PROMPT MODE ROUND1_SUMMARIES",
            "ROUND2_SUMMARIES CONSENSUS_SCORES BALLOTS SYNTHESIS_DRAFT CORRECTIONS",
            "DISCORD_THREAD_ID PROPOSITION OPTIONS ROLLING_SUMMARY DISSENTS FLOOR",
        ),
        _template(
            "rolling-summary",
            "PROMPT ROUND_ANSWERS",
            "ROLLING_SUMMARY",
            "PROPOSITION OPTIONS FLOOR ROUND MAX_ROUNDS",
        ),
        _template("search-digest", "PROMPT DATE RESULTS"),
        _template(
            "follow-up",
            "PROMPT ROLE QUESTION",
            "CONCLUSION ROLLING_SUMMARY OWN_TURNS",
            "PERSPECTIVE TALK ASKED_BY OPEN_FLOOR",
        ),
        _template(
            "discussion-participant",
            "PROMPT PARTICIPANT ID",
            "HISTORY BACKGROUND",
            "ROUND MAX_ROUNDS",
        ),
        _template(
            "discussion-coordinator",
            "PROMPT PARTICIPANTS ID",
            "HISTORY BACKGROUND",
            "ROUND MAX_ROUNDS",
        ),
        _template("dissent", "PROMPT ROLE CONCLUSION SELF_DIGEST", may="PERSPECTIVE"),
        _template(
            "build-spec",
            "PROMPT ROUND1_SUMMARIES",
            "SPEC_DRAFT FINDINGS",
            "CURRENT_CONTEXT ROLLING_SUMMARY FLOOR",
        ),
        _template("build-spec-review", "PROMPT SPEC ROLE"),
        _template("build-files", "PROMPT SPEC ROLE", "FILES FINDINGS"),
        _template("build-spec-gate", "PROMPT SPEC ROLE FILES"),
        _template("build-quality-gate", "PROMPT SPEC ROLE FILES"),
    )
)
