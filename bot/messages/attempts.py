"""Failed attempts, seats without an answer, degraded panels, stopping and retrying."""

from collections.abc import Sequence
from typing import Final

from bot.messages.counting import counted, duration_words, listed
from bot.messages.meeting import RoundsText


class AttemptText:
    """Failed attempts: the reason, when the next one starts, and what to do when there is none."""

    NOBODY_ANSWERED: Final = "0 agents responded: no panelist answered"
    NO_CONCLUSION: Final = "the conclusion could not be written"
    THREAD_DELETED: Final = "its thread was deleted"
    RATE_LIMITED: Final = "The provider is rate limiting us: wait a few minutes before you retry."
    OVERLOADED: Final = "The provider is overloaded: wait a few minutes before you retry."
    NETWORK: Final = "The provider is unreachable: check that it is up, then retry."
    TIMEOUT: Final = "Models were too slow: an admin can raise `timeouts` in panels.json."
    OUT_OF_MONEY: Final = "The provider's account is out of credit: an admin can top it up."
    NOT_AUTHORISED: Final = "An API key was rejected: an admin can run `roundtable check`."
    CONTEXT_EXCEEDED: Final = "The question is too long for these models: ask a shorter one."
    REFUSED: Final = "The models declined to answer: rephrase the question."
    UNSUPPORTED: Final = "A model does not support this request: choose another one."
    BAD_OUTPUT: Final = "The models gave no usable answer: choose others with `--panel`."
    RETRY: Final = (
        "Press **Retry** or type `roundtable retry` (the person who asked, or an admin): existing "
        "answers are kept and not paid for again."
    )
    ASK_ANEW: Final = (
        "Or start again with other models: `/roundtable start` completes their names in `panel`."
    )
    NOTHING_TRIED: Final = "nothing was tried"
    NO_ANSWER_YET: Final = "None: no panelist has answered yet."
    STOPPED: Final = "stopped"

    @staticmethod
    def broke(code: str) -> str:
        """A run failed because of a bug in the bot."""
        return f"internal error in the bot (code {code})"

    @staticmethod
    def no_place(kind: str) -> str:
        """Why a run ended that could not even open its thread."""
        return f"no thread could be opened ({kind})"

    @staticmethod
    def failed(reason: str, run_id: str) -> str:
        """A run failed; may be posted outside its thread."""
        return (
            f"⚠️ This roundtable failed: {reason.rstrip('.')}. To continue it, type `roundtable "
            f"retry {run_id}`: existing answers are kept."
        )

    @staticmethod
    def failed_retry(reason: str) -> str:
        """A run failed and can be retried immediately."""
        return f"⚠️ This roundtable failed: {reason}. Type `roundtable retry` to try again."

    @staticmethod
    def reason_with_kinds(reason: str, kinds: Sequence[str]) -> str:
        """Why an attempt failed, with how its calls did."""
        return f"{reason} ({', '.join(kinds)})" if kinds else reason

    @staticmethod
    def waits(attempt: int, reason: str, due: str) -> str:
        """Why a run waits until its next attempt."""
        return f"attempt {attempt} failed: {reason}; next attempt at {due}"

    @staticmethod
    def under_way(attempt: int) -> str:
        """The attempt that is running."""
        return f"attempt {attempt} is running"

    @staticmethod
    def no_spec_yet(reason: str, due_at: float) -> str:
        """Drafting the spec failed and will be retried."""
        return f"⏳ There is no spec yet: {reason}. Next attempt at <t:{due_at:.0f}:T>."

    @staticmethod
    def next_attempt(attempt: int, reason: str, due_at: float, *, stronger: bool) -> str:
        """An attempt failed and the next one starts automatically."""
        how = ", with the stronger profile" if stronger else ""
        return (
            f"⏳ Attempt {attempt} failed: {reason}. Attempt {attempt + 1} starts at "
            f"<t:{due_at:.0f}:T>{how}; existing answers are kept."
        )

    @staticmethod
    def retries_stopped(reason: str, findings: Sequence[str]) -> str:
        """The first lines of the post after the last automatic retry."""
        found = "".join(f"\n- {text}" for text in findings)
        return f"⛔ **No more automatic retries.**\nWhat failed: {reason}.{found}"

    @staticmethod
    def attempts(lines: Sequence[str]) -> str:
        """All attempts under their heading."""
        return "**Attempts**\n" + "\n".join(lines)

    @staticmethod
    def attempt_line(number: int, how: str, seconds: int, reason: str, *, stronger: bool) -> str:
        """One attempt: how it ended, after how long, why."""
        profile = ", stronger profile" if stronger else ""
        why = f": {reason}" if reason else ""
        return f"{number}. {how} after {duration_words(seconds)}{profile}{why}"

    @staticmethod
    def last_good(text: str) -> str:
        """What there is, under its heading."""
        return f"**Last usable result**\n{text}"

    @staticmethod
    def built_files(attempt: int, names: Sequence[str], gates_passed: int) -> str:
        """The attached files of a build, and how far they came."""
        how = "passed the spec gate but not the quality gate" if gates_passed else "passed no gate"
        listed = ", ".join(f"`{name}`" for name in names)
        return f"The attached files of attempt {attempt}, which {how}: {listed}."

    @staticmethod
    def minutes_until(round_number: int, answers: int, name: str) -> str:
        """The attached minutes of what was said."""
        said = counted(answers, "answer")
        return f"The minutes up to round {round_number} ({said}), attached as `{name}`."

    @staticmethod
    def ways_out(ways: Sequence[str]) -> str:
        """What people can do, under its heading."""
        return "**What you can do**\n" + "\n".join(f"- {way}" for way in ways)


