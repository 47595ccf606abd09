"""The files of a run: JSON, minutes, a page to print, a picture, the scorecard line.

All of them are rebuilt from the record.
"""

import asyncio
import json
import logging
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from bot.errors import UnavailableError, UserError
from bot.files.private import keep_private, make_file, make_folder, replace_file
from bot.meeting.context import RunContext
from bot.meeting.finish import tell_starter
from bot.messages.conclusion import ConclusionText
from bot.messages.library import LibraryText
from bot.messages.votes import AgreementText
from bot.pictures.facts import DrawnPicture
from bot.prompting.closing_lines import Stance
from bot.prompting.sections import list_items
from bot.prompting.summary import Point
from bot.record.loader import read_record
from bot.record.masking import read_masked_record
from bot.record.record import Remark, RunRecord, Speech
from bot.reports.agreement_picture import draw_picture
from bot.reports.build import build_export
from bot.reports.conclusion import outcome_line
from bot.reports.minutes import (
    action_items,
    brief_lines,
    consensus_points,
    disagreement_points,
    minutes_text,
    positions_on,
)
from bot.reports.page import printable_page
from bot.request import topic_slug
from bot.store import EventType
from bot.store.log import events
from bot.store.repositories.artifacts import FileRepository
from bot.store.repositories.run_lists import files_key
from bot.store.vocabulary import Actor

_log = logging.getLogger(__name__)

_SCORECARD = "scorecard.jsonl"
_ENDINGS = (".json", ".md", ".html", ".png")


def roundtables_folder(home: Path) -> Path:
    """Where the files of all runs lie."""
    return home / "memory" / "roundtables"


def keep_files_private(home: Path) -> None:
    """Take what earlier versions wrote away from other users of the machine."""
    keep_private(*roundtables_folder(home).glob("*.*"))


def file_stem(record: RunRecord) -> str:
    """The date and the topic; the store adds -2, -3 … where that name is taken."""
    return dated_slug(record.created_at, record.topic)


def dated_slug(created_at: float, topic: str) -> str:
    """The date and the words of a topic, as used in file names."""
    day = datetime.fromtimestamp(created_at, UTC).strftime("%Y-%m-%d")
    return f"{day}-{topic_slug(topic)}"


def stems_on_disk(folder: Path) -> frozenset[str]:
    """The names that files in the folder already have, no matter who wrote them."""
    return frozenset(path.stem for path in folder.glob("*.json"))


def write_files(
    folder: Path, stem: str, record: RunRecord, drawn: DrawnPicture | None = None
) -> tuple[Path, Path]:
    """Write every file whole or not at all, and one scorecard line for the run.

    The picture is drawn unless it is given.
    """
    make_folder(folder)
    as_json = folder / f"{stem}.json"
    as_minutes = folder / f"{stem}.md"
    replace_file(as_json, json.dumps(json_export(record), ensure_ascii=False, indent=2) + "\n")
    drawn = drawn or draw_picture(record)
    if drawn:
        replace_file(folder / f"{stem}.png", drawn.png)
    else:
        (folder / f"{stem}.png").unlink(missing_ok=True)
    picture = (f"{stem}.png", drawn.alt) if drawn else ("", "")
    replace_file(as_minutes, minutes_text(record, *picture))
    replace_file(folder / f"{stem}.html", printable_page(record, drawn))
    _put_line(folder / _SCORECARD, record)
    return as_json, as_minutes


def remove_files(folder: Path, stem: str | None, run_id: str) -> None:
    """Remove what was written about a run; its line in the scorecard keeps the figures alone."""
    if stem is not None:
        for ending in _ENDINGS:
            (folder / f"{stem}{ending}").unlink(missing_ok=True)
    scorecard = folder / _SCORECARD
    if not scorecard.exists():
        return
    known = scorecard.read_text(encoding="utf-8").splitlines()
    kept = [_without_topic(line) if _is_about(line, run_id) else line for line in known]
    if kept != known:
        replace_file(scorecard, "".join(f"{line}\n" for line in kept))


def _is_about(line: str, run_id: str) -> bool:
    return f'"id": "{run_id}"' in line


def _without_topic(line: str) -> str:
    try:
        return json.dumps(json.loads(line) | {"topic": ""}, ensure_ascii=False)
    except ValueError:
        return ""  # a line truncated by a kill


