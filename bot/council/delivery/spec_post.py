"""The spec as people see it in the thread, with what they can do about it."""

from collections.abc import Sequence
from typing import Final

from bot.council.delivery.spec_state import PANEL, SpecState
from bot.messages.delivery import BuildText
from bot.stage.port import THE_BOT, Attachment, Post, PostButton, Tone, button_id
from bot.store.runs import Run
from bot.store.specs import SpecDraft

ACCEPT: Final = "accept"
EDIT: Final = "edit"
CHANGES: Final = "changes"
LABELS: Final = {ACCEPT: BuildText.ACCEPT, EDIT: BuildText.EDIT, CHANGES: BuildText.ASK_FOR_CHANGES}
_TONES: Final = {ACCEPT: Tone.GOOD, EDIT: Tone.PLAIN, CHANGES: Tone.PLAIN}


def spec_button_id(run_id: str, version: int, action: str) -> str:
    """The custom id that still means the same version after a restart."""
    return button_id(run_id, f"spec:{version}:{action}")


def spec_post(run: Run, draft: SpecDraft, state: SpecState, planned: Sequence[str]) -> Post:
    """The version that waits for its starter, with what the build plans outside the run."""
    actions = (EDIT, CHANGES) if state.weaknesses else (ACCEPT, EDIT, CHANGES)
    return Post(
        key=f"spec-v{draft.version}",
        speaker=THE_BOT,
        text="\n".join(
            [_title(draft), draft.text, *_judged(state), *_outside(planned), _asks(state)]
        ),
        attachments=(Attachment(f"spec-v{draft.version}.md", draft.artifact_id),),
        ping_user_id=run.starter_id,
        buttons=tuple(
            PostButton(LABELS[name], spec_button_id(run.id, draft.version, name), _TONES[name])
            for name in actions
        ),
    )


def accepted_by_rule(draft: SpecDraft, planned: Sequence[str]) -> Post:
    """What is told when a quick build does not wait."""
    return Post(
        key=f"spec-v{draft.version}",
        speaker=THE_BOT,
        text="\n".join([_title(draft), draft.text, *_outside(planned), BuildText.ACCEPTED_BY_RULE]),
        attachments=(Attachment(f"spec-v{draft.version}.md", draft.artifact_id),),
    )


def _title(draft: SpecDraft) -> str:
    return BuildText.spec_title(draft.version, by_the_panel=draft.by == PANEL)


def _outside(planned: Sequence[str]) -> list[str]:
    return [f"🔐 {text}" for text in planned]


def _judged(state: SpecState) -> list[str]:
    lines = []
    if state.review is not None:
        role = state.review.reviewer.partition(" · ")[0]
        lines.append(BuildText.spec_reviewed(role, state.review.verdict, state.review.summary))
    if state.weaknesses:
        lines += [BuildText.TOO_WEAK_HEAD, *(f"- {w}" for w in state.weaknesses)]
    return lines


def _asks(state: SpecState) -> str:
    return BuildText.MEND_FIRST if state.weaknesses else BuildText.ACCEPT_FIRST