class DegradationText:
    """What went wrong on a panel, and what a person can do about it."""

    ORCHESTRATOR_WROTE: Final = "Synthesis by orchestrator (bias risk — no neutral model available)"
    START_BLOCKRUN: Final = (
        "Start Blockrun at localhost:8402 for full panel, "
        "or use `--panel budget` for stable 2-model run"
    )
    CHECK_PROVIDER: Final = "Check provider API key / quota, then retry"
    ADD_A_KEY: Final = "Add another vendor's key, or OPENROUTER_API_KEY for all vendors, to .env"
    RAISE_TIMEOUT: Final = "Retry, or raise `timeouts.round` in panels.json"
    ADD_A_WRITER: Final = "Add a premium model that sits on no panel to `premium` in panels.json"
    _SIGN: Final = "⚠️ PANEL DEGRADED —"
    _NOBODY: Final = f"{_SIGN} nobody answered in round"

    @staticmethod
    def with_action(line: str, action: str) -> str:
        """A fault and, below it, what to do."""
        return f"{line}\nAction: {action}"

    @staticmethod
    def allow(model: str) -> str:
        """What to do about a model that is not allowed."""
        return f"Add {model} to allowlist in panels.json"

    @staticmethod
    def make_usable(model: str, reason: str) -> str:
        """What to do about a model that cannot be reached."""
        action = f"Make {model} usable (run `roundtable check` to see how), then start again"
        return f"{action} ({reason})" if reason else action

    @staticmethod
    def substituted(role: str, original: str, fallback: str) -> str:
        """Another model speaks for a seat."""
        return f"{role} substituted {original} with {fallback}"

    @staticmethod
    def same_family(change: str, family: str) -> str:
        """The other model is of the family of the first."""
        return f"{DegradationText._SIGN} {change} (same family: {family})"

    @staticmethod
    def family_sits(change: str, family: str, roles: Sequence[str]) -> str:
        """The other model's family sat on the panel already."""
        return f"{DegradationText._SIGN} {change} (family {family} already sits as {listed(roles)})"

    @staticmethod
    def one_family(family: str) -> str:
        """All seats are taken by one family."""
        return (
            f"{DegradationText._SIGN} every seat is taken by the {family} family, in "
            "different roles"
        )

    @staticmethod
    def one_model(model: str) -> str:
        """All seats are taken by one model."""
        return (
            f"{DegradationText._SIGN} every seat is taken by {model}, the only available "
            "model, in different roles"
        )

    @staticmethod
    def left_out(role: str, model: str, fallback: str | None) -> str:
        """Nobody could take a seat."""
        failed = f"{model} and its fallback {fallback} failed" if fallback else f"{model} failed"
        return f"{role} was left out: {failed}"

    @staticmethod
    def round_unanswered(number: int, last_answered: int) -> str:
        """Every seat failed in a later round."""
        rest = RoundsText.rounds_before(last_answered)
        return f"{DegradationText._NOBODY} {number}, so the conclusion is based on {rest}"

    @staticmethod
    def names_nobody(note: str) -> bool:
        """Whether a note can be read while the panelists wear masks."""
        return note.startswith(DegradationText._NOBODY)

    @staticmethod
    def failed_in_stage_2(role: str, *, others: bool) -> str:
        """A seat of stage 2 failed, perhaps as the last one."""
        rest = "stage 2 went on without it" if others else "the conclusion rests on stage 1"
        return f"{role} failed in stage 2: {rest}"

    @staticmethod
    def writer_sat(model: str) -> str:
        """The conclusion's writer had argued itself."""
        return f"{model} wrote the conclusion: synthesizer also sat on the panel"