def json_export(record: RunRecord) -> dict[str, object]:
    """The JSON file's keys; percentages are text here and numbers in the scorecard."""
    return {
        "id": record.run_id,
        "date": datetime.fromtimestamp(record.created_at, UTC).strftime("%Y-%m-%d"),
        "topic": record.topic,
        "mode": record.mode.value,
        "workflow_type": record.workflow,
        "stages": [
            {
                "model": seat.model,
                "role": seat.role,
                "task": seat.task or seat.perspective,
                "answered_by": list(record.answered_by(seat)),
            }
            for seat in record.seats
        ],
        "meta_panel_recommendation": record.meta_recommendation,
        "panel_degraded": bool(record.degradations),
        "panel_degradation_notes": "\n".join(record.degradations),
        "failed_calls": [asdict(failed) for failed in record.failed_calls],
        "consensus_pct": AgreementText.percentage(record.consensus_pct),
        "consensus_matrix": record.agreement.to_dict()["matrix"],
        "stance_result": record.stance_result.value if record.stance_result else None,
        "convergence_score": record.convergence_score,
        "flips": [asdict(flip) for flip in record.flips],
        "dissents": [asdict(dissent) for dissent in record.dissents],
        "people_votes": _people(record),
        "synthesis_model": record.conclusion.model,
        "validated": record.validated,
        "elapsed_time_sec": record.seconds,
        "calls": record.spending.calls,
        "tokens": record.spending.tokens,
        "cached_tokens": record.spending.cached_tokens,
        "cost_usd": record.spending.cost_usd,
        "known_cost_usd": record.spending.known_usd,
        "unpriced_calls": record.spending.unpriced_calls,
        "estimated_usd": [record.estimate.least_usd, record.estimate.most_usd],
        "estimated_calls": [record.estimate.least_calls, record.estimate.most_calls],
        "budget_note": record.budget_note,
        "ending": record.ending.value,
        "rehearsal": record.rehearsal,
        "synthesis": record.conclusion.text,
        "delivery": build_export(record.delivery) if record.delivery else None,
        **_more(record),
    }


def _more(record: RunRecord) -> dict[str, object]:
    """What programs need beside the seed's keys: numbers are numbers, times are ISO 8601."""
    stances = record.stances_in(record.rounds_held)
    earlier, newer = record.builds_on, record.aftermath.superseded_by
    return {
        "outcome": outcome_line(record),
        "asker_id": str(record.starter_id) if record.starter_id else None,
        "started_at": _iso(record.created_at),
        "finished_at": _iso(record.finished_at),
        "links": {"thread": record.thread_url, "conclusion": record.conclusion_url},
        "builds_on": asdict(earlier) if earlier else None,
        "proposition": record.proposition,
        "rounds_planned": record.rounds_planned,
        "rounds_held": record.rounds_held,
        "second_round": _second_round(record),
        "consensus_percent": record.consensus_pct,
        "stances": {stance.value.lower(): stances.count(stance) for stance in Stance},
        "options": list(record.options),
        "tallies": [tally.to_dict() for tally in record.tallies],
        "worth": record.worth.to_dict() if record.worth else None,
        "sure": record.sure,
        "resolution": _resolution(record),
        "superseded_by": asdict(newer) if newer else None,
        "what_would_change_it": list(list_items(record.conclusion.sections.get("overturn", ""))),
        "ballots": [_ballot(speech) for speech in record.speeches if speech.ballot],
        "objections": [
            {"role": role, "correction": text} for role, text in record.validation.corrections
        ],
        "sessions": list(record.sessions),
        "action_items": [
            {"text": item.text, "when": item.when, "owner": item.owner or None}
            for item in action_items(record)
        ],
        "brief": brief_lines(record),
        "consensus_points": [_point(point) for point in consensus_points(record)],
        "disagreements": [
            _point(point) | {"positions": [p._asdict() for p in positions_on(record, point)]}
            for point in disagreement_points(record)
        ],
        "floor": [_remark(remark) for remark in record.floor],
        "summaries": [summary.summary for summary in record.summaries],
        "transcript": [_speech(speech) for speech in record.speeches],
    }


def _second_round(record: RunRecord) -> dict[str, object]:
    """By which rule it was held or not, and what the rounds that were not held would have cost."""
    saved = record.saved
    return {
        "rule": record.second_round,
        "held": record.rounds_held > 1,
        "ended_early": record.ended_early,
        "saved": {
            "calls": [saved.estimate.least_calls, saved.estimate.most_calls],
            "usd": [saved.estimate.least_usd, saved.estimate.most_usd],
            "unpriced": list(saved.estimate.unpriced),
            "seconds": saved.seconds,
        }
        if saved
        else None,
    }


def _point(point: Point) -> dict[str, object]:
    return {"text": point.text, "from": list(point.roles)}


def _remark(remark: Remark) -> dict[str, object]:
    return asdict(remark) | {"at": _iso(remark.at), "step": remark.step or None}


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")


