"""Builds: the spec, the attempts, the gates and the files."""

from collections.abc import Iterable
from typing import Final

from bot.messages.counting import counted


class BuildText:
    """What is said about a build: its spec, its attempts, its gates and what it delivers."""

    ACCEPT: Final = "Accept"
    EDIT: Final = "Edit"
    ASK_FOR_CHANGES: Final = "Ask for changes"
    COORDINATOR: Final = "Coordinator"
    FILE_CHECK: Final = "file check"
    """Who looked, when a rule of the bot refused the files."""

    ACCEPTED_BY_RULE: Final = (
        "-# Accepted automatically, because `--quick` was given and the reviewer approved it."
    )
    TOO_WEAK_HEAD: Final = "⚠️ **Too weak to build from**"
    MEND_FIRST: Final = (
        "The build has not started: press **Edit** to fix the spec, or **Ask for changes** to have "
        "it rewritten."
    )
    ACCEPT_FIRST: Final = "The build starts when you press **Accept**."
    WRITTEN_ANEW: Final = "Got it. The spec is being rewritten."

    SAY_WHAT_TO_CHANGE: Final = "Describe briefly what should change."
    NOT_STORED: Final = "That roundtable is no longer stored: start a new one."
    NOT_YOURS: Final = "Only the person who asked for the build or an admin can decide this."
    ACCEPTED_BEFORE: Final = "A spec was already accepted: the build continues with that one."
    ENDED_MEANWHILE: Final = (
        "This roundtable has already ended: type `roundtable retry` to reopen it."
    )
    NEWER_VERSION: Final = "There is a newer version of this spec: scroll down in the thread."

    SPEC_NOT_WRITTEN: Final = "the spec could not be written"
    SPEC_DRAFTED: Final = "the spec is drafted"
    SPEC_TOO_WEAK: Final = "the spec is too weak"
    SPEC_ACCEPTED: Final = "the spec is accepted"
    NOT_APPROVED: Final = "the reviewer did not approve it"
    FILES_STORED: Final = "the files are stored"
    FILES_REFUSED: Final = "files were rejected"
    SPEC_GATE_PASSED: Final = "the spec gate was passed"
    NO_VERDICT: Final = "no reviewer gave a readable verdict"
    NOBODY_REVIEWED: Final = "nobody could review the files"
    NO_ATTEMPT_LEFT: Final = "no attempt is left"
    CRITERION_UNANSWERED: Final = "the reviewer did not assess it"
    _CRITERION_NOT_SHOWN: Final = "not shown"

    DELIVERY_HEAD: Final = "**📦 DELIVERY**"
    NOT_SUMMED_UP: Final = (
        "-# The discussion could not be summarised; the files and their reviews are still valid."
    )
    ATTEMPTS_HEAD: Final = "## Attempts"
    CRITERIA_HEAD: Final = "### Acceptance criteria"
    APPROVER: Final = "the approver"
    SAME_MODEL: Final = (
        "⚠️ The panel has no other model, so the model that built the files also reviewed them."
    )
    NOTHING_WAS_RUN: Final = (
        "-# Text only: none of this code was run here. Read it before you run it."
    )

    @staticmethod
    def _verdict_words(verdict: str) -> str:
        """A verdict as people write it."""
        return verdict.replace("_", " ")

    @staticmethod
    def spec_title(version: int, *, by_the_panel: bool) -> str:
        """The head of a spec's post."""
        who = "drafted by the panel" if by_the_panel else "edited by the person who asked"
        return f"### 📐 Spec v{version}\n-# {who}"

    @staticmethod
    def spec_reviewed(role: str, verdict: str, summary: str) -> str:
        """What the reviewer of a spec said."""
        return f"-# Reviewed by {role}: {BuildText._verdict_words(verdict)}. {summary}".rstrip()

    @staticmethod
    def spec_is_weak(weakness: str) -> str:
        """The refusal to accept a weak spec."""
        return f"This spec is too weak to build from: {weakness}. Press Edit or Ask for changes."

    @staticmethod
    def spec_accepted(version: int) -> str:
        """Reply to the person who accepted a spec."""
        return f"Accepted. The build starts with spec v{version}."

    @staticmethod
    def edit_refused(weakness: str) -> str:
        """The refusal of an edited spec that is too weak."""
        return f"Nothing was changed: {weakness}. Press Edit again to fix it."

    @staticmethod
    def edit_taken(version: int) -> str:
        """Reply to the person who edited a spec."""
        return f"Saved. Spec v{version} is in the thread: accept it there."

    @staticmethod
    def spec_waits(version: int) -> str:
        """Build status while its starter decides."""
        return f"spec v{version} is waiting for the person who asked"

    @staticmethod
    def spec_being_written(version: int) -> str:
        """Build status while a spec is drafted."""
        return f"spec v{version} is being written …"

    @staticmethod
    def spec_being_reviewed(version: int) -> str:
        """Build status while its spec is reviewed."""
        return f"spec v{version} is being reviewed …"

    @staticmethod
    def being_built(attempt: int, role: str, version: int) -> str:
        """Build status while its files are written."""
        return f"executing · attempt {attempt}: {role} is building from spec v{version} …"

    @staticmethod
    def not_built(problem: str) -> str:
        """Why an attempt has no files: what stopped the builder, in its own words."""
        return f"the builder wrote nothing: {problem}" if problem else "the builder wrote nothing"

    @staticmethod
    def no_file(said: str) -> str:
        """An answer that holds no file, and how it begins."""
        told = f"; the builder said: “{said}”" if said else ""
        return f"no file was written in the required format{told}"

    @staticmethod
    def builder_failed(model: str, said: str) -> str:
        """A model that was asked to build and failed, in its own words."""
        return f"{model} failed ({said})"

    @staticmethod
    def words_so_far(step: str, count: int) -> str:
        """How much a builder has said."""
        return f"{step} ({counted(count, 'word')} so far)"

    @staticmethod
    def busy_with(step: str, note: str) -> str:
        """What a builder is doing."""
        return f"{step} ({note})" if note else step

    @staticmethod
    def gate_held(attempt: int, kind: str) -> str:
        """Build status while a gate reviews it."""
        return f"{kind} gate · attempt {attempt}: reviewing the files …"

    @staticmethod
    def gate_told(attempt: int, kind: str, reviewer: str, verdict: str) -> str:
        """How a gate turned out."""
        return f"Attempt {attempt}: {kind} gate by {reviewer}: {BuildText._verdict_words(verdict)}"

    @staticmethod
    def gate_not_passed(kind: str, verdict: str) -> str:
        """Why an attempt failed."""
        return f"the {kind} gate did not pass ({BuildText._verdict_words(verdict)})"

    @staticmethod
    def rework_after(kind: str) -> str:
        """Why the next attempt begins."""
        return f"rework: {kind} gate"

    @staticmethod
    def criterion_not_met(number: int, remark: str) -> str:
        """A finding about a criterion of the spec."""
        return f"criterion {number} is not met: {remark or BuildText._CRITERION_NOT_SHOWN}"

    @staticmethod
    def files_head(number: int, attempt: int, builder: str) -> str:
        """The head of the post that hands the files over."""
        return f"### 📦 {counted(number, 'file')} of attempt {attempt}, built by {builder}"

    @staticmethod
    def file_line(name: str, size: int, checksum: str) -> str:
        """One file in the post that hands them over."""
        return f"- `{name}` · {size:,} bytes · sha256 `{checksum}…`"

    @staticmethod
    def delivered(attempt: int, builder: str, version: int, names: Iterable[str]) -> str:
        """Which attempt delivered which files."""
        files = ", ".join(f"`{name}`" for name in names)
        return (
            f"Attempt {attempt} passed both gates; built by {builder} from spec v{version}: {files}"
        )

    @staticmethod
    def built_instead(lost: Iterable[str]) -> str:
        """Why another model than the first built the files."""
        return f"Built by another model, because {'; '.join(lost)}"

    @staticmethod
    def criteria_head(reviewer: str) -> str:
        """The line above the criteria of the spec."""
        return f"Acceptance criteria, checked by the spec review of {reviewer}:"

    @staticmethod
    def criterion_line(number: int, text: str, where: str, *, met: bool) -> str:
        """One criterion and whether it is met."""
        place = f" → {where}" if where else ""
        return f"{'✅' if met else '❌'} {number}. {text}{place}"

    @staticmethod
    def quality_line(reviewer: str, summary: str, risk: str) -> str:
        """What the quality reviewer said."""
        danger = f" Risk: {risk}" if risk else ""
        return f"Quality review of {reviewer}: {summary or 'approved'}{danger}"

    @staticmethod
    def not_tested(gap: str) -> str:
        """Something the quality reviewer found no test for."""
        return f"- Not tested: {gap}"

    @staticmethod
    def report_title(kind: str, reviewer: str, verdict: str) -> str:
        """The title of a review."""
        return f"{kind.capitalize()} review by {reviewer}: {verdict}"

    @staticmethod
    def report_criterion(number: int, where: str, remark: str, *, met: bool) -> str:
        """One criterion in a review's file."""
        return f"{number}. {'MET' if met else 'NOT MET'} | {where} | {remark}"

    @staticmethod
    def report_gap(gap: str) -> str:
        """A missing test in a review's file."""
        return f"- test gap: {gap}"

    @staticmethod
    def report_risk(risk: str) -> str:
        """The risk in a review's file."""
        return f"Risk: {risk}" if risk else ""

    @staticmethod
    def history_title(run_id: str) -> str:
        """The title of a build's history."""
        return f"# The build {run_id}"

    @staticmethod
    def history_spec(version: int, text: str, *, accepted: bool) -> str:
        """The spec in a build's history."""
        state = "accepted" if accepted else "not accepted yet"
        return f"## Spec v{version} ({state})\n\n{text}"

    @staticmethod
    def history_attempt(number: int, status: str, why: str) -> str:
        """The head of an attempt in a build's history and minutes."""
        return f"### Attempt {number}: {status}{f': {why}' if why else ''}"

    @staticmethod
    def history_builder(builder: str, runtime: str) -> str:
        """Who built the files of an attempt."""
        return f"Built by {builder} ({runtime})."

    @staticmethod
    def history_file(name: str, size: int, kind: str, checksum: str) -> str:
        """A file in a build's history and minutes."""
        return f"- {name}, {size:,} bytes, {kind}, sha256 {checksum}"

    @staticmethod
    def minutes_head(version: int, goal: str, *, accepted: bool) -> str:
        """The head of what the minutes say about a build."""
        state = "accepted" if accepted else "not accepted"
        return f"## Delivery\n\nSpec v{version}, {state}. Goal: {goal or 'none'}"

    @staticmethod
    def judged_by(reviewer: str) -> str:
        """Which review the marks of the criteria come from."""
        return f"Found by the spec review of {reviewer}:"

    @staticmethod
    def with_remark(line: str, remark: str) -> str:
        """A criterion with what the reviewer said about it."""
        return f"- {line} ({remark})" if remark else f"- {line}"


