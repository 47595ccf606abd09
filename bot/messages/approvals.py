"""Approvals and what follows from them: conclusions posted elsewhere, issues, effects."""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.messages.counting import any_role, as_start, counted


class ApprovalText:
    """The approval card and the replies to approvers."""

    APPROVE: Final = "Approve"
    REJECT: Final = "Reject"
    REQUEST_CHANGES: Final = "Request changes"
    TRY_AGAIN: Final = "Try again"
    APPROVED: Final = "✅ Approved"
    REJECTED: Final = "⛔ Rejected"
    CHANGES_REQUESTED: Final = "✏️ Changes requested"
    OURSELVES: Final = "Roundtable"
    """Who decides when an approval times out."""
    NOTED: Final = "Saved. The requester can see your decision and reason on the card."
    NOT_STORED: Final = "This request is no longer stored: request it again."
    EFFECT_UNKNOWN: Final = (
        "This version of the bot no longer supports this action: request it again."
    )
    RUN_ENDED: Final = "This roundtable has already ended, so there is nothing left to approve."
    SOMETHING_BROKE: Final = "Internal error in the bot."
    WAITS: Final = "waiting for approval"
    WAS_APPROVED: Final = "approved"
    WAS_REJECTED: Final = "an approver rejected it"
    CHANGES_WANTED: Final = "an approver requested changes"

    @staticmethod
    def _person(reference: str | None) -> str:
        """A person's id as a mention, which cannot ping; anything else unchanged."""
        return f"<@{reference}>" if reference and reference.isdigit() else str(reference)

    @staticmethod
    def approvers(role_ids: Sequence[int]) -> str:
        """Who decides, as the subject of a sentence."""
        return any_role(role_ids) if role_ids else "moderators and admins"

    @staticmethod
    def headline(action: str, *, waits: bool) -> str:
        """The first line of the card."""
        sign = "🔐 Approval needed" if waits else "🔐 Approval"
        return f"**{sign}:** {action}"

    @staticmethod
    def new_files(names: Sequence[str], more: int) -> str:
        """Files that are not there yet."""
        return f"**New files:** {ApprovalText._named(names, more)}"

    @staticmethod
    def replaced_files(names: Sequence[str], more: int) -> str:
        """Files that exist already."""
        return f"**⚠️ Overwrites existing files:** {ApprovalText._named(names, more)}"

    @staticmethod
    def _named(names: Sequence[str], more: int) -> str:
        left = (f"… and {more} more, see the attached list",) if more else ()
        return ", ".join((*(f"`{name}`" for name in names), *left))

    @staticmethod
    def roundtable(run_id: str, phase: str, attempt: int) -> str:
        """Which run asks."""
        return f"**Roundtable:** `{run_id}` · phase {phase} · attempt {attempt}"

    @staticmethod
    def asked_by(reference: str) -> str:
        """Who asks."""
        return f"**Asked by:** {ApprovalText._person(reference)}"

    @staticmethod
    def asked_by_agent(name: str) -> str:
        """Which agent asks, at the end of its discussion."""
        return f"**Asked by:** the agent that coordinates the discussion, {name}"

    @staticmethod
    def effect(kind: str, key: str) -> str:
        """The kind of effect and its idempotency key."""
        return f"**Effect:** {kind} · key `{key}`"

    @staticmethod
    def goal(topic: str) -> str:
        """What the run is about."""
        return f"**Goal:** {topic}"

    @staticmethod
    def accepted_when(criteria: Sequence[str]) -> str:
        """What the run had to deliver."""
        return f"**Accepted when:** {' · '.join(criteria)}"

    @staticmethod
    def acceptance(*, validated: bool) -> tuple[str, ...]:
        """What a roundtable must deliver."""
        checked = ("validated by the panel",) if validated else ()
        return ("at least one answer", "every section", "no unfilled placeholders", *checked)

    @staticmethod
    def reviews(spec: Mapping[str, int], quality: Mapping[str, int]) -> str:
        """What both gates said: how often each verdict was given."""
        return (
            f"**Reviews:** spec {ApprovalText._verdicts(spec)} · quality "
            f"{ApprovalText._verdicts(quality)}"
        )

    @staticmethod
    def _verdicts(given: Mapping[str, int]) -> str:
        counted = [f"{number}× {verdict}" for verdict, number in given.items()]
        return ", ".join(counted).replace("_", " ") or "none"

    @staticmethod
    def newest_artifact(name: str, kind: str) -> str:
        """The last thing the run made."""
        return f"**Newest artifact:** `{name}` ({kind})"

    @staticmethod
    def to_undo(hint: str) -> str:
        """How the effect can be taken back."""
        return f"**To undo it:** {hint}"

    @staticmethod
    def may_decide(who: str) -> str:
        """The small print of a card that waits."""
        return f"-# {as_start(who)} can decide. This request stays open, even across restarts."

    @staticmethod
    def decided(how: str, reference: str | None, note: str) -> str:
        """The line that replaces the buttons."""
        said = f": {note}" if note else ""
        return f"{how} by {ApprovalText._person(reference)}{said}"

    @staticmethod
    def decided_before(status: str, reference: str | None) -> str:
        """The request was already decided."""
        return (
            f"This was already decided: {status.replace('_', ' ')} by "
            f"{ApprovalText._person(reference)}."
        )

    @staticmethod
    def approved_and_done(where: str) -> str:
        """Reply to an approver whose approval took effect."""
        return f"Approved and done: {where}"

    @staticmethod
    def only_for(who: str) -> str:
        """The person is not an approver."""
        return f"Only {who} can decide this: ask one of them."

    @staticmethod
    def done_already(where: str) -> str:
        """The effect already took place."""
        return f"This was already done and will not be repeated: {where}"

    @staticmethod
    def not_carried_out(reason: str) -> str:
        """Shown on the card when the effect failed."""
        return f"⚠️ The approved action failed: {reason}"

    @staticmethod
    def done(where: str) -> str:
        """Shown on the card when the effect took place."""
        return f"Done: {where}"


