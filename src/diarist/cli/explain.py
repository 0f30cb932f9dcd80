"""`diarist ingest --explain`: how a file was understood, for people and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diarist.cli.common import count, emit_json, facts_of, say
from diarist.model.codec import to_json
from diarist.text.terminal import safe

if TYPE_CHECKING:
    from diarist.app.explaining import Explanation, SessionSeen
    from diarist.model.session import Step

LINES = 3
"""Lines shown of one step."""
WIDTH = 160


def show(told: Explanation, *, as_json: bool) -> int:
    """Prints it; 0 if an importer takes the file."""
    if as_json:
        steps = [{"session": session, "step": step} for session, step in told.steps]
        emit_json({**_facts(told), "sessions": [facts_of(seen) for seen in told.sessions], "steps": steps})
        return int(not told.importer)
    say(f"{told.path}: {told.size:,} bytes")
    if not told.importer:
        say(f"not a transcript: {told.reason}")
        _counts("records by type", told.records)
        if told.sample:
            say("shape, for a report (no words of the file in it):")
            for line in told.sample:
                say(f"  {line}")
        return 1
    others = ", ".join(f"{name} {sure}" for name, sure in told.sure.items() if name != told.importer)
    say(f"importer: {told.importer} (sure: {told.sure.get(told.importer, 0)} of 100{'; ' + others if others else ''})")
    _counts("records by type", told.records)
    current = ""
    for number, (session, step) in enumerate(told.steps):
        if session != current:
            current = session
            say(f"\nsteps of session {session}")
        _step(number, step)
    for seen in told.sessions:
        _session(seen)
    return 0


def _facts(told: Explanation) -> dict[str, Any]:
    return {
        "path": told.path,
        "size": told.size,
        "importer": told.importer,
        "sure": told.sure,
        "records": told.records,
        "reason": told.reason,
        "sample": told.sample,
    }


def _step(number: int, step: Step) -> None:
    what = f" {step.tool}" if step.tool else ""
    flags: list[str] = [step.mark] if step.mark else []
    flags += ["error"] if step.error else []
    flags += [f"exit code {step.exit_code}"] if step.exit_code is not None else []
    who = f" by {step.actor}" if step.actor else ""
    at = f" {step.at.isoformat(timespec='seconds').replace('+00:00', 'Z')}" if step.at is not None else ""
    say(f"{number:5} {step.kind}{what}{who}{at}{' (' + ', '.join(flags) + ')' if flags else ''}")
    text = str(step.text) or (to_json(step.arguments).decode() if step.arguments else "")
    lines = [line for line in text.split("\n") if line.strip()]
    for line in lines[:LINES]:
        say(f"      | {_cut(line)}")
    if len(lines) > LINES:
        say(f"      | … {count(len(lines) - LINES, 'more line')}")


def _session(seen: SessionSeen) -> None:
    info, capture = seen.info, seen.capture
    say(f"\nsession {info.session}: {info.format}, agent {info.agent} {info.agent_version}".rstrip())
    facts = {
        "subagent": info.actor if info.role == "subagent" else "",
        "parent session": info.parent_session,
        "models": ", ".join(info.models),
        "folder": info.cwd,
        "branch": info.branch,
        "title": info.title,
        "from": "" if info.started_at is None else info.started_at.isoformat(timespec="seconds"),
        "to": "" if info.ended_at is None else info.ended_at.isoformat(timespec="seconds"),
    }
    for name, value in facts.items():
        if value:
            say(f"  {name}: {_cut(' '.join(str(value).split()))}")
    skipped = sum(capture.skipped.values())
    say(f"  records: {capture.seen:,} seen = {capture.kept:,} kept + {skipped:,} skipped + {capture.malformed:,} malformed")
    from diarist.app.explaining import REASONS

    for reason, number in sorted(capture.skipped.items(), key=lambda each: -each[1]):
        say(f"    skipped {number:,}: {reason} ({REASONS.get(reason, 'the importer says no more')})")
    for problem in capture.problems:
        say(f"    line {problem.line}: {problem.reason}" if problem.line else f"    {problem.reason}")
    say(f"  calls: {capture.calls:,}, with a result: {capture.calls_paired:,}")
    say(f"  masked: {count(capture.redacted, 'place')}; clipped: {count(capture.truncated, 'text')}")
    _counts("  steps", seen.steps)


def _counts(title: str, counts: dict[str, int]) -> None:
    if counts:
        say(f"{title}: {', '.join(f'{name} {number:,}' for name, number in counts.items())}")


def _cut(text: str) -> str:
    shown = safe(text)
    return shown if len(shown) <= WIDTH else shown[: WIDTH - 1] + "…"