def _resolution(record: RunRecord) -> dict[str, object]:
    """What happened: the option that was right or a word, and when somebody said so."""
    known = record.aftermath
    number = int(known.answer) if known.answer.isdigit() else len(record.options)
    return {
        "answer": record.options[number] if number < len(record.options) else known.answer or None,
        "resolved_at": _iso(known.answered_at) if known.answered_at else None,
        "look_again_at": _iso(known.look_at) if known.look_at else None,
    }


def _ballot(speech: Speech) -> dict[str, object]:
    return {
        "round": speech.round,
        "role": speech.seat.role,
        "option": speech.ballot,
        "confidence": speech.confidence,
        "reason": speech.reason,
    }


def _speech(speech: Speech) -> dict[str, object]:
    return {
        "round": speech.round,
        "stage": speech.stage,
        "role": speech.seat.role,
        "model": speech.model,
        "stance": speech.stance.value,
        "text": speech.text,
        "problem": speech.problem,
        "seconds": speech.seconds,
        "links": list(speech.links),
        "at": _iso(speech.at) if speech.at else None,
        "digest": speech.digest,
        "claims": dict(speech.claims),
        "critiques": [asdict(critique) for critique in speech.critiques],
        "stood_in_for": speech.stood_in_for or None,
    }


def _people(record: RunRecord) -> dict[str, dict[str, int]] | None:
    """Votes of people by option, before the conclusion and after it."""
    if record.people is None:
        return None
    both = {"before": record.people.before, "after": record.people.after}
    return {
        when: dict(zip(record.options, counted.votes, strict=False))
        for when, counted in both.items()
    }


def scorecard_line(record: RunRecord) -> dict[str, object]:
    """One line of the scorecard."""
    return {
        "ts": datetime.fromtimestamp(record.finished_at, UTC).isoformat(timespec="seconds"),
        "id": record.run_id,
        "topic": record.topic,
        "mode": record.mode.value,
        "workflow_type": record.workflow,
        "elapsed_time_sec": record.seconds,
        "consensus_pct": None if record.consensus_pct is None else round(record.consensus_pct, 1),
        "validated": record.validated,
        "panel_degraded": bool(record.degradations),
        "calls": record.spending.calls,
        "tokens": record.spending.tokens,
        "cost_usd": record.spending.cost_usd,
    }


def _put_line(path: Path, record: RunRecord) -> None:
    """Append the run's line; when a retry changed what it says, the old one is replaced."""
    line = json.dumps(scorecard_line(record), ensure_ascii=False)
    known = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    if not any(_is_about(old, record.run_id) for old in known):
        make_file(path)
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    elif line not in known:
        replace_file(
            path, "".join(f"{line if _is_about(old, record.run_id) else old}\n" for old in known)
        )


async def export_or_report(ctx: RunContext) -> RunRecord:
    """Files can be rebuilt at any time, so a full disk must not cost the run its ending."""
    try:
        return await export_run(ctx)
    except UserError as error:
        await tell_starter(ctx, f"files@{ctx.run.attempt}", ConclusionText.warned(error.text))
    except Exception:
        _log.exception("%s: its files could not be written", ctx.run.id)
    return await read_record(ctx.deps.store, ctx.run.id)


async def export_run(ctx: RunContext) -> RunRecord:
    """Write the run's files under a name of their own, and note that they are there.

    Files that a kill prevented are written at the next start, for nothing notes them.
    """
    record = await _write_files(ctx)
    store, run = ctx.deps.store, ctx.run
    written, key = EventType.EXPORT_WRITTEN, files_key(run.attempt)
    await store.write(
        lambda conn: events.append(conn, run.id, written, key, Actor.ORCHESTRATOR, {}, store.now())
    )
    return record


async def _write_files(ctx: RunContext) -> RunRecord:
    record = await read_masked_record(ctx.deps.store, ctx.run.id)
    folder = roundtables_folder(ctx.deps.home)
    try:
        stem = await _stem(ctx, record)
        async with ctx.deps.exporting:
            await asyncio.to_thread(write_files, folder, stem, record, ctx.drawn)
    except OSError as error:
        raise UnavailableError(
            LibraryText.files_not_written(error.strerror or type(error).__name__)
        ) from error
    return record


async def _stem(ctx: RunContext, record: RunRecord) -> str:
    """The file name, reserved in the store so that two runs never share one."""
    base = file_stem(record)
    on_disk = await asyncio.to_thread(stems_on_disk, roundtables_folder(ctx.deps.home))
    return await ctx.deps.store.write(
        lambda conn: FileRepository(conn).reserve(ctx.run.id, base, on_disk)
    )