class BuildAnswerText:
    """Problems with a spec or with files that a model wrote for a build."""

    NAME_TOO_LONG: Final = "its name is too long"
    NAME_LEADS_AWAY: Final = "its name is not a plain relative path"
    NAME_RESERVED: Final = "its name is reserved"
    WRITTEN_TWICE: Final = "it appears twice"
    EMPTY: Final = "it is empty"
    NO_PLAIN_FILE: Final = "it is a link or not a regular file"
    NO_TEXT: Final = "it is not UTF-8 text"
    NOT_DECLARED: Final = "the spec does not name it under OUTPUTS"
    NO_FILE_NAMED: Final = "OUTPUTS names no file; name each one, such as `limiter.py`"

    @staticmethod
    def other_letters(names: Iterable[str]) -> str:
        """Files of a spec that nobody may write."""
        listed = ", ".join(f"`{name}`" for name in names)
        return (
            f"OUTPUTS names {listed}; only Latin letters, digits, `.`, `_`, `+`, `-` and `/` may "
            "stand in the name of a file"
        )

    @staticmethod
    def refused(name: str, reason: str) -> str:
        """A file was not taken."""
        return f"`{name}` was rejected: {reason}"

    @staticmethod
    def too_large(size: int, most: int) -> str:
        """A single file has too many bytes."""
        return f"it has {size:,} bytes; the limit is {most:,}"

    @staticmethod
    def too_many(most: int) -> str:
        """There are more files than allowed."""
        return f"there are more than {most} files"

    @staticmethod
    def all_too_large(most: int) -> str:
        """The files have too many bytes between them."""
        return f"the files have more than {most:,} bytes in total"

    @staticmethod
    def heading_missing(heading: str) -> str:
        """A part of the spec is not there."""
        return f"{heading} is missing"

    @staticmethod
    def too_few_criteria(least: int) -> str:
        """The spec could be met too easily."""
        return f"there are fewer than {least} acceptance criteria"

    @staticmethod
    def criterion_too_short(number: int) -> str:
        """A criterion of a word or two."""
        return f"criterion {number} is too short to be tested"

    @staticmethod
    def criterion_vague(number: int, word: str) -> str:
        """A criterion that cannot be checked."""
        return (
            f"criterion {number} cannot be tested: it says “{word}” without saying how to check it"
        )