class LinkText:
    """What is said about issues elsewhere that a conclusion is for."""

    NAMES: Final = {"github": "GitHub", "gitlab": "GitLab"}
    """The services as people write them."""
    UNUSABLE: Final = (
        "`--link` takes the URL of an issue or pull request on a service listed under `links` in "
        "panels.json: `--link https://github.com/owner/name/issues/12`."
    )
    OPERATOR: Final = "the operator"
    NO_LINK: Final = "This discussion has no link: its conclusion is for no issue."
    NO_CONCLUSION: Final = (
        "This discussion has no conclusion yet: approve it once roundtable_end was called with one."
    )
    APPROVED_IN_THREAD: Final = (
        "This discussion has a thread: an approver decides there, on its card."
    )
    NOTHING_POSTED: Final = "Nothing was posted: run the command again when it may be."

    @staticmethod
    def no_discussion(run_id: str) -> str:
        """The id on the command line belongs to no discussion."""
        return f"There is no discussion {run_id[:40]!r}: give the id that roundtable_init returned."

    @staticmethod
    def may_be_posted(url: str, comment: str) -> str:
        """The question to the operator."""
        return f"{comment}\n\nPost this as a comment on {url}?"

    @staticmethod
    def unreachable(service: str, why: str) -> str:
        """Nobody answers at the service's address."""
        return f"{service} is unreachable ({why}): try again later."

    @staticmethod
    def too_many_comments(url: str) -> str:
        """An issue where an earlier comment of the bot cannot be looked for."""
        return f"{url} has too many comments to search: post the conclusion by hand."

    @staticmethod
    def token_refused(service: str, variable: str) -> str:
        """The token may not comment."""
        return (
            f"{service} rejected the token in {variable}: give it permission to comment, then "
            "approve again."
        )

    @staticmethod
    def not_found(url: str, variable: str) -> str:
        """The token shows no such issue."""
        return (
            f"{url} was not found with the token in {variable}: check the URL and the token's "
            "permissions."
        )

    @staticmethod
    def not_json(service: str) -> str:
        """What answers is no such service."""
        return f"{service} did not answer with JSON: check `links` in panels.json."

    @staticmethod
    def no_token(service: str, variable: str) -> str:
        """Nobody gave a token."""
        return f"No token for {service}: set {variable} in .env, then approve again."


