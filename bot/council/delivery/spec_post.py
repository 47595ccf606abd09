"""The spec as people see it in the thread, with what they can do about it."""

from typing import Final

from bot.council.delivery.spec_state import PANEL, SpecState
from bot.stage.port import THE_BOT, Attachment, Post, PostButton, Tone, button_id
from bot.store.runs import Run
from bot.store.specs import SpecDraft

ACCEPT: Final = "accept"
EDIT: Final = "edit"
CHANGES: Final = "changes"
LABELS: Final = {ACCEPT: "Accept", EDIT: "Edit", CHANGES: "Ask for changes"}
_TONES: Final = {ACCEPT: Tone.GOOD, EDIT: Tone.PLAIN, CHANGES: Tone.PLAIN}


def spec_button_id(run_id: str, version: int, action: str) -> str:
    """The custom id that still means the same version after a restart."""
    return button_id(run_id, f"spec:{version}:{action}")


def spec_post(run: Run, draft: SpecDraft, state: SpecState) -> Post:
    """The version that waits for its starter."""
    actions = (EDIT, CHANGES) if state.weaknesses else (ACCEPT, EDIT, CHANGES)
    return Post(
        key=f"spec-v{draft.version}",
        speaker=THE_BOT,
        text="\n".join([_title(draft), draft.text, *_judged(state), _asks(state)]),
        attachments=(Attachment(f"spec-v{draft.version}.md", draft.artifact_id),),
        ping_user_id=run.starter_id,
        buttons=tuple(
            PostButton(LABELS[name], spec_button_id(run.id, draft.version, name), _TONES[name])
            for name in actions
        ),
    )


def accepted_by_rule(draft: SpecDraft) -> Post:
    """What is told when a quick build does not wait."""
    said = "-# Accepted without asking, because `--quick` was given and the reviewer approved it."
    return Post(
        key=f"spec-v{draft.version}",
        speaker=THE_BOT,
        text="\n".join([_title(draft), draft.text, said]),
        attachments=(Attachment(f"spec-v{draft.version}.md", draft.artifact_id),),
    )


def _title(draft: SpecDraft) -> str:
    who = "drafted by the panel" if draft.by == PANEL else "edited by the person who asked"
    return f"### 📐 Spec v{draft.version}\n-# {who}"


def _judged(state: SpecState) -> list[str]:
    lines = []
    if state.review is not None:
        role = state.review.reviewer.partition(" · ")[0]
        word = state.review.verdict.replace("_", " ")
        lines.append(f"-# Reviewed by {role}: {word}. {state.review.summary}".rstrip())
    if state.weaknesses:
        lines += ["⚠️ **Too weak to build from**", *(f"- {w}" for w in state.weaknesses)]
    return lines


def _asks(state: SpecState) -> str:
    if state.weaknesses:
        return (
            "Nothing is built from it yet: press **Edit** to mend it, or **Ask for changes** to "
            "have it written anew."
        )
    return "Nothing is built before you press **Accept**."