class StopText:
    """Stopping a roundtable, and taking up one that was stopped or failed."""

    NOT_YOURS_TO_STOP: Final = (
        "Only the person who started it or a moderator can stop this roundtable."
    )
    ALREADY_OVER: Final = "This roundtable has already ended."
    NOT_YOURS_TO_CONCLUDE: Final = (
        "Only the person who started it or a moderator can conclude this roundtable."
    )
    NOTHING_TO_CONCLUDE: Final = (
        "Nobody has answered yet, so there is nothing to conclude: wait for the first answer, or "
        "type `roundtable stop`."
    )
    ALREADY_CONCLUDING: Final = "The rounds are over: the conclusion is being written."
    CONCLUDES: Final = "The rounds end now: the conclusion is written from what was said so far."
    VOTE_CLOSES: Final = "The vote is closed: the result follows in the thread."
    STOPPED: Final = "Stopped. Everything said stays in the thread."
    BY_A_PERSON: Final = "stopped by a person"
    NOT_YOURS_TO_RETRY: Final = "Only the person who started it or an admin can retry it."
    NOT_RETRIED: Final = "Only a failed or stopped roundtable can be retried."
    STILL_RUNNING: Final = (
        "This roundtable is still running: wait until it ends, or type `roundtable stop`."
    )
    TOPIC_ELSEWHERE: Final = (
        "The same topic is being discussed in another thread: wait until that roundtable ends."
    )
    JUST_RETRIED: Final = "Somebody has just retried this roundtable: it is already running."

    @staticmethod
    def stopped_by(person_id: object) -> str:
        """Posted in the thread of a stopped run."""
        return f"⏹️ Stopped by <@{person_id}>. Everything said stays here."

    @staticmethod
    def goes_on_in(channel_id: int) -> str:
        """Reply to a retry."""
        return f"It continues in <#{channel_id}>."

    @staticmethod
    def retries_itself(due_at: float) -> str:
        """Reply to a retry of a run that will be retried automatically."""
        return (
            f"It will be retried automatically <t:{due_at:.0f}:R>: type `roundtable stop` to end "
            "it instead."
        )


class SeatAnswerText:
    """Why a seat has no answer, or none that people see."""

    OVER_BUDGET: Final = "over budget"
    NOT_IN_TIME: Final = "no model was usable in time"
    NO_ANSWER: Final = "no answer"
    NOT_WAITED_FOR: Final = "not waited for, because the conclusion was asked for"
    HELD_BACK: Final = "not posted"
    WHY_HELD_BACK: Final = (
        "the answer was not posted, because the turn arbiter failed and panels.json says "
        "`failOpen: false`; it counts, and the minutes have it"
    )

    @staticmethod
    def over_budget(obstacle: str) -> str:
        """Nobody was asked, for lack of money."""
        return f"{SeatAnswerText.OVER_BUDGET}: {obstacle}"

    @staticmethod
    def timed_out(seconds: float) -> str:
        """Nobody answered in time."""
        return f"timeout after {seconds:g} s"

    @staticmethod
    def failed(kind: str, why: str) -> str:
        """A call failed."""
        return f"{kind}: {why}"

    @staticmethod
    def said_nothing(model: str) -> str:
        """An answer without a word."""
        return f"{model} sent an empty answer."

    @staticmethod
    def not_whole(model: str, seconds: float) -> str:
        """An answer that had not ended when its time was over."""
        return f"{model} did not finish its answer within {seconds:g} seconds."