class SharingText:
    """Conclusions that are posted elsewhere: in another channel, or on a linked issue."""

    NOT_CONCLUDED: Final = "Only a concluded roundtable can be posted elsewhere."
    NOT_READABLE: Final = "You can only post a conclusion between channels that you can read."
    UNDO_POST: Final = "delete the message there"
    UNDO_COMMENT: Final = "delete the comment there"

    @staticmethod
    def posted(link: str) -> str:
        """Reply when no approval was needed."""
        return f"The conclusion is posted: {link}"

    @staticmethod
    def posted_before(link: str) -> str:
        """The same post was approved before."""
        return f"This was already approved and the conclusion is posted: {link}"

    @staticmethod
    def post_it(channel_id: int) -> str:
        """What an approver is asked for, for a channel."""
        return f"post the conclusion in <#{channel_id}>"

    @staticmethod
    def comment_on(url: str) -> str:
        """What an approver is asked for, for a linked issue."""
        return f"post the conclusion as a comment on <{url}>"

    @staticmethod
    def asked_in(channel_id: int, who: str) -> str:
        """Reply to a request for a post that needs approval."""
        return f"Approval requested in <#{channel_id}>: {who} can approve it there."

    @staticmethod
    def cannot_post(channel_id: int, fault: str) -> str:
        """The bot has no permission to write in the channel."""
        return f"I cannot post there: <#{channel_id}> {fault}."

    @staticmethod
    def discussion_ended(reason: str) -> str:
        """The comment about a discussion without a conclusion."""
        return f"The discussion ended: {reason}."

    @staticmethod
    def signed(text: str, link: str) -> str:
        """A comment with its origin below it."""
        return f"{text}\n\nPosted by Roundtable: {link}"


class EffectText:
    """What a build plans to do outside the run, asks an approver for, and has done."""

    HEAD: Final = "### Outside effects"
    CHANGES_WANTED: Final = "changes requested, no details given"
    UNDO_NEW: Final = "delete the files there"
    UNDO_REPLACED: Final = "restore the earlier files from version control or a backup"
    WORKSPACE_CHANGED: Final = (
        "The workspace in panels.json has changed: restore the old one, then press Try again."
    )
    NO_FILES: Final = "The files are no longer stored: request the build again."

    @staticmethod
    def plans_to_write(provider: str, folder: str) -> str:
        """Files planned for the operator's folder, announced before the build."""
        return (
            "Planned outside effect: after both gates pass, an approver is asked to allow writing "
            f"the files to `{folder}`, the workspace of `{provider}`."
        )

    @staticmethod
    def plans_to_comment(url: str) -> str:
        """The comment that `--link` asks for, announced before the build."""
        return (
            "Planned outside effect: after the conclusion, an approver is asked to allow posting "
            f"it as a comment on <{url}>."
        )

    @staticmethod
    def waits(attempt: int) -> str:
        """Build status while an approver decides."""
        return f"awaiting approval · attempt {attempt}: an approver can decide below"

    @staticmethod
    def write_files(count: int, replaced: int, provider: str, folder: str) -> str:
        """What an approver is asked to allow; the card names every file below it."""
        over = f", overwriting {replaced}" if replaced else ""
        what = f"write {counted(count, 'file')}{over}"
        return f"{what} to `{folder}`, the workspace of `{provider}`"

    @staticmethod
    def file_list(names: Sequence[str], replaced: Sequence[str]) -> str:
        """Every file of an approval with its fate, for those that the card cannot name."""
        fates = ((name, "replaces a file" if name in replaced else "new file") for name in names)
        return "".join(f"{fate}: {name}\n" for name, fate in fates)

    @staticmethod
    def written(count: int, folder: str) -> str:
        """Where the files are."""
        return f"{counted(count, 'file')} in `{folder}`"

    @staticmethod
    def cannot_write(reason: str) -> str:
        """A folder that does not take the files."""
        return (
            f"The workspace is not writable ({reason}): fix its permissions, then press Try again."
        )

    @staticmethod
    def leads_outside(name: str) -> str:
        """A link in the folder that would carry a file elsewhere."""
        return (
            f"There is a link in the workspace at the path of `{name}`: remove the link, then "
            "press Try again."
        )

    @staticmethod
    def added_meanwhile(name: str) -> str:
        """A file that was not there when the approver was asked."""
        return (
            f"`{name}` was added to the workspace after this request: move it elsewhere, then "
            "press Try again."
        )

    @staticmethod
    def done(action: str) -> str:
        """An approved effect that took place."""
        return f"Done after approval: {action}"

    @staticmethod
    def state(action: str, status: str, *, took_place: bool) -> str:
        """One effect and what became of it."""
        how = status.replace("_", " ")
        return f"- {action}: {f'{how} and done' if took_place else how}"
